"""Conversations: legs of a turn, turns of a session, and what counts once."""

from collections.abc import Sequence

import polars as pl

from afp_nodes.fleet.conversations import NO_STATE, conversations, leg_links, repeated_work, turn_legs
from afp_nodes.schemas import ProductionRuns
from tests.tables import shown, table

END = "agentfootprint.stream.llm_end"
COUNTED = ("run_id", "answer_counted", "calls_counted", "tokens_counted")


def joined(
    runs: str, events: Sequence[tuple[str, str, str]] = (), calls: Sequence[tuple[str, str, str | None]] = ()
) -> pl.LazyFrame:
    """The conversations of production runs, with their model calls (run, step, end) and tool calls (run, id, name)."""
    production = table(ProductionRuns, runs)
    named = {
        "events": pl.LazyFrame(
            [(run, END, step, end) for run, step, end in events],
            schema=dict.fromkeys(("run_id", "type", "runtime_stage_id", "payload_json"), pl.String),
            orient="row",
        ),
        "tool_calls": pl.LazyFrame(
            calls, schema=dict.fromkeys(("run_id", "tool_call_id", "tool_name"), pl.String), orient="row"
        ),
    }
    links = leg_links(production)
    legs = turn_legs(links)
    return conversations(production, links, legs, repeated_work(legs, named))


def test_runs_of_one_session_tenant_and_principal_are_one_conversation() -> None:
    rows = joined(
        """
        run_id | session_id | tenant | principal
        b      | s          | t      | p
        a      | s          | t      | p
        other  | s          | u      | p
        nobody | s          |        |
        single |            |        |
        """
    )
    assert shown(rows, "conversation_id", "run_id", "link") == [
        ("a", "a", "session"),
        ("a", "b", "session"),
        ("nobody", "nobody", "session"),
        ("other", "other", "session"),
        ("single", "single", "alone"),
    ]


LEGS = """
    run_id | initial_state_sha256 | shared_state_sha256
    one    |                      | x
    two    | x                    | y
    three  | y                    | z
"""


def test_legs_of_a_turn_have_one_answer_given_by_the_last() -> None:
    rows = joined(LEGS)
    assert shown(rows, "conversation_id", "run_id", "position", "link", "answer_counted") == [
        ("one", "one", 0, "resumed-leg", False),
        ("one", "three", 2, "resumed-leg", True),
        ("one", "two", 1, "resumed-leg", False),
    ]


def test_what_a_leg_repeats_of_an_earlier_one_is_counted_there() -> None:
    events = [("one", "m#1", "{}"), ("two", "m#1", "{}"), ("three", "m#1", "{}"), ("three", "m#9", "{}")]
    calls = [("one", "c1", "ask"), ("two", "c1", None), ("three", "c1", "ask")]
    assert shown(joined(LEGS, events, calls), *COUNTED) == [
        ("one", False, True, True),
        ("three", True, True, True),
        ("two", False, False, False),
    ]


def test_a_call_id_that_a_provider_uses_again_is_another_call() -> None:
    calls = [("one", "c1", "ask"), ("two", "c1", "ask")]
    assert [row[2] for row in shown(joined(LEGS, [], calls), *COUNTED)] == [True, True, True]


def test_the_same_step_with_another_end_is_another_model_call() -> None:
    events = [("one", "m#1", "{}"), ("two", "m#1", '{"usage":1}')]
    assert [row[3] for row in shown(joined(LEGS, events), *COUNTED)] == [True, True, True]


def test_two_runs_that_go_on_from_one_pause_both_answer() -> None:
    rows = joined(
        """
        run_id | initial_state_sha256 | shared_state_sha256
        asked  |                      | x
        no     | x                    | y
        yes    | x                    | z
        """
    )
    assert shown(rows, "conversation_id", "run_id", "answer_counted") == [
        ("asked", "asked", False),
        ("asked", "no", True),
        ("asked", "yes", True),
    ]


def test_a_state_that_two_runs_left_joins_none() -> None:
    rows = joined(
        """
        run_id | initial_state_sha256 | shared_state_sha256
        a      |                      | x
        b      |                      | x
        c      | x                    | y
        """
    )
    assert {row[1] for row in shown(rows, "run_id", "link")} == {"alone"}


def test_the_empty_state_tells_no_run_from_another() -> None:
    rows = joined(
        f"""
        run_id | initial_state_sha256 | shared_state_sha256
        a      |                      | {NO_STATE}
        b      | {NO_STATE}           | y
        """
    )
    assert {row[1] for row in shown(rows, "run_id", "link")} == {"alone"}


def test_states_in_a_circle_end_where_they_began() -> None:
    rows = joined(
        """
        run_id | initial_state_sha256 | shared_state_sha256
        a      | x                    | y
        b      | y                    | x
        """
    )
    assert shown(rows, "conversation_id", "run_id", "answer_counted") == [("a", "a", False), ("a", "b", False)]


def test_a_leg_joins_the_sessions_it_stands_between() -> None:
    rows = joined(
        """
        run_id | session_id | initial_state_sha256 | shared_state_sha256
        a      | s          |                      | x
        b      | t          | x                    | y
        c      | t          |                      |
        """
    )
    assert {row[0] for row in shown(rows, "conversation_id", "run_id")} == {"a"}
