"""The fold: from the committed state of a run to the standing of its answer.

Rules: assessment and routing, sections 1, 6 and 7. It reads state alone and never an event, looks at nothing outside
its arguments, and nothing a record holds makes it fail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from afp_nodes.assessment.answers import answer_outcomes
from afp_nodes.assessment.arguments import ArgumentRow, argument_outcomes, current_arguments
from afp_nodes.assessment.asks import ask_outcomes
from afp_nodes.assessment.conflicts import conflict_outcomes
from afp_nodes.assessment.contingents import contingent_outcomes
from afp_nodes.assessment.coverage_rows import coverage_outcomes, coverage_rows
from afp_nodes.assessment.ledger import ledger_of
from afp_nodes.assessment.outcomes import Checked, Fired, Outcome, Support
from afp_nodes.assessment.periods import period_outcomes
from afp_nodes.assessment.pointers import Pointer
from afp_nodes.assessment.reasons import REASONS, ReasonEntry
from afp_nodes.assessment.results import calls_of, coverage_check, read_results, result_outcomes
from afp_nodes.assessment.sources import Source, reason_source
from afp_nodes.assessment.state import ALWAYS_ASKED, REWRITES_KEY, State, kept_out, without
from afp_nodes.assessment.turn import TurnResult, turn_number, turn_results
from afp_nodes.words import Assessment, Reason, ReasonClass, Standing, TurnFrom

STANDINGS = {
    Assessment.KNOWN: Standing.KNOWN,
    Assessment.UNREFUTED: Standing.CONSISTENT,
    Assessment.NOT_APPLICABLE: Standing.NOT_ASSESSED,
}
"""The word for an assessment without reasons."""


@dataclass(frozen=True, slots=True)
class GivenReason:
    """A reason that fired, with the places and the calls it rests on."""

    reason: Reason
    witness: tuple[Pointer, ...]
    source: Source

    @property
    def entry(self) -> ReasonEntry:
        """What holds of the reason wherever it is given."""
        return REASONS[self.reason]


@dataclass(frozen=True, slots=True)
class Assessed:
    """The standing of one answer: reasons in the order of their table, checks in the order in which they ran."""

    assessment: Assessment
    standing: Standing
    turn_from: TurnFrom
    reasons: tuple[GivenReason, ...] = ()
    checked: tuple[Checked, ...] = ()
    support_digest: str | None = None
    kept_out: tuple[str, ...] = ()
    """Members the fold asked for and the record keeps out; then nothing is assessed."""


def assess(state: State, rows_at: Mapping[str, str], *, redacted: bool) -> Assessed:
    """The standing of the answer that a state was committed with.

    `rows_at` is the member in which the application says each tool's results hold their rows. `redacted` says that
    the record was served under a policy: only then is a placeholder a value that is kept out, else it is a value
    like any other.
    """
    hidden = kept_out(state) if redacted else frozenset()
    held = without(state, hidden)
    results, turn_from = turn_results(held)
    arguments = current_arguments(ledger_of(held), turn_number(held))
    refused = hidden & (ALWAYS_ASKED | {REWRITES_KEY} if arguments else ALWAYS_ASKED)
    if refused:
        nothing = Assessment.NOT_APPLICABLE, Standing.NOT_ASSESSED
        return Assessed(*nothing, turn_from, kept_out=tuple(sorted(refused)))
    outcomes = list(_outcomes(held, results, arguments, rows_at))
    return _weighed(outcomes, _given_reasons(outcomes, held, results), turn_from)


def _outcomes(
    state: State, results: Sequence[TurnResult], arguments: Sequence[ArgumentRow], rows_at: Mapping[str, str]
) -> Iterator[Outcome]:
    """What every step says, in the order that witnesses and checks keep."""
    ledger, turn, coverage = ledger_of(state), turn_number(state), coverage_rows(state)
    reads = read_results(results, coverage)
    calls = calls_of(reads, coverage)
    yield from ask_outcomes(state, arguments)
    yield from argument_outcomes(arguments, state)
    yield from coverage_outcomes(coverage)
    yield from coverage_check(reads, coverage)
    yield from contingent_outcomes(ledger, turn, calls)
    yield from result_outcomes(reads, rows_at)
    yield from period_outcomes(ledger, turn, arguments)
    yield from conflict_outcomes(ledger, turn, calls)
    yield from answer_outcomes(state, ledger, turn)


def _given_reasons(outcomes: Sequence[Outcome], state: State, results: Sequence[TurnResult]) -> tuple[GivenReason, ...]:
    """The reasons that fired, in the order of their table, each with all its places."""
    fired: dict[Reason, list[Pointer]] = {}
    for outcome in outcomes:
        if isinstance(outcome, Fired):
            fired.setdefault(outcome.reason, []).append(outcome.pointer)
    return tuple(
        GivenReason(reason, tuple(fired[reason]), reason_source(reason, entry.source, fired[reason], state, results))
        for reason, entry in REASONS.items()
        if reason in fired
    )


def _weighed(outcomes: Sequence[Outcome], reasons: tuple[GivenReason, ...], turn_from: TurnFrom) -> Assessed:
    """A reason weighs more than support, support more than a check that ran, and that more than nothing."""
    checked = tuple(outcome for outcome in outcomes if isinstance(outcome, Checked))
    if reasons:
        asks = any(given.entry.reason_class is ReasonClass.ASK for given in reasons)
        return Assessed(Assessment.UNKNOWN, Standing.ASK if asks else Standing.NOT_SURE, turn_from, reasons, checked)
    digest = next((outcome.report_digest for outcome in outcomes if isinstance(outcome, Support)), None)
    ran = any(check.ran > 0 for check in checked)
    assessment = Assessment.KNOWN if digest is not None else Assessment.UNREFUTED if ran else Assessment.NOT_APPLICABLE
    return Assessed(assessment, STANDINGS[assessment], turn_from, (), checked, digest)
