"""Compositions: which records make up a slot of a call, and when that is proven."""

import polars as pl
import pytest

from afp_nodes.context.compositions import composed_records, composed_slots, last_compositions
from afp_nodes.schemas import InjectedRecords, ModelCalls, SlotCompositions
from tests.tables import shown, table

NO_COMPOSITIONS = "run_id | event_idx | call | runtime_stage_id | slot | records"


def records_of(injected: str, compositions: str = NO_COMPOSITIONS) -> pl.LazyFrame:
    last = last_compositions(table(SlotCompositions, compositions))
    return composed_records(table(InjectedRecords, injected), last)


def sights_of(injected: str, compositions: str = NO_COMPOSITIONS, is_whole: str = "T") -> list[tuple[object, ...]]:
    rows, last = table(InjectedRecords, injected), last_compositions(table(SlotCompositions, compositions))
    calls = table(ModelCalls, f"run_id | call | iteration | is_whole\nr | 0 | 1 | {is_whole}")
    return shown(composed_slots(last, composed_records(rows, last), rows, calls), "call", "slot", "sight")


def test_the_records_of_the_last_composition_count() -> None:
    injected = """
        run_id | event_idx | call | runtime_stage_id | slot   | source_id
        r      | 1         | 0    | compose#1        | tools  | first
        r      | 3         | 0    | compose#2        | tools  | second
        r      | 5         | 0    | compose#3        | tools  | loose
        r      | 6         | 0    |                  | tools  | nowhere
        r      | 7         | 0    | compose#1        | odd    | elsewhere
        r      | 8         |      | compose#2        | tools  | after
        r      | 9         | 1    | compose#2        | tools  | next
    """
    compositions = """
        run_id | event_idx | call | runtime_stage_id | slot  | records
        r      | 2         | 0    | compose#1        | tools | 1
        r      | 4         | 0    | compose#2        | tools | 1
        r      | 5         |      | compose#3        | tools | 1
    """
    assert shown(records_of(injected, compositions), "call", "source_id") == [(0, "second"), (1, "next")]


def test_a_composition_without_a_step_takes_the_records_without_one() -> None:
    injected = """
        run_id | event_idx | call | runtime_stage_id | slot  | source_id
        r      | 1         | 0    |                  | tools | a
        r      | 2         | 0    | compose#1        | tools | b
    """
    compositions = "run_id|event_idx|call|runtime_stage_id|slot|records\nr|3|0||tools|1"
    assert shown(records_of(injected, compositions), "source_id") == [("a",)]


def test_without_a_composition_all_records_of_the_slot_count() -> None:
    injected = """
        run_id | event_idx | call | runtime_stage_id | slot     | source_id
        r      | 1         | 0    | compose#1        | messages | a
        r      | 2         | 0    | compose#2        | messages | b
    """
    assert shown(records_of(injected), "source_id") == [("a",), ("b",)]


ONE = "run_id | event_idx | call | runtime_stage_id | slot | source_id\nr | 1 | 0 | compose#1 | tools | a"


@pytest.mark.parametrize(
    ("counted", "is_whole", "sight"),
    [
        *(("1", "F", "whole"), ("1", "T", "whole"), ("2", "T", "part"), ("0", "T", "part")),
        *(("", "T", "whole"), ("", "F", "part")),
    ],
)
def test_a_slot_is_whole_when_its_records_are_counted_or_no_event_was_lost(
    counted: str, is_whole: str, sight: str
) -> None:
    compositions = f"run_id|event_idx|call|runtime_stage_id|slot|records\nr|2|0|compose#1|tools|{counted}"
    assert sights_of(ONE, compositions, is_whole) == [(0, "tools", sight)]


def test_a_composition_of_nothing_is_whole() -> None:
    compositions = "run_id|event_idx|call|runtime_stage_id|slot|records\nr|2|0|compose#1|messages|0"
    assert sights_of(ONE, compositions, "F") == [(0, "messages", "whole"), (0, "tools", "part")]


def test_a_record_that_does_not_say_its_slot_may_belong_to_any_that_is_not_counted() -> None:
    unplaced = f"{ONE}\nr | 3 | 0 | compose#1 |  | b"
    assert sights_of(unplaced) == [(0, "tools", "part")]
    compositions = "run_id|event_idx|call|runtime_stage_id|slot|records\nr|2|0|compose#1|tools|1"
    assert sights_of(unplaced, compositions) == [(0, "tools", "whole")]
    of_another_slot = f"{ONE}\nr | 3 | 0 | compose#1 | odd | b"
    assert sights_of(of_another_slot) == [(0, "tools", "whole")]
