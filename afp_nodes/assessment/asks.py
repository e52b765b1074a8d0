"""Asks: what the turn still waits for a person to say. Rules: assessment and routing, sections 6.1 and 6.2."""

from collections.abc import Iterator, Sequence

from afp_nodes.assessment.arguments import ArgumentRow
from afp_nodes.assessment.members import name_of
from afp_nodes.assessment.outcomes import Fired
from afp_nodes.assessment.pointers import StatePointer, ledger_pointer
from afp_nodes.assessment.state import State
from afp_nodes.words import Reason


def ask_outcomes(state: State, rows: Sequence[ArgumentRow]) -> Iterator[Fired]:
    """A pause that is still on, and an ask for arguments that still waits, with the arguments it asks for."""
    if name_of(state, "pausedToolCallId") is not None:
        yield Fired(Reason.ASKED, StatePointer("pausedToolCallId", ""))
    ask = state.get("argumentAsk")
    if isinstance(ask, dict) and isinstance(ask.get("waiting"), dict):
        yield Fired(Reason.ARGUMENT_ASKED, StatePointer("argumentAsk", "/waiting/requestId"))
        for row in rows:
            if row.is_asked:
                yield Fired(Reason.ARGUMENT_ASKED, ledger_pointer(row.position, "asked"))
