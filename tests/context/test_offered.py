"""Offered units: what was active, what memory considered, and which results had come before each call."""

import polars as pl
import pytest

from afp_nodes.context.offered import active_injections, offered_units
from afp_nodes.schemas import (
    ActiveInjections,
    CommittedContext,
    EngineEvaluations,
    MemoryOffers,
    ModelCalls,
    ResultSightings,
    ToolResults,
)
from tests.tables import shown, table

NO_COMMITTED = "run_id | call | key | value_json | commit_idx"
EVALUATIONS = "run_id | event_idx | position | call | active_id | reason | is_list | is_whole"
NO_ACTIVE = "run_id | call | position | active_id | reason | event_idx | commit_idx | sight"
NO_OFFERS = "run_id | event_idx | position | entry_id | reason | is_whole | is_offer"
NO_RESULTS = "run_id | tool_call_id | event_idx | log_commit_idx | log_number | log_listed"
NO_SIGHTINGS = "run_id | scope | tool_call_id | commit_idx | number | listed | content"


def test_the_last_list_of_the_stretch_counts_else_the_committed_one() -> None:
    evaluated = f"""
        {EVALUATIONS}
        r | 1 | 0 | 0 | old | | T | T
        r | 2 | 0 | 0 | b   | | T | T
        r | 2 | 1 | 0 | a   | skipped | T | T
        r | 3 | 0 | 0 |     | | F | F
        r | 4 | 0 |   | no  | | T | T
        r | 5 | 0 | 1 | c   | | T | F
    """
    committed = f"""
        {NO_COMMITTED}
        r | 2 | activeInjections | [{{"id":"d"}},"e"] | 7
        r | 3 | activeInjections | [{{"id":1}},"REDACTED"] | 8
        r | 4 | activeInjections | "REDACTED" | 9
        r | 5 | toolsInjections | ["x"] | 9
        r | 6 | activeInjections | [] |
    """
    found = active_injections(table(EngineEvaluations, evaluated), table(CommittedContext, committed))
    assert shown(found, "call", "position", "active_id", "reason", "event_idx", "commit_idx", "sight") == [
        (0, 0, "b", None, 2, None, "whole"),
        (0, 1, "a", "skipped", 2, None, "whole"),
        (1, 0, "c", None, 5, None, "part"),
        (2, 0, "d", None, None, 7, "fallback"),
        (2, 1, "e", None, None, 7, "fallback"),
        (3, 0, None, None, None, 8, "part"),
        (6, 0, None, None, None, None, "fallback"),
    ]


def offered(
    calls: str, active: str = NO_ACTIVE, offers: str = NO_OFFERS, results: str = NO_RESULTS, seen: str = NO_SIGHTINGS
) -> pl.LazyFrame:
    return offered_units(
        table(ModelCalls, calls),
        table(ActiveInjections, active),
        table(MemoryOffers, offers),
        table(ToolResults, results),
        table(ResultSightings, seen),
    ).sort("position")


def rows(units: pl.LazyFrame, *columns: str) -> list[tuple[object, ...]]:
    """Rows in the order of the units."""
    return units.select(columns).collect().rows()


CALLS = """
    run_id | call | iteration | stands | turn_start | start_event_idx | number | scope | commit_idx | own_commit_idx
    r      | 0    | 1         | T      | 1          | 10              | 5      | ''    | 3          | 3
    r      | 1    | 2         | T      | 11         | 20              | 9      | ''    | 6          | 6
    r      | 2    | 2         | F      | 11         | 30              | 10     | ''    | 8          | 8
"""


def test_units_come_by_kind_each_by_its_first_occurrence() -> None:
    active = f"{NO_ACTIVE}\nr|0|1|b|skipped|2||whole\nr|0|0|a||2||whole\nr|2|0|no||2||whole\nr|0|2|||2||whole"
    offers = (
        f"{NO_OFFERS}\nr|4|1|m2|x|T|T\nr|4|0|m1||T|T\nr|5|0|a|over-budget|T|T\nr|6|0|m1|over-budget|T|T\nr|7|0|||T|T"
    )
    results = f"{NO_RESULTS}\nr|m2|3|||\nr|call_1|8|||"
    units = offered(CALLS, active, offers, results).filter(pl.col("call") == 0)
    assert rows(units, "unit_id", "unit_kind", "drop_reason", "event_idx") == [
        ("a", "injection", None, 2),
        ("b", "injection", "skipped", 2),
        ("m1", "memory", None, 4),
        ("m2", "memory", "x", 4),
        ("call_1", "tool-result", None, 8),
    ]


@pytest.mark.parametrize(("at", "of"), [(0, []), (1, []), (2, [0]), (9, [0]), (10, []), (12, [1]), (20, []), (25, [])])
def test_memory_is_offered_to_later_calls_of_its_turn(at: int, of: list[int]) -> None:
    offers = f"{NO_OFFERS}\nr | {at} | 0 | m | | T | T"
    assert [call for (call,) in rows(offered(CALLS, offers=offers), "call")] == of


@pytest.mark.parametrize(
    ("result", "of", "commit_idx"),
    [
        *(("9 | | |", [0, 1], None), ("10 | | |", [1], None), ("20 | | |", [], None)),
        *(
            (" | 2 | 4 | 0", [0, 1], 2),
            (" | 3 | 4 | 0", [1], 3),
            (" | 6 | 1 | 0", [], None),
            (" | -1 | | 0", [0, 1], None),
        ),
        ("12 | 2 | | 0", [0, 1], 2),
    ],
)
def test_a_result_is_offered_after_the_event_or_the_commit_that_shows_it(
    result: str, of: list[int], commit_idx: int | None
) -> None:
    units = offered(CALLS, results=f"{NO_RESULTS}\nr | a | {result}")
    assert rows(units, "call", "commit_idx") == [(call, commit_idx) for call in of]


MOUNTED = """
    run_id | call | iteration | stands | turn_start | start_event_idx | number | scope  | commit_idx | own_commit_idx
    r      | 0    | 1         | T      |            |                 | 5      | loop#2 | 3          | 4
    r      | 1    | 2         | T      |            |                 | 9      | loop#7 | 3          |
    r      | 2    | 3         | T      |            | 40              | 15     |        |            |
"""


@pytest.mark.parametrize(
    ("idx", "number", "of"),
    [(3, 20, [0, 1]), (4, 20, [1]), (4, 14, [1, 2]), (4, "", [1]), (-1, "", [0, 1, 2]), (9, 15, [1])],
)
def test_a_call_in_a_mount_stands_before_the_mount_and_one_in_no_log_goes_by_the_number_of_its_step(
    idx: int, number: object, of: list[int]
) -> None:
    units = offered(MOUNTED, results=f"{NO_RESULTS}\nr | a | | {idx} | {number} | 0")
    assert [call for (call,) in rows(units, "call")] == of


@pytest.mark.parametrize(
    ("scope", "idx", "number", "of"),
    [
        *(("loop#2", 2, 3, [0, 1, 2]), ("loop#2", 3, 6, [1, 2]), ("loop#2", 2, "", [0])),
        *(("loop#7", 2, 8, [1, 2]), ("loop#7", 3, 20, []), ("other#1", 0, 6, [1, 2]), ("other#1", 0, "", [])),
    ],
)
def test_a_mount_shows_a_result_to_its_own_call_by_place_and_to_others_by_number(
    scope: str, idx: int, number: object, of: list[int]
) -> None:
    seen = f"{NO_SIGHTINGS}\nr | {scope} | a | {idx} | {number} | 0 | inner"
    results = (
        "run_id | tool_call_id | mount_scope | mount_commit_idx | mount_number | mount_listed | mount_content\n"
        f"r | a | {scope} | {idx} | {number} | 0 | inner"
    )
    units = offered(MOUNTED, results=results, seen=seen)
    assert rows(units, "call", "commit_idx", "commit_scope", "content") == [(c, idx, scope, "inner") for c in of]


def test_a_results_content_is_that_of_the_own_log_then_of_mounts_then_of_the_event() -> None:
    header = "run_id | tool_call_id | event_idx | event_content | log_commit_idx | log_listed | log_content"
    results = f"{header}\nr | a | 5 | told | 1 | 0 | kept\nr | b | 6 | told | 9 | 1 | late\nr | c | 7 | told | 1 | 2 |"
    units = offered(CALLS, results=results).filter(pl.col("call") == 0)
    assert rows(units, "unit_id", "content") == [("a", "kept"), ("b", "told"), ("c", "told")]


def test_results_go_by_events_first_then_by_the_order_in_the_log() -> None:
    results = f"{NO_RESULTS}\nr|z||1||4\nr|b|8|1||0\nr|a||1||3\nr|c|7|||"
    units = offered(CALLS, results=results).filter(pl.col("call") == 0)
    assert rows(units, "unit_id") == [("c",), ("b",), ("a",), ("z",)]
