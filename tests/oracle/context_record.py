"""A recording as the questions about context ask it: its own events, its model calls, its histories, its names.

Rules: product contract, section 9; assessment and routing, sections 12.1 and 12.2.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from tests.oracle.javascript import ABSENT, Value, stringify
from tests.oracle.loops import call_mounts, trajectory
from tests.oracle.recording import Commit, Log, Row, record_of, recording_of, snapshot_of
from tests.oracle.routing import is_served, view_of
from tests.oracle.values import fold

Object = dict[str, Any]

SLOTS = {
    "system-prompt": "systemPromptInjections",
    "messages": "messagesInjections",
    "tools": "toolsInjections",
}
OPENERS = ("agent.run_configured", "agent.turn_start", "pause.resume")
PLACEHOLDERS = ("REDACTED", "[REDACTED]")
REPEATED_IN_EVENTS = {
    "userMessage": "userPrompt",
    "lastToolResult": "result",
    **dict.fromkeys(SLOTS.values(), "rawContent"),
}
BEGUN = -1
"""Where the state that a leg began with stands: before its first commit."""


class Event(NamedTuple):
    """One own event, with its type as it reads without the library's prefix."""

    idx: int
    type: str
    payload: Object
    step: str | None


class Call(NamedTuple):
    """One model call: the event that starts it, the commit that shows it, or both."""

    step: str | None
    start: int | None
    after: int | None
    stated: Value
    log: Log | None
    commit: int
    place: int


NOWHERE: tuple[int, Log | None, int] = (10**9, None, -1)
"""Where the commit of a call is that no log holds."""


class Unit(NamedTuple):
    """One unit on one side of a call."""

    id: str
    kind: str
    content: str | None = None
    reason: str | None = None
    spelling: str | None = None
    event: int | None = None
    commit: int | None = None
    scope: str | None = None


class History(NamedTuple):
    """One value of `history`, as it was written: with the tool results in it, or a part by which it grew."""

    replaces: bool
    is_list: bool
    is_named: bool
    results: list[Unit]


class Run:
    """One recording, and what is asked of it as a whole."""

    def __init__(self, document: Value) -> None:
        record = record_of(document)
        self.snapshot = snapshot_of(record)
        self.header = document.get("run") if isinstance(document, dict) and "format" in document else None
        recorded = record.get("events")
        self.raw_events: list[Value] | None = recorded if isinstance(recorded, list) else None
        self.recording = recording_of(document)
        self.own_log, self.mounts = self.recording.run, self.recording.mounts

    @cached_property
    def events(self) -> list[Event]:
        raw = self.raw_events or []
        view = view_of(raw, is_served(self.snapshot), None)
        return [
            Event(
                event.index,
                event.type.removeprefix("agentfootprint."),
                as_object(as_object(raw[event.index]).get("payload")),
                as_text(event.meta.get("runtimeStageId")),
            )
            for event in view.own
        ]

    @cached_property
    def begun(self) -> Object:
        return as_object(self.snapshot.get("initialState"))

    @cached_property
    def logs(self) -> list[Log]:
        """The logs that may hold model calls: the run's own, then the mounts that are loops, by their number."""
        return [self.recording.run, *call_mounts(self.recording)]

    @cached_property
    def calls(self) -> list[Call]:
        """Every model call, in the order of execution."""
        logged = [(place, log, at) for place, log in enumerate(self.logs) for at in _first_commits(log)]
        calls, claimed = [], []
        after = -1
        for event in self.of("stream.llm_start"):
            place, log, at = next((each for each in logged if each[1].commits[each[2]].id == event.step), NOWHERE)
            claimed.append((place, at))
            calls.append(Call(event.step, event.idx, after, event.payload.get("iteration"), log, at, place))
            after = event.idx
        calls += [
            Call(log.commits[at].id, None, None, None, log, at, place)
            for place, log, at in logged
            if (place, at) not in claimed
        ]
        return sorted(calls, key=_place_in_order)

    @cached_property
    def iterations(self) -> list[int]:
        """The iteration of each call, as people number it."""
        begun = as_ordinal(self.begun.get("iteration")) or 0
        return [as_ordinal(call.stated) or begun + nth + 1 for nth, call in enumerate(self.calls)]

    @property
    def standing(self) -> list[tuple[int, Call]]:
        """The calls that have a row, with their iteration: of those with one iteration the last."""
        last = {iteration: nth for nth, iteration in enumerate(self.iterations)}
        return [(self.iterations[nth], call) for nth, call in enumerate(self.calls) if nth in last.values()]

    def loop_of(self, call: Call) -> int | None:
        """The loop whose body holds the call's commit."""
        frames = trajectory(self.recording).frames
        found = [frame for frame in frames if frame.log is call.log and frame.head <= call.commit < frame.end]
        return found[0].loop_index if found else None

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.type == kind]

    def stretch(self, call: Call, kind: str) -> list[Event]:
        """The events of a kind between the start of the call before and the call's own."""
        if call.start is None or call.after is None:
            return []
        return [event for event in self.of(kind) if call.after < event.idx < call.start]

    def turn(self, call: Call, kind: str) -> list[Event]:
        """The events of a kind that lie in the call's turn, before it."""
        if call.start is None:
            return []
        return [event for event in self.of(kind) if self.turn_start(call) < event.idx < call.start]

    def turn_start(self, call: Call) -> int:
        """Where the event stands that opens the turn of a call that an event starts; -1 = nowhere."""
        starts = self.of("agent.turn_start")
        return max((each.idx for each in starts if call.start is not None and each.idx < call.start), default=-1)

    @property
    def dropped_events(self) -> int | None:
        return as_count(as_object(self.header).get("droppedEvents"))

    @property
    def nothing_dropped(self) -> bool:
        return self.dropped_events == 0 or as_count(as_object(self.header).get("firstRetainedEventIndex")) == 0

    @property
    def openers(self) -> list[Event]:
        return [event for event in self.events if event.type in OPENERS]

    def is_whole(self, call: Call) -> bool:
        """Whether every event of the call's stretch was retained."""
        opened = any(event.idx < call.start for event in self.openers) if call.start is not None else False
        return call.after is not None and (call.after >= 0 or self.nothing_dropped or opened)

    @property
    def keeps_head(self) -> bool:
        """Whether the events are there from the start of the leg."""
        kept = self.nothing_dropped or (self.dropped_events is None and bool(self.of("agent.run_configured")))
        return self.raw_events is not None and kept

    @property
    def events_may_hide(self) -> bool:
        """Whether what no event shows may still have been there: the head is lost, or lies in another leg."""
        return not self.keeps_head or self.goes_on

    @property
    def may_hide(self) -> bool:
        """Whether what is shown nowhere may still have been there, since there is no log either."""
        return self.events_may_hide and not self.has_steps

    @property
    def goes_on(self) -> bool:
        """Whether the leg goes on another, as far as is known."""
        types = {event.type for event in self.events}
        return self.raw_events is None or "pause.resume" in types or "agent.turn_start" not in types

    def committed(self, call: Call, key: str) -> tuple[Value, int | None]:
        """The value of a key in the call's log before it, and the last commit it was made from.

        In the run's own log it begins as the state the leg began with has it.
        """
        if call.log is None:
            return ABSENT, None
        if call.log is not self.own_log or key not in self.begun:
            value, basis = fold(call.log, key, call.commit - 1)
            return value, max(basis, default=None)
        seeded = Log([Commit(rows=[Row(key, "set", None)], overwrite=self.begun), *call.log.commits], None)
        value, basis = fold(seeded, key, call.commit)
        return value, max((at - 1 for at in basis if at > 0), default=None)

    @cached_property
    def has_steps(self) -> list[str]:
        return [commit.stage_id for log in [self.own_log, *self.mounts] for commit in log.commits]

    @cached_property
    def memories_read(self) -> set[str]:
        return {name for stage in self.has_steps if (name := memory_of(stage)) is not None}

    @cached_property
    def redacted_names(self) -> set[str]:
        paths = {
            path for log in [self.own_log, *self.mounts] for commit in log.commits for path in commit.redacted_paths
        }
        names = {re.split(r"[\x1f.]", path)[-1] for path in paths}
        if is_served(self.snapshot):
            state = as_object(self.snapshot.get("sharedState"))
            names |= {name for name, value in state.items() if is_placeholder(value)}
        return names | {REPEATED_IN_EVENTS[name] for name in names if name in REPEATED_IN_EVENTS}

    @property
    def was_shortened(self) -> bool:
        """Whether the leg before says that it took messages away from the history it handed on."""
        compactions = [each for each in as_list(self.begun.get("compactions")) if isinstance(each, dict)]
        return any(each.get("removedMessageCount") != 0 for each in compactions)

    @cached_property
    def histories(self) -> list[tuple[Log, int, History]]:
        """Every value of `history` in a log that may hold calls; what the leg began with stands before its own log."""
        begun = self.begun.get("history", ABSENT)
        handed = _history(begun, replaces=True)
        handed = handed._replace(is_named=handed.is_named and not self.was_shortened)
        seeds = [] if begun is ABSENT else [(self.own_log, BEGUN, handed)]
        return [
            *seeds,
            *(
                (log, at, _written_history(log.commits[at]))
                for log in self.logs
                for at in log.writes.get("history", [])
            ),
        ]

    def is_before(self, call: Call, log: Log, at: int) -> bool:
        """Whether a commit lies before a call: by its place in the call's own log, else by what counts executions."""
        if at == BEGUN:
            return True
        if call.log is log:
            return at < call.commit
        if call.log is not None and log is self.own_log:
            mounted = [n for n, commit in enumerate(log.commits) if commit.id == call.log.scope]
            return not mounted or at < mounted[0]
        return self.is_earlier(call, log, at)

    def is_earlier(self, call: Call, log: Log, at: int) -> bool:
        """Whether the step of a commit ran before that of a call, by the number that counts executions."""
        number, of_call = step_number(log.commits[at].id), step_number(call.step)
        return number is not None and of_call is not None and number < of_call

    def evictions(self) -> Iterator[tuple[Log, int, str]]:
        """Each tool result that a commit left out of the history it wrote anew, though the value before held it."""
        for log in self.logs:
            held: set[str] = set()
            for _, at, written in [each for each in self.histories if each[0] is log]:
                named = {message.id for message in written.results}
                if written.replaces and written.is_list:
                    yield from ((log, at, gone) for gone in sorted(held - named))
                held = named if written.replaces else held | named


def as_object(value: Value) -> Object:
    return value if isinstance(value, dict) else {}


def as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def as_text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def is_placeholder(value: Value) -> bool:
    return isinstance(value, str) and value in PLACEHOLDERS


def as_name(value: Value) -> str | None:
    """A text that names something; a placeholder names nothing."""
    return None if is_placeholder(value) else as_text(value)


def as_names(values: Value) -> list[str]:
    return [name for value in as_list(values) if (name := as_name(value)) is not None]


def as_content(*values: Value) -> str | None:
    """The first value that is there: a text as it reads, any other as JSON text; a placeholder is no content."""
    there = [value for value in values if value is not None and value is not ABSENT]
    if not there or is_placeholder(there[0]):
        return None
    return there[0] if isinstance(there[0], str) else stringify(there[0])


def as_count(value: Value) -> int | None:
    is_number = isinstance(value, float) and value == value and abs(value) < 2**63
    return int(value) if is_number and value >= 0 and value.is_integer() else None


def as_ordinal(value: Value) -> int | None:
    """A whole number from 1 on."""
    is_whole = isinstance(value, float) and 1 <= value < 2**53 and value.is_integer()
    return int(value) if is_whole else None


def step_number(step: str | None) -> int | None:
    """The number after the last `#` of a step."""
    found = re.search(r"#([0-9]{1,15})\Z", step or "")
    return int(found[1]) if found else None


def order(number: int | None) -> tuple[bool, int]:
    """What is not there comes last."""
    return number is None, number or 0


def memory_of(step: str | None) -> str | None:
    found = re.search(r"(?:^|/)sf-memory-read-([^/#]*)", step or "")
    return found[1] if found else None


def _place_in_order(call: Call) -> tuple[Any, ...]:
    return order(step_number(call.step)), order(call.start), call.place, call.commit


def _is_call(log: Log, at: int) -> bool:
    stage = log.commits[at].stage_id
    return stage == "call-llm" or stage.endswith("/call-llm")


def _first_commits(log: Log) -> list[int]:
    """The first commit of each model call's step."""
    first: dict[str, int] = {}
    for at, commit in enumerate(log.commits):
        if _is_call(log, at):
            first.setdefault(commit.id, at)
    return list(first.values())


def _messages(history: Value) -> list[Unit]:
    """The tool results that the messages of a history hold."""
    return [
        Unit(name, "tool-result", as_content(message.get("content", ABSENT)))
        for message in as_list(history)
        if isinstance(message, dict)
        if message.get("role") == "tool" and (name := as_name(message.get("toolCallId"))) is not None
    ]


def _written_history(commit: Commit) -> History:
    """What a commit wrote of `history`."""
    verbs = [row.verb for row in commit.rows if row.path == "history"]
    stores = any(verb in ("set", "append") for verb in verbs)
    merges = any(verb not in ("set", "append", "delete") for verb in verbs)
    stored = as_object(commit.overwrite).get("history", ABSENT) if stores else ABSENT
    merged = as_object(commit.updates).get("history", ABSENT) if merges else ABSENT
    written = merged if stored is ABSENT else stored
    return _history(written, replaces=any(verb in ("set", "delete") for verb in verbs))


def _history(value: Value, replaces: bool) -> History:
    tools = [m for m in as_list(value) if isinstance(m, dict) and m.get("role") == "tool"]
    results, is_list = _messages(value), isinstance(value, list)
    return History(replaces, is_list, is_list and len(results) == len(tools), results)
