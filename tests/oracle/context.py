"""What was available to each model call and what was sent, read off a parsed recording as plainly as the rule says it.

Rules: product contract, sections 5 and 9; record format, section 21. One call after another is asked one question
after another; every question goes through the whole recording again.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from tests.oracle.context_record import (
    BEGUN,
    SLOTS,
    Call,
    Event,
    Object,
    Run,
    Unit,
    as_content,
    as_count,
    as_list,
    as_name,
    as_names,
    as_object,
    as_text,
    memory_of,
    order,
    step_number,
)
from tests.oracle.javascript import ABSENT, Value
from tests.oracle.recording import Log

NO_UNITS = ("registry", "base", "user", "assistant")
WORDS = ("evicted", "below-threshold", "over-budget", "over-max-entries", "over-char-budget", "superseded", "skipped")
HIDES = {"injection": {"rawContent"}, "memory": {"rawContent"}, "tool-result": {"result", "history", "lastToolResult"}}
SIGHTS = ("whole", "fallback", "part", "none")
WORTH = {"whole": "exact", "fallback": "conservative", "part": "unknown", "none": "unknown"}
GRADES = ("exact", "conservative", "unknown")


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
    """The rows of the three tables of one recording, and of its verdict.

    `units` is the unit list that an application made of it.
    """
    run = Run(document)
    listed = [] if units is None else [_declared(units)]
    iterations = [*listed, *recorded_iterations(run)]
    summaries = [each["summary"] for each in iterations]
    return {
        "context_units": [{"run_id": run_id, **row} for each in iterations for row in each["units"]],
        "missing_context": [{"run_id": run_id, **row} for each in iterations for row in dropped(each["units"])],
        "missing_context_summary": [{"run_id": run_id, **summary} for summary in summaries],
        "verdicts": [{"run_id": run_id, "verdict": verdict(summaries)}],
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


# Sent


def traced_slots(run: Run) -> list[str]:
    """The slots that the run shows at some call, in their order."""
    return [
        slot
        for slot, key in SLOTS.items()
        if run.events_may_hide
        or any(composition(run, call, slot)[0] for call in run.calls)
        or any(
            run.committed(call, key)[0] is not ABSENT
            for _, call in run.standing
            if composition(run, call, slot)[0] != "whole"
        )
    ]


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
    unplaced = [e for e in run.stretch(call, "context.injected") if as_name(e.payload.get("slot")) is None]
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
    slots = {slot: slot_of(run, call, slot) for slot in traced_slots(run)}
    records = [record for _, listed in slots.values() for record in listed if record.source not in NO_UNITS]
    units = [_sent_unit(record) for record in records if record.source_id is not None]
    wholes = {unit.spelling: _whole_memory(unit.spelling) for unit in units if unit.kind == "memory" and unit.spelling}
    wholes = {spelling: name for spelling, name in wholes.items() if name is not None}
    attached = [
        Unit(entry, "memory", spelling=spelling, event=event.idx)
        for event in run.turn(call, "memory.attached")
        for spelling, name in wholes.items()
        if memory_of(event.step) == name and (entry := as_name(event.payload.get("memoryId"))) is not None
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
    if not (is_sent or in_engine or run.of("context.evaluated") or run.may_hide):
        return [], None
    told = [e for e in run.stretch(call, "context.evaluated") if isinstance(e.payload.get("activeIds"), list)]
    if told:
        payload = told[-1].payload
        superseded, skipped = payload.get("supersededIds"), payload.get("skippedDetails")
        passed = [detail.get("id") for detail in as_list(skipped) if isinstance(detail, dict)]
        reasons = {**dict.fromkeys(as_names(passed), "skipped"), **dict.fromkeys(as_names(superseded), "superseded")}
        active = payload["activeIds"]
        units = [Unit(i, "injection", reason=reasons.get(i), event=told[-1].idx) for i in as_names(active)]
        return units, "whole" if len(units) == len(active) else "part"
    value, commit = run.committed(call, "activeInjections")
    if not isinstance(value, list):
        return [], "none"
    ids = [item.get("id") if isinstance(item, dict) else item for item in value]
    scope = call.log.scope if call.log and commit is not None else None
    units = [Unit(name, "injection", commit=commit, scope=scope) for name in as_names(ids)]
    return units, "fallback" if len(units) == len(ids) else "part"


def memories(run: Run, call: Call, is_sent: bool) -> tuple[list[Unit], str | None]:
    """What memory and retrieval considered in the turn."""
    told = any(event.type.startswith("memory.") and event.type != "memory.written" for event in run.events)
    if not (is_sent or told or run.memories_read or run.may_hide):
        return [], None
    offers = sorted([*run.turn(call, "memory.retrieved"), *run.turn(call, "memory.strategy_applied")])
    if not offers:
        return [], "none"
    units, is_complete = [], True
    for event in offers:
        listed, lists_all = _offered(event)
        units += listed
        is_complete = is_complete and lists_all
    offering = {memory_of(event.step) for event in offers if event.type == "memory.retrieved"}
    telling = {memory_of(event.step) for event in offers}
    keeps_turn = run.keeps_head or bool(call.start is not None and run.turn_start(call) >= 0)
    all_offer = bool(run.memories_read) and run.memories_read <= offering
    is_whole = is_complete and (all_offer or (keeps_turn and run.memories_read <= telling))
    return units, "whole" if is_whole else "part"


def tool_results(run: Run, call: Call, is_sent: bool) -> tuple[list[Unit], str | None]:
    """The results of the tools that ran before the call: by events, the state the leg began with, and its logs."""
    ends = run.of("stream.tool_end")
    named = [(log, at, unit._replace(commit=at)) for log, at, written in run.histories for unit in written.results]
    is_step = any(stage == "tool-calls" or stage.endswith("/tool-calls") for stage in run.has_steps)
    if not (is_sent or is_step or ends or named or run.may_hide):
        return [], None
    ended = [end for end in ends if call.start is not None and end.idx < call.start]
    by_event = [
        Unit(name, "tool-result", as_content(end.payload.get("result", ABSENT)), event=end.idx)
        for end in ended
        if (name := as_name(end.payload.get("toolCallId")))
    ]
    own = _first_sightings(run, [run.own_log])
    inner = _first_sightings(run, [call.log] if call.log and call.log is not run.own_log else [])
    mounts = _first_sightings(run, run.logs[1:])
    before = [[unit for log, at, unit in seen if run.is_before(call, log, at)] for seen in (own, inner)]
    before.append([u for log, at, u in mounts if run.is_earlier(call, log, at)])
    all_ended = len(by_event) == len(ended) and not unended(run, call)
    from_events = call.start is not None and run.keeps_head and not run.goes_on and all_ended
    is_whole = from_events or _is_whole_history(run, call)
    units = [_in_all_places(unit.id, by_event, before) for unit in [*by_event, *chain(*before)]]
    return units, "whole" if is_whole else "part" if units else "none"


def unended(run: Run, call: Call) -> list[str | None]:
    """The tools that started before a call and ended nowhere; an end belongs to the first start of its id."""
    waiting: list[tuple[str | None, int]] = []
    for event in run.events:
        call_id = as_text(event.payload.get("toolCallId")) or None
        if event.type == "stream.tool_start":
            waiting.append((call_id, event.idx))
        elif event.type == "stream.tool_end" and call_id is not None:
            first = next((each for each in waiting if each[0] == call_id), None)
            waiting = [each for each in waiting if each is not first]
    return [call_id for call_id, at in waiting if call.start is not None and at < call.start]


def _first_sightings(run: Run, logs: list[Log]) -> list[tuple[Log, int, Unit]]:
    """The first value of `history` in some logs that holds each result, in the order of execution."""
    seen: dict[str, tuple[Log, int, Unit]] = {}
    scopes = [log.scope for log in logs]
    values = [each for each in run.histories if each[0].scope in scopes]
    if run.own_log not in logs:
        values.sort(key=lambda each: (order(step_number(each[0].commits[each[1]].id)), each[0].scope, each[1]))
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


def _is_whole_history(run: Run, call: Call) -> bool:
    """Whether the run's own log shows the history of the call wholly: from where it begins, and without a gap."""
    if call.log is None:
        return False
    before = [each for log, at, each in run.histories if log is run.own_log and run.is_before(call, log, at)]
    return bool(before) and before[0].replaces and all(each.is_named for each in before)


def _offered(event: Event) -> tuple[list[Unit], bool]:
    """The entries that one event of a memory lists, and whether it lists all that it considered."""
    if event.type == "memory.strategy_applied":
        gone, reason = event.payload.get("droppedIds"), as_text(event.payload.get("reason"))
        units = [Unit(name, "memory", reason=reason, event=event.idx) for name in as_names(gone)]
        return units, isinstance(gone, list) and len(units) == len(gone)
    candidates = event.payload.get("candidates")
    units = [
        Unit(name, "memory", reason=as_text(candidate.get("reason")), event=event.idx)
        for candidate in as_list(candidates)
        if isinstance(candidate, dict) and (name := as_name(candidate.get("id"))) is not None
    ]
    is_cut = not isinstance(candidates, list) or event.payload.get("candidatesComplete") is False
    return units, not is_cut and len(units) == len(as_list(candidates))


# One iteration


def recorded_iterations(run: Run) -> list[Object]:
    """The units of each call, and what they sum up to."""
    sides = [sent(run, call) for _, call in run.standing]
    all_sent = [unit for side in sides for unit in side.units.values()]
    each: list[Object] = []
    for (iteration, call), used in zip(run.standing, sides, strict=True):
        on_offer = available(run, call, all_sent)
        rows = [
            {"iteration": iteration, "position": at, **_row(run, call, unit_id, on_offer, used, all_sent)}
            for at, unit_id in enumerate(dict.fromkeys([*on_offer.units, *used.units]))
        ]
        summary = {"iteration": iteration, "loop_index": run.loop_of(call), **_summary(rows, on_offer, used)}
        each.append({"units": rows, "summary": summary})
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
        log, at = max(commits, key=lambda each: (order(step_number(each[0].commits[each[1]].id)), each[1]))
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
    return _spelled({**told, **taken})


def _spelled(members: Object) -> Object:
    """The members that are there, by name, with numbers as they are parsed."""
    there = {name: value for name, value in sorted(members.items()) if value is not None}
    return {name: float(value) if isinstance(value, int) else value for name, value in there.items()}


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
                "origin_json": _spelled(
                    {
                        f"{side}_position": [unit["id"] for unit in units[side]].index(unit_id)
                        for side, listed in sides.items()
                        if unit_id in listed
                    }
                ),
            }
        )
    gone = len(dropped(rows))
    counts = {"available_count": len(on_offer), "sent_count": len(used), "dropped_count": gone}
    return {
        "units": rows,
        "summary": {"iteration": 0, "loop_index": None, **counts, "any_dropped": gone > 0, "grade": "exact"},
    }


# How records read


def _record(members: Object, event: int | None = None, commit: int | None = None) -> Record:
    shown = [members.get(name, ABSENT) for name in ("rawContent", "contentSummary")]
    return Record(
        as_text(members.get("source")), as_name(members.get("sourceId")), as_content(*shown), event=event, commit=commit
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
    counts = [as_count(as_object(source).get("count")) for source in breakdown.values()]
    return None if None in counts else sum(count for count in counts if count is not None)


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
