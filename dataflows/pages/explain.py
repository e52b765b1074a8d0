"""The page that explains one run. Rule: product contract, sections 2 and 4."""

from collections.abc import Iterator
from typing import Any

from dataflows.explanation import Explanation
from dataflows.explanation.answers import (
    CHECKS,
    LAYERS,
    REASONS,
    answer_text,
    configuration,
    error_text,
    question_text,
    source_text,
    standing_lead,
    totals,
    turn_text,
)
from dataflows.explanation.facts import DroppedUnit, Loop, Reason, StandingFacts, ToolCall
from dataflows.explanation.gaps import gaps
from dataflows.explanation.looped import (
    UNIT_KINDS,
    call_text,
    dropped_lead,
    iterations_text,
    loop_title,
    not_sent_text,
    said_text,
    sent_names,
    sent_text,
    why_dropped,
)
from dataflows.explanation.routed import refusal_text, routing_lines
from dataflows.explanation.suspected import suspects_lead
from dataflows.explanation.words import name, named, place_text, value_text
from dataflows.pages import page
from dataflows.printable import glimpse, shown_key
from dataflows.wording import counted

WHOLE_TEXT = 3000
"""Of a question, an answer or a content this much is shown."""

BRIEF_CHARACTERS = 60
OPEN_LOOPS = 3
"""A run of no more loops than these shows them unfolded."""

ROUTED = ("verdict", "scores", "check", "signal")
"""What is said of routing and stands somewhere in the record, as its row names it."""

GRADE_TONES = {"exact": "good", "conservative": "weak", "unknown": "open"}
STANDING_TONES = {"known": "good", "consistent": "good", "not-sure": "weak", "ask": "open", "not-assessed": ""}
DELIVERY_TONES = {"delivered": "good", "not-delivered": "bad"}


def explain_page(explanation: Explanation) -> str:
    """The explanation as one HTML file."""
    run, routing = explanation.run, explanation.routing
    told_gaps = gaps(explanation)
    return page(
        "explain.html",
        title=f"Run {name(run.run_id)}",
        configuration=configuration(run),
        totals=totals(run),
        question=question_text(run, WHOLE_TEXT),
        answer=answer_text(run, WHOLE_TEXT),
        errors=list(map(error_text, explanation.errors)),
        standing=_standing(explanation),
        delivery=_badge(routing.delivered_verdict or routing.check_state, DELIVERY_TONES),
        routing=list(routing_lines(explanation)),
        refusals=list(map(refusal_text, routing.refusals)),
        routing_places=list(dict.fromkeys(place_text(place) for about in ROUTED for place in routing.places[about])),
        loops=[_loop(loop) for loop in explanation.loops],
        unfolded=len(explanation.loops) <= OPEN_LOOPS,
        other_calls=list(map(_call, explanation.other_calls)),
        dropped_lead=dropped_lead(explanation),
        dropped=[_dropped(unit) for unit in explanation.dropped],
        suspects_lead=suspects_lead(explanation),
        suspects=[
            {
                "kind": suspect.suspect_kind,
                "id": name(suspect.suspect_id),
                "stands_in": ", ".join(map(shown_key, suspect.keys)),
                "spec": glimpse(suspect.spec_json, WHOLE_TEXT),
            }
            for suspect in explanation.suspects
        ],
        gaps=told_gaps,
        counted_gaps=counted(len(told_gaps), "thing"),
    )


def _standing(explanation: Explanation) -> dict[str, Any]:
    lead = standing_lead(explanation)
    standing = explanation.standing
    if standing is None:
        return {
            "badge": _badge("not shown", {}),
            "lead": lead.partition(": ")[2],
            "reasons": [],
            "checks": [],
            "turn": "",
        }
    return {
        "badge": _badge(standing.standing, STANDING_TONES),
        "lead": lead.partition(": ")[2],
        "reasons": [_reason(reason) for reason in standing.reasons],
        "checks": list(_checks(standing)),
        "turn": turn_text(standing),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    about = "" if reason.layer is None else f"about {LAYERS[reason.layer]}"
    return {
        "word": reason.reason,
        "sentence": REASONS[reason.reason],
        "about": about,
        "source": source_text(reason),
        "places": list(map(place_text, reason.witnesses)),
    }


def _checks(standing: StandingFacts) -> Iterator[dict[str, Any]]:
    for check in standing.checks:
        reached = f"{check.ran:,} of {check.out_of:,}"
        yield {"word": check.check_name, "meaning": CHECKS[check.check_name], "reached": reached}


def _loop(loop: Loop) -> dict[str, Any]:
    grade = loop.grade if loop.grade is not None and loop.context_told else None
    return {
        "title": loop_title(loop),
        "sent": _without_grade(sent_text(loop)),
        "grade": None if grade is None else _badge(grade, GRADE_TONES),
        "units": list(sent_names(loop)),
        "not_sent": not_sent_text(loop),
        "said": said_text(loop),
        "calls": list(map(_call, loop.calls)),
        "brief": _brief(loop),
    }


def _brief(loop: Loop) -> str:
    """A loop in few words: what it was sent, and the tools it called, else what it said."""
    tools = [name(call.tool_name or call.name_in_history or "a tool") for call in loop.calls]
    did = "called " + named(tools) if tools else f"said {glimpse(said_text(loop), BRIEF_CHARACTERS)}"
    return f"sent {_without_grade(sent_text(loop))}; {did}"


def _without_grade(text: str) -> str:
    return text.partition(" [")[0]


def _call(call: ToolCall) -> str:
    return call_text(call)


def _dropped(unit: DroppedUnit) -> dict[str, Any]:
    listed = unit.iterations == [0]
    return {
        "kind": UNIT_KINDS[unit.unit_kind][0],
        "id": name(unit.unit_id),
        "why": why_dropped(unit),
        "grade": _badge(unit.grade, GRADE_TONES),
        "where": "the application's list" if listed else iterations_text(unit.iterations),
        "content": None if unit.content.text is None else value_text(unit.content, WHOLE_TEXT),
    }


def _badge(word: str, tones: dict[str, str]) -> dict[str, str]:
    return {"word": word, "tone": tones.get(word, "")}
