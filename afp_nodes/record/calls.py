"""Tool calls: starts and ends joined through the call id. Rule: product contract, section 5."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import Raw

from afp_nodes.javascript import is_truthy, parse
from afp_nodes.record.own_events import PREFIX
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import Event, LlmStart, ToolEnd, ToolStart
from afp_nodes.record.values import Values
from afp_nodes.words import CallStatus

LLM_START = PREFIX + "stream.llm_start"
TOOL_START = PREFIX + "stream.tool_start"
TOOL_END = PREFIX + "stream.tool_end"


@dataclass(slots=True)
class ToolCall:
    """One call: what its start says, what its end says, or both."""

    tool_call_id: str
    occurrence: int
    iteration: float | None
    start: ToolStart = field(default_factory=ToolStart)
    start_event_idx: int | None = None
    start_clock: float | None = None
    end: ToolEnd = field(default_factory=ToolEnd)
    end_event_idx: int | None = None
    end_clock: float | None = None

    def duration_ms(self) -> float | None:
        """The recorded duration, else the time between the two events."""
        if self.end.duration_ms is not None:
            return self.end.duration_ms
        if self.start_clock is None or self.end_clock is None:
            return None
        return self.end_clock - self.start_clock

    def status(self, values: Values) -> str:
        """The record's own word, else whether it returned, failed, or no end is recorded."""
        if self.end.status is not None:
            return self.end.status
        if self.end_event_idx is None:
            return CallStatus.UNKNOWN
        return CallStatus.ERROR if _is_true(self.end.error, values) else CallStatus.RETURNED


def tool_calls(own: Iterable[tuple[int, Event]], payloads: Payloads) -> list[ToolCall]:
    """The calls of a run's own events, in order of their first event.

    An end belongs to the first call of its id that has none yet; an end without such a call is a call of its own,
    and so is each event without an id, which nothing can be joined to.
    """
    calls: list[ToolCall] = []
    occurrences: dict[str, int] = defaultdict(int)
    pending: dict[str, list[ToolCall]] = defaultdict(list)
    iteration: float | None = None

    def opened(call_id: str | None) -> ToolCall:
        name = call_id or ""
        call = ToolCall(name, occurrences[name], iteration)
        occurrences[name] += 1
        calls.append(call)
        return call

    for index, event in own:
        if event.type == LLM_START:
            iteration = payloads.read(event, LlmStart).iteration
        elif event.type == TOOL_START:
            start = payloads.read(event, ToolStart)
            call = opened(start.tool_call_id)
            call.start, call.start_event_idx, call.start_clock = start, index, _clock(event)
            if start.tool_call_id:
                pending[start.tool_call_id].append(call)
        elif event.type == TOOL_END:
            end = payloads.read(event, ToolEnd)
            waiting = pending[end.tool_call_id] if end.tool_call_id else []
            call = waiting.pop(0) if waiting else opened(end.tool_call_id)
            call.end, call.end_event_idx, call.end_clock = end, index, _clock(event)
    return calls


def _clock(event: Event) -> float | None:
    return event.meta.wall_clock_ms if event.meta else None


def _is_true(error: Raw, values: Values) -> bool:
    text = values.text(error)
    return text is not None and is_truthy(parse(text))
