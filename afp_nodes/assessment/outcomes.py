"""What the steps of the fold say: a reason with the place it rests on, a check that ran, or support.

Rules: assessment and routing, sections 6 and 8.
"""

from typing import NamedTuple, TypeAlias

from afp_nodes.assessment.pointers import Pointer
from afp_nodes.words import Reason, StandingCheck


class Fired(NamedTuple):
    """A reason, and one place it rests on."""

    reason: Reason
    pointer: Pointer


class Checked(NamedTuple):
    """A check: how often it could have run, how often it reached an outcome, and the places that hold those."""

    check: StandingCheck
    ran: int
    of: int
    witness: tuple[Pointer, ...]

    @property
    def layer(self) -> int:
        """The layer of honesty the check belongs to."""
        return CHECK_LAYERS[self.check]


class Support(NamedTuple):
    """A check that ties this very answer to what was validated."""

    report_digest: str


Outcome: TypeAlias = Fired | Checked | Support

CHECK_LAYERS = {
    StandingCheck.ARGUMENT_RULES: 2,
    StandingCheck.ARGUMENT_SOURCES: 2,
    StandingCheck.TOOL_COVERAGE: 3,
    StandingCheck.RESULT_SHAPE: 3,
    StandingCheck.RESULT_PERIOD: 3,
    StandingCheck.NAMES_AND_NUMBERS: 4,
    StandingCheck.ANSWER_CHECKS: 4,
}
"""Which part of the work a check looks at: 2 the inputs, 3 the results, 4 the answer."""
