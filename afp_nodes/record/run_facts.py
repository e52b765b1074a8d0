"""Run facts: what one recording says about its run as a whole. Rule: product contract, section 5, `runs`.

Absence is information: what the record cannot say is None, never zero and never "no".
"""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Raw, json

from afp_nodes.record.document import ReadRecording, RecordedEvents
from afp_nodes.record.own_events import PREFIX, RUN_CONFIGURED, TURN_END
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import (
    NOTHING,
    Commit,
    Event,
    Llm,
    LlmEnd,
    Manifest,
    RunHeader,
    SharedState,
    SkillGraph,
    TurnEnd,
    TurnStart,
    Usage,
    is_object,
)
from afp_nodes.record.values import Values
from afp_nodes.signs import PATH_SEPARATOR, PLACEHOLDERS, PLACEHOLDERS_JSON

TURN_START = PREFIX + "agent.turn_start"
LLM_END = PREFIX + "stream.llm_end"
TOKEN = PREFIX + "stream.token"
PAUSE_RESUME = PREFIX + "pause.resume"
DISPOSITION = PREFIX + "integrity.disposition"
"""The last event of every leg that the library itself closed."""

EVENT_MEMBERS = {
    "userMessage": "userPrompt",
    "lastToolResult": "result",
    "systemPromptInjections": "rawContent",
    "messagesInjections": "rawContent",
    "toolsInjections": "rawContent",
}
"""Where events repeat a state key under another name."""

QUESTION_NAMES = frozenset({"userMessage", "userPrompt"})
ANSWER_NAMES = frozenset({"finalContent"})
"""Names of the question and of the answer, in the state and in events."""

EVENT_FACTS = (
    "llm_calls",
    "events",
    "token_events",
    "foreign_events",
    "unread_events",
    "answered",
    "input_tokens",
    "output_tokens",
    "resumed_leg",
)
"""The columns that events tell."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def manifest_facts(recording: ReadRecording, own: list[Event], payloads: Payloads, values: Values) -> dict[str, Any]:
    """The columns that tell how the agent was configured.

    The manifest is the envelope's, else the payload of the first own `run_configured` event.
    """
    raw = recording.configuration.manifest
    if not is_object(raw):
        raw = next((event.payload for event in own if event.type == RUN_CONFIGURED), NOTHING)
    manifest = payloads.of(raw, Manifest)
    llm, graph = manifest.llm or Llm(), manifest.skill_graph or SkillGraph()
    return {
        "agent_id": recording.configuration.agent_id or manifest.agent_id,
        "provider": llm.provider,
        "model": llm.model,
        "react_mode": manifest.react_mode,
        "window": manifest.window,
        "evidence_gate": manifest.evidence_gate,
        "skill_scorer": graph.scorer,
        "skill_routing": graph.routing,
        "skill_continuity": graph.continuity,
        "manifest_json": values.kept(raw),
    }


def header_facts(recording: ReadRecording, own: list[Event]) -> dict[str, Any]:
    """The columns that an envelope states."""
    header = recording.header
    return {
        "agentfootprint_version": recording.producer.agentfootprint_version,
        "footprintjs_version": recording.producer.footprintjs_version,
        "session_id": header.session_id,
        "principal": header.principal,
        "tenant": header.tenant,
        "started_at": _instant(header.started_at) if header.started_at else _first_clock(header, own),
        "ended_at": _instant(header.ended_at),
        "complete": header.complete,
        "dropped_events": header.dropped_events,
        "first_retained_event_index": header.first_retained_event_index,
    }


def event_facts(
    recorded: RecordedEvents | None, header: RunHeader, read: int, own: list[Event], payloads: Payloads
) -> dict[str, Any]:
    """The columns that events tell: counts, tokens, and whether the run answered or was resumed.

    `read` counts the events that can be read, `own` are those of them that are the run's.
    """
    if recorded is None:
        return dict.fromkeys(EVENT_FACTS)
    types = {event.type for event in own}
    usages = [payloads.read(event, LlmEnd).usage or Usage() for event in own if event.type == LLM_END]
    return {
        "llm_calls": len(usages),
        "events": len(recorded.events),
        "token_events": sum(event.type == TOKEN for event in recorded.events),
        "foreign_events": read - len(own),
        "unread_events": len(recorded.events) - read,
        "answered": _answered(recorded, header, types),
        "input_tokens": _sum_of_known([usage.input for usage in usages]),
        "output_tokens": _sum_of_known([usage.output for usage in usages]),
        "resumed_leg": _is_resumed(header, types),
    }


def turn_facts(
    own: list[Event], state: SharedState, payloads: Payloads, redacted_names: Collection[str], is_redacted: bool
) -> dict[str, Any]:
    """The columns that tell what was asked and answered.

    In a redacted record a placeholder is no text, and what the state keeps out is not told from an event.
    """
    starts = [payloads.read(event, TurnStart).user_prompt for event in own if event.type == TURN_START]
    ends = [payloads.read(event, TurnEnd).final_content for event in own if event.type == TURN_END]
    question = starts[-1] if starts and starts[-1] is not None else state.user_message
    answer = ends[-1] if ends else None

    def is_kept_out(text: str | None, names: frozenset[str]) -> bool:
        return not names.isdisjoint(redacted_names) or (is_redacted and text in PLACEHOLDERS)

    return {
        "turn_number": state.turn_number,
        "question": None if is_kept_out(question, QUESTION_NAMES) else question,
        "answer": None if is_kept_out(answer, ANSWER_NAMES) else answer,
    }


def redaction_facts(
    logs: Iterable[Sequence[Commit]], shared_state: Raw, events: list[Event] | None, is_redacted: bool, values: Values
) -> dict[str, Any]:
    """How many paths were scrubbed, and whether an event still shows one of them.

    The value that was taken out is not in the record, so it cannot be searched for. What can be seen is a member of
    an event's payload that bears the name of a scrubbed path, or the name under which events repeat that state key,
    and holds something other than a placeholder. Where a value was taken out and the events are missing (None), it
    is not known.
    """
    paths = {path for log in logs for commit in log for path in commit.redacted_paths or [] if path is not None}
    names = {path.rpartition(PATH_SEPARATOR)[2].rpartition(".")[2] for path in paths}
    if is_redacted and is_object(shared_state):
        members = json.decode(shared_state, type=dict[str, Raw])
        names |= {name for name, value in members.items() if json.encode(value).decode() in PLACEHOLDERS_JSON}
    names |= {EVENT_MEMBERS[name] for name in names if name in EVENT_MEMBERS}
    return {
        "redacted_paths": len(paths),
        "redacted_names": tuple(sorted(names)),
        "redacted_but_in_events": _any_shows(events, names, values),
    }


def _any_shows(events: list[Event] | None, names: set[str], values: Values) -> bool | None:
    if not names:
        return False
    if events is None:
        return None
    quoted = "|".join(re.escape(json.encode(name).decode()[1:-1]) for name in sorted(names))
    nothing = "|".join(map(re.escape, sorted(PLACEHOLDERS_JSON)))
    shown = re.compile(rf'"(?:{quoted})":(?!{nothing}|null\b)')
    return any(shown.search(values.text(event.payload) or "") for event in events)


def _answered(recorded: RecordedEvents, header: RunHeader, types: set[str | None]) -> bool | None:
    """Whether a turn ended; None where the end of the events may be missing.

    Their end is there when the library closed the leg, when another run follows in the same document, or when the
    record says that the run had not ended. A record that says it had ended, or nothing, and shows no end may be cut.
    """
    if TURN_END in types:
        return True
    if not recorded.events:
        return None if header.dropped_events else False
    is_closed = recorded.goes_on or header.complete is False or recorded.events[-1].type == DISPOSITION
    return False if is_closed else None


def _is_resumed(header: RunHeader, types: set[str | None]) -> bool | None:
    """Whether the run goes on after a pause; None where the start of the turn may have been dropped."""
    if PAUSE_RESUME in types:
        return True
    if TURN_END not in types or TURN_START in types:
        return False
    return None if header.dropped_events else True


def _sum_of_known(numbers: list[float | None]) -> float | None:
    """The sum of what is recorded; None where calls were made and none says."""
    known = [number for number in numbers if number is not None]
    return sum(known, 0.0) if known or not numbers else None


def _instant(text: str | None) -> datetime | None:
    """A point in time in UTC; None for a text that is none, or that names no zone: nobody said which is meant."""
    if text is None:
        return None
    try:
        stated = datetime.fromisoformat(text)
        return stated.astimezone(UTC) if stated.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _first_clock(header: RunHeader, own: list[Event]) -> datetime | None:
    """The clock of the first own event, where that is known to be the first there was.

    It is when the record says that none was dropped, or when the events begin as those of a leg do.
    """
    if not own or own[0].meta is None or own[0].meta.wall_clock_ms is None:
        return None
    begins = own[0].type == RUN_CONFIGURED or (own[0].type == PAUSE_RESUME and RUN_CONFIGURED in {e.type for e in own})
    nothing_dropped = header.dropped_events == 0 or header.first_retained_event_index == 0
    if header.dropped_events or not (begins or nothing_dropped):
        return None
    try:
        return _EPOCH + timedelta(milliseconds=own[0].meta.wall_clock_ms)
    except OverflowError:
        return None
