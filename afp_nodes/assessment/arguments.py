"""Argument rows: where the values came from that the turn's calls ran with.

Rules: assessment and routing, sections 6.2 and 6.3.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from afp_nodes.assessment.ledger import Ledger, rows_of_turn
from afp_nodes.assessment.members import Row, entries, text_of
from afp_nodes.assessment.outcomes import Checked, Fired, Outcome
from afp_nodes.assessment.pointers import StatePointer, ledger_pointer
from afp_nodes.assessment.state import REWRITES_KEY, State
from afp_nodes.words import Reason, StandingCheck

OWN_ORIGINS = frozenset({"person", "app"})
"""Whose rewrite of an argument assumes nothing."""


class ArgumentRow(NamedTuple):
    """The current row of one argument of one call."""

    position: int
    tool_call_id: str
    argument: str
    row: Row

    @property
    def source(self) -> str | None:
        """Where the value came from."""
        return text_of(self.row, "source")

    @property
    def is_asked(self) -> bool:
        """A person was asked for the value, and no source has come since."""
        return text_of(self.row, "asked") is not None and self.source is None

    @property
    def is_ruled(self) -> bool:
        """A rule says where the value has to come from."""
        return "rule" in self.row or self.row.get("period") is True

    @property
    def is_judged(self) -> bool:
        """The model claimed a source, and that was looked into."""
        return text_of(self.row, "claimed") is not None

    @property
    def is_settled(self) -> bool:
        """The claimed source was looked into and could be checked."""
        return self.is_judged and self.row.get("failed") != "uncheckable"

    @property
    def pointer(self) -> StatePointer:
        """Where it stands."""
        return ledger_pointer(self.position, "argument")

    @property
    def reason(self) -> Reason | None:
        """What makes the value unsure, if anything does."""
        source, row = self.source, self.row
        if source == "default":
            return Reason.ARGUMENT_ASSUMED
        if (source == "model" and self.is_ruled) or "failed" in row:
            return Reason.ARGUMENT_UNVERIFIED
        if source == "said" and row.get("reading") is True:
            return Reason.ARGUMENT_READ
        return Reason.VALUE_CONTINGENT if source == "result" and text_of(row, "setAside") is not None else None


class Rewrite(NamedTuple):
    """The last time a middleware changed an argument before its call ran."""

    position: int
    origin: str | None


Rewrites = dict[tuple[str, str], Rewrite]
"""By call and argument."""


def current_arguments(ledger: Ledger, turn: float | None) -> list[ArgumentRow]:
    """The last row of each argument of each call, in the order in which calls and arguments first appeared."""
    calls: dict[str, dict[str, ArgumentRow]] = {}
    for position, row in rows_of_turn(ledger, turn, "argument"):
        call, argument = text_of(row, "toolCallId"), text_of(row, "argument")
        if call is not None and argument is not None:
            calls.setdefault(call, {})[argument] = ArgumentRow(position, call, argument, row)
    return [row for of_call in calls.values() for row in of_call.values()]


def argument_outcomes(rows: Sequence[ArgumentRow], state: State) -> Iterator[Outcome]:
    """What the current rows say: at most one reason each, and the two checks of arguments."""
    if not rows:
        return
    rewrites = rewrites_of(state)
    for row in rows:
        rewrite = rewrites.get((row.tool_call_id, row.argument))
        if rewrite is not None:
            yield from _rewritten(rewrite)
        elif row.reason is not None:
            yield Fired(row.reason, row.pointer)
    yield Checked(StandingCheck.ARGUMENT_RULES, len(rows), len(rows), tuple(row.pointer for row in rows))
    judged = sum(row.is_judged for row in rows)
    if judged:
        settled = tuple(ledger_pointer(row.position, "claimed") for row in rows if row.is_settled)
        yield Checked(StandingCheck.ARGUMENT_SOURCES, len(settled), judged, settled)


def rewrites_of(state: State) -> Rewrites:
    """The arguments that a middleware changed before the tool ran."""
    rewrites: Rewrites = {}
    for position, row in enumerate(entries(state.get(REWRITES_KEY))):
        if not isinstance(row, dict) or row.get("at") != "tool":
            continue
        call, origins = text_of(row, "toolCallId"), row.get("from")
        for key in entries(row.get("changedKeys")):
            if call is not None and isinstance(key, str):
                origin = text_of(origins, key) if isinstance(origins, dict) else None
                rewrites[call, key] = Rewrite(position, origin)
    return rewrites


def _rewritten(rewrite: Rewrite) -> Iterator[Fired]:
    """A rewrite is what ran: assumed, unless it was declared a person's or the application's."""
    if rewrite.origin not in OWN_ORIGINS:
        yield Fired(Reason.ARGUMENT_ASSUMED, StatePointer(REWRITES_KEY, f"/{rewrite.position}/changedKeys"))
