"""Committed context: what a log shows of a call's context, where events are missing, and of tool results always.

A delta log stores the part by which a value grew, so a value that grew from the state the leg began with is read
together with that state. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import NAME
from afp_nodes.classifier import SLOTS
from afp_nodes.context.contents import content, messages_of, text
from afp_nodes.context.stretches import of_calls
from afp_nodes.schemas import (
    CommittedContext,
    ComposedSlots,
    ContextGaps,
    EngineEvaluations,
    Evictions,
    FoldPoints,
    HistoryEntries,
    ModelCalls,
    Scopes,
    States,
    Writes,
)
from afp_nodes.values import folded_values
from afp_nodes.words import Sight, Slot

SLOT_KEYS = dict(zip(Slot, SLOTS, strict=True))
"""The state key that holds each slot."""
ACTIVE = "activeInjections"
HISTORY = "history"
POINT = ["run_id", "scope", "key", "fold_commit_idx"]


def context_gaps(
    model_calls: dy.LazyFrame[ModelCalls],
    composed_slots: dy.LazyFrame[ComposedSlots],
    engine_evaluations: dy.LazyFrame[EngineEvaluations],
) -> dy.LazyFrame[ContextGaps]:
    """One row per committed value that must stand for events: of calls that are in the log, and not shown wholly."""
    keys = composed_slots.filter(pl.col("sight") == Sight.WHOLE).select(
        "run_id",
        "call",
        key=pl.col("slot").cast(pl.String).replace_strict(SLOT_KEYS, return_dtype=pl.String).cast(NAME),
    )
    found = of_calls(engine_evaluations.drop_nulls("active_ids"), model_calls)
    shown = pl.concat([keys, found.select("run_id", "call", key=pl.lit(ACTIVE, NAME)).unique()])
    wanted = pl.LazyFrame({"key": [*SLOTS, ACTIVE]}, schema={"key": NAME})
    return (
        model_calls.filter("stands", pl.col("commit_idx").is_not_null())
        .select("run_id", "call", "scope", fold_commit_idx=pl.col("commit_idx") - 1)
        .join(wanted, how="cross")
        .join(shown, on=["run_id", "call", "key"], how="anti")
        .select(ContextGaps.column_names())
        .pipe(ContextGaps.cast)
    )


def committed_context(
    context_gaps: dy.LazyFrame[ContextGaps], writes: dy.LazyFrame[Writes], states: dy.LazyFrame[States]
) -> dy.LazyFrame[CommittedContext]:
    """One row per wanted value, as it was when the call was made; a value that grew from the leg's state with it."""
    points = context_gaps.select(POINT).unique().filter(pl.col("fold_commit_idx") >= 0).pipe(FoldPoints.cast)
    grown = folded_values(writes, points)
    first = (
        writes.join(context_gaps.select("run_id", "scope", "key").unique(), on=["run_id", "scope", "key"], how="semi")
        .sort("commit_idx")
        .group_by("run_id", "scope", "key", maintain_order=True)
        .agg(first_verb=pl.col("verbs").first().list.first())
    )
    begun, value = pl.col("begun_json"), pl.col("value_json")
    return (
        context_gaps.join(grown, on=POINT, how="left")
        .join(first, on=["run_id", "scope", "key"], how="left")
        .join(_states_begun_with(context_gaps, states), on=["run_id", "scope", "key"], how="left")
        .with_columns(
            value_json=pl.when(pl.col("basis").is_null())
            .then(begun)
            .when((pl.col("first_verb") == "append") & begun.str.starts_with("[") & value.str.starts_with("["))
            .then(_joined_lists(begun, value))
            .otherwise(value),
            commit_idx=pl.col("basis").list.max(),
        )
        .select(CommittedContext.column_names())
        .pipe(CommittedContext.cast)
    )


def history_entries(writes: dy.LazyFrame[Writes], call_mounts: dy.LazyFrame[Scopes]) -> dy.LazyFrame[HistoryEntries]:
    """One row per commit that wrote `history` in a log that holds model calls."""
    rows = writes.filter(pl.col("key") == HISTORY)
    mounted = rows.join(call_mounts.select("run_id", "scope"), on=["run_id", "scope"], how="semi")
    told = (
        pl.concat([rows.filter(pl.col("scope") == ""), mounted])
        .select(
            "run_id",
            "scope",
            "commit_idx",
            "runtime_stage_id",
            replaces=pl.col("verbs").list.set_difference(["append"]).list.len() > 0,
            written=pl.coalesce("overwrite_json", "update_json"),
        )
        .collect()
    )
    distinct = told["written"].drop_nulls().unique().to_list()
    read = pl.LazyFrame(
        [(written, *_tool_messages(written)) for written in distinct],
        schema={
            "written": pl.String,
            "is_list": pl.Boolean,
            "tool_call_ids": pl.List(pl.String),
            "contents": pl.List(pl.String),
        },
        orient="row",
    )
    return (
        told.lazy()
        .join(read, on="written", how="left")
        .with_columns(
            pl.col("is_list").fill_null(value=False),
            pl.col("tool_call_ids", "contents").fill_null([]),
        )
        .select(HistoryEntries.column_names())
        .pipe(HistoryEntries.cast)
    )


def evictions(history_entries: dy.LazyFrame[HistoryEntries]) -> dy.LazyFrame[Evictions]:
    """One row per tool result that a commit left out of the history it wrote anew, though the value before held it."""
    log, ids = ["run_id", "scope"], ["run_id", "scope", "span", "tool_call_id"]
    spans = history_entries.sort("run_id", "scope", "commit_idx").with_columns(
        span=pl.col("replaces").cast(pl.Int64).cum_sum().over(log)
    )
    held = spans.explode("tool_call_ids", empty_as_null=False).rename({"tool_call_ids": "tool_call_id"})
    held_by_span = held.select(ids).unique()
    begins = spans.filter("replaces", "is_list").select(*log, "span", "commit_idx", "runtime_stage_id")
    return (
        held_by_span.with_columns(span=pl.col("span") + 1)
        .join(begins, on=[*log, "span"])
        .join(held.filter("replaces").select(ids).unique(), on=ids, how="anti")
        .select(Evictions.column_names())
        .pipe(Evictions.cast)
    )


def _joined_lists(first: pl.Expr, second: pl.Expr) -> pl.Expr:
    """Two lists, as JSON text, as one."""
    inner = [each.str.slice(1, each.str.len_chars() - 2) for each in (first, second)]
    comma = pl.when((inner[0] != "") & (inner[1] != "")).then(pl.lit(",")).otherwise(pl.lit(""))
    return pl.concat_str(pl.lit("["), inner[0], comma, inner[1], pl.lit("]"))


def _states_begun_with(context_gaps: pl.LazyFrame, states: pl.LazyFrame) -> pl.LazyFrame:
    """The wanted keys of the state a leg began with, which stands before the first commit of the run's own log."""
    begun = (
        states.filter(pl.col("which") == "initial", pl.col("state_json") != "{}")
        .join(context_gaps.select("run_id").unique(), on="run_id", how="semi")
        .select("run_id", "state_json")
        .collect()
    )
    rows = [(run_id, "", key, value) for run_id, state in begun.iter_rows() for key, value in _members_of(state)]
    schema = {"run_id": pl.String, "scope": pl.String, "key": pl.String, "begun_json": pl.String}
    return pl.LazyFrame(rows, schema=schema, orient="row").with_columns(pl.col("run_id", "scope", "key").cast(NAME))


def _members_of(state: str) -> list[tuple[str, str]]:
    members = javascript.parse(state)
    return [(key, javascript.stringify(members[key])) for key in (*SLOTS, ACTIVE) if key in members]


def _tool_messages(written: str) -> tuple[bool, list[str], list[str | None]]:
    """Whether a written history is a list, and the calls and contents of the tool messages in it."""
    messages = messages_of(written)
    if messages is None:
        return False, [], []
    told = [(text(m.tool_call_id), content(m.content)) for m in messages if m.role == "tool"]
    named = [(call_id, what) for call_id, what in told if call_id is not None]
    return True, [call_id for call_id, _ in named], [what for _, what in named]
