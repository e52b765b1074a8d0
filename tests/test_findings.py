"""Findings: sentences that are right for none, one and many, and say what is not known."""

import duckdb
import pytest

from dataflows.questions import question_text


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        (0, []),
        (
            1,
            [
                "0 of 1 run gave an answer; 0 gave none, and for 1 the record cannot tell",
                "what 1 variable fed is recorded exactly for 0, conservatively for 0, and not known for 1",
                "sources that most runs could be tested without: tool lookup (1 run)",
                "1 run records no reads: who used a value there is not known",
                "1 run lost its first events: its totals are at least what is shown",
                "1 run holds values of a wrong type, which read as absent",
            ],
        ),
        (
            1200,
            [
                "0 of 1,200 runs gave an answer; 0 gave none, and for 1,200 the record cannot tell",
                "what 1,200 variables fed is recorded exactly for 0, conservatively for 0, and not known for 1,200",
                "sources that most runs could be tested without: tool lookup (1,200 runs)",
                "1,200 runs record no reads: who used a value there is not known",
                "1,200 runs lost their first events: their totals are at least what is shown",
                "1,200 runs hold values of a wrong type, which read as absent",
            ],
        ),
    ],
)
def test_findings_are_sentences_for_one_and_for_many(copies: int, said: list[str]) -> None:
    with duckdb.connect() as store:
        store.execute(
            f"""
            CREATE TABLE runs AS
                SELECT run_id, NULL::BOOLEAN AS answered, false AS reads_recorded, 7 AS dropped_events, 1 AS odd_values
                FROM range({copies}) AS copies (run_id);
            CREATE TABLE variables AS SELECT 'unknown' AS coverage FROM runs;
            CREATE TABLE ablation_hooks AS SELECT run_id, 'tool' AS suspect_kind, 'lookup' AS suspect_id FROM runs;
            """
        )
        assert [sentence for (sentence,) in store.execute(question_text("findings")).fetchall()] == said


def test_what_is_not_known_is_neither_a_lost_event_nor_an_answer() -> None:
    with duckdb.connect() as store:
        store.execute(
            """
            CREATE TABLE runs AS
                SELECT * FROM (VALUES (true, true, NULL::BIGINT, 0), (false, true, 0, 0), (NULL, true, 0, 0))
                AS runs (answered, reads_recorded, dropped_events, odd_values);
            CREATE TABLE variables (coverage VARCHAR);
            CREATE TABLE ablation_hooks (run_id VARCHAR, suspect_kind VARCHAR, suspect_id VARCHAR);
            """
        )
        assert store.execute(question_text("findings")).fetchall() == [
            ("1 of 3 runs gave an answer; 1 gave none, and for 1 the record cannot tell",)
        ]
