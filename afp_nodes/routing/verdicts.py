"""Routing verdicts: who decided which skill answers, read from one event or from the state a run paused with.

Rule: assessment and routing, sections 12.4 and 15. A resumed leg has no verdict event of its own; the verdict is
then read from the state, but only where the state it paused with holds the very same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import dataframely as dy
import msgspec
import polars as pl
from msgspec import Raw, Struct

from afp_nodes import javascript
from afp_nodes.distinct import told_by
from afp_nodes.event_payloads import TURN_ROUTED, Row, as_served, first_event, keeps_out, number, text
from afp_nodes.routing.pointers import event_pointer, state_pointer
from afp_nodes.schemas import HeldRoutes, Legs, RoutingEvents, RoutingVerdicts, States
from afp_nodes.templates import filled
from afp_nodes.words import StateKind

ROUTE = ("decided_by", "from_skill", "to_skill", "scorer", "witness", "offered")
SCORES = ("top_score", "next_score", "next_skill", "all_others_equal")
EVENT_ONLY = ("decisive", "decider_model")
"""What a verdict's event says and the state does not keep."""


class _State(Struct, rename="camel"):
    """What is read of a state, as recorded: empty where it is absent."""

    turn_route: Raw = msgspec.field(default_factory=Raw)
    entry_scores: Raw = msgspec.field(default_factory=Raw)
    entry_scorer: Raw = msgspec.field(default_factory=Raw)
    history: Raw = msgspec.field(default_factory=Raw)


STATE = {**dict.fromkeys(("turn_route", "entry_scores", "entry_scorer"), pl.String()), "has_history": pl.Boolean()}
_STATE_DECODER = msgspec.json.Decoder(_State)


def held_routes(legs: dy.LazyFrame[Legs], states: dy.LazyFrame[States]) -> dy.LazyFrame[HeldRoutes]:
    """One row per resumed leg whose final state holds the route it paused with, unchanged.

    Values are the same when JavaScript writes the same text of them, so the order of members counts and the spelling
    of numbers does not. The numbers behind the route are held where they are unchanged, too; who made them, where
    the numbers are held and that is unchanged as well. The state of a checkpoint is not the committed one.
    """
    resumed = states.join(legs.filter("resumed_leg"), on="run_id", how="semi")
    known = (
        resumed.filter(pl.col("which").is_in([StateKind.SHARED, StateKind.INITIAL]), ~pl.col("from_checkpoint"))
        .with_columns(told_by(pl.col("state_json"), _state_members, STATE))
        .unnest("told")
    )
    paused = known.filter(pl.col("which") == StateKind.INITIAL, "has_history")
    held = {name: pl.col(name) == pl.col(f"{name}_paused") for name in STATE}
    scores_held = held["entry_scores"] & pl.col("entry_scores").str.starts_with("[")
    route_json = filled(
        '{},"entryScores":{},"entryScorer":{}}',
        pl.col("turn_route").str.head(-1),
        pl.when(scores_held).then("entry_scores").otherwise(pl.lit("null")),
        pl.when(scores_held & held["entry_scorer"]).then("entry_scorer").otherwise(pl.lit("null")),
    )
    unchanged = (
        known.filter(pl.col("which") == StateKind.SHARED)
        .join(paused, on="run_id", suffix="_paused")
        .filter(held["turn_route"], pl.col("turn_route").str.starts_with("{"), pl.col("turn_route") != "{}")
        .select("run_id", route_json=route_json)
    )
    return as_served(unchanged, "route_json", states).select(HeldRoutes.column_names()).pipe(HeldRoutes.cast)


def routing_verdicts(
    routing_events: dy.LazyFrame[RoutingEvents], held_routes: dy.LazyFrame[HeldRoutes]
) -> dy.LazyFrame[RoutingVerdicts]:
    """One row per run with a verdict, or with a verdict event that does not say who decided.

    The first `turn_routed` counts, and no later one. Where it does not say who decided it is passed over and
    counted; a verdict may still be held then. An event stands before what is held.
    """
    speaks = pl.col("decided_by").is_not_null()
    columns = [name for name in RoutingVerdicts.column_names() if name != "is_unread"]
    return (
        pl.concat([_told(routing_events).select(columns), _held(held_routes).select(columns)])
        .with_columns(is_unread=(~speaks & ~pl.col("held")).any().over("run_id"), is_silent=~speaks)
        .sort("is_silent", "held")
        .unique("run_id", keep="first", maintain_order=True)
        .select(RoutingVerdicts.column_names())
        .pipe(RoutingVerdicts.cast)
    )


def _told(routing_events: pl.LazyFrame) -> pl.LazyFrame:
    """What the first verdict event of each run says: nothing where it does not say who decided."""
    first, second = (event_pointer(TURN_ROUTED, f"/scores/{rank}/score") for rank in (0, 1))
    told = _dtypes(*ROUTE, *SCORES, *EVENT_ONLY)
    return (
        first_event(routing_events, TURN_ROUTED)
        .with_columns(told_by(pl.col("payload_json"), _event_verdict, told))
        .unnest("told")
        .with_columns(
            held=pl.lit(value=False),
            to_kept_out=keeps_out("to"),
            by_pointer=event_pointer(TURN_ROUTED, "/by"),
            to_pointer=event_pointer(TURN_ROUTED, "/to"),
            score_pointers=pl.concat_str(first, second, separator=","),
        )
    )


def _held(held_routes: pl.LazyFrame) -> pl.LazyFrame:
    """What each held route says; one that does not say who decided is none."""
    first, second = (state_pointer("entryScores", f"/{rank}/score") for rank in (0, 1))
    return (
        held_routes.with_columns(told_by(pl.col("route_json"), _held_verdict, _dtypes(*ROUTE, *SCORES)))
        .unnest("told")
        .filter(pl.col("decided_by").is_not_null())
        .with_columns(
            *(pl.lit(None, dtype).alias(name) for name, dtype in _dtypes(*EVENT_ONLY).items()),
            held=pl.lit(value=True),
            to_kept_out=keeps_out("to"),
            by_pointer=state_pointer("turnRoute", "/by"),
            to_pointer=state_pointer("turnRoute", "/to"),
            score_pointers=pl.concat_str(first, second, separator=","),
        )
    )


def _dtypes(*names: str) -> dict[str, pl.DataType]:
    dtypes = RoutingVerdicts.stored_dtypes()
    return {name: dtypes[name] for name in names}


def _event_verdict(payload_json: str) -> Row | None:
    routed = javascript.parse_as_spelled(payload_json)
    decisive, decider = routed.get("decisive"), routed.get("decider")
    told = _route(routed, routed.get("scorer"), routed.get("scores"))
    return told and (
        *told,
        decisive if isinstance(decisive, bool) else None,
        text(decider.get("model")) if isinstance(decider, dict) else None,
    )


def _held_verdict(route_json: str) -> Row | None:
    route = javascript.parse_as_spelled(route_json)
    return _route(route, route.get("entryScorer"), route.get("entryScores"))


def _route(route: Mapping[str, Any], scorer: Any, scores: Any) -> Row | None:
    """What an event and a state say alike, by the names in `ROUTE` and `SCORES`; None if not who decided."""
    by, to, witness, offered = text(route.get("by")), text(route.get("to")), route.get("witness"), route.get("offered")
    entries = [entry for entry in scores if isinstance(entry, dict)] if isinstance(scores, list) else []
    return (
        None
        if by is None
        else (
            by,
            text(route.get("from")),
            to,
            text(scorer),
            text(witness.get("text")) if isinstance(witness, dict) else None,
            len(offered) if isinstance(offered, list) else None,
            *_scores(entries, to),
        )
    )


def _scores(entries: Sequence[Mapping[str, Any]], to: str | None) -> Row:
    """The application's numbers, by the names in `SCORES`, where the best of them is that of the decided skill.

    Entries stand as recorded, best first, and are never sorted. No decided skill is that of an entry without an id.
    """
    if len(entries) < 2:
        return (None,) * len(SCORES)
    top, following = entries[:2]
    is_top = "id" not in top if to is None else text(top.get("id")) == to
    told = number(top.get("score")), number(following.get("score")), text(following.get("id"))
    if not is_top or None in told:
        return (None,) * len(SCORES)
    return *told, all(number(entry.get("score")) == told[1] for entry in entries[1:])


def _state_members(state_json: str) -> Row:
    """What is read of a state, by the names in `STATE`: JSON text as JavaScript writes it, None where it is absent."""
    try:
        state = _STATE_DECODER.decode(state_json)
    except (msgspec.DecodeError, RecursionError):
        members = javascript.parse(state_json)
        texts = [
            javascript.stringify(members[name]) if name in members else "" for name in _State.__struct_encode_fields__
        ]
    else:
        texts = [msgspec.json.encode(raw).decode() for raw in msgspec.structs.astuple(state)]
    *held, history = texts
    return (*(javascript.stringify(javascript.parse(t)) if t else None for t in held), history.startswith("["))
