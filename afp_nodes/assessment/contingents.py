"""Contingent rows: values that only results the model itself set aside carried.

Rule: assessment and routing, section 6.6.
"""

from collections.abc import Iterator

from afp_nodes.assessment.ledger import Ledger, rows_of_kind
from afp_nodes.assessment.members import Row, names_some, text_of
from afp_nodes.assessment.outcomes import Fired
from afp_nodes.assessment.pointers import ledger_pointer
from afp_nodes.javascript import as_double
from afp_nodes.words import Reason


def contingent_outcomes(ledger: Ledger, turn: float | None, calls: frozenset[str]) -> Iterator[Fired]:
    """The contingent rows of this turn."""
    since = _first_of_turn(ledger, turn, calls)
    for position, row in rows_of_kind(ledger, "contingent"):
        if _is_of_turn(position, row, turn, calls, since):
            yield Fired(Reason.VALUE_CONTINGENT, ledger_pointer(position, "value"))


def _is_of_turn(position: int, row: Row, turn: float | None, calls: frozenset[str], since: int) -> bool:
    """By the row's stamp; else by the call it was declared on; else, on the answer, by where it stands."""
    stamp = as_double(row.get("turn"))
    if stamp is not None and turn is not None:
        return stamp == turn
    if row.get("declaredOn") != "answer":
        return _declared_on(row) in calls
    return position >= since


def _first_of_turn(ledger: Ledger, turn: float | None, calls: frozenset[str]) -> int:
    """Where the rows of a later turn begin, as far as the ledger shows it; past its end where it does not."""
    if turn is None or turn <= 1:
        return 0
    return next((position for position, row in enumerate(ledger) if _shows_turn(row, turn, calls)), len(ledger))


def _shows_turn(row: Row, turn: float, calls: frozenset[str]) -> bool:
    """A row is stamped with the turn or, unstamped, names one of its calls."""
    if not isinstance(row, dict):
        return False
    stamp = as_double(row.get("turn"))
    if stamp is not None:
        return stamp == turn
    own = (text_of(row, "toolCallId"), _declared_on(row))
    return not calls.isdisjoint(own) or any(names_some(row.get(name), calls) for name in ("carriers", "witnesses"))


def _declared_on(row: Row) -> str | None:
    """The call on which a row was declared."""
    place = row.get("declaredOn")
    return text_of(place, "toolCallId") if isinstance(place, dict) else None
