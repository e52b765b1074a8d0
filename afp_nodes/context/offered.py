"""Offered units: what was available to each model call, whether or not it was sent.

Three kinds: what the injection engine found active, what memory and retrieval considered this turn, and the results
of the tools that ran before. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.context.committed import ACTIVE
from afp_nodes.context.contents import content, messages_of, text
from afp_nodes.context.stretches import CALL, of_calls, of_turn, results_before
from afp_nodes.schemas import (
    CommittedContext,
    EngineEvaluations,
    Events,
    HistoryEntries,
    MemoryOffers,
    ModelCalls,
    OfferedUnits,
    States,
    ToolCalls,
    ToolSightings,
)
from afp_nodes.words import DropReason, Place, UnitKind


def tool_sightings(
    tool_calls: dy.LazyFrame[ToolCalls],
    history_entries: dy.LazyFrame[HistoryEntries],
    states: dy.LazyFrame[States],
) -> dy.LazyFrame[ToolSightings]:
    """One row per tool result and place, with the first time it shows there."""
    ended = tool_calls.filter(pl.col("end_event_idx").is_not_null(), pl.col("tool_call_id") != "").select(
        "run_id",
        "tool_call_id",
        place=pl.lit(Place.EVENT),
        scope=pl.lit(""),
        idx="end_event_idx",
        content=pl.col("result_json").map_batches(_spoken, return_dtype=pl.String),
    )
    logged = history_entries.explode("tool_call_ids", "contents", empty_as_null=False).select(
        "run_id",
        tool_call_id="tool_call_ids",
        place=pl.lit(Place.LOG),
        scope=pl.col("scope").cast(pl.String),
        idx="commit_idx",
        content="contents",
    )
    return (
        pl.concat([ended, _begun_with(states), logged])
        .sort("idx", maintain_order=True)
        .unique(["run_id", "tool_call_id", "place", "scope"], keep="first", maintain_order=True)
        .pipe(ToolSightings.cast)
    )


def offered_units(
    model_calls: dy.LazyFrame[ModelCalls],
    engine_evaluations: dy.LazyFrame[EngineEvaluations],
    committed_context: dy.LazyFrame[CommittedContext],
    memory_offers: dy.LazyFrame[MemoryOffers],
    tool_sightings: dy.LazyFrame[ToolSightings],
    events: dy.LazyFrame[Events],
) -> dy.LazyFrame[OfferedUnits]:
    """One row per unit available to a call: injections, then memory, then tool results; the first occurrence counts."""
    calls = model_calls.filter("stands")
    kinds = [
        _injections(calls, model_calls, engine_evaluations, committed_context),
        _entries(of_turn(calls, memory_offers, events)),
        _results(results_before(calls, tool_sightings)),
    ]
    columns = [name for name in OfferedUnits.column_names() if name != "position"]
    return (
        pl.concat([kind.select(columns) for kind in kinds])
        .unique([*CALL, "unit_id"], keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()).over(CALL))
        .select(OfferedUnits.column_names())
        .pipe(OfferedUnits.cast)
    )


def _injections(
    calls: pl.LazyFrame, model_calls: pl.LazyFrame, engine_evaluations: pl.LazyFrame, committed_context: pl.LazyFrame
) -> pl.LazyFrame:
    """What the engine found active, by its last event in each call's stretch, else by the committed list."""
    unit = pl.col("active_ids")
    reason = (
        pl.when(pl.col("superseded_ids").list.contains(unit))
        .then(pl.lit(DropReason.SUPERSEDED))
        .when(pl.col("skipped_ids").list.contains(unit))
        .then(pl.lit(DropReason.SKIPPED))
    )
    told = (
        of_calls(engine_evaluations.drop_nulls("active_ids"), model_calls)
        .join(calls.select(CALL), on=CALL, how="semi")
        .sort("event_idx")
        .unique(CALL, keep="last", maintain_order=True)
        .explode("active_ids", empty_as_null=False)
        .with_columns(drop_reason=reason.cast(pl.String), commit_idx=pl.lit(None, pl.Int64))
        .rename({"active_ids": "unit_id"})
    )
    committed = (
        committed_context.filter(pl.col("key") == ACTIVE)
        .with_columns(
            unit_id=pl.col("value_json").map_batches(_active_ids, return_dtype=pl.List(pl.String)),
            drop_reason=pl.lit(None, pl.String),
            event_idx=pl.lit(None, pl.Int64),
        )
        .explode("unit_id", empty_as_null=False)
        .drop_nulls("unit_id")
    )
    columns = [*CALL, "unit_id", "drop_reason", "event_idx", "commit_idx"]
    return pl.concat([told.select(columns), committed.select(columns)]).with_columns(
        unit_kind=pl.lit(UnitKind.INJECTION), content=pl.lit(None, pl.String)
    )


def _entries(offers: pl.LazyFrame) -> pl.LazyFrame:
    """The entries that memory considered, in recorded order."""
    return (
        offers.drop_nulls("entry_id")
        .sort(*CALL, "event_idx", "position")
        .select(
            *CALL,
            "event_idx",
            unit_id="entry_id",
            unit_kind=pl.lit(UnitKind.MEMORY),
            drop_reason="reason",
            content=pl.lit(None, pl.String),
            commit_idx=pl.lit(None, pl.Int64),
        )
    )


def _results(sightings: pl.LazyFrame) -> pl.LazyFrame:
    """Tool results, events first, then the state the leg began with, then the logs."""
    idx = pl.col("idx")
    return (
        sightings.sort(
            *CALL, pl.col("place").to_physical(), pl.col("place_scope").cast(pl.String), "idx", maintain_order=True
        )
        .group_by(*CALL, "tool_call_id", maintain_order=True)
        .agg(
            content=pl.col("content").sort_by(pl.col("place") == Place.EVENT).drop_nulls().first(),
            event_idx=idx.filter(pl.col("place") == Place.EVENT).first(),
            commit_idx=idx.filter(pl.col("place") == Place.LOG).first(),
        )
        .rename({"tool_call_id": "unit_id"})
        .with_columns(unit_kind=pl.lit(UnitKind.TOOL_RESULT), drop_reason=pl.lit(None, pl.String))
    )


def _begun_with(states: pl.LazyFrame) -> pl.LazyFrame:
    """The tool messages in the history that a leg began with."""
    begun = states.filter(pl.col("which") == "initial", pl.col("state_json").str.contains('"tool"', literal=True))
    rows = [
        (run_id, call_id, index, what)
        for run_id, state in begun.select("run_id", "state_json").collect().iter_rows()
        for index, (call_id, what) in enumerate(_tool_messages_of_state(state))
    ]
    schema = {"run_id": pl.String, "tool_call_id": pl.String, "idx": pl.Int64, "content": pl.String}
    return pl.LazyFrame(rows, schema=schema, orient="row").select(
        pl.col("run_id").cast(pl.Categorical),
        "tool_call_id",
        place=pl.lit(Place.STATE),
        scope=pl.lit(""),
        idx="idx",
        content="content",
    )


def _tool_messages_of_state(state: str) -> list[tuple[str, str | None]]:
    history = javascript.parse(state).get("history")
    messages = messages_of(javascript.stringify(history)) if isinstance(history, list) else None
    told = [(text(m.tool_call_id), content(m.content)) for m in messages or [] if m.role == "tool"]
    return [(call_id, what) for call_id, what in told if call_id is not None]


def _active_ids(values: pl.Series) -> pl.Series:
    """The ids in each committed list of active injections; NULL for what is no list."""
    ids = {value: _ids(value) for value in values.drop_nulls().unique().to_list()}
    return pl.Series(values.name, [ids.get(value) for value in values], dtype=pl.List(pl.String))


def _ids(value: str) -> list[str] | None:
    active = javascript.parse(value)
    if not isinstance(active, list):
        return None
    named = [item.get("id") if isinstance(item, dict) else item for item in active]
    return [name for name in named if isinstance(name, str)]


def _spoken(values: pl.Series) -> pl.Series:
    """Recorded results as contents, each distinct one once."""
    spoken = {value: content(javascript.parse(value)) for value in values.drop_nulls().unique().to_list()}
    return pl.Series(values.name, [spoken.get(value) for value in values], dtype=pl.String)
