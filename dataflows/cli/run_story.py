"""One run told on a terminal, on one page that a person understands in a minute."""

from collections.abc import Iterator

from dataflows.explanation import Explanation
from dataflows.explanation.answers import (
    answer_text,
    check_text,
    configuration,
    error_text,
    question_text,
    reason_text,
    source_text,
    standing_lead,
    totals,
    turn_text,
)
from dataflows.explanation.facts import Loop, StandingFacts
from dataflows.explanation.gaps import gaps
from dataflows.explanation.looped import (
    call_text,
    dropped_lead,
    dropped_text,
    loop_title,
    not_sent_text,
    said_text,
    sent_names,
    sent_text,
)
from dataflows.explanation.routed import refusal_text, routing_lines
from dataflows.explanation.suspected import suspect_text, suspects_lead
from dataflows.explanation.words import name, place_text
from dataflows.wording import counted

WITNESSES_SHOWN = 4
MARGIN = 10
"""Columns that the names of the facts take."""


def run_story(explanation: Explanation, limit: int) -> str:
    """The run in lines; of more than `limit` loops the first ones."""
    run = explanation.run
    lines = [
        *_fact("run", [name(run.run_id), configuration(run), totals(run)]),
        *_fact("question", [question_text(run)]),
        *_fact("answer", [answer_text(run)]),
        *_fact("errors", list(map(error_text, explanation.errors))),
        *_fact("standing", [standing_lead(explanation), *_standing(explanation.standing)]),
        *_fact("routing", [*routing_lines(explanation), *map(refusal_text, explanation.routing.refusals)]),
        "",
    ]
    for loop in explanation.loops[:limit]:
        lines += [*_loop(loop), ""]
    if len(explanation.loops) > limit:
        rest = counted(len(explanation.loops) - limit, "more loop")
        lines += [f"{rest}: --limit {len(explanation.loops)} tells them all", ""]
    if explanation.other_calls:
        lines += [
            "calls that no recorded model call asked for",
            *_indented(map(call_text, explanation.other_calls)),
            "",
        ]
    lines += [f"not sent: {dropped_lead(explanation)}", *_indented(map(dropped_text, explanation.dropped)), ""]
    lines += [f"suspects: {suspects_lead(explanation)}", *_indented(map(suspect_text, explanation.suspects)), ""]
    lines += ["what the record cannot tell", *_indented(f"- {gap}" for gap in gaps(explanation))]
    return "\n".join(lines)


def _fact(what: str, told: list[str]) -> Iterator[str]:
    """Lines beside the name of what they tell."""
    for place, line in enumerate(told):
        yield f"{what if place == 0 else '':{MARGIN}}{line}"


def _standing(standing: StandingFacts | None) -> Iterator[str]:
    if standing is None:
        return
    for reason in standing.reasons:
        yield f"- {reason_text(reason)}; {source_text(reason)}"
        for place in reason.witnesses[:WITNESSES_SHOWN]:
            yield f"    {place_text(place)}"
        if len(reason.witnesses) > WITNESSES_SHOWN:
            yield f"    and {len(reason.witnesses) - WITNESSES_SHOWN:,} more places"
    if standing.checks:
        yield f"checks ({turn_text(standing)})"
    for check in standing.checks:
        yield f"- {check_text(check)}"


def _loop(loop: Loop) -> Iterator[str]:
    yield loop_title(loop)
    yield from _within("sent", [sent_text(loop), *sent_names(loop)])
    not_sent = not_sent_text(loop)
    if not_sent:
        yield from _within("not sent", [not_sent])
    if loop.iteration is not None or loop.step is not None:
        yield from _within("said", [said_text(loop)])
    yield from _within("called", list(map(call_text, loop.calls)))


def _within(what: str, told: list[str]) -> Iterator[str]:
    return _indented(_fact(what, told))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
