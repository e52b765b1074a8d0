"""Context sights: how well the record shows each side of a call's context, kind by kind.

A side that is not recorded is not an empty side. A kind of which the record shows no trace has no row on the
available side, and weakens nothing. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes.context.events import MEMORY, TOOL_RESULT
from afp_nodes.context.histories import NO_IDS
from afp_nodes.context.sent import IS_UNIT, NONE, WHOLE_MEMORY
from afp_nodes.context.stretches import memory_of, of_turn
from afp_nodes.loops import ENGINE
from afp_nodes.schemas import (
    ActiveInjections,
    ContextEvents,
    ContextSights,
    EngineEvaluations,
    EventHeads,
    HistoryResults,
    MemoryOffers,
    ModelCalls,
    OfferedUnits,
    RunStages,
    SentUnits,
    SlotRecords,
    SlotSights,
    ToolCalls,
    ToolResults,
)
from afp_nodes.words import Side, Sight, Slot, UnitKind

TOOL_STEP = "tool-calls"
IN_ENGINE = rf"(?:^|/){ENGINE}(?:/|$)"
"""A stage of the injection engine, or inside it."""
SIGHT = pl.Enum(Sight)
PART = pl.lit(Sight.PART, SIGHT)
AFTER_ALL = 2**62
"""Beyond the end of any log."""


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
    slot_records: dy.LazyFrame[SlotRecords],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call and kind, for what was sent: tool results stand in the messages, other units in any slot.

    A record without an id may be of any unit, so that its kind is known in part only. A slot may name a memory and not
    its entries. Which of them it holds is then known from what the memory says it attached, and where it says nothing,
    in part only.
    """
    in_messages = pl.col("sight").filter(pl.col("slot") == Slot.MESSAGES)
    shown = slot_sights.group_by("call").agg(any_slot=pl.col("sight").max(), messages=in_messages.first())
    any_slot = pl.max_horizontal("any_slot", "other_units")
    return (
        model_calls.filter("stands")
        .join(shown, on="call", how="left")
        .with_columns(pl.col("any_slot", "messages").fill_null(NONE))
        .join(_nameless(slot_records), on="call", how="left")
        .join(_unnamed_entries(sent_units), on="call", how="left")
        .select(
            "run_id",
            "call",
            any_slot.alias(UnitKind.INJECTION),
            pl.max_horizontal(any_slot, "entries").alias(UnitKind.MEMORY),
            pl.max_horizontal("messages", "results").alias(UnitKind.TOOL_RESULT),
        )
        .unpivot(index=["run_id", "call"], variable_name="unit_kind", value_name="sight")
        .with_columns(side=pl.lit(Side.SENT))
        .select(ContextSights.column_names())
        .pipe(ContextSights.cast)
    )


def injection_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    engine_evaluations: dy.LazyFrame[EngineEvaluations],
    active_injections: dy.LazyFrame[ActiveInjections],
    run_stages: dy.LazyFrame[RunStages],
    event_heads: dy.LazyFrame[EventHeads],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which an injection engine ran, or whose context holds an injection."""
    traces = [
        engine_evaluations.select("run_id"),
        run_stages.filter(pl.col("stage_id").cast(pl.String).str.contains(IN_ENGINE)).select("run_id"),
        _sent(sent_units, UnitKind.INJECTION),
        _hiding(event_heads),
    ]
    calls = _calls_with(traces, model_calls).join(
        active_injections.select("call", "sight").unique(), on="call", how="left"
    )
    return _available(calls, UnitKind.INJECTION, pl.col("sight").fill_null(NONE)).pipe(ContextSights.cast)


def memory_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    memory_offers: dy.LazyFrame[MemoryOffers],
    context_events: dy.LazyFrame[ContextEvents],
    run_stages: dy.LazyFrame[RunStages],
    event_heads: dy.LazyFrame[EventHeads],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which a memory was read, or whose context holds an entry of one.

    Whole where every memory that the log says was read tells what it considered, or what it dropped and no event of the
    turn was lost. A memory may hand on what it has without considering anything: then nobody knows what else there was.
    """
    read = run_stages.select("run_id", memory=memory_of("stage_id")).drop_nulls("memory").unique()
    traces = [
        context_events.filter(pl.col("type").str.starts_with(MEMORY)).select("run_id"),
        read.select("run_id"),
        _sent(sent_units, UnitKind.MEMORY),
        _hiding(event_heads),
    ]
    offers = of_turn(model_calls, memory_offers).with_columns(memory=memory_of("runtime_stage_id"))
    told = offers.group_by("call").agg(
        is_cut=~pl.col("is_whole").all(), told="memory", offering=pl.col("memory").filter("is_offer")
    )
    needed = read.group_by("run_id").agg(needed="memory")
    keeps_turn = pl.col("keeps_head") | (pl.col("turn_start") >= 0)
    all_offer, all_told = (_holds("offering", "needed"), _holds("told", "needed").fill_null(value=True))
    sight = (
        pl.when(pl.col("told").is_null())
        .then(pl.lit(Sight.NONE))
        .when((all_offer | (keeps_turn & all_told)) & ~pl.col("is_cut"))
        .then(pl.lit(Sight.WHOLE))
        .otherwise(pl.lit(Sight.PART))
    )
    calls = (
        _calls_with(traces, model_calls)
        .join(told, on="call", how="left")
        .join(needed, on="run_id", how="left")
        .join(event_heads, on="run_id")
    )
    return _available(calls, UnitKind.MEMORY, sight)


def tool_result_sights(
    model_calls: dy.LazyFrame[ModelCalls],
    tool_calls: dy.LazyFrame[ToolCalls],
    tool_results: dy.LazyFrame[ToolResults],
    offered_units: dy.LazyFrame[OfferedUnits],
    history_results: dy.LazyFrame[HistoryResults],
    run_stages: dy.LazyFrame[RunStages],
    event_heads: dy.LazyFrame[EventHeads],
    sent_units: dy.LazyFrame[SentUnits],
) -> dy.LazyFrame[ContextSights]:
    """One row per call of a run in which a tool ran, or whose context holds the result of one.

    Whole where the own log's history is there from its beginning and names every result, or where the events are there
    from the start of a leg that goes on no other, and every tool that started before the call ended under its id.
    """
    stage = pl.col("stage_id")
    is_tool_step = (stage == TOOL_STEP) | stage.cat.ends_with(f"/{TOOL_STEP}")
    ended = tool_calls.drop_nulls("end_event_idx")
    traces = [
        ended.select("run_id"),
        tool_results.select("run_id"),
        run_stages.filter(is_tool_step).select("run_id"),
        _sent(sent_units, UnitKind.TOOL_RESULT),
        _hiding(event_heads),
    ]
    open_at = (
        pl.when(pl.col("end_event_idx").is_null())
        .then("start_event_idx")
        .when(pl.col("tool_call_id").is_in(NO_IDS))
        .then("end_event_idx")
    )
    first_open = tool_calls.group_by("run_id").agg(open_at=open_at.min())
    shown = offered_units.filter(pl.col("unit_kind") == UnitKind.TOOL_RESULT).select(
        "call", is_shown=pl.lit(value=True)
    )
    calls = (
        _calls_with(traces, model_calls)
        .join(_shown_histories(model_calls, history_results), on="call", how="left")
        .join(shown.unique(), on="call", how="left")
        .join(first_open, on="run_id", how="left")
        .join(event_heads, on="run_id")
    )
    all_ended = ~(pl.col("open_at") < pl.col("start_event_idx")).fill_null(value=False)
    from_events = pl.col("keeps_head") & pl.col("start_event_idx").is_not_null() & ~pl.col("goes_on") & all_ended
    whole = pl.any_horizontal("shows_all", from_events)
    sight = (
        pl.when(whole.fill_null(value=False))
        .then(pl.lit(Sight.WHOLE))
        .when("is_shown")
        .then(pl.lit(Sight.PART))
        .otherwise(pl.lit(Sight.NONE))
    )
    return _available(calls, UnitKind.TOOL_RESULT, sight)


def _shown_histories(model_calls: pl.LazyFrame, history_results: pl.LazyFrame) -> pl.LazyFrame:
    """Whether the run's own log shows the history of a call wholly, up to the call.

    A mount is handed a copy of the history as a window left it, which shows nothing of what was there before.
    """
    bound = pl.when(pl.col("scope") == "").then("commit_idx").otherwise(pl.col("own_commit_idx").fill_null(AFTER_ALL))
    begins = pl.col("replaces").first().over("run_id", order_by="commit_idx")
    named = pl.col("is_named").cast(pl.Int8).cum_min().over("run_id", order_by="commit_idx") == 1
    own = history_results.filter(pl.col("scope") == "").select("run_id", "commit_idx", shows_all=begins & named)
    return (
        model_calls.drop_nulls("scope")
        .select("run_id", "call", bound=bound)
        .sort("bound")
        .join_asof(
            own.sort("commit_idx"),
            left_on="bound",
            right_on="commit_idx",
            by="run_id",
            strategy="backward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .select("call", "shows_all")
    )


def _holds(names: str, needed: str) -> pl.Expr:
    """Whether a list holds all names of another; NULL where that is not there."""
    return pl.col(needed).list.set_difference(names).list.len() == 0


def _nameless(slot_records: pl.LazyFrame) -> pl.LazyFrame:
    """The calls whose slots hold a unit without an id; it may be the result of a tool, or another unit."""
    is_result = (pl.col("source") == TOOL_RESULT).fill_null(value=False)
    return (
        slot_records.filter(pl.col("source_id").is_null(), IS_UNIT)
        .group_by("call")
        .agg(results=pl.when(is_result.any()).then(PART), other_units=pl.when((~is_result).any()).then(PART))
    )


def _unnamed_entries(sent_units: pl.LazyFrame) -> pl.LazyFrame:
    """How well the entries of memories are known that a call's slots name as a whole; no row = there are none."""
    whole = pl.col("unit_id") == pl.col("spelling")
    told = (
        sent_units.filter(pl.col("unit_kind") == UnitKind.MEMORY, pl.col("spelling").str.contains(WHOLE_MEMORY))
        .group_by("call", "spelling")
        .agg(is_told=(~whole).any())
    )
    sight = pl.when(pl.col("is_told").all()).then(pl.lit(Sight.FALLBACK)).otherwise(pl.lit(Sight.PART))
    return told.group_by("call").agg(entries=sight.cast(SIGHT))


def _sent(sent_units: pl.LazyFrame, kind: UnitKind) -> pl.LazyFrame:
    """The runs with a call whose context holds a unit of the kind."""
    return sent_units.filter(pl.col("unit_kind") == kind).select("run_id")


def _hiding(event_heads: pl.LazyFrame) -> pl.LazyFrame:
    """The runs of which a kind that nothing shows may still have been there."""
    return event_heads.filter("may_hide").select("run_id")


def _calls_with(traces: list[pl.LazyFrame], model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The calls of runs that show one of the traces."""
    return model_calls.filter("stands").join(pl.concat(traces), on="run_id", how="semi")


def _available(calls: pl.LazyFrame, kind: UnitKind, sight: pl.Expr) -> dy.LazyFrame[ContextSights]:
    """The available side of a kind."""
    return calls.select("run_id", "call", unit_kind=pl.lit(kind), side=pl.lit(Side.AVAILABLE), sight=sight).pipe(
        ContextSights.cast
    )
