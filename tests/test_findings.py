"""Findings: sentences that are right for none, one and many, and say what is not known."""

from collections.abc import Iterator

import duckdb
import pytest

from dataflows.findings import sentences


@pytest.fixture
def store() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty store, with the columns that findings read."""
    with duckdb.connect() as connection:
        connection.execute(
            """
            CREATE TABLE runs (
                run_id VARCHAR, study_id VARCHAR, answered BOOLEAN, reads_recorded BOOLEAN, dropped_events BIGINT,
                odd_values BIGINT, redacted_names VARCHAR[], manifest_json VARCHAR
            );
            CREATE TABLE variables (run_id VARCHAR, coverage VARCHAR);
            CREATE TABLE ablation_hooks (run_id VARCHAR, suspect_kind VARCHAR, suspect_id VARCHAR);
            CREATE TABLE standings (run_id VARCHAR, answered BOOLEAN, standing VARCHAR);
            CREATE TABLE reasons (run_id VARCHAR, reason VARCHAR);
            CREATE TABLE verdicts (
                run_id VARCHAR, kind VARCHAR, verdict VARCHAR, subject_id VARCHAR, evidence_json VARCHAR
            );
            CREATE TABLE routing (run_id VARCHAR, to_skill VARCHAR, delivered_verdict VARCHAR);
            CREATE TABLE events (run_id VARCHAR, payload_json VARCHAR);
            CREATE TABLE states (run_id VARCHAR, state_json VARCHAR);
            CREATE TABLE writes (run_id VARCHAR, key VARCHAR, overwrite_json VARCHAR, update_json VARCHAR);
            """
        )
        yield connection


def add_runs(store: duckdb.DuckDBPyConnection, *runs: str) -> None:
    """Adds runs: id, study, answered, reads recorded, dropped events, odd values, redacted names."""
    for run in runs:
        store.execute(f"INSERT INTO runs VALUES ({run}, NULL)")


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
def test_findings_are_sentences_for_one_and_for_many(
    store: duckdb.DuckDBPyConnection, copies: int, said: list[str]
) -> None:
    store.execute(
        f"""
        INSERT INTO runs SELECT run_id, NULL, NULL, false, 7, 1, [], NULL FROM range({copies}) AS copies (run_id);
        INSERT INTO variables SELECT run_id, 'unknown' FROM runs;
        INSERT INTO ablation_hooks SELECT run_id, 'tool', 'lookup' FROM runs;
        """
    )
    assert sentences(store) == said


def test_what_is_not_known_is_neither_a_lost_event_nor_an_answer(store: duckdb.DuckDBPyConnection) -> None:
    add_runs(
        store,
        "'a', NULL, true, true, NULL, 0, []",
        "'b', NULL, false, true, 0, 0, []",
        "'c', NULL, NULL, true, 0, 0, []",
    )
    assert sentences(store) == ["1 of 3 runs gave an answer; 1 gave none, and for 1 the record cannot tell"]


def test_findings_tell_of_doubt_dropped_context_and_skills_and_leave_probe_runs_out(
    store: duckdb.DuckDBPyConnection,
) -> None:
    add_runs(
        store,
        "'a', NULL, true, true, 0, 0, []",
        "'b', NULL, false, true, 0, 0, []",
        "'p', 'study', true, true, 0, 0, []",
    )
    store.execute(
        """
        INSERT INTO standings VALUES ('a', true, 'not-sure'), ('b', false, 'not-sure'), ('p', true, 'not-sure');
        INSERT INTO reasons VALUES ('a', 'declared-absent'), ('b', 'stopped-early'), ('p', 'stopped-early');
        INSERT INTO verdicts (run_id, kind, verdict)
        VALUES ('a', 'missing-context', 'dropped'), ('b', 'missing-context', 'unknown');
        INSERT INTO routing VALUES ('a', 'refunds', 'not-delivered'), ('p', 'hours', 'not-delivered');
        """
    )
    assert sentences(store) == [
        "1 of 2 runs gave an answer; 1 gave none, and for 0 the record cannot tell"
        " (1 probe runs of studies are not counted here)",
        "of 1 answer 1 has a reason for doubt (declared-absent in 1); for 0 the record holds nothing to judge by",
        "context that was available was not sent in 1 run; in 1 the record cannot tell",
        "skills that were decided on and never reached the model: refunds (1 run)",
    ]


@pytest.mark.parametrize(
    ("naming", "named"),
    [(["r"], "[redacted] (1 run)"), (["r", "s"], "Mira Okafor (2 runs)"), (["s"], "Mira Okafor (1 run)")],
)
def test_a_name_that_every_run_redacts_is_not_named(
    store: duckdb.DuckDBPyConnection, naming: list[str], named: str
) -> None:
    add_runs(store, "'r', NULL, true, true, 0, 0, ['customer']", "'s', NULL, true, true, 0, 0, []")
    store.execute("""INSERT INTO events VALUES ('r', '{"customer":"Mira Okafor"}')""")
    for run in naming:
        store.execute(f"INSERT INTO ablation_hooks VALUES ('{run}', 'injection', 'Mira Okafor')")
    assert sentences(store)[-1] == f"sources that most runs could be tested without: injection {named}"


def test_arms_are_compared_without_a_word_on_why(store: duckdb.DuckDBPyConnection) -> None:
    store.execute(
        """
        INSERT INTO verdicts VALUES
            (NULL, 'observational', 'differs', 'b', '[{"baseline":"a"}]'),
            (NULL, 'observational', 'no-difference-seen', 'c', '[{"baseline":"a"}]'),
            (NULL, 'observational', 'not-comparable', 'd', '[{"reason":"x","baseline":"a"}]')
        """
    )
    assert sentences(store) == [
        "answers of recorded runs by arm, which were not dealt out at random: those of b differ from those of a,"
        " those of c show no difference from those of a, those of d cannot be compared with those of a"
    ]
