"""Offered units: what was available to each model call, whether or not it was sent.

Three kinds: what the injection engine found active, what memory and retrieval considered this turn, and the results
of the tools that ran before. Rule: product contract, section 9.
"""

from collections.abc import Iterator

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import OWN_LOG
from afp_nodes.context.begun import ACTIVE
from afp_nodes.context.contents import names
from afp_nodes.context.stretches import is_before_call, of_turn
from afp_nodes.distinct import read_once
from afp_nodes.schemas import (
    ActiveInjections,
    CommittedContext,
    EngineEvaluations,
    MemoryOffers,
    ModelCalls,
    OfferedUnits,
    ResultSightings,
    ToolResults,
)
from afp_nodes.words import Sight, UnitKind

UNIT = ["call", "unit_id"]
"""One unit at one model call."""


def active_injections(
    engine_evaluations: dy.LazyFrame[EngineEvaluations], committed_context: dy.LazyFrame[CommittedContext]
) -> dy.LazyFrame[ActiveInjections]:
    """One row per id that is listed as active for a call: by the last event of its stretch, else in its log."""
    told = (
        engine_evaluations.filter("is_list", pl.col("call").is_not_null())
        .filter(pl.col("event_idx") == pl.col("event_idx").max().over("call"))
        .with_columns(commit_idx=pl.lit(None, pl.Int64), sight=_sight(Sight.WHOLE))
    )
    committed = read_once(
        committed_context.filter(pl.col("key") == ACTIVE, pl.col("value_json").str.starts_with("[")),
        "value_json",
        _committed_list,
        {"position": pl.Int64(), "active_id": pl.String(), "is_whole": pl.Boolean()},
    ).with_columns(reason=pl.lit(None, pl.String), event_idx=pl.lit(None, pl.Int64), sight=_sight(Sight.FALLBACK))
    columns = ActiveInjections.column_names()
    return pl.concat([told.select(columns), committed.select(columns)]).pipe(ActiveInjections.cast)


def offered_units(
    model_calls: dy.LazyFrame[ModelCalls],
    active_injections: dy.LazyFrame[ActiveInjections],
    memory_offers: dy.LazyFrame[MemoryOffers],
    tool_results: dy.LazyFrame[ToolResults],
    result_sightings: dy.LazyFrame[ResultSightings],
) -> dy.LazyFrame[OfferedUnits]:
    """One row per unit available to a call: injections, then memory, then tool results; the first occurrence counts."""
    kinds = [
        _injections(model_calls, active_injections),
        _entries(of_turn(model_calls, memory_offers)),
        _results(model_calls, tool_results, result_sightings),
    ]
    return (
        pl.concat(kinds, how="diagonal")
        .unique(UNIT, keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()))
        .select(OfferedUnits.column_names())
        .pipe(OfferedUnits.cast)
    )


def _injections(model_calls: pl.LazyFrame, active_injections: pl.LazyFrame) -> pl.LazyFrame:
    """What the engine found active, in recorded order."""
    return (
        active_injections.drop_nulls("active_id")
        .join(model_calls.filter("stands").select("call", "scope"), on="call")
        .sort("call", "position")
        .select(
            "run_id",
            "call",
            "event_idx",
            "commit_idx",
            unit_id="active_id",
            unit_kind=pl.lit(UnitKind.INJECTION),
            drop_reason="reason",
            commit_scope=pl.when(pl.col("commit_idx").is_not_null()).then("scope"),
        )
    )


def _entries(offers: pl.LazyFrame) -> pl.LazyFrame:
    """The entries that memory considered, in recorded order."""
    return (
        offers.drop_nulls("entry_id")
        .sort("call", "event_idx", "position")
        .select(
            "run_id",
            "call",
            "event_idx",
            unit_id="entry_id",
            unit_kind=pl.lit(UnitKind.MEMORY),
            drop_reason="reason",
        )
    )


def _results(model_calls: pl.LazyFrame, tool_results: pl.LazyFrame, result_sightings: pl.LazyFrame) -> pl.LazyFrame:
    """The results that came before each call: those that events show, then those of the own log, then of mounts."""
    calls = model_calls.filter("stands").rename({"commit_idx": "call_commit_idx", "number": "call_number"})
    own_mount = (
        calls.filter(pl.col("scope") != "")
        .join(result_sightings, on=["run_id", "scope"])
        .filter(pl.col("commit_idx") < pl.col("call_commit_idx"))
        .select("call", "tool_call_id", "listed", inner_idx="commit_idx", inner_content="content")
    )
    by_event = (pl.col("event_idx") < pl.col("start_event_idx")).fill_null(value=False)
    by_log = pl.col("log_commit_idx").is_not_null() & is_before_call(OWN_LOG, "log_commit_idx", "log_number")
    by_mount = (pl.col("mount_number") < pl.col("call_number")).fill_null(value=False)
    in_log = pl.when(by_log & (pl.col("log_commit_idx") >= 0))
    inner, mount = pl.when(pl.col("inner_idx").is_not_null()), pl.when(by_mount)
    return (
        calls.join(tool_results, on="run_id")
        .join(own_mount, on=["call", "tool_call_id"], how="left")
        .filter(by_event | by_log | pl.col("inner_idx").is_not_null() | by_mount)
        .with_columns(event_idx=pl.when(by_event).then("event_idx"))
        .sort("call", "event_idx", pl.when(by_log).then("log_listed"), "listed", "mount_listed", nulls_last=True)
        .select(
            "run_id",
            "call",
            "event_idx",
            unit_id="tool_call_id",
            unit_kind=pl.lit(UnitKind.TOOL_RESULT),
            content=pl.coalesce(
                pl.when(by_log).then("log_content"),
                "inner_content",
                mount.then("mount_content"),
                pl.when(pl.col("event_idx").is_not_null()).then("event_content"),
            ),
            commit_idx=pl.coalesce(in_log.then("log_commit_idx"), "inner_idx", mount.then("mount_commit_idx")),
            commit_scope=pl.coalesce(in_log.then(OWN_LOG), inner.then("scope"), mount.then("mount_scope")),
        )
    )


def _sight(best: Sight) -> pl.Expr:
    return pl.when("is_whole").then(pl.lit(best)).otherwise(pl.lit(Sight.PART))


def _committed_list(active_json: str) -> Iterator[tuple[int, str | None, bool]]:
    """The ids in a committed list of active injections, and whether all of them are there."""
    ids = [item.get("id") if isinstance(item, dict) else item for item in javascript.parse_as_spelled(active_json)]
    named = names(ids)
    for position, active_id in enumerate(named or [None]):
        yield position, active_id, len(named) == len(ids)
