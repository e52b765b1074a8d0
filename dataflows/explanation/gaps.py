"""Gaps: what the record of a run cannot tell, each with the reason. What is not recorded is unknown, never "no"."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from afp_nodes.words import CallStatus, Coverage
from dataflows.explanation.facts import Explanation, RunFacts, UnclearUnits
from dataflows.explanation.looped import iterations_text
from dataflows.explanation.routed import unreachable_text
from dataflows.explanation.words import named
from dataflows.masking import MASK
from dataflows.printable import shown_key
from dataflows.wording import counted

UNCLEAR_AVAILABLE = {
    "injection": "which injections were available",
    "memory": "what memory considered beside what it handed on",
    "tool-result": "which tool results were available",
}
UNCLEAR_SENT = {
    "injection": "which injections were sent",
    "memory": "which memory entries were sent",
    "tool-result": "which tool results were sent",
}


def gaps(explanation: Explanation) -> tuple[str, ...]:
    """What the record cannot tell, in sentences."""
    run = explanation.run
    told = (
        *_events(run),
        *_leg(run),
        *_state_and_log(run),
        *_routing(explanation),
        *_context(explanation),
        *_loops(explanation),
        *_calls(explanation),
        *_variables(run),
        *_redaction(run),
        *_reading(run),
        *_masked(explanation),
    )
    return tuple(sentence[0].upper() + sentence[1:] + "." for sentence in told)


def _events(run: RunFacts) -> Iterator[str]:
    if run.events is None:
        yield "events are not recorded: tool calls, tokens and the end of the turn are not known"
        return
    if run.events == 0:
        yield "the list of events is empty: what would stand there is not known"
    elif run.dropped_events is None:
        yield "whether events were lost before the first one is not recorded: totals may be more than what is shown"
    elif run.dropped_events:
        dropped = counted(run.dropped_events, "event")
        yield f"the first {dropped} are missing: totals are at least what is shown, and what those events told is lost"
    if run.answered is None:
        yield "whether the turn ended is not known: the record shows no end, and its own end may be missing"
    if run.llm_calls and run.input_tokens is None and run.output_tokens is None:
        yield "how many tokens were used is not recorded"


def _leg(run: RunFacts) -> Iterator[str]:
    if run.complete is None:
        yield "whether the run was over when it was saved is not recorded"
    elif not run.complete:
        yield "the run was not over when it was saved: what came after is not in this record"
    if run.resumed_leg:
        yield "this leg goes on after a pause: what happened before it is in the record of an earlier leg"
    elif run.resumed_leg is None and run.events is not None:
        yield "whether this leg goes on after a pause is not known"


def _state_and_log(run: RunFacts) -> Iterator[str]:
    if not run.state_recorded:
        yield "no final state is recorded: what the messages were, and what was checked, is not known"
    if run.chart == "none":
        yield "no commit log is recorded: loops, and what each step wrote, are not known"
    elif not run.reads_recorded:
        yield "no reads are recorded: who used a value is not known"


def _routing(explanation: Explanation) -> Iterator[str]:
    unreachable = unreachable_text(explanation)
    if unreachable is not None:
        yield unreachable


def _context(explanation: Explanation) -> Iterator[str]:
    for units in explanation.unclear:
        yield from _unclear(units)
    told = {iteration for units in explanation.unclear for iteration in _unclear_iterations(units)}
    other = [
        loop.iteration
        for loop in explanation.loops
        if loop.grade == Coverage.UNKNOWN and loop.iteration is not None and loop.iteration not in told
    ]
    if other:
        yield f"what was available, or what was sent, is not shown for every kind of context; {iterations_text(other)}"


def _unclear(units: UnclearUnits) -> Iterator[str]:
    for clause, iterations in (
        (UNCLEAR_AVAILABLE[units.unit_kind], units.unclear_available),
        (UNCLEAR_SENT[units.unit_kind], units.unclear_sent),
    ):
        if iterations:
            yield f"{clause} is not recorded; {iterations_text(iterations)}"


def _unclear_iterations(units: UnclearUnits) -> list[int]:
    return [*(units.unclear_available or ()), *(units.unclear_sent or ())]


def _loops(explanation: Explanation) -> Iterator[str]:
    loops = explanation.loops
    if not loops:
        yield "no model call is recorded, neither by an event nor in a log"
    untold = sum(not loop.context_told and loop.step is not None for loop in loops)
    if untold:
        yield f"what was sent is not told for {counted(untold, 'loop')}: a later call has the same iteration number"
    unplaced = sum(loop.loop_index is None for loop in loops)
    if unplaced and explanation.run.chart != "none":
        yield f"which loop holds it is not known for {counted(unplaced, 'model call')}: the log does not show it"
    untracked = {source for loop in loops for source in loop.incomplete_sources or ()}
    if untracked:
        yield f"some calls drew on inputs that are not recorded: {named(sorted(untracked))}"


def _calls(explanation: Explanation) -> Iterator[str]:
    calls = [*explanation.other_calls, *(call for loop in explanation.loops for call in loop.calls)]
    nameless = sum(call.tool_name is None and call.name_in_history is None for call in calls)
    if nameless:
        yield f"which tool was called is not recorded for {counted(nameless, 'call')}"
    endless = sum(call.status == CallStatus.UNKNOWN for call in calls)
    if endless:
        yield f"how {counted(endless, 'tool call')} ended is not recorded"
    reasons = explanation.standing.reasons if explanation.standing else ()
    unnamed = sum(reason.unnamed or 0 for reason in reasons)
    if unnamed:
        yield f"reasons rest on {counted(unnamed, 'call')} that the record does not name"


def _variables(run: RunFacts) -> Iterator[str]:
    unknown = run.variables - run.exact_variables - run.conservative_variables
    if unknown:
        yield (
            f"what the last value fed is not known for {unknown:,} of {counted(run.variables, 'state key')}"
            f" (exactly for {run.exact_variables:,}, conservatively for {run.conservative_variables:,})"
        )


def _redaction(run: RunFacts) -> Iterator[str]:
    if run.redacted_names:
        names = named([shown_key(name) for name in run.redacted_names])
        yield f"the record redacts what stands under {names}: it is not shown here, wherever else it stands"
    elif run.redacts:
        yield "the record was served under a redaction policy: values may be kept out of it"


def _reading(run: RunFacts) -> Iterator[str]:
    if run.foreign_events:
        stamped = counted(run.foreign_events, "event is", "events are")
        yield f"{stamped} not stamped as this run's, and not read here"
    if run.unread_events:
        entries = counted(run.unread_events, "entry of the events is no event", "entries of the events are no events")
        yield f"{entries}, and could not be read"
    if run.odd_values:
        yield f"{counted(run.odd_values, 'value')} of a wrong type read as absent"
    if run.replaced_characters:
        yield f"{counted(run.replaced_characters, 'character')} could not be read and stand as U+FFFD"


def _masked(explanation: Explanation) -> Iterator[str]:
    masks = json.dumps(asdict(explanation)).count(MASK)
    if masks:
        yield f"secrets are masked in what is shown here, at {counted(masks, 'place')}"
