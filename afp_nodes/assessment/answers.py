"""The answer's own rows: what was checked of it, and how its turn ended.

Rule: assessment and routing, section 6.10.
"""

from collections.abc import Iterator

from afp_nodes.assessment.ledger import Ledger, rows_of_turn
from afp_nodes.assessment.members import text_of
from afp_nodes.assessment.outcomes import Checked, Fired, Outcome, Support
from afp_nodes.assessment.pointers import Pointer, StatePointer, ledger_pointer
from afp_nodes.assessment.state import State
from afp_nodes.javascript import as_double
from afp_nodes.words import Reason, StandingCheck

STATUS_REASONS = {"failed": Reason.ANSWER_CHECK_FAILED, "unverified": Reason.CHECK_UNREACHABLE}
"""What the status of the application's own checks gives reason for."""


def answer_outcomes(state: State, ledger: Ledger, turn: float | None) -> Iterator[Outcome]:
    """Values without support, an end before its time, values worked out from a reading, the application's checks."""
    yield from _values(state, ledger, turn)
    if isinstance(state.get("stoppedEarly"), dict):
        yield Fired(Reason.STOPPED_EARLY, StatePointer("stoppedEarly", "/iteration"))
    for position, _ in rows_of_turn(ledger, turn, "steps-unfinished"):
        yield Fired(Reason.STEPS_UNFINISHED, ledger_pointer(position, "kind"))
    for position, _ in rows_of_turn(ledger, turn, "time-derived"):
        yield Fired(Reason.DERIVED_FROM_READING, ledger_pointer(position, "values"))
    yield from _validation(state)


def _values(state: State, ledger: Ledger, turn: float | None) -> Iterator[Outcome]:
    """Names and numbers that no result holds; else the last pass that looked any up and found them all."""
    unsupported = state.get("unsupportedValues")
    if isinstance(unsupported, dict):
        pointer = StatePointer("unsupportedValues", "/candidates")
        revised = unsupported.get("revised") is True
        yield Fired(Reason.VALUE_SURVIVED_REVISION if revised else Reason.VALUE_UNSUPPORTED, pointer)
        yield _one(StandingCheck.NAMES_AND_NUMBERS, pointer)
        return
    grounded = list(rows_of_turn(ledger, turn, "grounded"))[-1:]
    for position, row in grounded:
        if (as_double(row.get("lookedUp")) or 0) > 0:
            yield _one(StandingCheck.NAMES_AND_NUMBERS, ledger_pointer(position, "kind"))


def _validation(state: State) -> Iterator[Outcome]:
    """The application's report; a passed one that is enforced and names the answer's bytes is support."""
    report = state.get("answerValidation")
    if not isinstance(report, dict) or (status := text_of(report, "status")) is None:
        return
    pointer = StatePointer("answerValidation", "/status")
    yield _one(StandingCheck.ANSWER_CHECKS, pointer)
    if status in STATUS_REASONS:
        yield Fired(STATUS_REASONS[status], pointer)
    digest = text_of(report, "candidateDigest")
    if status == "passed" and report.get("mode") == "enforce" and digest is not None:
        yield Support(digest)


def _one(check: StandingCheck, pointer: Pointer) -> Checked:
    return Checked(check, 1, 1, (pointer,))
