"""Where an application may say that a tool's results hold their rows. Rule: assessment and routing, section 1."""

from enum import StrEnum
from typing import Any


class RowsAtFault(StrEnum):
    """What is wrong with a `rowsAt`."""

    EMPTY = "rowsAt-empty"
    NESTED = "rowsAt-nested"


def rows_at_fault(rows_at: Any) -> RowsAtFault | None:
    """What is wrong with a `rowsAt`: it must name one member of a result, and so cannot be read as a path."""
    if not isinstance(rows_at, str) or not rows_at:
        return RowsAtFault.EMPTY
    return RowsAtFault.NESTED if "/" in rows_at or "." in rows_at else None
