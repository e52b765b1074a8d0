"""Sent units: what each model call's context was composed of, slot by slot, from whichever source shows it best.

Rule: product contract, section 9. Where the events of a call show a slot wholly they decide; else the committed slot
stands for them; else what the events show in part can prove that a unit was sent, and never that it was not.
"""

from collections.abc import Iterator
from typing import Any

import dataframely as dy
import polars as pl
from msgspec import Struct

from afp_nodes.context.committed import SLOT_KEYS
from afp_nodes.context.compositions import CALL_SLOT
from afp_nodes.context.contents import content, list_reader, name, text
from afp_nodes.context.events import TOOL_RESULT
from afp_nodes.context.stretches import of_turn
from afp_nodes.distinct import read_once
from afp_nodes.schemas import (
    AttachedEntries,
    CommittedContext,
    ComposedRecords,
    ComposedSlots,
    EventHeads,
    ModelCalls,
    SentUnits,
    SlotRecords,
    SlotSights,
)
from afp_nodes.words import Sight, Slot, UnitKind

NO_UNITS = ("registry", "base", "user", "assistant")
"""Sources whose records are no units: nobody chose them for this call."""
MEMORY_SOURCES = ("memory", "rag")
MEMORY_SPELLING = r"^memory:[^#]*#(?s:(.*))$"
"""How slots spell an entry of memory or retrieval; the unit is the bare entry id."""
WHOLE_MEMORY = r"^memory:([^#]*)$"
"""How slots spell a memory as a whole, whose entries they do not name."""
SLOT_OF_KEY = (
    pl.col("key")
    .cast(pl.String)
    .replace_strict({key: str(slot) for slot, key in SLOT_KEYS.items()}, default=None, return_dtype=pl.Enum(Slot))
)
"""The slot that a key holds; NULL for a key that holds none."""
SLOT, UNIT_KIND = pl.Enum(Slot), pl.Enum(UnitKind)
IS_UNIT = ~pl.col("source").is_in(NO_UNITS).fill_null(value=False)
"""Whether a record is one of those that somebody chose; a record without a source may be."""
FALLBACK, NONE = (pl.lit(sight, pl.Enum(Sight)) for sight in (Sight.FALLBACK, Sight.NONE))


def slot_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    composed_slots: dy.LazyFrame[ComposedSlots],
    committed_context: dy.LazyFrame[CommittedContext],
    event_heads: dy.LazyFrame[EventHeads],
) -> dy.LazyFrame[SlotSights]:
    """One row per call and slot that the run shows at some call, or may hide, with how well this call shows it.

    Only the events of a whole leg can tell that a slot was never composed.
    """
    committed = committed_context.drop_nulls("value_json").select(
        "run_id", "call", slot=SLOT_OF_KEY, is_committed=pl.col("value_json").str.starts_with("[")
    )
    hidden = event_heads.filter("events_may_hide").join(
        pl.LazyFrame({"slot": list(Slot)}, schema={"slot": SLOT}), how="cross"
    )
    traces = (composed_slots, committed.drop_nulls("slot"), hidden)
    traced = pl.concat([trace.select("run_id", "slot") for trace in traces])
    best = pl.when(pl.col("sight") == Sight.WHOLE).then("sight").when("is_committed").then(FALLBACK)
    return (
        model_calls.filter("stands")
        .select("run_id", "call")
        .join(traced.unique(), on="run_id")
        .join(composed_slots.select(*CALL_SLOT, "sight"), on=CALL_SLOT, how="left")
        .join(committed.select(*CALL_SLOT, "is_committed"), on=CALL_SLOT, how="left")
        .select("run_id", *CALL_SLOT, sight=pl.coalesce(best.otherwise("sight"), NONE))
        .pipe(SlotSights.cast)
    )


def slot_records(
    slot_sights: dy.LazyFrame[SlotSights],
    composed_records: dy.LazyFrame[ComposedRecords],
    committed_context: dy.LazyFrame[CommittedContext],
) -> dy.LazyFrame[SlotRecords]:
    """One row per record of a call's slot: of its events, or of the committed slot that stands for them."""
    is_fallback = pl.col("sight") == Sight.FALLBACK
    kept = composed_records.join(slot_sights.filter(~is_fallback), on=CALL_SLOT, how="semi").with_columns(
        position="event_idx", commit_idx=pl.lit(None, pl.Int64)
    )
    stands = committed_context.with_columns(slot=SLOT_OF_KEY).join(
        slot_sights.filter(is_fallback), on=CALL_SLOT, how="semi"
    )
    told = {"position": pl.Int64(), "source": pl.String(), "source_id": pl.String(), "content": pl.String()}
    committed = read_once(stands, "value_json", _record_rows, told).with_columns(event_idx=pl.lit(None, pl.Int64))
    columns = SlotRecords.column_names()
    return pl.concat([kept.select(columns), committed.select(columns)]).pipe(SlotRecords.cast)


def sent_units(
    slot_records: dy.LazyFrame[SlotRecords],
    attached_entries: dy.LazyFrame[AttachedEntries],
    model_calls: dy.LazyFrame[ModelCalls],
) -> dy.LazyFrame[SentUnits]:
    """One row per unit that a call's context was composed of, in the order of slots; the first occurrence counts.

    Where a slot names a memory and not its entries, those that the memory says it attached follow.
    """
    entry_id = pl.col("source_id").str.extract(MEMORY_SPELLING)
    is_memory = pl.col("source").is_in(MEMORY_SOURCES) | entry_id.is_not_null()
    kind = (
        pl.when(pl.col("source") == TOOL_RESULT)
        .then(pl.lit(UnitKind.TOOL_RESULT))
        .when(is_memory)
        .then(pl.lit(UnitKind.MEMORY))
        .otherwise(pl.lit(UnitKind.INJECTION))
    )
    named = (
        slot_records.filter(pl.col("source_id").is_not_null(), IS_UNIT)
        .sort("call", pl.col("slot").to_physical(), "position")
        .with_columns(unit_id=pl.coalesce(entry_id, "source_id"), unit_kind=kind.cast(UNIT_KIND), spelling="source_id")
    )
    entries = _attached(named.filter(pl.col("unit_kind") == UnitKind.MEMORY), attached_entries, model_calls)
    columns = [column for column in SentUnits.column_names() if column != "position"]
    return (
        pl.concat([named.select(columns), entries.select(columns)])
        .unique(["call", "unit_id"], keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()))
        .select(SentUnits.column_names())
        .pipe(SentUnits.cast)
    )


def _attached(memories: pl.LazyFrame, attached_entries: pl.LazyFrame, model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The entries that a memory attached in the turn, for calls whose slots name that memory as a whole."""
    wholes = memories.select("call", "spelling", memory_id=pl.col("spelling").str.extract(WHOLE_MEMORY))
    return (
        of_turn(model_calls, attached_entries.drop_nulls(["memory_id", "entry_id"]))
        .join(wholes.drop_nulls("memory_id"), on=["call", "memory_id"])
        .sort("call", "event_idx")
        .with_columns(
            unit_id="entry_id",
            unit_kind=pl.lit(UnitKind.MEMORY, UNIT_KIND),
            content=pl.lit(None, pl.String),
            commit_idx=pl.lit(None, pl.Int64),
        )
    )


class _Record(Struct, rename="camel"):
    source: Any = None
    source_id: Any = None
    raw_content: Any = None
    content_summary: Any = None


_records = list_reader(_Record)


def _record_rows(slot_json: str) -> Iterator[tuple[int, str | None, str | None, str | None]]:
    """The records of a committed slot."""
    for position, record in enumerate(_records(slot_json) or []):
        shown = content(record.raw_content, record.content_summary)
        yield position, text(record.source), name(record.source_id), shown
