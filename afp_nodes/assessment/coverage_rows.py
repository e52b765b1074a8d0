"""Coverage rows: what tools declared of the ground they covered.

Rules: assessment and routing, sections 3 and 6.4. They are never carried into a next turn, so every row is read.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from afp_nodes.assessment.members import entries, is_filled, text_of
from afp_nodes.assessment.outcomes import Fired
from afp_nodes.assessment.pointers import StatePointer, coverage_pointer
from afp_nodes.assessment.state import State
from afp_nodes.words import Reason


class CoverageRow(NamedTuple):
    """One declaration of one tool."""

    position: int
    is_absence: bool
    """An absence; else the ledger of a boundary."""
    tool_call_id: str | None
    has_gap: bool

    @property
    def pointer(self) -> StatePointer:
        """Where it stands."""
        return coverage_pointer(self.position)


def coverage_rows(state: State) -> list[CoverageRow]:
    """The declarations of a state."""
    return [
        CoverageRow(
            position,
            row["kind"] == "absence",
            text_of(row, "toolCallId"),
            is_filled(row.get("notChecked")) or is_filled(row.get("cannotCover")),
        )
        for position, row in enumerate(entries(state.get("coverageDeclared")))
        if isinstance(row, dict) and row.get("kind") in ("absence", "ledger")
    ]


def coverage_outcomes(rows: Sequence[CoverageRow]) -> Iterator[Fired]:
    """Every declared absence and every declared gap."""
    for row in rows:
        if row.is_absence:
            yield Fired(Reason.DECLARED_ABSENT, row.pointer)
        if row.has_gap:
            yield Fired(Reason.COVERAGE_GAP, row.pointer)
