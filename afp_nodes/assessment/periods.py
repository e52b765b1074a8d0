"""Period rows: whether a store held the period that a call asked for. Rule: assessment and routing, section 6.8."""

from collections.abc import Iterator, Sequence

from afp_nodes.assessment.arguments import ArgumentRow
from afp_nodes.assessment.ledger import Ledger, rows_of_turn
from afp_nodes.assessment.members import Row, text_of
from afp_nodes.assessment.outcomes import Checked, Fired, Outcome
from afp_nodes.assessment.pointers import StatePointer, ledger_pointer
from afp_nodes.words import Reason, StandingCheck

VERDICT_REASONS = {
    "not-held": Reason.PERIOD_NOT_HELD,
    "partly-held": Reason.PERIOD_PARTLY_HELD,
    "unknown": Reason.PERIOD_UNKNOWN,
    "undeclared": Reason.PERIOD_UNDECLARED,
}
"""What a verdict gives reason for; `covered` and words that are not known give none."""


def period_outcomes(ledger: Ledger, turn: float | None, arguments: Sequence[ArgumentRow]) -> Iterator[Outcome]:
    """What every row says, also several of one call; beside it, who chose the period, where a row says so."""
    chosen: dict[tuple[str, str | None], StatePointer] = {(a.tool_call_id, a.argument): a.pointer for a in arguments}
    judged: list[StatePointer] = []
    for position, row in rows_of_turn(ledger, turn, "period"):
        call = text_of(row, "toolCallId")
        if call is None or text_of(row, "verdict") is None:
            continue
        judged.append(ledger_pointer(position, "verdict"))
        chooser = chosen.get((call, text_of(row, "argument")))
        for reason, member in _reasons(row):
            yield Fired(reason, ledger_pointer(position, member))
            if chooser is not None:
                yield Fired(reason, chooser)
    if judged:
        yield Checked(StandingCheck.RESULT_PERIOD, len(judged), len(judged), tuple(judged))


def _reasons(row: Row) -> Iterator[tuple[Reason, str]]:
    """The reasons of one row, each with the member it rests on."""
    if isinstance(row.get("differs"), dict):
        yield Reason.PERIOD_DIFFERS_FROM_ASKED, "differs"
    if row.get("beyondRetention") is True:
        yield Reason.PERIOD_BEYOND_RETENTION, "beyondRetention"
    if row["verdict"] in VERDICT_REASONS:
        yield VERDICT_REASONS[row["verdict"]], "verdict"
