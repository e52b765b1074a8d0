"""Routing events: what a run's own events say of its routing, as typed rows.

Rule: assessment and routing, sections 12.1, 12.3, 13 and 16.
"""

from typing import Any

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.distinct import told_by
from afp_nodes.event_payloads import (
    COMPOSED,
    INJECTED,
    LLM_START,
    PAUSE_RESUME,
    READ_TYPES,
    RUN_CONFIGURED,
    SKILL,
    TURN_END,
    TURN_START,
    Row,
    as_served,
    first_event,
    is_type,
    keeps_out,
    may_hold,
    number,
    text,
)
from afp_nodes.routing.pointers import event_pointer
from afp_nodes.schemas import (
    Events,
    Legs,
    PromptCompositions,
    RoutingEvents,
    SkillGraphs,
    SkillInjections,
    States,
)
from afp_nodes.words import Configured, Slot

DELIVERY_MEMBERS = ("slot", "source", "sourceId", "iteration", "sourceBreakdown")
"""What is read of the events that tell what a system prompt held."""


def routing_events(events: dy.LazyFrame[Events], states: dy.LazyFrame[States]) -> dy.LazyFrame[RoutingEvents]:
    """One row per own event that routing reads; of injected records, those that may be of a skill.

    In a record served under a redaction policy a member whose value is a placeholder reads as absent, and is named:
    what is kept out is not the same as what is not there.
    """
    own = events.filter("own", pl.col("payload_json").is_not_null(), pl.col("type").is_in(READ_TYPES))
    return (
        as_served(own, "payload_json", states)
        .filter(~is_type(INJECTED) | may_hold(SKILL) | pl.col("kept_out").is_not_null())
        .select(RoutingEvents.column_names())
        .pipe(RoutingEvents.cast)
    )


def legs(routing_events: dy.LazyFrame[RoutingEvents]) -> dy.LazyFrame[Legs]:
    """One row per run with an event that routing reads.

    The answering iteration is that of the last model call before the last turn's end, of the last one where no end
    is recorded. Where the events of a turn's beginning were lost, its leg looks like a resumed one.
    """
    last_end = pl.col("event_idx").filter(is_type(TURN_END)).max()
    before_end = (pl.col("event_idx") < last_end).fill_null(value=True)
    return (
        routing_events.sort("event_idx")
        .group_by("run_id")
        .agg(
            resumed_leg=is_type(PAUSE_RESUME).any() | (is_type(TURN_END).any() & ~is_type(TURN_START).any()),
            call_json=pl.col("payload_json").filter(is_type(LLM_START) & before_end).last(),
            delivery_kept_out=(is_type(INJECTED) | is_type(COMPOSED)).and_(keeps_out(*DELIVERY_MEMBERS)).any(),
        )
        .with_columns(told_by(pl.col("call_json"), _iteration, {"answering_iteration": pl.Float64()}))
        .unnest("told")
        .select(Legs.column_names())
        .pipe(Legs.cast)
    )


def skill_graphs(routing_events: dy.LazyFrame[RoutingEvents]) -> dy.LazyFrame[SkillGraphs]:
    """One row per run whose configuration is recorded; the first own `run_configured` counts.

    A graph that a redacted record keeps out is not called missing.
    """
    is_graph = pl.col("configured") == Configured.GRAPH
    graph, none = (event_pointer(RUN_CONFIGURED, path) for path in ("/skillGraph/routing", "#meta/runId"))
    told = dict.fromkeys(("configured", "routing", "continuity", "configured_scorer"), pl.String())
    return (
        first_event(routing_events, RUN_CONFIGURED)
        .with_columns(told_by(pl.col("payload_json"), _skill_graph, told))
        .unnest("told")
        .with_columns(pointer=pl.when(is_graph).then(graph).otherwise(none))
        .with_columns(pl.when(~keeps_out("skillGraph")).then(pl.col("configured", "pointer")))
        .select(SkillGraphs.column_names())
        .pipe(SkillGraphs.cast)
    )


def skill_injections(routing_events: dy.LazyFrame[RoutingEvents]) -> dy.LazyFrame[SkillInjections]:
    """One row per record that put a skill into the system prompt, repeats kept."""
    return (
        routing_events.filter(is_type(INJECTED))
        .with_columns(told_by(pl.col("payload_json"), _injected_skill, {"skill_id": pl.String()}))
        .unnest("told")
        .filter(pl.col("skill_id").is_not_null())
        .with_columns(pointer=event_pointer(INJECTED, "/sourceId"))
        .select(SkillInjections.column_names())
        .pipe(SkillInjections.cast)
    )


def prompt_compositions(routing_events: dy.LazyFrame[RoutingEvents]) -> dy.LazyFrame[PromptCompositions]:
    """One row per composition of the system prompt.

    It counts no skill record where its breakdown has no entry for skills, and says nothing where that entry holds
    no number or there is no breakdown.
    """
    told = {"slot": pl.String(), "iteration": pl.Float64(), "skill_rows": pl.Float64()}
    return (
        routing_events.filter(is_type(COMPOSED), may_hold(Slot.SYSTEM_PROMPT))
        .with_columns(told_by(pl.col("payload_json"), _composition, told))
        .unnest("told")
        .filter(pl.col("slot") == Slot.SYSTEM_PROMPT)
        .with_columns(pointer=event_pointer(COMPOSED, "/slot"))
        .select(PromptCompositions.column_names())
        .pipe(PromptCompositions.cast)
    )


def _iteration(payload_json: str) -> Row:
    return (number(javascript.parse_as_spelled(payload_json).get("iteration")),)


def _skill_graph(payload_json: str) -> Row:
    graph = javascript.parse_as_spelled(payload_json).get("skillGraph")
    if not isinstance(graph, dict):
        return Configured.NONE, None, None, None
    return Configured.GRAPH, text(graph.get("routing")), text(graph.get("continuity")), text(graph.get("scorer"))


def _injected_skill(payload_json: str) -> Row | None:
    injected = javascript.parse_as_spelled(payload_json)
    skill_id = text(injected.get("sourceId"))
    if injected.get("slot") != Slot.SYSTEM_PROMPT or injected.get("source") != SKILL or skill_id is None:
        return None
    return (skill_id,)


def _composition(payload_json: str) -> Row:
    composed = javascript.parse_as_spelled(payload_json)
    return text(composed.get("slot")), number(composed.get("iteration")), _skill_rows(composed.get("sourceBreakdown"))


def _skill_rows(breakdown: Any) -> float | None:
    """The skill records that a breakdown counts; None where it does not say."""
    if not isinstance(breakdown, dict):
        return None
    if SKILL not in breakdown:
        return 0.0
    skill = breakdown[SKILL]
    return number(skill.get("count")) if isinstance(skill, dict) else None
