"""What is said of loops: what was sent with each call, what was not, and what the call did."""

from collections.abc import Iterator

from afp_nodes.words import CallStatus, Coverage, DropReason
from dataflows.explanation.facts import DroppedUnit, Explanation, Loop, ToolCall
from dataflows.explanation.words import NAMES_SHOWN, NOT_RECORDED, name, named, value_text
from dataflows.wording import counted

DROP_REASONS = {
    "evicted": "taken out of the window",
    "below-threshold": "below the threshold",
    "over-budget": "over the budget",
    "over-max-entries": "over the number of entries",
    "over-char-budget": "over the budget of characters",
    "superseded": "superseded",
    "skipped": "skipped",
}
GRADES: list[str] = list(Coverage)
"""From the strongest to the weakest."""

UNIT_KINDS = {
    "injection": ("injection", "injections"),
    "memory": ("memory entry", "memory entries"),
    "tool-result": ("tool result", "tool results"),
    "declared": ("listed unit", "listed units"),
}


def loop_title(loop: Loop) -> str:
    """What a loop is called."""
    if loop.loop_index is None:
        return f"iteration {loop.iteration}"
    number = "" if loop.iteration is None else f" (iteration {loop.iteration})"
    return f"loop {loop.loop_index}{number}"


def sent_text(loop: Loop) -> str:
    """What was sent with the call of a loop, by kind."""
    if loop.step is None and loop.iteration is None:
        return "no model call lies in this loop"
    if not loop.context_told:
        return "not told: a later call has the same iteration number"
    if loop.sent_count is None:
        return "not recorded"
    kinds = [_sent_kind(units.unit_kind, len(units.unit_ids)) for units in loop.sent]
    at_least = "at least " if kinds and loop.grade == Coverage.UNKNOWN else ""
    return f"{at_least}{', '.join(kinds) or 'no identified unit'} [{loop.grade}]"


def sent_names(loop: Loop) -> Iterator[str]:
    """The units that were sent with the call of a loop, a line for each kind."""
    for units in loop.sent:
        yield f"{UNIT_KINDS[units.unit_kind][1]}: {named(list(map(name, units.unit_ids)))}"


def not_sent_text(loop: Loop) -> str | None:
    """How much was available to the call of a loop and not sent; None where nothing is known to be."""
    if not loop.dropped_count:
        return None
    at_least = "at least " if loop.grade == Coverage.UNKNOWN else ""
    were = "was" if loop.dropped_count == 1 else "were"
    return f"{at_least}{counted(loop.dropped_count, 'unit')} that {were} available"


def said_text(loop: Loop) -> str:
    """What the model of a loop answered with."""
    if not loop.told_by_event and loop.said.text is None and loop.asked_calls is None:
        return NOT_RECORDED
    parts = [] if loop.said.text == "" else [value_text(loop.said)]
    if loop.asked_calls:
        parts.append(f"asked for {counted(loop.asked_calls, 'tool call')}{_asked_tools(loop)}")
    return "; ".join(parts) or "nothing, and asked for no tool"


def call_text(call: ToolCall) -> str:
    """One tool call and how it ended."""
    args = "" if call.args.text is None and not call.args.redacted else f"({value_text(call.args)})"
    return f"{_tool(call)}{args} {_outcome(call)} ({name(call.tool_call_id)}{_events(call)})"


def dropped_lead(explanation: Explanation) -> str:
    """Whether calls went without units that were available."""
    grades = [loop.grade for loop in explanation.loops if loop.grade is not None]
    listed = explanation.unit_list
    if not grades and listed is None:
        return "not known, no model call is recorded"
    if explanation.dropped:
        return "units that were available and left out; candidates, and most of what is left out is left out rightly"
    if Coverage.UNKNOWN in grades:
        return "none is known, and some may have been: not every side is recorded"
    lists = [] if listed is None else [f"the application's list of {listed.available_count:,}"]
    calls = [f"{counted(len(grades), 'call')} [{max(grades, key=GRADES.index)}]"] if grades else []
    return f"nothing: all units that were available were sent, of {' and of '.join([*calls, *lists])}"


def dropped_text(unit: DroppedUnit) -> str:
    """One unit that calls went without."""
    kind = UNIT_KINDS[unit.unit_kind][0]
    where = f"; {iterations_text(unit.iterations)}" if unit.iterations != [0] else "; of the application's list"
    return f"{kind} {name(unit.unit_id)}: {why_dropped(unit)} [{unit.grade}]{where}"


def iterations_text(iterations: list[int]) -> str:
    """Which calls, by their iteration."""
    shown = ", ".join(map(str, iterations[:NAMES_SHOWN]))
    rest = f" and {len(iterations) - NAMES_SHOWN:,} more" if len(iterations) > NAMES_SHOWN else ""
    return f"iteration {shown}" if len(iterations) == 1 else f"iterations {shown}{rest}"


def why_dropped(unit: DroppedUnit) -> str:
    """Why it was not sent, as far as the record says."""
    if unit.drop_reason is not None:
        by = f" by {name(unit.evicted_by)}" if unit.drop_reason == DropReason.EVICTED and unit.evicted_by else ""
        return DROP_REASONS[unit.drop_reason] + by
    return "no reason is recorded" if unit.recorded_reason is None else f"recorded as {name(unit.recorded_reason)}"


def _tool(call: ToolCall) -> str:
    if call.tool_name is not None:
        return name(call.tool_name)
    if call.name_in_history is not None:
        return f"{name(call.name_in_history)}, by its name in the history,"
    return "a tool that is not named"


def _outcome(call: ToolCall) -> str:
    took = "" if call.duration_ms is None else f" in {call.duration_ms:,.0f} ms"
    match call.status:
        case CallStatus.RETURNED:
            return f"returned{took}: {value_text(call.result)}"
        case CallStatus.ERROR:
            return f"failed{took}: {value_text(call.error if call.error.text not in (None, 'true') else call.result)}"
        case CallStatus.UNKNOWN:
            return "was made; how it ended is not recorded"
        case word:
            return f"ended as {name(word)}{took}: {value_text(call.result)}"


def _events(call: ToolCall) -> str:
    indexes = [str(idx) for idx in (call.start_event_idx, call.end_event_idx) if idx is not None]
    return f", event{'s' if len(indexes) > 1 else ''} {' and '.join(indexes)}" if indexes else ""


def _asked_tools(loop: Loop) -> str:
    return f": {named(list(map(name, loop.asked_tools)))}" if loop.asked_tools else ""


def _sent_kind(kind: str, number: int) -> str:
    return counted(number, *UNIT_KINDS[kind])
