"""The tables of standings: which runs have which rows."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from afp_nodes import standings as room
from afp_nodes.schemas import DeclaredTools, RunRecords, Runs, States
from afp_nodes.standings import assessments, reason_calls, reasons, standing_checks, standings
from tests.tables import shown, table

EMPTY = '{"history":[{"role":"tool","toolCallId":"c1","toolName":"t","content":"[]"}]}'
ROWS_IN_VMS = '{"history":[{"role":"tool","toolCallId":"c1","toolName":"t","content":{"vms":[]}}]}'
PAUSED = '{"pausedToolCallId":"REDACTED"}'

RUNS = """
    run_id | answered | chart
    a      | T        | flat
    b      | F        | flat
    c      |          | none
"""


def assessed(states: str, tools: str = "run_id | tool_name | rows_at") -> pl.LazyFrame:
    """The assessments of three runs."""
    return assessments(table(RunRecords, RUNS), table(States, states), table(DeclaredTools, tools))


def test_every_run_has_a_standing_whether_it_answered_or_left_a_state_or_not() -> None:
    told = assessed(f"""
        run_id | which   | state_json
        a      | shared  | {EMPTY}
        b      | initial | {EMPTY}
    """)
    rows = shown(standings(told, table(Runs, RUNS)), "run_id", "answered", "assessment", "standing", "turn_from")
    assert rows == [
        ("a", True, "unknown", "not-sure", "whole-history"),
        ("b", False, "not-applicable", "not-assessed", "whole-history"),
        ("c", None, "not-applicable", "not-assessed", "whole-history"),
    ]


def test_a_reason_carries_its_places_and_its_calls() -> None:
    told = assessed(f"run_id | which | state_json\nb | shared | {EMPTY}")
    columns = ("run_id", "position", "reason", "layer", "class", "source_kind", "unnamed", "witnesses_json")
    witnesses = '[{"kind":"history","index":0,"path":"/toolCallId","toolCallId":"c1"}]'
    assert shown(reasons(told), *columns) == [("b", 0, "empty-undeclared", 3, "not-sure", "calls", 0, witnesses)]
    calls = shown(reason_calls(told), "run_id", "reason", "position", "tool_call_id", "tool_name")
    assert calls == [("b", "empty-undeclared", 0, "c1", "t")]


def test_a_check_says_how_often_it_ran_and_where() -> None:
    told = assessed(f"run_id | which | state_json\nb | shared | {EMPTY}")
    witnesses = '[{"kind":"history","index":0,"path":"/toolCallId","toolCallId":"c1"}]'
    assert shown(standing_checks(told), "run_id", "layer", "check_name", "ran", "of", "witnesses_json") == [
        ("b", 3, "result-shape", 1, 1, witnesses),
        ("b", 3, "tool-coverage", 0, 1, "[]"),
    ]


def test_a_reason_that_rests_on_no_call_counts_none() -> None:
    told = assessed(f"run_id | which | state_json\na | shared | {PAUSED}")
    assert shown(reasons(told), "reason", "layer", "class", "source_kind", "unnamed") == [
        ("asked", None, "ask", "run", None)
    ]
    assert shown(reason_calls(told), "run_id") == []


def test_a_placeholder_is_kept_out_only_in_a_record_that_is_marked() -> None:
    told = assessed(f"""
        run_id | which     | state_json
        a      | shared    | {PAUSED}
        b      | shared    | {PAUSED}
        b      | redaction | {{"id":"agentfootprint.redaction"}}
        c      | redaction | {{"id":"agentfootprint.redaction"}}
    """)
    assert shown(standings(told, table(Runs, RUNS)), "run_id", "standing", "kept_out") == [
        ("a", "ask", None),
        ("b", "not-assessed", ["pausedToolCallId"]),
        ("c", "not-assessed", None),
    ]


def test_rows_are_where_each_runs_own_declarations_say() -> None:
    states = f"""
        run_id | which  | state_json
        a      | shared | {ROWS_IN_VMS}
        b      | shared | {ROWS_IN_VMS}
        c      | shared | {ROWS_IN_VMS}
    """
    told = assessed(states, "run_id | tool_name | rows_at\na | t | vms\na | other | rows\nb | u | vms\nc | t | rows")
    assert shown(reasons(told), "run_id", "reason") == [("a", "empty-undeclared")]


def test_runs_of_one_state_and_one_declaration_are_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    folds: list[bool] = []
    monkeypatch.setattr(room, "assess", _counting(room.assess, folds))
    states = f"""
        run_id | which     | state_json
        a      | shared    | {EMPTY}
        b      | shared    | {EMPTY}
        c      | shared    | {EMPTY}
        c      | redaction | {{}}
    """
    told = assessed(states, "run_id | tool_name | rows_at\na | t | x\na | u | y\nb | u | y\nb | t | x")
    assert shown(standings(told, table(Runs, RUNS)), "run_id", "standing") == [
        ("a", "not-sure"),
        ("b", "not-sure"),
        ("c", "not-sure"),
    ]
    assert sorted(folds) == [False, True]


def _counting(assess: Callable[..., Any], folds: list[bool]) -> Callable[..., Any]:
    """The fold, and a note of each time it is asked."""

    def counted(*arguments: Any, redacted: bool) -> Any:
        folds.append(redacted)
        return assess(*arguments, redacted=redacted)

    return counted
