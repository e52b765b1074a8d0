"""Sent units: the source that shows each slot best, and the units in its records."""

import polars as pl
import pytest

from afp_nodes.context.sent import sent_units, slot_records, slot_sights
from afp_nodes.schemas import (
    AttachedEntries,
    CommittedContext,
    ComposedRecords,
    ComposedSlots,
    EventHeads,
    ModelCalls,
    SlotRecords,
    SlotSights,
)
from tests.tables import shown, table

CALLS = """
    run_id | call | iteration | stands | start_event_idx | turn_start
    r      | 0    | 1         | T      | 10              | 0
    r      | 1    | 2         | T      | 20              | 0
    r      | 2    | 2         | F      | 25              | 0
    s      | 3    | 1         | T      | 10              | -1
"""
NO_ENTRIES = "run_id | event_idx | memory_id | entry_id"


def sights(composed: str, committed: str, hides: str = "F") -> list[tuple[object, ...]]:
    heads = f"run_id | keeps_head | events_may_hide | may_hide\nr | F | F | F\ns | F | {hides} | F"
    frames = (table(ComposedSlots, composed), table(CommittedContext, committed), table(EventHeads, heads))
    return shown(slot_sights(table(ModelCalls, CALLS), *frames), "call", "slot", "sight")


COMPOSED = """
    run_id | call | slot          | sight
    r      | 0    | system-prompt | whole
    r      | 1    | messages      | part
    r      | 2    | tools         | part
"""


def test_a_slot_that_is_not_shown_wholly_is_read_from_the_log_and_one_shown_elsewhere_is_not_shown() -> None:
    committed = """
        run_id | call | key                    | value_json
        r      | 1    | systemPromptInjections | [1]
        r      | 1    | messagesInjections     | "REDACTED"
        r      | 1    | activeInjections       | []
    """
    assert sights(COMPOSED, committed) == [
        (0, "messages", "none"),
        (0, "system-prompt", "whole"),
        (0, "tools", "none"),
        (1, "messages", "part"),
        (1, "system-prompt", "fallback"),
        (1, "tools", "none"),
    ]


def test_a_slot_of_which_only_a_state_tells_is_one_the_run_shows() -> None:
    committed = "run_id | call | key | value_json\ns | 3 | toolsInjections | null\ns | 3 | messagesInjections |"
    assert sights("run_id | call | slot | sight", committed) == [(3, "tools", "none")]


def test_where_events_may_hide_a_slot_every_slot_counts() -> None:
    nothing = "run_id | call | key | value_json"
    assert sights("run_id | call | slot | sight", nothing) == []
    assert sights("run_id | call | slot | sight", nothing, hides="T") == [
        (3, "messages", "none"),
        (3, "system-prompt", "none"),
        (3, "tools", "none"),
    ]


def test_records_come_from_the_source_that_stands_for_their_slot() -> None:
    slots = table(
        SlotSights,
        """
        run_id | call | slot     | sight
        r      | 0    | messages | whole
        r      | 1    | messages | fallback
        r      | 1    | tools    | part
        """,
    )
    told = table(
        ComposedRecords,
        """
        run_id | event_idx | call | slot     | source | source_id
        r      | 3         | 0    | messages | user   |
        r      | 5         | 0    | messages | fact   | a
        r      | 7         | 1    | messages | fact   | gone
        r      | 8         | 1    | tools    | fact   | b
        """,
    )
    kept = '[{"source":"fact","sourceId":"c","rawContent":"x"},null,{"source":1,"sourceId":"REDACTED"}]'
    committed = table(
        CommittedContext,
        f"""
        run_id | call | key                | commit_idx | value_json
        r      | 1    | messagesInjections | 4          | {kept}
        r      | 1    | toolsInjections    | 4          | [{{"source":"fact","sourceId":"no"}}]
        r      | 1    | activeInjections   | 4          | ["no"]
        """,
    )
    columns = ("call", "slot", "position", "source", "source_id", "content", "event_idx", "commit_idx")
    assert shown(slot_records(slots, told, committed), *columns) == [
        (0, "messages", 3, "user", None, None, 3, None),
        (0, "messages", 5, "fact", "a", None, 5, None),
        (1, "messages", 0, "fact", "c", "x", None, 4),
        (1, "messages", 1, None, None, None, None, 4),
        (1, "tools", 8, "fact", "b", None, 8, None),
    ]


def units(*records: str, entries: str = NO_ENTRIES) -> pl.LazyFrame:
    rows = "\n".join(["run_id | call | slot | position | source | source_id | content", *records])
    return sent_units(table(SlotRecords, rows), table(AttachedEntries, entries), table(ModelCalls, CALLS))


@pytest.mark.parametrize(
    ("source", "source_id", "unit"),
    [
        *(("fact", "a", ("a", "injection")), ("skill", "a", ("a", "injection")), ("", "a", ("a", "injection"))),
        ("tool-result", "call_1", ("call_1", "tool-result")),
        *(("memory", "memory:docs#m-1", ("m-1", "memory")), ("rag", "memory:docs#a#b", ("a#b", "memory"))),
        *(("fact", "memory:docs#m", ("m", "memory")), ("memory", "bare", ("bare", "memory"))),
        *(("memory", "memory:docs", ("memory:docs", "memory")), ("fact", "memory:docs", ("memory:docs", "injection"))),
        ("memory", "memory:#''", ("''", "memory")),
    ],
)
def test_a_record_names_its_unit_a_memorys_entry_bare(source: str, source_id: str, unit: tuple[str, str]) -> None:
    assert shown(units(f"r | 0 | tools | 0 | {source} | {source_id} | x"), "unit_id", "unit_kind") == [unit]


@pytest.mark.parametrize("source", ["registry", "base", "user", "assistant"])
def test_what_nobody_chose_is_no_unit(source: str) -> None:
    assert shown(units(f"r | 0 | tools | 0 | {source} | a | x"), "unit_id") == []


def test_a_unit_is_sent_once_in_the_order_of_slots() -> None:
    rows = units(
        *("r | 0 | tools | 0 | fact | a | third", "r | 0 | messages | 7 | fact | b | second"),
        *("r | 0 | system-prompt | 9 | fact | a | first", "r | 0 | messages | 8 | fact | | nameless"),
        "r | 1 | tools | 0 | fact | a | next",
    )
    assert rows.sort("position").select("call", "unit_id", "content").collect().rows() == [
        (0, "a", "first"),
        (0, "b", "second"),
        (1, "a", "next"),
    ]


def test_a_memory_named_as_a_whole_sends_what_it_attached_in_the_turn() -> None:
    entries = f"""
        {NO_ENTRIES}
        r | 4  | docs  | b
        r | 5  | docs  | a
        r | 6  | other | c
        r | 7  |       | d
        r | 15 | docs  | later
    """
    rows = units("r | 0 | system-prompt | 0 | rag | memory:docs | all of it", entries=entries)
    assert rows.sort("position").select("unit_id", "unit_kind", "spelling", "event_idx").collect().rows() == [
        ("memory:docs", "memory", "memory:docs", None),
        ("b", "memory", "memory:docs", 4),
        ("a", "memory", "memory:docs", 5),
    ]
