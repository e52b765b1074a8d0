"""Routing: how each run's question was routed, and whether the decided skill reached the model.

Rule: assessment and routing, sections 13 to 16.
"""

import dataframely as dy
import polars as pl

from afp_nodes.event_payloads import cut
from afp_nodes.schemas import (
    DeliveredSkills,
    Legs,
    Routing,
    RoutingChecks,
    RoutingVerdicts,
    RunRecords,
    SkillGraphs,
)
from afp_nodes.templates import filled
from afp_nodes.words import BeforePause, CheckState, Configured, RoutingStatus, UnreachableReason

SAID = ("userMessage", "userPrompt", "witness")
"""Names of what the person said: a witness quotes it."""
LISTED = 12
"""Delivered skills that are listed."""


def routing(
    run_records: dy.LazyFrame[RunRecords],
    legs: dy.LazyFrame[Legs],
    skill_graphs: dy.LazyFrame[SkillGraphs],
    routing_verdicts: dy.LazyFrame[RoutingVerdicts],
    routing_checks: dy.LazyFrame[RoutingChecks],
    delivered_skills: dy.LazyFrame[DeliveredSkills],
) -> dy.LazyFrame[Routing]:
    """One row per run, also where nothing is told.

    A verdict stands whatever is configured. Without one a run that was configured without a skill graph has nothing
    to route; any other run may have been routed, and a resumed leg before its pause.
    """
    return (
        run_records.select("run_id", "events", "foreign_events", "unread_events", "redacted_names")
        .join(legs, on="run_id", how="left")
        .join(skill_graphs, on="run_id", how="left")
        .join(routing_verdicts, on="run_id", how="left")
        .join(routing_checks, on="run_id", how="left")
        .join(_listed(delivered_skills), on="run_id", how="left")
        .with_columns(_status(), _check_state(), _unreachable_reason(), _before_pause(), _delivered_list())
        .with_columns(
            held=pl.when(_has_verdict()).then("held"),
            witness=pl.when(~_keeps_out_what_was_said()).then("witness"),
            unread=pl.col("unread_events").fill_null(0) + pl.col("is_unread").fill_null(value=False),
            foreign_events=pl.col("foreign_events").fill_null(0),
            other_skill=pl.when(pl.col("signal_pointers").is_not_null()).then("first_skill"),
            pointers_json=_pointers(),
        )
        .select(Routing.column_names())
        .pipe(Routing.cast)
    )


def _listed(delivered_skills: pl.LazyFrame) -> pl.LazyFrame:
    """The first delivered skills of each run, and where they are named."""
    first = delivered_skills.filter(pl.col("position") < LISTED).with_columns(listed=cut("skill_id"))
    return first.group_by("run_id").agg(
        listed=pl.col("listed").sort_by("position"),
        first_skill=pl.col("skill_id").sort_by("position").first(),
        delivered_pointers=pl.col("pointer").sort_by("position").str.join(","),
    )


def _has_verdict() -> pl.Expr:
    return pl.col("decided_by").is_not_null()


def _routes_nothing() -> pl.Expr:
    """No verdict, and a configuration without a skill graph."""
    return ~_has_verdict() & (pl.col("configured") == Configured.NONE).fill_null(value=False)


def _keeps_out_what_was_said() -> pl.Expr:
    """The record redacts what the person said, so that no event is asked for it either."""
    return pl.col("redacted_names").list.set_intersection(list(SAID)).list.len() > 0


def _is_resumed() -> pl.Expr:
    return pl.col("resumed_leg").fill_null(value=False)


def _status() -> pl.Expr:
    return (
        pl.when(_has_verdict())
        .then(pl.lit(RoutingStatus.RECORDED))
        .when(_routes_nothing())
        .then(pl.lit(RoutingStatus.NOT_APPLICABLE))
        .otherwise(pl.lit(RoutingStatus.NOT_RECORDED))
        .alias("status")
    )


def _check_state() -> pl.Expr:
    word = pl.col("check_state").cast(pl.String)
    return (
        pl.when(_has_verdict())
        .then(word)
        .when(_routes_nothing())
        .then(pl.lit(CheckState.NOT_APPLICABLE))
        .otherwise(pl.lit(CheckState.UNREACHABLE))
        .alias("check_state")
    )


def _unreachable_reason() -> pl.Expr:
    """What cannot be told: what was decided, or what was delivered; what lies before a pause, or was not recorded."""
    unreachable = pl.col("check_state") == CheckState.UNREACHABLE
    return (
        pl.when(_has_verdict() & unreachable & pl.col("held"))
        .then(pl.lit(UnreachableReason.DELIVERY_BEFORE_PAUSE))
        .when(_has_verdict() & unreachable)
        .then(pl.lit(UnreachableReason.DELIVERY_NO_EVENT))
        .when(_has_verdict() | _routes_nothing())
        .then(None)
        .when(_is_resumed())
        .then(pl.lit(UnreachableReason.DECIDED_BEFORE_PAUSE))
        .otherwise(pl.lit(UnreachableReason.DECIDED_NO_EVENT))
        .alias("unreachable_reason")
    )


def _before_pause() -> pl.Expr:
    return (
        pl.when(_has_verdict() & pl.col("held"))
        .then(pl.lit(BeforePause.HELD))
        .when(~_has_verdict() & ~_routes_nothing() & _is_resumed())
        .then(pl.lit(BeforePause.LOST))
        .alias("before_pause")
    )


def _delivered_list() -> pl.Expr:
    """The listed skills: none where the run's own events name none, NULL where it has no own event."""
    own_events = pl.col("events") - pl.col("foreign_events") - pl.col("unread_events")
    none = pl.lit([], pl.List(pl.String))
    return pl.when(own_events > 0).then(pl.col("listed").fill_null(none)).alias("delivered_skills")


def _pointers() -> pl.Expr:
    """An object of lists of pointers; a list is empty where nothing is told."""
    verdict = pl.concat_str(
        "by_pointer", pl.when(pl.col("to_skill").is_not_null()).then("to_pointer"), separator=",", ignore_nulls=True
    )
    lists = {
        "configured": pl.col("pointer"),
        "verdict": pl.when(_has_verdict()).then(verdict),
        "scores": pl.when(pl.col("top_score").is_not_null()).then("score_pointers"),
        "delivered": pl.col("delivered_pointers"),
        "check": pl.col("check_pointers"),
        "signal": pl.col("signal_pointers"),
    }
    template = ",".join(f'"{name}":[{{}}]' for name in lists)
    return filled("{" + template + "}", *(pointers.fill_null("") for pointers in lists.values()))
