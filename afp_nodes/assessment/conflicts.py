"""Conflict rows: readings of this turn's calls that disagree. Rule: assessment and routing, section 6.9."""

from collections.abc import Iterator

from afp_nodes.assessment.ledger import Ledger, rows_of_kind
from afp_nodes.assessment.members import names_some
from afp_nodes.assessment.outcomes import Fired
from afp_nodes.assessment.pointers import ledger_pointer
from afp_nodes.javascript import as_double
from afp_nodes.words import Reason


def conflict_outcomes(ledger: Ledger, turn: float | None, calls: frozenset[str]) -> Iterator[Fired]:
    """The conflicts in which a call of this turn takes part, unless a stamp says that they are another turn's."""
    for position, row in rows_of_kind(ledger, "conflict"):
        stamp = as_double(row.get("turn"))
        is_anothers = stamp is not None and turn is not None and stamp != turn
        if not is_anothers and names_some(row.get("witnesses"), calls):
            yield Fired(Reason.SOURCES_CONFLICT, ledger_pointer(position, "kind"))
