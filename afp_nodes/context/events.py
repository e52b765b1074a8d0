"""Context events: what a run's own events say was put before the model, and what it was chosen from, as typed rows.

Rule: record format, section 3; product contract, section 9.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import dataframely as dy
import polars as pl
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.context.contents import content, listed, name, names, object_reader, text
from afp_nodes.context.stretches import memory_of
from afp_nodes.distinct import read_once
from afp_nodes.event_payloads import COMPOSED, INJECTED
from afp_nodes.schemas import (
    AttachedEntries,
    ContextEvents,
    EngineEvaluations,
    Events,
    EvictedResults,
    Frame,
    InjectedRecords,
    MemoryOffers,
    ModelCalls,
    SlotCompositions,
)
from afp_nodes.words import DropReason

EVICTED = "agentfootprint.context.evicted"
EVALUATED = "agentfootprint.context.evaluated"
MEMORY = "agentfootprint.memory."
RETRIEVED = "agentfootprint.memory.retrieved"
STRATEGY_APPLIED = "agentfootprint.memory.strategy_applied"
ATTACHED = "agentfootprint.memory.attached"
WRITTEN = "agentfootprint.memory.written"
TOOL_RESULT = "tool-result"
"""Source of the records that hold tool results."""


class _Injected(Struct, rename="camel"):
    slot: Any = None
    source: Any = None
    source_id: Any = None
    raw_content: Any = None
    content_summary: Any = None
    content_hash: Any = None


class _Evicted(Struct, rename="camel"):
    content_hash: Any = None


class _Composed(Struct, rename="camel"):
    slot: Any = None
    source_breakdown: Any = None


class _Evaluated(Struct, rename="camel"):
    active_ids: Any = None
    superseded_ids: Any = None
    skipped_details: Any = None


class _Retrieved(Struct, rename="camel"):
    candidates: Any = None
    candidates_complete: Any = None


class _Attached(Struct, rename="camel"):
    memory_id: Any = None


class _Applied(Struct, rename="camel"):
    dropped_ids: Any = None
    reason: Any = None


Row = tuple[Any, ...]
Shape = TypeVar("Shape", bound=Struct)
Schema = TypeVar("Schema", bound=Frame)


def context_events(events: dy.LazyFrame[Events], model_calls: dy.LazyFrame[ModelCalls]) -> dy.LazyFrame[ContextEvents]:
    """One row per own event that tells of context, with the call in whose stretch it lies.

    A call's stretch begins after the start of the call before. Events after the last start lie in none.
    """
    of_memory = pl.col("type").str.starts_with(MEMORY) & (pl.col("type") != WRITTEN)
    of_slots = pl.col("type").is_in([INJECTED, COMPOSED, EVALUATED, EVICTED])
    starts = model_calls.drop_nulls("start_event_idx").select("run_id", "call", "start_event_idx")
    return (
        events.filter(pl.col("own"), pl.col("payload_json").is_not_null(), of_slots | of_memory)
        .sort("event_idx")
        .join_asof(
            starts.sort("start_event_idx"),
            left_on="event_idx",
            right_on="start_event_idx",
            by="run_id",
            strategy="forward",
            check_sortedness=False,
        )
        .select(ContextEvents.column_names())
        .pipe(ContextEvents.cast)
    )


def injected_records(context_events: dy.LazyFrame[ContextEvents]) -> dy.LazyFrame[InjectedRecords]:
    """One row per record that an own event put into a slot."""
    return _told(context_events, INJECTED, _Injected, _record_row, InjectedRecords)


def evicted_results(
    context_events: dy.LazyFrame[ContextEvents], injected_records: dy.LazyFrame[InjectedRecords]
) -> dy.LazyFrame[EvictedResults]:
    """One row per tool result that an own event says was evicted, found by the hash it was composed under before."""
    hashed = _read(context_events, EVICTED, _Evicted, _evicted_row, {"content_hash": pl.String()})
    composed = injected_records.filter(pl.col("source") == TOOL_RESULT).drop_nulls("source_id")
    return (
        hashed.join(
            composed.select("run_id", "content_hash", tool_call_id="source_id", composed_idx="event_idx"),
            on=["run_id", "content_hash"],
        )
        .filter(pl.col("composed_idx") < pl.col("event_idx"))
        .select(EvictedResults.column_names())
        .unique()
        .pipe(EvictedResults.cast)
    )


def slot_compositions(context_events: dy.LazyFrame[ContextEvents]) -> dy.LazyFrame[SlotCompositions]:
    """One row per own event that composed a slot, with how many records its breakdown counts."""
    return _told(context_events, COMPOSED, _Composed, _composition_row, SlotCompositions)


def engine_evaluations(context_events: dy.LazyFrame[ContextEvents]) -> dy.LazyFrame[EngineEvaluations]:
    """One row per id that an own event says the injection engine found active.

    An event that lists nothing has one row without an id: that it happened is known, too.
    """
    return _told(context_events, EVALUATED, _Evaluated, _evaluation_rows, EngineEvaluations)


def memory_offers(context_events: dy.LazyFrame[ContextEvents]) -> dy.LazyFrame[MemoryOffers]:
    """One row per entry that memory or retrieval considered.

    An event that lists nobody has one row without an entry: that it happened is known, too.
    """
    retrieved = _told(context_events, RETRIEVED, _Retrieved, _candidate_rows, MemoryOffers)
    applied = _told(context_events, STRATEGY_APPLIED, _Applied, _dropped_rows, MemoryOffers)
    return pl.concat([retrieved, applied]).pipe(MemoryOffers.cast)


def attached_entries(context_events: dy.LazyFrame[ContextEvents]) -> dy.LazyFrame[AttachedEntries]:
    """One row per entry that a memory put into what it hands on."""
    return (
        _read(context_events, ATTACHED, _Attached, _attached_row, {"entry_id": pl.String()})
        .with_columns(memory_id=memory_of("runtime_stage_id"))
        .select(AttachedEntries.column_names())
        .pipe(AttachedEntries.cast)
    )


def _told(
    context_events: pl.LazyFrame,
    kind: str,
    shape: type[Shape],
    rows: Callable[[Shape], Iterator[Row]],
    schema: type[Schema],
) -> dy.LazyFrame[Schema]:
    """What the payloads of the events of a kind tell, in the shape of a schema."""
    told = {column: dtype for column, dtype in schema.dtypes().items() if column not in ContextEvents.column_names()}
    return _read(context_events, kind, shape, rows, told).select(schema.column_names()).pipe(schema.cast)


def _read(
    context_events: pl.LazyFrame,
    kind: str,
    shape: type[Shape],
    rows: Callable[[Shape], Iterator[Row]],
    told: dict[str, pl.DataType],
) -> pl.LazyFrame:
    read = object_reader(shape)
    return read_once(
        context_events.filter(pl.col("type") == kind), "payload_json", lambda payload: rows(read(payload)), told
    )


def _record_row(record: _Injected) -> Iterator[Row]:
    yield (
        name(record.slot),
        text(record.source),
        name(record.source_id),
        content(record.raw_content, record.content_summary),
        name(record.content_hash),
    )


def _evicted_row(evicted: _Evicted) -> Iterator[Row]:
    yield (name(evicted.content_hash),)


def _composition_row(composed: _Composed) -> Iterator[Row]:
    yield name(composed.slot), _record_count(composed.source_breakdown)


def _evaluation_rows(evaluated: _Evaluated) -> Iterator[Row]:
    skipped = [detail.get("id") for detail in listed(evaluated.skipped_details) if isinstance(detail, dict)]
    reasons: dict[str | None, DropReason] = dict.fromkeys(names(skipped), DropReason.SKIPPED)
    reasons |= dict.fromkeys(names(listed(evaluated.superseded_ids)), DropReason.SUPERSEDED)
    active, named = evaluated.active_ids, names(listed(evaluated.active_ids))
    is_whole = isinstance(active, list) and len(named) == len(active)
    for position, active_id in enumerate(named or [None]):
        yield position, active_id, reasons.get(active_id), isinstance(active, list), is_whole


def _attached_row(attached: _Attached) -> Iterator[Row]:
    yield (name(attached.memory_id),)


def _candidate_rows(retrieved: _Retrieved) -> Iterator[Row]:
    candidates = [candidate for candidate in listed(retrieved.candidates) if isinstance(candidate, dict)]
    named = [(who, text(c.get("reason"))) for c in candidates if (who := name(c.get("id"))) is not None]
    is_whole = isinstance(retrieved.candidates, list) and len(named) == len(retrieved.candidates)
    for position, (entry_id, reason) in enumerate(named or [(None, None)]):
        yield position, entry_id, reason, is_whole and retrieved.candidates_complete is not False, True


def _dropped_rows(applied: _Applied) -> Iterator[Row]:
    named, reason = names(listed(applied.dropped_ids)), text(applied.reason)
    is_whole = isinstance(applied.dropped_ids, list) and len(named) == len(applied.dropped_ids)
    for position, entry_id in enumerate(named or [None]):
        yield position, entry_id, reason, is_whole, False


def _record_count(breakdown: Any) -> int | None:
    """How many records a breakdown counts over its sources; None where it does not count."""
    sources = list(breakdown.values()) if isinstance(breakdown, dict) else [None]
    counts = [javascript.as_double(source.get("count")) if isinstance(source, dict) else None for source in sources]
    whole = [int(count) for count in counts if count is not None and 0 <= count < 2**53 and count.is_integer()]
    return sum(whole) if len(whole) == len(counts) else None
