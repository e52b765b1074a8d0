"""The findings ledger: rows of many kinds that cross turns. Rule: assessment and routing, section 6."""

from collections.abc import Iterator
from typing import Any

from afp_nodes.assessment.members import Row, entries
from afp_nodes.assessment.state import State
from afp_nodes.assessment.turn import is_of_turn

Ledger = list[Any]


def ledger_of(state: State) -> Ledger:
    """The ledger of a state, entries of any type included: positions are those recorded."""
    return entries(state.get("findingsLedger"))


def rows_of_kind(ledger: Ledger, *kinds: str) -> Iterator[tuple[int, Row]]:
    """The rows of some kinds in ledger order, each with its position."""
    for position, row in enumerate(ledger):
        if isinstance(row, dict) and row.get("kind") in kinds:
            yield position, row


def rows_of_turn(ledger: Ledger, turn: float | None, *kinds: str) -> Iterator[tuple[int, Row]]:
    """The rows of some kinds that are stamped with the turn."""
    return ((position, row) for position, row in rows_of_kind(ledger, *kinds) if is_of_turn(row, turn))
