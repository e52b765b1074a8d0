"""The emptiness reader: whether a tool's result came back empty, and who says so.

Rules: assessment and routing, sections 4 and 5. Only shapes that somebody declared are read; all else is unknown.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from afp_nodes.assessment.envelopes import Declared, declared_in, is_boundary
from afp_nodes.assessment.members import entries
from afp_nodes.javascript import parse_as_spelled, trimmed

MOST_BOUNDARIES = 8
"""Boundaries around each other that are read through. Rule: assessment and routing, section 17."""

DESCRIBED_KINDS = ("facts", "series", "edges")
"""Lists of data that a described result may hold."""


class Emptiness(StrEnum):
    """Whether a result came back empty."""

    DECLARED_ABSENT = "declared-absent"
    UNDECLARED_EMPTY = "undeclared-empty"
    NON_EMPTY = "non-empty"
    CLARIFY = "clarify"
    UNKNOWN = "unknown"


class CountSource(StrEnum):
    """Whose word a count rests on."""

    LIBRARY = "library"
    APP = "app"


class Door(NamedTuple):
    """What the record says a call returned, whatever its bytes look like."""

    absent: bool
    bounded: bool
    described: Any = None


class EmptinessReading(NamedTuple):
    """What came back, as far as it was declared."""

    emptiness: Emptiness
    rows: int | None = None
    source: CountSource | None = None
    rows_at: str | None = None
    described: dict[str, int] | None = None
    bounded: bool = False
    undeclared_shape: bool = False
    """An object whose rows nobody declared."""


def parsed(value: Any) -> Any:
    """The value of a text that is a JSON object or list; anything else as it is. Texts inside are not parsed."""
    if not isinstance(value, str):
        return value
    bare = trimmed(value)
    if not bare.startswith(("{", "[")):
        return value
    try:
        return parse_as_spelled(bare)
    except ValueError:
        return value


def declared_by_value(value: Any) -> Declared | None:
    """What a value's own envelope declares; None where it is none."""
    return declared_in(parsed(value))


def read_emptiness(value: Any, rows_at: str | None = None, door: Door | None = None) -> EmptinessReading:
    """Whether a value came back empty.

    `rows_at` is the member in which the application says an object holds its rows. `door` is what the record says
    the call returned; without one the value's own envelope says it.
    """
    return emptiness_of(parsed(value), rows_at, door)


def emptiness_of(data: Any, rows_at: str | None = None, door: Door | None = None) -> EmptinessReading:
    """Whether a parsed value came back empty."""
    if door is None:
        own = declared_in(data)
        door = Door(own.absent, own.bounded) if own else Door(absent=False, bounded=False)
    if door.absent:
        return EmptinessReading(Emptiness.DECLARED_ABSENT, bounded=door.bounded)
    return _described(door.described) or (_bounded(data, rows_at) if door.bounded else _rowset(data, rows_at))


def _described(envelope: Any) -> EmptinessReading | None:
    """A described result's data by kind, or its question; None where it is neither."""
    if not isinstance(envelope, dict):
        return None
    counts = {kind: len(entries(envelope.get(kind))) for kind in DESCRIBED_KINDS if entries(envelope.get(kind))}
    if counts:
        return EmptinessReading(Emptiness.NON_EMPTY, source=CountSource.LIBRARY, described=counts)
    return EmptinessReading(Emptiness.CLARIFY) if isinstance(envelope.get("clarify"), dict) else None


def _bounded(data: Any, rows_at: str | None) -> EmptinessReading:
    """The rows inside all boundaries; that they are none was declared with the boundary."""
    depth = 0
    while is_boundary(data):
        depth += 1
        if depth > MOST_BOUNDARIES:
            return EmptinessReading(Emptiness.UNKNOWN, bounded=True)
        data = data["result"]
    reading = _rowset(data, rows_at)
    if not depth:
        return reading
    if reading.emptiness is Emptiness.UNDECLARED_EMPTY:
        reading = reading._replace(emptiness=Emptiness.DECLARED_ABSENT)
    return reading._replace(bounded=True)


def _rowset(data: Any, rows_at: str | None) -> EmptinessReading:
    """The rows of a list, or of the list in which an object holds them."""
    if isinstance(data, list):
        return _counted(len(data), CountSource.LIBRARY)
    if not isinstance(data, dict):
        return EmptinessReading(Emptiness.UNKNOWN)
    rows = None if rows_at is None else data.get(rows_at)
    if isinstance(rows, list):
        return _counted(len(rows), CountSource.APP, rows_at)
    return EmptinessReading(Emptiness.UNKNOWN, undeclared_shape=True)


def _counted(rows: int, source: CountSource, rows_at: str | None = None) -> EmptinessReading:
    return EmptinessReading(Emptiness.NON_EMPTY if rows else Emptiness.UNDECLARED_EMPTY, rows, source, rows_at)
