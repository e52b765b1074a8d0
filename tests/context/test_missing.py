"""Missing context: what a call could have been given and was not, and how well that is known."""

import json

import polars as pl
import pytest

from afp_nodes.context.missing import (
    context_units,
    declared_context,
    missing_context,
    missing_context_summary,
    recorded_units,
    unit_evictions,
)
from afp_nodes.schemas import (
    ContextSights,
    ContextUnits,
    DeclaredLists,
    DeclaredUnits,
    EvictedResults,
    Evictions,
    FrameCommits,
    MissingContext,
    MissingContextSummary,
    ModelCalls,
    OfferedUnits,
    RunRecords,
    SentUnits,
    UnitEvictions,
)
from afp_nodes.verdicts import missing_context_claims
from tests.tables import shown, table

CALLS = """
    run_id | call | iteration | stands | scope | commit_idx | own_commit_idx | start_event_idx | number
    r      | 0    | 1         | T      | ''    | 5          | 5              | 10              | 7
    r      | 1    | 2         | T      | ''    | 9          | 9              | 20              | 12
"""
OFFERED = (
    "run_id | call | unit_id | unit_kind | position | drop_reason | content | event_idx | commit_idx | commit_scope"
)
SENT = "run_id | call | unit_id | unit_kind | position | spelling | content | event_idx | commit_idx"
EVICTED = "run_id | call | unit_id | evicted_by | evicted_scope | evicted_commit | evicted_event"


def sights(available: str, sent: str, kind: str = "injection", call: int = 0) -> str:
    """Two rows: how well each side of a kind is shown; a blank side has none."""
    sides = {"available": available, "sent": sent}
    return "\n".join(f"r | {call} | {kind} | {side} | {sight}" for side, sight in sides.items() if sight)


def units(offered: str = "", sent: str = "", shown_as: str = "", gone: str = "", names: str = "[]") -> pl.LazyFrame:
    return recorded_units(
        table(ModelCalls, CALLS),
        table(OfferedUnits, f"{OFFERED}\n{offered}"),
        table(SentUnits, f"{SENT}\n{sent}"),
        table(ContextSights, f"run_id | call | unit_kind | side | sight\n{shown_as}"),
        table(UnitEvictions, f"{EVICTED}\n{gone}"),
        table(RunRecords, f"run_id | redacted_names\nr | {names}"),
    )


BOTH = ("r | 0 | a | injection | 0 | | | 3 | |", "r | 0 | a | injection | 0 | a | | 4 |")


@pytest.mark.parametrize(
    ("available", "sent", "offered_only", "sent_only"),
    [
        ("whole", "whole", (True, False, "exact"), (False, True, "exact")),
        ("fallback", "whole", (True, False, "conservative"), (False, True, "conservative")),
        ("whole", "fallback", (True, False, "conservative"), (False, True, "conservative")),
        ("part", "whole", (True, False, "conservative"), (None, True, "unknown")),
        ("whole", "part", (True, None, "unknown"), (False, True, "conservative")),
        ("whole", "none", (True, None, "unknown"), (False, True, "conservative")),
        ("none", "whole", (True, False, "conservative"), (None, True, "unknown")),
        ("", "whole", (True, False, "conservative"), (None, True, "unknown")),
        ("part", "part", (True, None, "unknown"), (None, True, "unknown")),
    ],
)
def test_what_is_listed_is_known_and_what_is_not_only_where_the_side_is_shown(
    available: str, sent: str, offered_only: tuple[object, ...], sent_only: tuple[object, ...]
) -> None:
    columns, told = ("available", "sent", "grade"), sights(available, sent)
    assert shown(units(offered=BOTH[0], shown_as=told), *columns) == [offered_only]
    assert shown(units(sent=BOTH[1], shown_as=told), *columns) == [sent_only]


def test_a_unit_on_both_sides_has_the_weaker_of_both() -> None:
    for pair, grade in (("whole whole", "exact"), ("whole part", "conservative"), ("fallback whole", "conservative")):
        told = units(*BOTH, shown_as=sights(*pair.split()))
        assert shown(told, "available", "sent", "grade", "drop_reason") == [(True, True, grade, None)]


def test_units_stand_as_they_were_available_then_as_they_were_sent() -> None:
    offered = "\n".join(f"r | 0 | {unit} | injection | {at} | | | | |" for at, unit in ((4, "b"), (7, "a"), (9, "d")))
    sent = "\n".join(f"r | 0 | {unit} | injection | {at} | {unit} | | |" for at, unit in ((1, "z"), (2, "c"), (3, "d")))
    told = units(offered, sent, sights("whole", "whole")).sort("position")
    assert told.select("position", "unit_id").collect().rows() == list(enumerate(["b", "a", "d", "z", "c"]))


def test_units_match_by_id_whatever_their_kind() -> None:
    told = units(BOTH[0], BOTH[1].replace("injection", "tool-result"), sights("whole", "whole"))
    assert shown(told, "unit_kind", "available", "sent") == [("injection", True, True)]


@pytest.mark.parametrize("reason", ["below-threshold", "over-budget", "superseded", "skipped", "evicted"])
def test_the_recorded_reason_of_a_dropped_unit_is_kept_where_it_is_a_known_word(reason: str) -> None:
    told = units(f"r | 0 | m | memory | 0 | {reason} | | 3 | |", shown_as=sights("whole", "whole", "memory"))
    assert shown(told, "drop_reason") == [(reason,)]


def test_any_other_reason_is_found_in_the_origin_alone() -> None:
    told = units("r | 0 | m | memory | 0 | too-shy | | 3 | |", shown_as=sights("whole", "whole", "memory"))
    assert shown(told, "drop_reason") == [(None,)]
    assert _origin(told) == {"available_event": 3, "entry": "m", "reason": "too-shy"}


def test_a_unit_that_is_not_known_to_be_dropped_has_no_reason() -> None:
    told = units("r | 0 | m | memory | 0 | over-budget | | 3 | |", shown_as=sights("whole", "part", "memory"))
    assert shown(told, "sent", "drop_reason") == [(None, None)]


def test_what_took_a_result_away_stands_in_the_origin() -> None:
    gone = "r | 0 | c | compact#6 | in#2 | 4 | 8"
    offered = "r | 0 | c | tool-result | 0 | | | 3 | 2 | in#2"
    told = units(offered, shown_as=sights("whole", "whole", "tool-result"), gone=gone)
    assert shown(told, "drop_reason") == [("evicted",)]
    assert _origin(told) == {
        "available_event": 3,
        "available_scope": "in#2",
        "available_commit": 2,
        "evicted_by": "compact#6",
        "evicted_scope": "in#2",
        "evicted_commit": 4,
        "evicted_event": 8,
    }
    kept = units(offered, shown_as=sights("whole", "none", "tool-result"), gone=gone)
    assert (shown(kept, "drop_reason"), "evicted_by" in _origin(kept)) == ([(None,)], False)


def test_a_memorys_entry_stands_in_both_spellings_and_quotes_do_no_harm() -> None:
    told = units(
        'r | 0 | m"1 | memory | 0 | | | 3 | |',
        'r | 0 | m"1 | memory | 0 | memory:d#m"1 | | | 6',
        sights("whole", "whole", "memory"),
    )
    assert _origin(told) == {"available_event": 3, "sent_commit": 6, "entry": 'm"1', "spelling": 'memory:d#m"1'}


@pytest.mark.parametrize(
    ("offered", "sent", "later", "content"),
    [
        *(("old", "new", "", "new"), ("old", "", "", "old"), ("", "", "later", "later"), ("", "", "", None)),
        ("old", "", "later", "old"),
    ],
)
def test_content_is_what_was_sent_else_offered_else_sent_at_another_call(
    offered: str, sent: str, later: str, content: str | None
) -> None:
    told = units(
        f"r | 0 | a | injection | 0 | | {offered} | | |",
        f"r | 0 | a | injection | 0 | a | {sent} | | \nr | 1 | a | injection | 1 | a | {later} | |"
        "\nr | 1 | b | injection | 2 | b | other | |",
    )
    assert shown(told.filter(iteration=1), "content") == [(content,)]


@pytest.mark.parametrize(
    ("names", "kind", "content"),
    [
        *(("[rawContent]", "injection", None), ("[rawContent]", "memory", None), ("[rawContent]", "tool-result", "x")),
        *(("[result]", "tool-result", None), ("[history]", "tool-result", None), ("[result]", "injection", "x")),
        *(("[lastToolResult]", "tool-result", None), ("[other]", "memory", "x")),
    ],
)
def test_content_that_the_record_takes_out_is_not_shown_from_another_place(
    names: str, kind: str, content: str | None
) -> None:
    told = units(f"r | 0 | a | {kind} | 0 | | x | | |", names=names)
    assert shown(told, "content") == [(content,)]


@pytest.mark.parametrize(
    ("evictions", "events", "taken"),
    [
        ("", "", []),
        ("r | '' | 4 | c | 6 | compact#6", "", [("compact#6", "", 4, None)]),
        ("r | '' | 5 | c | 8 | compact#8", "", []),
        ("r | '' | 2 | c | 3 | compact#3\nr | '' | 4 | c | 6 | compact#6", "", [("compact#6", "", 4, None)]),
        ("r | in#2 | 4 | c | 6 | compact#6", "", [("compact#6", "in#2", 4, None)]),
        ("r | in#2 | 4 | c | 7 | compact#7", "", []),
        ("r | '' | 4 | other | 6 | compact#6", "", []),
        ("", "r | 9 | c | compact#1", [("compact#1", None, None, 9)]),
        ("", "r | 10 | c | compact#1", []),
        ("", "r | 7 | c | compact#1\nr | 9 | c | compact#2", [("compact#2", None, None, 9)]),
        ("r | '' | 4 | c | 6 | compact#6", "r | 9 | c | window#1", [("compact#6", "", 4, 9)]),
    ],
)
def test_the_last_commit_and_the_last_event_before_the_call_took_a_result_away(
    evictions: str, events: str, taken: list[tuple[object, ...]]
) -> None:
    frame = unit_evictions(
        table(ModelCalls, CALLS).filter(call=0),
        table(OfferedUnits, f"{OFFERED}\nr | 0 | c | tool-result | 0 | | | | |\nr | 0 | x | memory | 0 | | | | |"),
        table(Evictions, f"run_id | scope | commit_idx | tool_call_id | number | runtime_stage_id\n{evictions}"),
        table(EvictedResults, f"run_id | event_idx | tool_call_id | runtime_stage_id\n{events}"),
    )
    assert shown(frame, "evicted_by", "evicted_scope", "evicted_commit", "evicted_event") == taken


UNITS = table(
    ContextUnits,
    """
    run_id | iteration | unit_id | position | unit_kind | available | sent | grade        | origin_json
    r      | 1         | a       | 0        | injection | T         | T    | exact        | {}
    r      | 1         | b       | 1        | injection | T         | F    | exact        | {}
    r      | 1         | c       | 2        | memory    | T         |      | unknown      | {}
    r      | 1         | d       | 3        | memory    | F         | T    | conservative | {}
    r      | 1         | e       | 4        | memory    | T         | F    | conservative | {}
    r      | 2         | f       | 0        | memory    |           | T    | unknown      | {}
    """,
)


def test_what_was_available_and_is_known_not_to_be_sent_is_missing() -> None:
    assert shown(missing_context(UNITS), "iteration", "position", "unit_id", "grade") == [
        (1, 0, "b", "exact"),
        (1, 1, "e", "conservative"),
    ]


def summary(*told: str, declared: str = "") -> list[tuple[object, ...]]:
    frame = missing_context_summary(
        UNITS,
        table(ModelCalls, CALLS),
        table(ContextSights, "\n".join(["run_id | call | unit_kind | side | sight", *told])),
        table(DeclaredLists, f"run_id\n{declared}"),
        table(FrameCommits, "run_id|scope|commit_idx|loop_index|stage_id\nr|''|5|3|call-llm\nr|''|9|4|other"),
    )
    columns = ("iteration", "available_count", "sent_count", "dropped_count", "any_dropped", "grade", "loop_index")
    return shown(frame, *columns)


def test_a_call_has_the_weakest_grade_over_the_kinds_of_which_there_is_a_trace() -> None:
    whole, untraced = sights("whole", "whole"), sights("", "none", "tool-result")
    assert summary(whole, untraced) == [(1, 4, 2, 2, True, "exact", 3)]
    assert summary(whole, sights("whole", "fallback", "memory")) == [(1, 4, 2, 2, True, "conservative", 3)]
    assert summary(whole, sights("part", "whole", "memory")) == [(1, 4, 2, 2, True, "unknown", 3)]


def test_nothing_says_how_many_were_dropped_where_nothing_is_shown() -> None:
    assert summary(sights("none", "whole", call=1)) == [(2, None, 1, None, None, "unknown", None)]
    assert summary(sights("whole", "none", call=1)) == [(2, 0, None, None, None, "unknown", None)]


def test_where_no_kind_has_a_trace_what_was_sent_decides() -> None:
    kinds = ("injection", "memory", "tool-result")
    every = [sights("", "fallback", kind, 1) for kind in kinds]
    assert summary(*every) == [(2, 0, 1, 0, False, "conservative", None)]
    no_messages = [*every[:2], sights("", "none", "tool-result", 1)]
    assert summary(*no_messages) == [(2, None, 1, 0, False, "conservative", None)]


def test_a_list_is_an_iteration_of_its_own() -> None:
    assert summary(declared="r\ns") == [(0, 0, 0, 0, False, "exact", None), (0, 0, 0, 0, False, "exact", None)]


LISTED = "run_id | side | position | unit_id | content"


def declared(*rows: str, lists: str = "r") -> pl.LazyFrame:
    units = table(DeclaredUnits, "\n".join([LISTED, *(f"r | {row}" for row in rows)]))
    return context_units(
        table(ContextUnits, "run_id | iteration | unit_id"),
        declared_context(table(DeclaredLists, f"run_id\n{lists}"), units),
    )


def test_the_difference_of_two_lists_is_by_id_in_order_each_once() -> None:
    available = ("a |", "b |", "a | again", "c | x")
    sent = ("b |", "zz | y", "zz |")
    rows = [f"available | {at} | {unit}" for at, unit in enumerate(available)]
    rows += [f"sent | {at} | {unit}" for at, unit in enumerate(sent)]
    told = declared(*rows)
    assert shown(missing_context(told), "iteration", "position", "unit_id", "unit_kind", "content", "grade") == [
        (0, 0, "a", "declared", None, "exact"),
        (0, 1, "c", "declared", "x", "exact"),
    ]
    assert shown(told.filter(unit_id="zz"), "available", "sent", "content") == [(False, True, "y")]
    assert told.select(pl.col("available", "sent").sum()).collect().rows() == [(3, 2)]


def test_a_unit_takes_its_content_from_what_was_sent_only_where_the_available_one_has_none() -> None:
    told = declared("available | 0 | a | old", "sent | 0 | a | new", "available | 1 | b |", "sent | 1 | b | new")
    assert shown(told, "unit_id", "content", "origin_json") == [
        ("a", "old", '{"available_position":0,"sent_position":0}'),
        ("b", "new", '{"available_position":1,"sent_position":1}'),
    ]


def test_the_units_of_a_run_that_is_not_in_force_are_passed_over() -> None:
    assert shown(declared("available | 0 | a |", lists="other"), "unit_id") == []


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ((), "unknown"),
        (("1 | F | exact",), "none-dropped"),
        (("1 | F | exact", "2 | F | conservative"), "none-dropped"),
        (("1 | F | exact", "2 |  | unknown"), "unknown"),
        (("1 | T | unknown", "2 |  | unknown"), "dropped"),
        (("0 | T | exact", "1 | F | exact"), "dropped"),
        (("0 | F | exact", "1 |  | unknown"), "unknown"),
        (("0 | F | exact",), "none-dropped"),
    ],
)
def test_a_run_dropped_something_if_a_call_did_and_nothing_only_if_every_call_can_tell(
    rows: tuple[str, ...], verdict: str
) -> None:
    summaries = "\n".join(["run_id | iteration | any_dropped | grade", *(f"r | {row}" for row in rows)])
    claims = missing_context_claims(
        run_records=table(RunRecords, "run_id\nr"),
        missing_context_summary=table(MissingContextSummary, summaries),
        missing_context=table(MissingContext, "run_id | iteration | position | unit_id | unit_kind | grade"),
        model_calls=table(ModelCalls, CALLS),
    )
    assert shown(claims, "kind", "subject_kind", "subject_id", "verdict") == [("missing-context", "run", "r", verdict)]


def test_a_verdict_rests_on_the_calls_and_what_they_went_without() -> None:
    claims = missing_context_claims(
        run_records=table(RunRecords, "run_id\nr"),
        missing_context_summary=table(
            MissingContextSummary, "run_id|iteration|any_dropped|grade\nr|2|F|exact\nr|0|T|exact"
        ),
        missing_context=missing_context(UNITS.with_columns(iteration=pl.lit(0, pl.Int64))),
        model_calls=table(ModelCalls, CALLS),
    )
    (evidence,) = claims.select("evidence_json").collect().to_series()
    assert [{name: value for name, value in row.items() if value is not None} for row in json.loads(evidence)] == [
        {"iteration": 0, "grade": "exact", "dropped": ["b", "e"]},
        {"iteration": 2, "grade": "exact", "event": 20, "scope": "", "commit": 9, "dropped": []},
    ]


def _origin(frame: pl.LazyFrame) -> dict[str, object]:
    """The origin of the only row, without what is not there."""
    (origin,) = frame.select("origin_json").collect().to_series()
    return {name: value for name, value in json.loads(origin).items() if value is not None}
