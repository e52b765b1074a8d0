"""Context events: what a run's own events say was put before the model, and what it was chosen from, as typed rows.

A member of a wrong type reads as absent. Rule: record format, section 3; product contract, section 9.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import dataframely as dy
import msgspec
import polars as pl
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.context.contents import content, text
from afp_nodes.context.stretches import memory_of
from afp_nodes.schemas import (
    AttachedEntries,
    EngineEvaluations,
    Events,
    EvictedResults,
    Frame,
    InjectedRecords,
    MemoryOffers,
    SlotCompositions,
)

INJECTED = "agentfootprint.context.injected"
COMPOSED = "agentfootprint.context.slot_composed"
EVICTED = "agentfootprint.context.evicted"
EVALUATED = "agentfootprint.context.evaluated"
RETRIEVED = "agentfootprint.memory.retrieved"
STRATEGY_APPLIED = "agentfootprint.memory.strategy_applied"
ATTACHED = "agentfootprint.memory.attached"
EVENT_COLUMNS = ("run_id", "event_idx", "runtime_stage_id")
"""What rows take over from their event."""
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
Shape = TypeVar("Shape", bound=Frame)


def injected_records(events: dy.LazyFrame[Events]) -> dy.LazyFrame[InjectedRecords]:
    """One row per record that an own event put into a slot."""
    return _typed(events, INJECTED, _Injected, lambda record: [_record_row(record)], InjectedRecords)


def evicted_results(
    events: dy.LazyFrame[Events], injected_records: dy.LazyFrame[InjectedRecords]
) -> dy.LazyFrame[EvictedResults]:
    """One row per tool result that an own event says was evicted, found by the hash it was composed under before."""
    composed = injected_records.filter(pl.col("source") == TOOL_RESULT).drop_nulls(["content_hash", "source_id"])
    return (
        _read(events, EVICTED, _Evicted, lambda evicted: [(text(evicted.content_hash),)], {"content_hash": pl.String()})
        .join(
            composed.select("run_id", "content_hash", tool_call_id="source_id", composed_idx="event_idx"),
            on=["run_id", "content_hash"],
        )
        .filter(pl.col("composed_idx") < pl.col("event_idx"))
        .select(EvictedResults.column_names())
        .unique()
        .pipe(EvictedResults.cast)
    )


def slot_compositions(events: dy.LazyFrame[Events]) -> dy.LazyFrame[SlotCompositions]:
    """One row per own event that composed a slot, with how many records its breakdown counts."""

    def read(composed: _Composed) -> Iterable[Row]:
        yield text(composed.slot), _record_count(composed.source_breakdown)

    return _typed(events, COMPOSED, _Composed, read, SlotCompositions)


def engine_evaluations(events: dy.LazyFrame[Events]) -> dy.LazyFrame[EngineEvaluations]:
    """One row per own event in which the injection engine tells what it found."""

    def read(evaluated: _Evaluated) -> Iterable[Row]:
        active = evaluated.active_ids
        skipped = [detail.get("id") for detail in _list(evaluated.skipped_details) if isinstance(detail, dict)]
        yield _texts(active) if isinstance(active, list) else None, _texts(evaluated.superseded_ids), _texts(skipped)

    return _typed(events, EVALUATED, _Evaluated, read, EngineEvaluations)


def memory_offers(events: dy.LazyFrame[Events]) -> dy.LazyFrame[MemoryOffers]:
    """One row per entry that memory or retrieval considered.

    An event that lists nobody has one row without an entry: that it happened is known, too.
    """
    retrieved = _typed(events, RETRIEVED, _Retrieved, _candidate_rows, MemoryOffers)
    applied = _typed(events, STRATEGY_APPLIED, _Applied, _dropped_rows, MemoryOffers)
    return pl.concat([retrieved, applied]).pipe(MemoryOffers.cast)


def attached_entries(events: dy.LazyFrame[Events]) -> dy.LazyFrame[AttachedEntries]:
    """One row per entry that a memory put into what it hands on."""
    return (
        _read(events, ATTACHED, _Attached, lambda told: [(text(told.memory_id),)], {"entry_id": pl.String()})
        .with_columns(memory_id=memory_of("runtime_stage_id"))
        .select(AttachedEntries.column_names())
        .pipe(AttachedEntries.cast)
    )


def _typed(
    events: pl.LazyFrame,
    kind: str,
    shape: type[Struct],
    read: Callable[[Any], Iterable[Row]],
    schema: type[Shape],
) -> dy.LazyFrame[Shape]:
    """What `read` makes of the own events of a kind, in the shape of a schema."""
    told = {name: dtype for name, dtype in schema.dtypes().items() if name not in EVENT_COLUMNS}
    return _read(events, kind, shape, read, told).select(schema.column_names()).pipe(schema.cast)


def _read(
    events: pl.LazyFrame,
    kind: str,
    shape: type[Struct],
    read: Callable[[Any], Iterable[Row]],
    dtypes: dict[str, pl.DataType],
) -> pl.LazyFrame:
    """The own events of a kind with what `read` makes of their payloads; each distinct payload is read once."""
    decoder = msgspec.json.Decoder(shape)
    rows = (
        events.filter(pl.col("own") & (pl.col("type") == kind) & pl.col("payload_json").is_not_null())
        .select(*EVENT_COLUMNS, "payload_json")
        .collect()
    )
    payloads = rows["payload_json"].unique().to_list()
    read_rows = [(payload, *row) for payload in payloads for row in read(_decoded(payload, decoder, shape))]
    read_frame = pl.LazyFrame(read_rows, schema={"payload_json": pl.String(), **dtypes}, orient="row")
    return rows.lazy().join(read_frame, on="payload_json", maintain_order="left_right")


def _decoded(payload: str, decoder: msgspec.json.Decoder[Any], shape: type[Struct]) -> Any:
    """The members of a payload that are read by name."""
    try:
        return decoder.decode(payload)
    except (msgspec.DecodeError, RecursionError):
        members = javascript.parse(payload)
        names = zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True)
        return shape(**{field: members.get(name) for field, name in names})


def _record_row(record: _Injected) -> Row:
    return (
        text(record.slot),
        text(record.source),
        text(record.source_id),
        content(record.raw_content, record.content_summary),
        text(record.content_hash),
    )


def _record_count(breakdown: Any) -> int | None:
    """How many records a breakdown counts over its sources; None where it does not count."""
    if not isinstance(breakdown, dict):
        return None
    counts: list[Any] = [source.get("count") if isinstance(source, dict) else None for source in breakdown.values()]
    whole = [int(count) for count in counts if javascript.is_number(count) and count == int(count)]
    return sum(whole) if len(whole) == len(counts) else None


def _candidate_rows(retrieved: _Retrieved) -> Iterable[Row]:
    is_whole = retrieved.candidates_complete is not False and isinstance(retrieved.candidates, list)
    named = [candidate for candidate in _list(retrieved.candidates) if isinstance(candidate, dict)]
    entries = [(text(candidate.get("id")), text(candidate.get("reason"))) for candidate in named]
    for position, (entry_id, reason) in enumerate(entries or [(None, None)]):
        yield position, entry_id, reason, is_whole


def _dropped_rows(applied: _Applied) -> Iterable[Row]:
    reason = text(applied.reason)
    for position, entry_id in enumerate(_texts(applied.dropped_ids) or [None]):
        yield position, entry_id, reason, isinstance(applied.dropped_ids, list)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    """The texts of a list, in order."""
    return [item for item in _list(value) if isinstance(item, str)]
