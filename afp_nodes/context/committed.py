"""Committed context: what a log shows of a call's context, where its events do not show it wholly.

A delta log stores the part by which a value grew, so that a value is folded from the state the leg began with. Rule:
product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import NAME, OWN_LOG
from afp_nodes.classifier import SLOTS
from afp_nodes.context.begun import ACTIVE
from afp_nodes.schemas import (
    BegunValues,
    CommittedContext,
    ComposedSlots,
    ContextGaps,
    EngineEvaluations,
    FoldPoints,
    ModelCalls,
    Writes,
)
from afp_nodes.values import folded_values
from afp_nodes.words import Sight, Slot

KEYS = (*SLOTS, ACTIVE)
SLOT_KEYS = dict(zip(Slot, SLOTS, strict=True))
"""The state key that holds each slot."""
POINT = ["run_id", "scope", "key", "fold_commit_idx"]
BEFORE_THE_LOG = -1
"""Where the state that a leg began with stands."""


def context_gaps(
    model_calls: dy.LazyFrame[ModelCalls],
    composed_slots: dy.LazyFrame[ComposedSlots],
    engine_evaluations: dy.LazyFrame[EngineEvaluations],
) -> dy.LazyFrame[ContextGaps]:
    """One row per committed value that must stand for events: of calls that are in the log, and not shown wholly."""
    shown = composed_slots.filter(pl.col("sight") == Sight.WHOLE).select("call", key=_key_of_slot())
    evaluated = engine_evaluations.filter("is_list", pl.col("call").is_not_null()).select(
        "call", key=pl.lit(ACTIVE, NAME)
    )
    wanted = pl.LazyFrame({"key": KEYS}, schema={"key": NAME})
    return (
        model_calls.filter("stands", pl.col("commit_idx").is_not_null())
        .select("run_id", "call", "scope", fold_commit_idx=pl.col("commit_idx") - 1)
        .join(wanted, how="cross")
        .join(pl.concat([shown, evaluated]), on=["call", "key"], how="anti")
        .select(ContextGaps.column_names())
        .pipe(ContextGaps.cast)
    )


def committed_context(
    context_gaps: dy.LazyFrame[ContextGaps], writes: dy.LazyFrame[Writes], begun_values: dy.LazyFrame[BegunValues]
) -> dy.LazyFrame[CommittedContext]:
    """One row per wanted value, as it was when the call was made."""
    points = context_gaps.select(POINT).unique().pipe(FoldPoints.cast)
    log = pl.concat([_begun(begun_values), writes.filter(pl.col("key").is_in(KEYS))]).pipe(Writes.cast)
    last = pl.col("basis").list.max()
    return (
        context_gaps.join(folded_values(log, points), on=POINT, how="left")
        .with_columns(commit_idx=pl.when(last > BEFORE_THE_LOG).then(last))
        .select(CommittedContext.column_names())
        .pipe(CommittedContext.cast)
    )


def _begun(begun_values: pl.LazyFrame) -> pl.LazyFrame:
    """The state that a leg began with, as a commit before the first one of the run's own log."""
    written = {
        "scope": OWN_LOG,
        "commit_idx": pl.lit(BEFORE_THE_LOG, pl.Int64),
        "verbs": pl.lit(["set"], pl.List(pl.String)),
        "overwrite_json": pl.col("value_json"),
    }
    others = {name: pl.lit(None, dtype) for name, dtype in Writes.dtypes().items() if name not in ("run_id", "key")}
    return (
        begun_values.filter(pl.col("key").is_in(KEYS))
        .with_columns(**{**others, **written})
        .select(Writes.column_names())
    )


def _key_of_slot() -> pl.Expr:
    return pl.col("slot").cast(pl.String).replace_strict(SLOT_KEYS, return_dtype=pl.String).cast(NAME)
