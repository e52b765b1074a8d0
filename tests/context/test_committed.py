"""Committed context: which values of a log are wanted, and what they were when the call was made."""

import polars as pl
import pytest

from afp_nodes.context.begun import begun_values
from afp_nodes.context.committed import committed_context, context_gaps
from afp_nodes.schemas import (
    BegunValues,
    ComposedSlots,
    ContextGaps,
    EngineEvaluations,
    ModelCalls,
    States,
    Writes,
)
from tests.tables import shown, table

NOTHING_BEGUN = "run_id | key | value_json"
LOG = table(
    Writes,
    """
    run_id | scope | commit_idx | key                | verb   | verbs    | entries | overwrite_json | update_json
    r      | ''    | 1          | toolsInjections    | append | [append] | 1       | [{"a":1}]      |
    r      | ''    | 2          | other              | set    | [set]    | 1       | [9]            |
    r      | ''    | 3          | toolsInjections    | set    | [set]    | 1       | [{"b":1}]      |
    r      | ''    | 5          | toolsInjections    | append | [append] | 1       | [{"c":1}]      |
    r      | ''    | 1          | messagesInjections | merge  | [merge]  | 1       |                | ["y"]
    r      | in#1  | 0          | toolsInjections    | append | [append] | 1       | ["inner"]      |
    """,
)


def test_what_the_events_do_not_show_wholly_is_wanted_of_calls_that_are_in_a_log() -> None:
    calls = table(
        ModelCalls,
        """
        run_id | call | iteration | stands | scope | commit_idx
        r      | 0    | 1         | T      | ''    | 3
        r      | 1    | 2         | T      |       |
        r      | 2    | 2         | F      | ''    | 8
        """,
    )
    slots = table(
        ComposedSlots,
        """
        run_id | call | slot          | sight
        r      | 0    | system-prompt | whole
        r      | 0    | messages      | part
        """,
    )
    evaluated = "run_id | event_idx | position | call | active_id | is_list | is_whole"
    nothing_listed = table(EngineEvaluations, f"{evaluated}\nr | 1 | 0 | 0 |  | F | F")
    listed = table(EngineEvaluations, f"{evaluated}\nr | 1 | 0 | 0 | a | T | T\nr | 1 | 1 | 0 | b | T | T")
    wanted = shown(context_gaps(calls, slots, nothing_listed), "call", "key", "scope", "fold_commit_idx")
    assert wanted == [
        (0, "activeInjections", "", 2),
        (0, "messagesInjections", "", 2),
        (0, "toolsInjections", "", 2),
    ]
    assert shown(context_gaps(calls, slots, listed), "key") == [("messagesInjections",), ("toolsInjections",)]


@pytest.mark.parametrize(
    ("scope", "key", "at", "begun", "value", "commit_idx"),
    [
        ("", "toolsInjections", 0, None, None, None),
        ("", "toolsInjections", -1, "[7]", "[7]", None),
        ("", "toolsInjections", 0, "[7]", "[7]", None),
        ("", "toolsInjections", 2, None, '[{"a":1}]', 1),
        ("", "toolsInjections", 2, "[7]", '[7,{"a":1}]', 1),
        ("", "toolsInjections", 2, '"REDACTED"', '[{"a":1}]', 1),
        ("", "toolsInjections", 4, "[7]", '[{"b":1}]', 3),
        ("", "toolsInjections", 9, "[7]", '[{"b":1},{"c":1}]', 5),
        ("", "messagesInjections", 1, '["x"]', '["x","y"]', 1),
        ("in#1", "toolsInjections", 3, "[7]", '["inner"]', 0),
        ("in#2", "toolsInjections", 3, "[7]", None, None),
    ],
)
def test_a_value_grows_from_the_state_the_leg_began_with(
    scope: str, key: str, at: int, begun: str | None, value: str | None, commit_idx: int | None
) -> None:
    gaps = table(ContextGaps, f"run_id|call|key|scope|fold_commit_idx\nr|0|{key}|{scope or chr(39) * 2}|{at}")
    state = table(BegunValues, f"{NOTHING_BEGUN}\nr | {key} | {begun}" if begun else NOTHING_BEGUN)
    rows = shown(committed_context(gaps, LOG, state), "value_json", "commit_idx")
    assert rows == [(value, commit_idx)]


def test_of_the_state_a_leg_began_with_what_tells_of_context_is_read() -> None:
    states = table(
        States,
        """
        run_id | which   | state_json
        r      | initial | {"history":null,"iteration":2.0,"other":1,"toolsInjections":[{"b":1,"2":1}]}
        r      | shared  | {"history":[]}
        s      | initial | {}
        """,
    )
    assert shown(begun_values(states), "run_id", "key", "value_json") == [
        ("r", "history", "null"),
        ("r", "iteration", "2"),
        ("r", "toolsInjections", '[{"2":1,"b":1}]'),
    ]


def test_calls_without_gaps_want_nothing() -> None:
    nothing = table(ContextGaps, "run_id | call | key | scope | fold_commit_idx")
    assert committed_context(nothing, LOG, table(BegunValues, NOTHING_BEGUN)).select(pl.len()).collect().item() == 0
