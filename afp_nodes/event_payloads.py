"""Event payloads: how routing reads the members of what events and states hold.

A member of a wrong type reads as absent: a truth value is no number, null is no text. In a record served under a
redaction policy a placeholder is no value. Rule: assessment and routing, sections 0 and 12.1.
"""

import math
from typing import Any

import polars as pl

from afp_nodes import javascript
from afp_nodes.distinct import mapped_once, told_by
from afp_nodes.signs import PLACEHOLDERS
from afp_nodes.words import StateKind

RUN_CONFIGURED = "agentfootprint.agent.run_configured"
TURN_START = "agentfootprint.agent.turn_start"
TURN_END = "agentfootprint.agent.turn_end"
PAUSE_RESUME = "agentfootprint.pause.resume"
LLM_START = "agentfootprint.stream.llm_start"
TURN_ROUTED = "agentfootprint.skill.turn_routed"
REJECTED = "agentfootprint.skill.rejected"
PERMISSION_CHECK = "agentfootprint.permission.check"
INJECTED = "agentfootprint.context.injected"
COMPOSED = "agentfootprint.context.slot_composed"

READ_TYPES = (
    *(RUN_CONFIGURED, TURN_START, TURN_END, PAUSE_RESUME, LLM_START),
    *(TURN_ROUTED, REJECTED, PERMISSION_CHECK, INJECTED, COMPOSED),
)
TEXT_UNITS = 200
"""UTF-16 code units of an id or of a rule's name that facts list."""
SKILL = "skill"
"""Source of a record that puts a skill into a slot."""

Row = tuple[Any, ...]


def is_type(event_type: str) -> pl.Expr:
    """Whether the event is of a type."""
    return pl.col("type") == event_type


def first_event(routing_events: pl.LazyFrame, event_type: str) -> pl.LazyFrame:
    """The first event of a type in each run."""
    return routing_events.filter(is_type(event_type)).sort("event_idx").unique("run_id", keep="first")


def as_served(rows: pl.LazyFrame, column: str, states: pl.LazyFrame) -> pl.LazyFrame:
    """Rows that hold an object, with the members of it that a redacted record keeps out: taken from it, and named."""
    redacted = states.filter(pl.col("which") == StateKind.REDACTION).select("run_id", is_redacted=True)
    told = {"readable": pl.String(), "kept_out": pl.List(pl.String())}
    return (
        rows.join(redacted, on="run_id", how="left")
        .with_columns(told_by(pl.when("is_redacted").then(column), _without_kept_out, told))
        .unnest("told")
        .with_columns(pl.coalesce("readable", column).alias(column))
    )


def may_hold(word: str) -> pl.Expr:
    """Whether a payload may hold a text: in its plain spelling, or in one with escapes."""
    payload = pl.col("payload_json")
    return payload.str.contains(f'"{word}"', literal=True) | payload.str.contains("\\u", literal=True)


def keeps_out(*members: str) -> pl.Expr:
    """Whether a redacted record keeps one of these members of the payload out, or the whole of it."""
    kept_out = pl.col("kept_out")
    named = pl.any_horizontal(kept_out.list.contains(member) for member in members)
    return ((kept_out.list.len() == 0) | named).fill_null(value=False)


def text(value: Any) -> str | None:
    """A text as it reads; any other value reads as absent."""
    return value if isinstance(value, str) else None


def number(value: Any) -> float | None:
    """A finite number; any other value reads as absent, truth values too."""
    double = javascript.as_double(value)
    return double if double is not None and math.isfinite(double) else None


def cut(column: str) -> pl.Expr:
    """A text as facts list it: its first 200 UTF-16 code units; half a surrogate pair at the cut reads as U+FFFD."""
    return pl.col(column).map_batches(lambda texts: mapped_once(texts, _listed), return_dtype=pl.String)


def _listed(name: str) -> str:
    return javascript.cut_utf16(name, TEXT_UNITS)


def _without_kept_out(object_json: str) -> Row:
    """An object without the members that hold a placeholder, and their names; all are kept out of an empty one.

    A payload that was kept out whole stands in the facts as `{}`, and no event of the library has an empty one.
    """
    members = javascript.parse_as_spelled(object_json)
    names = [name for name, value in members.items() if isinstance(value, str) and value in PLACEHOLDERS]
    if not names:
        return object_json, None if members else []
    return javascript.stringify({name: value for name, value in members.items() if name not in names}), names
