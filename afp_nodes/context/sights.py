"""Context sights: how well the record shows each side of a call's context, kind by kind.

A side that is not recorded is not an empty side. A kind of which the record shows no trace has no row on the
available side, and weakens nothing. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import NAME
from afp_nodes.context.committed import ACTIVE, HISTORY
from afp_nodes.context.sent import WHOLE_MEMORY
from afp_nodes.context.stretches import CALL, kept_heads, memory_of, of_calls, of_turn, results_before
from afp_nodes.loops import ENGINE
from afp_nodes.schemas import (
    Commits,
    CommittedContext,
    ContextSights,
    EngineEvaluations,
    Events,
    HistoryEntries,
    MemoryOffers,
    ModelCalls,
    RunRecords,
    SentUnits,
    SlotSights,
    States,
    ToolSightings,
)
from afp_nodes.words import Side, Sight, Slot, StateKind, UnitKind

TOOL_STEP = "tool-calls"
MEMORY_EVENTS = "agentfootprint.memory."
MEMORY_WRITTEN = "agentfootprint.memory.written"


def context_sights(
    sent_sights: dy.LazyFrame[ContextSights],
    injection_sights: dy.LazyFrame[ContextSights],
    memory_sights: dy.LazyFrame[ContextSights],
    tool_result_sights: dy.LazyFrame[ContextSights],
) -> dy.LazyFrame[ContextSights]:
    """One row per call, kind of unit and side, with how well the record shows it."""
    return pl.concat([sent_sights, injection_sights, memory_sights, tool_result_sights]).pipe(ContextSights.cast)


def sent_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    slot_sights: dy.LazyFrame[SlotSights],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call and kind, for what was sent: tool results stand in the messages, other units in any slot.

    A slot may name a memory and not its entries. Which of them it holds is then known from what the memory says it
    attached, and where it says nothing, in part only.
    """
    in_messages = pl.col("sight").filter(pl.col("slot") == Slot.MESSAGES)
    shown = slot_sights.group_by(CALL).agg(any_slot=pl.col("sight").max(), messages=in_messages.first())
    kinds = [kind for kind in UnitKind if kind is not UnitKind.DECLARED]
    sight = (
        pl.when(pl.col("unit_kind") == UnitKind.TOOL_RESULT)
        .then("messages")
        .when(pl.col("unit_kind") == UnitKind.MEMORY)
        .then(pl.max_horizontal("any_slot", "entries"))
        .otherwise("any_slot")
    )
    return (
        model_calls.filter("stands")
        .select(CALL)
        .join(shown, on=CALL, how="left")
        .join(_unnamed_entries(sent_units), on=CALL, how="left")
        .join(pl.LazyFrame({"unit_kind": kinds}, schema={"unit_kind": pl.Enum(UnitKind)}), how="cross")
        .select(
            *CALL,
            "unit_kind",
            side=pl.lit(Side.SENT, pl.Enum(Side)),
            sight=sight.fill_null(pl.lit(Sight.NONE)),
        )
        .pipe(ContextSights.cast)
    )


def injection_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    engine_evaluations: dy.LazyFrame[EngineEvaluations],
    committed_context: dy.LazyFrame[CommittedContext],
    commits: dy.LazyFrame[Commits],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which an injection engine ran, or whose context holds an injection."""
    in_engine = pl.col("stage_id").cast(pl.String).str.contains(rf"(?:^|/){ENGINE}(?:/|$)")
    traces = [
        engine_evaluations.select("run_id"),
        commits.filter(in_engine).select("run_id"),
        _sent(sent_units, UnitKind.INJECTION),
    ]
    told = of_calls(engine_evaluations.drop_nulls("active_ids"), model_calls).select(CALL).unique()
    committed = committed_context.filter(pl.col("key") == ACTIVE, pl.col("value_json").str.starts_with("["))
    sight = (pl.when("is_told").then(pl.lit(Sight.WHOLE)).when("is_committed").then(pl.lit(Sight.FALLBACK))).otherwise(
        pl.lit(Sight.NONE)
    )
    calls = (
        _calls_with(traces, model_calls)
        .join(told.with_columns(is_told=pl.lit(value=True)), on=CALL, how="left")
        .join(committed.select(*CALL, is_committed=pl.lit(value=True)), on=CALL, how="left")
    )
    return _available(calls, UnitKind.INJECTION, sight)


def memory_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    memory_offers: dy.LazyFrame[MemoryOffers],
    events: dy.LazyFrame[Events],
    commits: dy.LazyFrame[Commits],
    run_records: dy.LazyFrame[RunRecords],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which a memory was read, or whose context holds an entry of one.

    Whole where every memory that the log says was read tells what it considered. A memory may hand on what it has
    without considering anything: then nobody knows what else there was.
    """
    is_memory = pl.col("type").str.starts_with(MEMORY_EVENTS) & (pl.col("type") != MEMORY_WRITTEN)
    read = commits.select("run_id", memory=memory_of("stage_id")).drop_nulls("memory").unique()
    traces = [
        events.filter("own", is_memory).select("run_id"),
        read.select("run_id"),
        _sent(sent_units, UnitKind.MEMORY),
    ]
    offers = of_turn(model_calls.filter("stands"), memory_offers, events).with_columns(
        memory=memory_of("runtime_stage_id")
    )
    told = offers.group_by(CALL).agg(is_cut=~pl.col("is_whole").all(), told=pl.col("memory").unique())
    needed = read.group_by("run_id").agg(needed="memory")
    all_told = (
        pl.when(pl.col("needed").is_not_null())
        .then(pl.col("needed").list.set_difference("told").list.len() == 0)
        .otherwise("keeps_head")
    )
    sight = (
        pl.when(pl.col("told").is_null())
        .then(pl.lit(Sight.NONE))
        .when(all_told & ~pl.col("is_cut"))
        .then(pl.lit(Sight.WHOLE))
        .otherwise(pl.lit(Sight.PART))
    )
    calls = (
        _calls_with(traces, model_calls)
        .join(told, on=CALL, how="left")
        .join(needed, on="run_id", how="left")
        .join(kept_heads(events, run_records), on="run_id", how="left")
    )
    return _available(calls, UnitKind.MEMORY, sight)


def tool_result_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    tool_sightings: dy.LazyFrame[ToolSightings],
    history_entries: dy.LazyFrame[HistoryEntries],
    states: dy.LazyFrame[States],
    events: dy.LazyFrame[Events],
    commits: dy.LazyFrame[Commits],
    run_records: dy.LazyFrame[RunRecords],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which a tool ran, or whose context holds the result of one.

    Whole where a history was committed from its beginning, or where the events are there from the leg's start. A
    history that only grew in this leg began in another, and shows the rest only with the state it began with.
    """
    stage = pl.col("stage_id").cast(pl.String)
    is_tool_step = (stage == TOOL_STEP) | stage.str.ends_with(f"/{TOOL_STEP}")
    traces = [
        tool_sightings.select("run_id"),
        commits.filter(is_tool_step).select("run_id"),
        _sent(sent_units, UnitKind.TOOL_RESULT),
    ]
    stood = model_calls.filter("stands")
    shown = results_before(stood, tool_sightings).select(*CALL, is_shown=pl.lit(value=True)).unique()
    calls = (
        _calls_with(traces, model_calls)
        .join(stood.select(*CALL, "start_event_idx"), on=CALL)
        .join(_whole_histories(stood, history_entries), on=CALL, how="left")
        .join(shown, on=CALL, how="left")
        .join(_histories_begun_with(states), on="run_id", how="left")
        .join(kept_heads(events, run_records), on="run_id", how="left")
    )
    from_log = pl.col("has_history") & (pl.col("begins_here") | pl.col("has_begun"))
    from_events = pl.col("keeps_head") & pl.col("start_event_idx").is_not_null() & ~pl.col("goes_on")
    whole = from_log.fill_null(value=False) | from_events.fill_null(value=False)
    sight = (
        pl.when(whole).then(pl.lit(Sight.WHOLE)).when("is_shown").then(pl.lit(Sight.PART)).otherwise(pl.lit(Sight.NONE))
    )
    return _available(calls, UnitKind.TOOL_RESULT, sight)


def _whole_histories(calls: pl.LazyFrame, history_entries: pl.LazyFrame) -> pl.LazyFrame:
    """Whether a log that a call reads holds a history before it, and whether that one begins in this leg."""
    first = (
        history_entries.filter("is_list")
        .sort("commit_idx")
        .group_by("run_id", "scope", maintain_order=True)
        .agg(first_idx=pl.col("commit_idx").first(), begins=pl.col("replaces").first())
        .rename({"scope": "log"})
    )
    before = pl.when(pl.col("log") == "").then(pl.col("own_commit_idx").fill_null(2**62)).otherwise("commit_idx")
    is_its_log = (pl.col("log") == "") | (pl.col("log") == pl.col("scope"))
    return (
        calls.drop_nulls("scope")
        .join(first, on="run_id")
        .filter(is_its_log & (pl.col("first_idx") < before))
        .group_by(CALL)
        .agg(has_history=pl.lit(value=True).first(), begins_here=pl.col("begins").any())
    )


def _unnamed_entries(sent_units: pl.LazyFrame) -> pl.LazyFrame:
    """How well the entries of memories are known that a call's slots name as a whole; no row = there are none."""
    whole = pl.col("unit_id") == pl.col("spelling")
    told = (
        sent_units.filter(pl.col("unit_kind") == UnitKind.MEMORY, pl.col("spelling").str.contains(WHOLE_MEMORY))
        .group_by(*CALL, "spelling")
        .agg(is_told=(~whole).any())
    )
    sight = pl.when(pl.col("is_told").all()).then(pl.lit(Sight.FALLBACK)).otherwise(pl.lit(Sight.PART))
    return told.group_by(CALL).agg(entries=sight.cast(pl.Enum(Sight)))


def _histories_begun_with(states: pl.LazyFrame) -> pl.LazyFrame:
    """The runs whose leg began with a history."""
    begun = states.filter(
        pl.col("which") == StateKind.INITIAL, pl.col("state_json").str.contains('"history":[', literal=True)
    )
    return begun.select("run_id", has_begun=pl.col("state_json").map_batches(_hold_histories, return_dtype=pl.Boolean))


def _hold_histories(states: pl.Series) -> pl.Series:
    return pl.Series(
        states.name, [isinstance(javascript.parse(s).get(HISTORY), list) for s in states], dtype=pl.Boolean
    )


def _sent(sent_units: pl.LazyFrame, kind: UnitKind) -> pl.LazyFrame:
    """The runs with a call whose context holds a unit of the kind."""
    return sent_units.filter(pl.col("unit_kind") == kind).select("run_id")


def _calls_with(traces: list[pl.LazyFrame], model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The calls of runs that show one of the traces."""
    traced = pl.concat([trace.select(pl.col("run_id").cast(NAME)) for trace in traces]).unique()
    return model_calls.filter("stands").select(CALL).join(traced, on="run_id", how="semi")


def _available(calls: pl.LazyFrame, kind: UnitKind, sight: pl.Expr) -> dy.LazyFrame[ContextSights]:
    """The available side of a kind."""
    return calls.select(
        *CALL, unit_kind=pl.lit(kind, pl.Enum(UnitKind)), side=pl.lit(Side.AVAILABLE, pl.Enum(Side)), sight=sight
    ).pipe(ContextSights.cast)
