"""What was available to each model call and what was sent, read off a parsed recording as plainly as the rule says it.

Rules: product contract, sections 5 and 9; record format, section 21. One call after another is asked one question
after another; every question goes through the whole recording again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from tests.oracle.javascript import ABSENT, Value, stringify
from tests.oracle.recording import Commit, Log, Row, logs_of, record_of, snapshot_of
from tests.oracle.routing import is_served, view_of
from tests.oracle.values import fold

Object = dict[str, Any]

SLOTS = {
    "system-prompt": "systemPromptInjections",
    "messages": "messagesInjections",
    "tools": "toolsInjections",
}
KINDS = ("injection", "memory", "tool-result")
NO_UNITS = ("registry", "base", "user", "assistant")
WORDS = ("evicted", "below-threshold", "over-budget", "over-max-entries", "over-char-budget", "superseded", "skipped")
OPENERS = ("agent.run_configured", "agent.turn_start", "pause.resume")
PLACEHOLDERS = ("REDACTED", "[REDACTED]")
REPEATED_IN_EVENTS = {
    "userMessage": "userPrompt",
    "lastToolResult": "result",
    **dict.fromkeys(SLOTS.values(), "rawContent"),
}
HIDES = {"injection": {"rawContent"}, "memory": {"rawContent"}, "tool-result": {"result", "history", "lastToolResult"}}

SIGHTS = ("whole", "fallback", "part", "none")
WORTH = {"whole": "exact", "fallback": "conservative", "part": "unknown", "none": "unknown"}
BEGUN = -1
"""Where the state that a leg began with stands: before its first commit."""
GRADES = ("exact", "conservative", "unknown")


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


class Side(NamedTuple):
    """One side of a call: its units, each once, and for each kind of which there is a trace how well it is shown."""

    units: dict[str, Unit]
    sights: dict[str, str]


class Record(NamedTuple):
    """One record of a slot."""

    source: str | None
    source_id: str | None
    content: str | None
    event: int | None = None
    commit: int | None = None


def context_tables(document: Value, run_id: str, units: Object | None = None) -> dict[str, list[Object]]:
    """The rows of the three tables of one recording, with its unit list where an application made one."""
    run = Run(document)
    listed = [] if units is None else [_declared(units)]
    iterations = [*listed, *recorded_iterations(run)]
    return {
        "context_units": [{"run_id": run_id, **row} for each in iterations for row in each["units"]],
        "missing_context": [{"run_id": run_id, **row} for each in iterations for row in dropped(each["units"])],
        "missing_context_summary": [{"run_id": run_id, **each["summary"]} for each in iterations],
    }


def verdict(summaries: Sequence[Object]) -> str:
    """The word for a run, from its iterations."""
    if any(row["any_dropped"] for row in summaries):
        return "dropped"
    cannot_tell = not summaries or any(row["grade"] == "unknown" for row in summaries)
    return "unknown" if cannot_tell else "none-dropped"


def dropped(units: Sequence[Object]) -> list[Object]:
    """The rows of units that were available and not sent."""
    shown = ("iteration", "unit_id", "unit_kind", "content", "drop_reason", "grade")
    gone = [unit for unit in units if unit["available"] is True and unit["sent"] is False]
    return [{**{name: unit[name] for name in shown}, "position": at} for at, unit in enumerate(gone)]


class Run:
    """One recording, and what is asked of it as a whole."""

    def __init__(self, document: Value) -> None:
        record = record_of(document)
        self.snapshot = snapshot_of(record)
        self.header = document.get("run") if isinstance(document, dict) and "format" in document else None
        recorded = record.get("events")
        self.raw_events: list[Value] | None = recorded if isinstance(recorded, list) else None
        self.own_log, *self.mounts = logs_of(self.snapshot)

    @cached_property
    def events(self) -> list[Event]:
        raw = self.raw_events or []
        view = view_of(raw, is_served(self.snapshot), None)
        return [
            Event(
                event.index,
                event.type.removeprefix("agentfootprint."),
                _object(_object(raw[event.index]).get("payload")),
                _text(event.meta.get("runtimeStageId")),
            )
            for event in view.own
        ]

    @cached_property
    def begun(self) -> Object:
        return _object(self.snapshot.get("initialState"))

    @cached_property
    def logs(self) -> list[Log]:
        """The logs that may hold model calls: the run's own, then the mounts that are loops, by their number."""
        mounts = [log for log in self.mounts if re.match(r"(?:[^#]*/)?sf-llm-call#", log.scope)]
        numbers = {log.scope: re.match(r"\s*([+-]?[0-9]{1,18})", log.scope.rpartition("#")[2]) for log in mounts}
        return [self.own_log, *sorted(mounts, key=lambda log: _order(_integer(numbers[log.scope])))]

    @cached_property
    def calls(self) -> list[Call]:
        """Every model call, in the order of execution."""
        started = self.of("stream.llm_start")
        logged = [(place, log, at) for place, log in enumerate(self.logs) for at in _first_commits(log)]
        calls, claimed = [], []
        for nth, event in enumerate(started):
            after = started[nth - 1].idx if nth else -1
            shown = [each for each in logged if each[1].commits[each[2]].id == event.step][:1]
            claimed += [(place, at) for place, _, at in shown]
            for place, log, at in shown or [(len(self.logs), None, -1)]:
                calls.append(Call(event.step, event.idx, after, event.payload.get("iteration"), log, at, place))
        calls += [
            Call(log.commits[at].id, None, None, None, log, at, place)
            for place, log, at in logged
            if (place, at) not in claimed
        ]
        return sorted(calls, key=lambda call: (_order(_number(call.step)), _order(call.start), call.place, call.commit))

    @cached_property
    def iterations(self) -> list[int]:
        """The iteration of each call, as people number it."""
        begun = _whole(self.begun.get("iteration")) or 0
        return [_whole(call.stated) or begun + nth + 1 for nth, call in enumerate(self.calls)]

    @property
    def standing(self) -> list[tuple[int, Call]]:
        """The calls that have a row, with their iteration: of those with one iteration the last."""
        last = {iteration: nth for nth, iteration in enumerate(self.iterations)}
        return [(self.iterations[nth], call) for nth, call in enumerate(self.calls) if nth in last.values()]

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
        begins = max((event.idx for event in self.of("agent.turn_start") if event.idx < call.start), default=-1)
        return [event for event in self.of(kind) if begins < event.idx < call.start]

    @property
    def dropped_events(self) -> int | None:
        return _count(_object(self.header).get("droppedEvents"))

    @property
    def nothing_dropped(self) -> bool:
        return self.dropped_events == 0 or _count(_object(self.header).get("firstRetainedEventIndex")) == 0

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
        kept = self.nothing_dropped or (self.dropped_events is None and bool(self.openers))
        return self.raw_events is not None and kept

    @property
    def goes_on(self) -> bool:
        """Whether the leg goes on another, as far as is known."""
        types = {event.type for event in self.events}
        if self.raw_events is None or "pause.resume" in types:
            return True
        return "agent.turn_end" in types and "agent.turn_start" not in types

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
    def traced_slots(self) -> set[str]:
        """The slots that the run shows somewhere."""
        return {
            slot
            for slot, key in SLOTS.items()
            if any(composition(self, call, slot)[0] for call in self.calls)
            or any(
                self.committed(call, key)[0] is not ABSENT
                for _, call in self.standing
                if composition(self, call, slot)[0] != "whole"
            )
        }

    @cached_property
    def has_steps(self) -> list[str]:
        return [commit.stage_id for log in [self.own_log, *self.mounts] for commit in log.commits]

    @cached_property
    def memories_read(self) -> set[str]:
        return {name for stage in self.has_steps if (name := _memory(stage)) is not None}

    @cached_property
    def redacted_names(self) -> set[str]:
        paths = {
            path for log in [self.own_log, *self.mounts] for commit in log.commits for path in commit.redacted_paths
        }
        names = {re.split(r"[\x1f.]", path)[-1] for path in paths}
        if is_served(self.snapshot):
            state = _object(self.snapshot.get("sharedState"))
            names |= {name for name, value in state.items() if _is_placeholder(value)}
        return names | {REPEATED_IN_EVENTS[name] for name in names if name in REPEATED_IN_EVENTS}

    @cached_property
    def histories(self) -> list[tuple[Log, int, History]]:
        """Every value of `history` in a log that may hold calls; what the leg began with stands before its own log."""
        begun = self.begun.get("history", ABSENT)
        seeds = [] if begun is ABSENT else [(self.own_log, BEGUN, _history(begun, replaces=True))]
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
        number, of_call = _number(log.commits[at].id), _number(call.step)
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


# Sent


def composition(run: Run, call: Call, slot: str) -> tuple[str | None, list[Event]]:
    """How well the events of a call's stretch show a slot, and the records they put into it; None = not at all."""
    composed = [event for event in run.stretch(call, "context.slot_composed") if event.payload.get("slot") == slot]
    records = [event for event in run.stretch(call, "context.injected") if event.payload.get("slot") == slot]
    if not composed and not records:
        return None, []
    counted = None
    if composed:
        records = [event for event in records if event.step == composed[-1].step]
        counted = _record_count(composed[-1].payload.get("sourceBreakdown"))
    unplaced = [e for e in run.stretch(call, "context.injected") if _name(e.payload.get("slot")) is None]
    is_whole = counted == len(records) if counted is not None else run.is_whole(call) and not unplaced
    return "whole" if is_whole else "part", records


def slot_of(run: Run, call: Call, slot: str) -> tuple[str, list[Record]]:
    """How well the record shows a slot of a call, and its records, from whichever source shows it best."""
    sight, events = composition(run, call, slot)
    value, commit = run.committed(call, SLOTS[slot])
    if sight != "whole" and isinstance(value, list):
        return "fallback", [_record(item, commit=commit) for item in value if isinstance(item, dict)]
    return sight or "none", [_record(event.payload, event=event.idx) for event in events]


def sent(run: Run, call: Call) -> Side:
    """What the call's context was composed of."""
    slots = {slot: slot_of(run, call, slot) for slot in SLOTS if slot in run.traced_slots}
    records = [record for _, listed in slots.values() for record in listed if record.source not in NO_UNITS]
    units = [_sent_unit(record) for record in records if record.source_id is not None]
    wholes = {unit.spelling: _whole_memory(unit.spelling) for unit in units if unit.kind == "memory" and unit.spelling}
    wholes = {spelling: name for spelling, name in wholes.items() if name is not None}
    attached = [
        Unit(entry, "memory", spelling=spelling, event=event.idx)
        for event in run.turn(call, "memory.attached")
        for spelling, name in wholes.items()
        if _memory(event.step) == name and (entry := _name(event.payload.get("memoryId"))) is not None
    ]
    any_slot = _weakest(sight for sight, _ in slots.values())
    entries = ["fallback" if unit in {a.spelling for a in attached} else "part" for unit in wholes]
    nameless = {record.source == "tool-result" for record in records if record.source_id is None}
    sights = {
        "injection": _weakest([any_slot, *(["part"] if False in nameless else [])]),
        "memory": _weakest([any_slot, *entries, *(["part"] if False in nameless else [])]),
        "tool-result": _weakest(
            [slots["messages"][0] if "messages" in slots else "none", *(["part"] if True in nameless else [])]
        ),
    }
    return Side(_first_of_each([*units, *attached]), sights)


# Available


def available(run: Run, call: Call, all_sent: Iterable[Unit]) -> Side:
    """What the call's context could have been composed of."""
    sent_kinds = {unit.kind for unit in all_sent}
    asked = {"injection": injections, "memory": memories, "tool-result": tool_results}
    told = {kind: ask(run, call, kind in sent_kinds) for kind, ask in asked.items()}
    units = [unit for listed, _ in told.values() for unit in listed]
    return Side(_first_of_each(units), {kind: sight for kind, (_, sight) in told.items() if sight is not None})


def injections(run: Run, call: Call, is_sent: bool) -> tuple[list[Unit], str | None]:
    """What the injection engine found active for the call."""
    in_engine = any(re.search(r"(?:^|/)sf-injection-engine(?:/|$)", stage) for stage in run.has_steps)
    if not (is_sent or in_engine or run.of("context.evaluated")):
        return [], None
    told = [e for e in run.stretch(call, "context.evaluated") if isinstance(e.payload.get("activeIds"), list)]
    if told:
        payload = told[-1].payload
        superseded, skipped = payload.get("supersededIds"), payload.get("skippedDetails")
        passed = [detail.get("id") for detail in _list(skipped) if isinstance(detail, dict)]
        reasons = {**dict.fromkeys(_names(passed), "skipped"), **dict.fromkeys(_names(superseded), "superseded")}
        active = payload["activeIds"]
        units = [Unit(i, "injection", reason=reasons.get(i), event=told[-1].idx) for i in _names(active)]
        return units, "whole" if len(units) == len(active) else "part"
    value, commit = run.committed(call, "activeInjections")
    if not isinstance(value, list):
        return [], "none"
    ids = [item.get("id") if isinstance(item, dict) else item for item in value]
    scope = call.log.scope if call.log and commit is not None else None
    units = [Unit(name, "injection", commit=commit, scope=scope) for name in _names(ids)]
    return units, "fallback" if len(units) == len(ids) else "part"


def memories(run: Run, call: Call, is_sent: bool) -> tuple[list[Unit], str | None]:
    """What memory and retrieval considered in the turn."""
    told = any(event.type.startswith("memory.") and event.type != "memory.written" for event in run.events)
    if not (is_sent or told or run.memories_read):
        return [], None
    offers = sorted([*run.turn(call, "memory.retrieved"), *run.turn(call, "memory.strategy_applied")])
    if not offers:
        return [], "none"
    units, is_whole = [], True
    for event in offers:
        listed, is_complete = _offered(event)
        units += listed
        is_whole = is_whole and is_complete
    tellers = {_memory(event.step) for event in offers}
    is_whole = is_whole and (run.memories_read <= tellers if run.memories_read else run.keeps_head)
    return units, "whole" if is_whole else "part"


def tool_results(run: Run, call: Call, is_sent: bool) -> tuple[list[Unit], str | None]:
    """The results of the tools that ran before the call: by events, the state the leg began with, and its logs."""
    ends = run.of("stream.tool_end")
    named = [(log, at, unit._replace(commit=at)) for log, at, written in run.histories for unit in written.results]
    is_step = any(stage == "tool-calls" or stage.endswith("/tool-calls") for stage in run.has_steps)
    if not (is_sent or is_step or ends or named):
        return [], None
    ended = [end for end in ends if call.start is not None and end.idx < call.start]
    by_event = [
        Unit(name, "tool-result", _content(end.payload.get("result", ABSENT)), event=end.idx)
        for end in ended
        if (name := _name(end.payload.get("toolCallId")))
    ]
    own = _first_sightings(run, [run.own_log])
    inner = _first_sightings(run, [call.log] if call.log and call.log is not run.own_log else [])
    mounts = _first_sightings(run, run.logs[1:])
    before = [[unit for log, at, unit in seen if run.is_before(call, log, at)] for seen in (own, inner)]
    before.append([u for log, at, u in mounts if run.is_earlier(call, log, at)])
    from_events = call.start is not None and run.keeps_head and not run.goes_on and len(by_event) == len(ended)
    is_whole = from_events or _is_whole_history(run, call)
    units = [_in_all_places(unit.id, by_event, before) for unit in [*by_event, *chain(*before)]]
    return units, "whole" if is_whole else "part" if units else "none"


def _first_sightings(run: Run, logs: list[Log]) -> list[tuple[Log, int, Unit]]:
    """The first value of `history` in some logs that holds each result, in the order of execution."""
    seen: dict[str, tuple[Log, int, Unit]] = {}
    scopes = [log.scope for log in logs]
    values = [each for each in run.histories if each[0].scope in scopes]
    if run.own_log not in logs:
        values.sort(key=lambda each: (_order(_number(each[0].commits[each[1]].id)), each[0].scope, each[1]))
    for log, at, written in values:
        for unit in written.results:
            shown = unit._replace(commit=at, scope=log.scope) if at != BEGUN else unit
            seen.setdefault(unit.id, (log, at, shown))
    return list(seen.values())


def _in_all_places(call_id: str, by_event: list[Unit], by_log: list[list[Unit]]) -> Unit:
    """A tool result as all places together show it; the content of an event counts last."""
    in_logs = [unit for place in by_log for unit in place if unit.id == call_id]
    events = [unit for unit in by_event if unit.id == call_id][:1]
    contents = [unit.content for unit in [*in_logs, *events] if unit.content is not None]
    committed = [unit for unit in in_logs if unit.commit is not None]
    return Unit(
        call_id,
        "tool-result",
        next(iter(contents), None),
        event=events[0].event if events else None,
        commit=committed[0].commit if committed else None,
        scope=committed[0].scope if committed else None,
    )


# One iteration


def recorded_iterations(run: Run) -> list[Object]:
    """The units of each call, and what they sum up to."""
    sides = [sent(run, call) for _, call in run.standing]
    all_sent = [unit for side in sides for unit in side.units.values()]
    each = []
    for (iteration, call), used in zip(run.standing, sides, strict=True):
        on_offer = available(run, call, all_sent)
        rows = [
            {"iteration": iteration, "position": at, **_row(run, call, unit_id, on_offer, used, all_sent)}
            for at, unit_id in enumerate(dict.fromkeys([*on_offer.units, *used.units]))
        ]
        each.append({"units": rows, "summary": {"iteration": iteration, **_summary(rows, on_offer, used)}})
    return each


def _row(run: Run, call: Call, unit_id: str, on_offer: Side, used_side: Side, all_sent: Sequence[Unit]) -> Object:
    offer, used = on_offer.units.get(unit_id), used_side.units.get(unit_id)
    kind = (offer or used).kind  # type: ignore[union-attr]
    was_available, available_grade = _known(offer, on_offer.sights.get(kind, "none"))
    was_sent, sent_grade = _known(used, used_side.sights[kind])
    is_dropped = was_available is True and was_sent is False
    taken = _taken_away(run, call, unit_id) if is_dropped and kind == "tool-result" else {}
    reason = offer.reason if offer else None
    word = "evicted" if taken else reason if reason in WORDS else None
    contents = [
        used.content if used else None,
        offer.content if offer else None,
        *(unit.content for unit in all_sent if (unit.id, unit.kind) == (unit_id, kind)),
    ]
    hidden = bool(HIDES[kind] & run.redacted_names)
    grades = (available_grade, sent_grade) if None not in (was_available, was_sent) else ("unknown",)
    return {
        "unit_id": unit_id,
        "unit_kind": kind,
        "content": None if hidden else next((text for text in contents if text is not None), None),
        "available": was_available,
        "sent": was_sent,
        "drop_reason": word if is_dropped else None,
        "grade": max(grades, key=GRADES.index),
        "origin_json": _origin(call, offer, used, taken),
    }


def _known(unit: Unit | None, sight: str) -> tuple[bool | None, str]:
    """Whether a side holds the unit, None where that is not known, and what this is worth."""
    worth = WORTH[sight]
    if unit is not None:
        return True, "conservative" if worth == "unknown" else worth
    return (None if worth == "unknown" else False), worth


def _taken_away(run: Run, call: Call, unit_id: str) -> Object:
    """The last commit, and the last event, before the call that took a tool result away."""
    commits = [(log, at) for log, at, gone in run.evictions() if gone == unit_id and run.is_before(call, log, at)]
    composed = [
        (event.idx, event.payload.get("contentHash"))
        for event in run.of("context.injected")
        if event.payload.get("source") == "tool-result" and event.payload.get("sourceId") == unit_id
    ]
    told = [
        event
        for event in run.of("context.evicted")
        if call.start is not None and event.idx < call.start and isinstance(event.payload.get("contentHash"), str)
        if any(index < event.idx and text == event.payload["contentHash"] for index, text in composed)
    ]
    by_commit: Object = {}
    if commits:
        log, at = max(commits, key=lambda each: (_order(_number(each[0].commits[each[1]].id)), each[1]))
        by_commit = {"evicted_by": log.commits[at].id, "evicted_scope": log.scope, "evicted_commit": at}
    by_event = {"evicted_by": told[-1].step, "evicted_event": told[-1].idx} if told else {}
    return {**by_event, **by_commit}


def _origin(call: Call, offer: Unit | None, used: Unit | None, taken: Object) -> Object:
    """Where both sides stand, without what is absent; a log is named where it is not the run's own."""
    told: Object = {}
    if offer is not None:
        told |= {"available_event": offer.event, "available_scope": offer.scope or None, "reason": offer.reason}
        told |= {"available_commit": offer.commit}
    if used is not None:
        scope = call.log.scope if call.log and used.commit is not None else None
        told |= {"sent_event": used.event, "sent_scope": scope or None, "sent_commit": used.commit}
        told |= {"spelling": used.spelling}
    for unit in (offer, used):
        if unit is not None and (offer or unit).kind == "memory":
            told["entry"] = unit.id
    return {name: value for name, value in {**told, **taken}.items() if value is not None}


def _summary(rows: Sequence[Object], on_offer: Side, used: Side) -> Object:
    """How much was available, sent and dropped; what nothing shows is not counted."""
    traced = list(on_offer.sights)
    shown = [*(on_offer.sights[kind] for kind in traced), *(used.sights[kind] for kind in traced)]
    grade = WORTH[_weakest(shown or [used.sights["injection"]])]
    gone = len(dropped(rows))
    some_known = gone > 0 or grade != "unknown"
    sees_available = any(sight != "none" for sight in on_offer.sights.values())
    if not traced:
        sees_available = all(sight != "none" for sight in used.sights.values())
    return {
        "available_count": sum(row["available"] is True for row in rows) if sees_available else None,
        "sent_count": sum(row["sent"] is True for row in rows) if set(used.sights.values()) != {"none"} else None,
        "dropped_count": gone if some_known else None,
        "any_dropped": gone > 0 if some_known else None,
        "grade": grade,
    }


def _declared(units: Object) -> Object:
    """The list of an application as iteration 0: the plain difference of its two sides."""
    sides = {side: _first_of_each([Unit(u["id"], "declared", u.get("content")) for u in units[side]]) for side in units}
    on_offer, used = sides["available"], sides["sent"]
    rows: list[Object] = []
    for unit_id in dict.fromkeys([*on_offer, *used]):
        contents = [side[unit_id].content for side in (on_offer, used) if unit_id in side]
        rows.append(
            {
                **{"iteration": 0, "position": len(rows), "unit_id": unit_id, "unit_kind": "declared"},
                "content": next((text for text in contents if text is not None), None),
                **{"available": unit_id in on_offer, "sent": unit_id in used, "drop_reason": None, "grade": "exact"},
                "origin_json": {
                    f"{side}_position": [unit["id"] for unit in units[side]].index(unit_id)
                    for side, listed in sides.items()
                    if unit_id in listed
                },
            }
        )
    gone = len(dropped(rows))
    counts = {"available_count": len(on_offer), "sent_count": len(used), "dropped_count": gone}
    return {"units": rows, "summary": {"iteration": 0, **counts, "any_dropped": gone > 0, "grade": "exact"}}


# How members read


def _object(value: Value) -> Object:
    return value if isinstance(value, dict) else {}


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _is_placeholder(value: Value) -> bool:
    return isinstance(value, str) and value in PLACEHOLDERS


def _name(value: Value) -> str | None:
    """A text that names something; a placeholder names nothing."""
    return None if _is_placeholder(value) else _text(value)


def _names(values: Value) -> list[str]:
    return [name for value in _list(values) if (name := _name(value)) is not None]


def _content(*values: Value) -> str | None:
    """The first value that is there: a text as it reads, any other as JSON text; a placeholder is no content."""
    there = [value for value in values if value is not None and value is not ABSENT]
    if not there or _is_placeholder(there[0]):
        return None
    return there[0] if isinstance(there[0], str) else stringify(there[0])


def _count(value: Value) -> int | None:
    is_number = isinstance(value, float) and value == value and abs(value) < 2**63
    return int(value) if is_number and value >= 0 and value.is_integer() else None


def _whole(value: Value) -> int | None:
    """A whole number from 1 on."""
    is_whole = isinstance(value, float) and 1 <= value < 2**53 and value.is_integer()
    return int(value) if is_whole else None


def _number(step: str | None) -> int | None:
    """The number after the last `#` of a step."""
    found = re.search(r"#([0-9]{1,15})\Z", step or "")
    return int(found[1]) if found else None


def _integer(found: re.Match[str] | None) -> int | None:
    return int(found[1]) if found else None


def _order(number: int | None) -> tuple[bool, int]:
    """What is not there comes last."""
    return number is None, number or 0


def _memory(step: str | None) -> str | None:
    found = re.search(r"(?:^|/)sf-memory-read-([^/#]*)", step or "")
    return found[1] if found else None


def _whole_memory(spelling: str) -> str | None:
    found = re.fullmatch(r"memory:([^#]*)", spelling)
    return found[1] if found else None


def _weakest(sights: Iterable[str]) -> str:
    return max(sights, key=SIGHTS.index, default="none")


def _first_of_each(units: Iterable[Unit]) -> dict[str, Unit]:
    first: dict[str, Unit] = {}
    for unit in units:
        first.setdefault(unit.id, unit)
    return first


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


def _record(members: Object, event: int | None = None, commit: int | None = None) -> Record:
    shown = [members.get(name, ABSENT) for name in ("rawContent", "contentSummary")]
    return Record(
        _text(members.get("source")), _name(members.get("sourceId")), _content(*shown), event=event, commit=commit
    )


def _sent_unit(record: Record) -> Unit:
    spelling = record.source_id or ""
    entry = re.fullmatch(r"memory:[^#]*#(.*)", spelling, re.DOTALL)
    is_memory = record.source in ("memory", "rag") or entry is not None
    kind = "tool-result" if record.source == "tool-result" else "memory" if is_memory else "injection"
    unit_id = entry[1] if entry else spelling
    return Unit(unit_id, kind, record.content, None, spelling, record.event, record.commit)


def _record_count(breakdown: Value) -> int | None:
    """How many records a breakdown counts; None where it does not count."""
    if not isinstance(breakdown, dict):
        return None
    counts = [_count(_object(source).get("count")) for source in breakdown.values()]
    return None if None in counts else sum(count for count in counts if count is not None)


def _offered(event: Event) -> tuple[list[Unit], bool]:
    """The entries that one event of a memory lists, and whether it lists all that it considered."""
    if event.type == "memory.strategy_applied":
        gone, reason = event.payload.get("droppedIds"), _text(event.payload.get("reason"))
        units = [Unit(name, "memory", reason=reason, event=event.idx) for name in _names(gone)]
        return units, isinstance(gone, list) and len(units) == len(gone)
    candidates = event.payload.get("candidates")
    units = [
        Unit(name, "memory", reason=_text(candidate.get("reason")), event=event.idx)
        for candidate in _list(candidates)
        if isinstance(candidate, dict) and (name := _name(candidate.get("id"))) is not None
    ]
    is_told = isinstance(candidates, list) and event.payload.get("candidatesComplete") is not False
    return units, is_told and len(units) == len(candidates)


def _messages(history: Value) -> list[Unit]:
    """The tool results that the messages of a history hold."""
    return [
        Unit(name, "tool-result", _content(message.get("content", ABSENT)))
        for message in _list(history)
        if isinstance(message, dict)
        if message.get("role") == "tool" and (name := _name(message.get("toolCallId"))) is not None
    ]


def _written_history(commit: Commit) -> History:
    """What a commit wrote of `history`."""
    verbs = [row.verb for row in commit.rows if row.path == "history"]
    stores = any(verb in ("set", "append") for verb in verbs)
    merges = any(verb not in ("set", "append", "delete") for verb in verbs)
    stored = _object(commit.overwrite).get("history", ABSENT) if stores else ABSENT
    merged = _object(commit.updates).get("history", ABSENT) if merges else ABSENT
    written = merged if stored is ABSENT else stored
    return _history(written, replaces=any(verb in ("set", "delete") for verb in verbs))


def _history(value: Value, replaces: bool) -> History:
    tools = [m for m in _list(value) if isinstance(m, dict) and m.get("role") == "tool"]
    results, is_list = _messages(value), isinstance(value, list)
    return History(replaces, is_list, is_list and len(results) == len(tools), results)


def _is_whole_history(run: Run, call: Call) -> bool:
    """Whether the run's own log shows the history of the call wholly: from where it begins, and without a gap."""
    if call.log is None:
        return False
    before = [each for log, at, each in run.histories if log is run.own_log and run.is_before(call, log, at)]
    return bool(before) and before[0].replaces and all(each.is_named for each in before)
