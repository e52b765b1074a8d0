"""Verdict rows and their names."""

import polars as pl

from afp_nodes.schemas import Claims, Coverages
from afp_nodes.verdicts import coverage_claims, verdicts
from tests.tables import shown, table

NONE = Claims.create_empty().lazy()


def of_coverage(coverages: pl.LazyFrame) -> pl.LazyFrame:
    """The verdicts on some coverages alone."""
    return verdicts(coverage_claims(coverages), NONE, NONE, NONE)


def test_a_verdict_is_named_for_what_it_is_about_and_no_two_subjects_share_a_name() -> None:
    coverages = table(
        Coverages,
        """
        run_id | scope | key  | coverage | root_commit_idx | root_readers | reached_lives
        r      | ''    | a%b  | exact    | 3               | [4 7]        | 5
        r      | s#1   | a    | unknown  |                 | []           | 1
        """,
    )
    rows = shown(of_coverage(coverages), "verdict_id", "tier", "verdict", "subject_id", "evidence_json")
    assert rows == [
        ("coverage||r|s#1|a", "structural", "unknown", "a", '[{"written_at":null,"read_at":[],"lives":1}]'),
        ("coverage||r||a%25b", "structural", "exact", "a%b", '[{"written_at":3,"read_at":[4,7],"lives":5}]'),
    ]


def test_separators_and_control_characters_in_ids_are_escaped() -> None:
    coverages = table(Coverages, "run_id|scope|key|coverage\nR|''|k|unknown")
    odd = coverages.with_columns(run_id=pl.lit("x|\x1fy"))
    assert shown(of_coverage(odd), "verdict_id") == [("coverage||x%7C%1Fy||k",)]
