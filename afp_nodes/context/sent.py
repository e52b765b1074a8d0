"""Sent units: what each model call's context was composed of, slot by slot, from whichever source shows it best.

Rule: product contract, section 9. Where the events of a call show a slot wholly they decide; else the committed slot
stands for them; else what the events show in part can prove that a unit was sent, and never that it was not.
"""

from typing import Any

import dataframely as dy
import msgspec
import polars as pl
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.context.committed import SLOT_KEYS
from afp_nodes.context.contents import content, text
from afp_nodes.context.events import TOOL_RESULT
from afp_nodes.context.stretches import CALL_SLOT, composed_records, of_turn
from afp_nodes.schemas import (
    AttachedEntries,
    CommittedContext,
    ComposedSlots,
    Events,
    InjectedRecords,
    ModelCalls,
    SentUnits,
    SlotRecords,
    SlotSights,
    Writes,
)
from afp_nodes.words import Sight, Slot, UnitKind

NO_UNITS = ("registry", "base", "user", "assistant")
"""Sources whose records are no units: nobody chose them for this call."""
MEMORY_SOURCES = ("memory", "rag")
MEMORY_SPELLING = r"^memory:[^#]*#(?s:(.*))$"
"""How slots spell an entry of memory or retrieval; the unit is the bare entry id."""
WHOLE_MEMORY = r"^memory:([^#]*)$"
"""How slots spell a memory as a whole, whose entries they do not name."""
SLOT_OF_KEY = {key: str(slot) for slot, key in SLOT_KEYS.items()}


def slot_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    composed_slots: dy.LazyFrame[ComposedSlots],
    committed_context: dy.LazyFrame[CommittedContext],
    writes: dy.LazyFrame[Writes],
) -> dy.LazyFrame[SlotSights]:
    """One row per call and slot of which the run shows a trace, with how well the call shows it."""
    traced = _traced_slots(composed_slots, model_calls, committed_context, writes)
    committed = committed_context.filter(pl.col("value_json").str.starts_with("[")).select(
        "run_id", "call", slot=_slot_of_key(), is_committed=pl.lit(value=True)
    )
    best = pl.when(pl.col("sight") == Sight.WHOLE).then("sight").when("is_committed").then(pl.lit(Sight.FALLBACK))
    return (
        model_calls.filter("stands")
        .select("run_id", "call")
        .join(traced, on="run_id")
        .join(composed_slots.select(*CALL_SLOT, "sight"), on=CALL_SLOT, how="left")
        .join(committed, on=CALL_SLOT, how="left")
        .select(*CALL_SLOT, sight=pl.coalesce(best.otherwise("sight"), pl.lit(Sight.NONE)))
        .pipe(SlotSights.cast)
    )


def slot_records(
    slot_sights: dy.LazyFrame[SlotSights],
    injected_records: dy.LazyFrame[InjectedRecords],
    composed_slots: dy.LazyFrame[ComposedSlots],
    model_calls: dy.LazyFrame[ModelCalls],
    committed_context: dy.LazyFrame[CommittedContext],
) -> dy.LazyFrame[SlotRecords]:
    """One row per record of a call's slot: of its events, or of the committed slot that stands for them."""
    told = composed_records(injected_records, composed_slots, model_calls).with_columns(
        commit_idx=pl.lit(None, pl.Int64)
    )
    kept = told.join(slot_sights.filter(pl.col("sight") != Sight.FALLBACK), on=CALL_SLOT, how="semi")
    stands = committed_context.with_columns(slot=_slot_of_key()).join(
        slot_sights.filter(pl.col("sight") == Sight.FALLBACK), on=CALL_SLOT, how="semi"
    )
    columns = [*CALL_SLOT, "source", "source_id", "content", "event_idx", "commit_idx"]
    return (
        pl.concat([kept.sort("event_idx").select(columns), _committed_records(stands).select(columns)])
        .with_columns(position=pl.int_range(pl.len()).over(CALL_SLOT))
        .select(SlotRecords.column_names())
        .pipe(SlotRecords.cast)
    )


def sent_units(
    slot_records: dy.LazyFrame[SlotRecords],
    attached_entries: dy.LazyFrame[AttachedEntries],
    model_calls: dy.LazyFrame[ModelCalls],
    events: dy.LazyFrame[Events],
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
        slot_records.filter(pl.col("source_id").is_not_null(), ~pl.col("source").is_in(NO_UNITS).fill_null(value=False))
        .sort("run_id", "call", pl.col("slot").to_physical(), "position")
        .with_columns(unit_id=pl.coalesce(entry_id, "source_id"), unit_kind=kind, spelling="source_id")
    )
    columns = [name for name in SentUnits.column_names() if name != "position"]
    entries = _attached(named.filter(pl.col("unit_kind") == UnitKind.MEMORY), attached_entries, model_calls, events)
    return (
        pl.concat([named.select(columns), entries.select(columns)])
        .unique(["run_id", "call", "unit_id"], keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()).over("run_id", "call"))
        .select(SentUnits.column_names())
        .pipe(SentUnits.cast)
    )


def _attached(
    memories: pl.LazyFrame, attached_entries: pl.LazyFrame, model_calls: pl.LazyFrame, events: pl.LazyFrame
) -> pl.LazyFrame:
    """The entries that a memory attached in the turn, for calls whose slots name that memory as a whole."""
    wholes = memories.select("run_id", "call", "spelling", memory_id=pl.col("spelling").str.extract(WHOLE_MEMORY))
    return (
        of_turn(model_calls.filter("stands"), attached_entries.drop_nulls(["memory_id", "entry_id"]), events)
        .join(wholes.drop_nulls("memory_id"), on=["run_id", "call", "memory_id"])
        .sort("run_id", "call", "event_idx")
        .with_columns(
            unit_id="entry_id",
            unit_kind=pl.lit(UnitKind.MEMORY),
            content=pl.lit(None, pl.String),
            commit_idx=pl.lit(None, pl.Int64),
        )
    )


def _traced_slots(
    composed_slots: pl.LazyFrame, model_calls: pl.LazyFrame, committed_context: pl.LazyFrame, writes: pl.LazyFrame
) -> pl.LazyFrame:
    """The slots of each run that an event composes, a log writes, or the state a leg began with holds."""
    call_logs = model_calls.drop_nulls("scope").select("run_id", "scope").unique()
    written = (
        writes.filter(pl.col("key").is_in(list(SLOT_OF_KEY)))
        .join(call_logs, on=["run_id", "scope"], how="semi")
        .select("run_id", slot=_slot_of_key())
    )
    begun = committed_context.drop_nulls("value_json").select("run_id", slot=_slot_of_key())
    return pl.concat([composed_slots.select("run_id", "slot"), written, begun]).drop_nulls("slot").unique()


def _slot_of_key() -> pl.Expr:
    """The slot that a key holds; NULL for a key that holds none."""
    return pl.col("key").cast(pl.String).replace_strict(SLOT_OF_KEY, default=None, return_dtype=pl.Enum(Slot))


class _Record(Struct, rename="camel"):
    source: Any = None
    source_id: Any = None
    raw_content: Any = None
    content_summary: Any = None


_RECORDS = msgspec.json.Decoder(list[_Record])


def _committed_records(stands: pl.LazyFrame) -> pl.LazyFrame:
    """The records of committed slots; each distinct value is read once."""
    slots = stands.select(*CALL_SLOT, "commit_idx", "value_json").collect()
    rows = [(value, *row) for value in slots["value_json"].unique().to_list() for row in _record_rows(value)]
    schema = {"value_json": pl.String, "source": pl.String, "source_id": pl.String, "content": pl.String}
    read = pl.LazyFrame(rows, schema=schema, orient="row")
    return (
        slots.lazy()
        .join(read, on="value_json", maintain_order="left_right")
        .with_columns(event_idx=pl.lit(None, pl.Int64))
    )


def _record_rows(value: str) -> list[tuple[str | None, str | None, str | None]]:
    try:
        records = _RECORDS.decode(value)
    except (msgspec.DecodeError, RecursionError):
        objects = [item for item in javascript.parse(value) if isinstance(item, dict)]
        names = ("source", "sourceId", "rawContent", "contentSummary")
        records = [_Record(*map(item.get, names)) for item in objects]
    return [(text(r.source), text(r.source_id), content(r.raw_content, r.content_summary)) for r in records]
