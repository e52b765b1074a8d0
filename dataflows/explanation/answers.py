"""What is said of a run as a whole: what was asked and answered, and where the answer stands."""

from dataflows.explanation.facts import Check, Error, Explanation, Reason, RunFacts, StandingFacts
from dataflows.explanation.words import NOT_RECORDED, TEXT_CHARACTERS, name, named, value_text
from dataflows.printable import WITHHELD, shown_key
from dataflows.wording import counted

STANDINGS = {
    "ask": "the run waits for a person",
    "not-sure": "the answer is not known to stand",
    "known": "an enforced validation passed this answer",
    "consistent": "nothing that was checked speaks against the answer; that is not the same as a proof",
    "not-assessed": "no check could look at the answer; that is not the same as finding nothing",
}
REASONS = {
    "asked": "the run paused to ask a person",
    "argument-asked": "an argument was asked for, and the reply was still awaited",
    "argument-assumed": "an argument was assumed: a default, or rewritten on its way to the tool",
    "argument-unverified": "an argument is the model's own where a rule asks for a source, or its check failed",
    "argument-read": "an argument was read out of what the person said",
    "value-contingent": "a value came from results that the model itself had set aside",
    "coverage-gap": "a call says that it did not, or cannot, look everywhere",
    "declared-absent": "a call says that what was looked for is not there",
    "empty-undeclared": "a call came back empty and does not say whether that means there is nothing",
    "period-not-held": "a source does not hold the period",
    "period-partly-held": "a source holds the period only in part",
    "period-unknown": "whether a source holds the period is not known",
    "period-undeclared": "a source does not declare which period it holds",
    "period-differs-from-asked": "a result covers another period than the one that was asked for",
    "period-beyond-retention": "the period lies beyond what a source keeps",
    "sources-conflict": "two readings of one thing disagree",
    "value-unsupported": "the answer holds values that no result supports",
    "value-survived-revision": "values that no result supports were still in the answer after a revision",
    "derived-from-reading": "the answer holds values derived from a reading of a time",
    "stopped-early": "the run stopped early",
    "steps-unfinished": "declared steps were left unfinished",
    "answer-check-failed": "the answer failed its validation",
    "check-unreachable": "the validation of the answer could not be carried out",
}
CHECKS = {
    "argument-rules": "arguments held against their rules",
    "argument-sources": "arguments held against the source they claim",
    "tool-coverage": "calls that say what they covered",
    "result-shape": "results whose form tells whether they are empty",
    "result-period": "results held against a period",
    "names-and-numbers": "names and numbers of the answer looked up in the results",
    "answer-checks": "the answer's own validation",
}
LAYERS = {1: "choosing the tools", 2: "the inputs of the tools", 3: "the results", 4: "the answer"}


def question_text(run: RunFacts, characters: int = TEXT_CHARACTERS) -> str:
    """What was asked."""
    if run.question_withheld:
        return f"{WITHHELD}, the record keeps it out"
    return NOT_RECORDED if run.question.text is None else value_text(run.question, characters)


def answer_text(run: RunFacts, characters: int = TEXT_CHARACTERS) -> str:
    """What was answered, or what is known of there being an answer."""
    if run.answer.text is not None:
        return value_text(run.answer, characters)
    if run.answered is None:
        return "not known: the events that would tell, or their end, are missing"
    if not run.answered:
        return "there is none on the record: it shows no end of the turn"
    if "finalContent" in run.redacted_names:
        return f"{WITHHELD}, the record keeps it out"
    return "the turn ended, but what was answered is not recorded" + (" or kept out" if run.redacts else "")


def error_text(error: Error) -> str:
    """One error, and the event that tells it."""
    return f"{value_text(error.error)} (event {error.event_idx})"


def totals(run: RunFacts) -> str:
    """How much the run did.

    What events tell is a lower bound where some were dropped, and unknown where there are none and the log shows calls.
    """
    tokens = None if run.input_tokens is None and run.output_tokens is None else _tokens(run)
    counts = ((run.llm_calls, "model call"), (run.tool_calls, "tool call"), (tokens, "token"))
    return ", ".join(
        (
            "loops unknown" if run.chart == "none" else counted(run.loops, "loop"),
            *(_total(run, *each) for each in counts),
        )
    )


def configuration(run: RunFacts) -> str:
    """Which agent ran, with which model, and when."""
    told = (
        ("agent", run.agent_id),
        ("provider", run.provider),
        ("model", run.model),
        ("react mode", run.react_mode),
        ("tenant", run.tenant),
        ("session", run.session_id),
        ("arm", run.arm_id),
    )
    known = [f"{what} {name(value)}" for what, value in told if value is not None]
    return "; ".join([_when(run), *known])


def standing_lead(explanation: Explanation) -> str:
    """Where the answer stands, in one sentence; without an answer, that there is none to stand."""
    run, standing = explanation.run, explanation.standing
    if standing is None:
        if run.answered and not run.state_recorded:
            return "not shown: no final state is recorded that could speak for the answer or against it"
        unclear = "; whether there was one is not known" if run.answered is None else ""
        return f"not shown: no answer is on the record{unclear}"
    if standing.kept_out:
        keys = named([shown_key(key) for key in standing.kept_out])
        return f"{standing.standing}: the record keeps out {keys}, so nothing was assessed"
    return f"{standing.standing}: {STANDINGS[standing.standing]}"


def check_text(check: Check) -> str:
    """One check, and how many of how many it reached."""
    return f"{check.check_name}: {check.ran:,} of {check.out_of:,} ({CHECKS[check.check_name]})"


def turn_text(standing: StandingFacts) -> str:
    """Which results were read."""
    if standing.turn_from == "person":
        return "results since a person's last message were read"
    return "no message of a person is in the history: all results in it were read"


def reason_text(reason: Reason) -> str:
    """One reason, as a sentence."""
    return f"{reason.reason}: {REASONS[reason.reason]}"


def source_text(reason: Reason) -> str:
    """What one reason rests on."""
    if reason.source_kind != "calls":
        return {"answer": "rests on the answer itself", "run": "rests on the run as a whole"}[reason.source_kind]
    calls = [f"{name(call.tool_name)} ({name(call.tool_call_id)})" for call in reason.calls]
    unnamed = [counted(reason.unnamed, "call") + " that the record cannot name"] if reason.unnamed else []
    return "rests on " + " and ".join([named(calls), *unnamed] if calls else unnamed or ["no call it names"])


def _tokens(run: RunFacts) -> float:
    return (run.input_tokens or 0) + (run.output_tokens or 0)


def _total(run: RunFacts, number: float | None, noun: str) -> str:
    if number is None or (not run.events and run.loops):
        return f"{noun}s unknown"
    return ("at least " if run.dropped_events else "") + counted(number, noun)


def _when(run: RunFacts) -> str:
    if run.started_at is None:
        return "start not recorded" if run.ended_at is None else f"start not recorded, ended {run.ended_at}"
    return f"started {run.started_at}" + ("" if run.ended_at is None else f", ended {run.ended_at}")
