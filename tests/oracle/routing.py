"""How a question was routed, read off a parsed recording event by event, as plainly as the rule is written.

Rules: assessment and routing, sections 0, 1.1 and 12 to 16. The result is the object of section 20 without the two
facts that are never built (confidence, the application's decision). Of a redacted record nothing is said that a value
it keeps out would have to carry.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.oracle.javascript import ABSENT, Value, cut, stringify

Object = dict[str, Any]

PREFIX = "agentfootprint."
MARKER = "agentfootprint.redaction"
PLACEHOLDERS = ("REDACTED", "[REDACTED]")
LIBRARY = ("entry", "intent", "continuity", "decider")
LISTED, LINES, TEXT = 12, 3, 200
EVERYTHING = "everything"


class Event(NamedTuple):
    """One event of the run, with the names of the members that a redacted record keeps out."""

    index: int
    type: str
    payload: Object
    meta: Object
    kept_out: tuple[str, ...] = ()

    def keeps_out(self, *names: str) -> bool:
        return EVERYTHING in self.kept_out or any(name in self.kept_out for name in names)


class View(NamedTuple):
    """A recording as its own run's events, and what was passed over."""

    own: list[Event]
    run_id: str | None
    foreign: int
    unread: int

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.own if event.type == PREFIX + kind]


class Verdict(NamedTuple):
    """Who decided what, and where it says so."""

    fields: Object
    scores: list[Object]
    at: Callable[[str], Object]
    score_at: Callable[[int], Object]
    to_kept_out: bool
    held: bool


def is_object(value: Value) -> bool:
    return isinstance(value, dict)


def is_text(value: Value) -> bool:
    return isinstance(value, str)


def is_number(value: Value) -> bool:
    return isinstance(value, float) and value not in (float("inf"), float("-inf"))


def is_placeholder(value: Value) -> bool:
    return is_text(value) and value in PLACEHOLDERS


def routing(record: Object, run_id: str | None = None) -> Object:
    """What a recording says of its routing."""
    snapshot = record.get("snapshot") if is_object(record.get("snapshot")) else {}
    served = is_served(snapshot)
    view = view_of(record.get("events"), served, run_id)
    scope = {"scope": "unfiltered"} if view.run_id is None else {"scope": "own-run", "runId": view.run_id}
    if not view.own:
        return {"noOwnEvents": True, **scope, "foreign": view.foreign, "unread": view.unread}
    is_resumed = bool(view.of("pause.resume") or (view.of("agent.turn_end") and not view.of("agent.turn_start")))
    answering = answering_iteration(view)
    verdict, unread = verdict_of(view, snapshot, served, is_resumed)
    configured, is_unconfigured = configuration(view)
    facts = {"configured": configured, "delivered": delivered_fact(view), **refusal_facts(view)}
    told = {**scope, "foreign": view.foreign, "unread": view.unread + unread, "resumedLeg": is_resumed}
    told |= {} if answering is None else {"answeringIteration": answering}
    outcome = undecided(is_resumed, is_unconfigured) if verdict is None else decided(view, verdict, answering)
    return {**told, **outcome, "routing": {**facts, **outcome["routing"]}}


# The view of a recording (12.1, 12.2)


def is_served(snapshot: Object) -> bool:
    recorders = snapshot.get("recorders")
    return isinstance(recorders, list) and any(is_object(row) and row.get("id") == MARKER for row in recorders)


def view_of(events: Value, served: bool, run_id: str | None) -> View:
    entries = events if isinstance(events, list) else []
    told = [read_event(index, entry, served) for index, entry in enumerate(entries)]
    read = [event for event in told if event is not None]
    chosen = chosen_run(read, run_id)
    own = read if chosen is None else [event for event in read if belongs(event, chosen, session_of(read, chosen))]
    return View(own, chosen, len(read) - len(own), len(told) - len(read))


def read_event(index: int, entry: Value, served: bool) -> Event | None:
    if not is_object(entry) or not is_text(entry.get("type")):
        return None
    meta = entry["meta"] if is_object(entry.get("meta")) else {}
    payload = entry.get("payload")
    if served and is_placeholder(payload):
        return Event(index, entry["type"], {}, meta, (EVERYTHING,))
    if not is_object(payload):
        return None
    if not served:
        return Event(index, entry["type"], payload, meta)
    if not payload:
        return Event(index, entry["type"], {}, meta, (EVERYTHING,))
    return Event(index, entry["type"], *without_placeholders(payload, meta))


def without_placeholders(members: Object, meta: Object) -> tuple[Object, Object, tuple[str, ...]]:
    kept_out = tuple(name for name, value in members.items() if is_placeholder(value))
    return {name: value for name, value in members.items() if name not in kept_out}, meta, kept_out


def chosen_run(read: list[Event], run_id: str | None) -> str | None:
    if run_id:
        return run_id
    configured: list[str] = []
    for event in read:
        name = event.meta.get("runId")
        if event.type == PREFIX + "agent.run_configured" and is_text(name) and name not in configured:
            configured.append(name)
    if len(configured) < 2:
        return configured[0] if configured else None
    ends = [event for event in read if event.type == PREFIX + "agent.turn_end"]
    return ends[0].meta.get("runId") if ends and ends[0].meta.get("runId") in configured else None


def session_of(read: list[Event], run_id: str) -> str | None:
    for event in read:
        if event.type == PREFIX + "agent.run_configured" and event.meta.get("runId") == run_id:
            return event.meta.get("sessionId") if is_text(event.meta.get("sessionId")) else None
    return None


def belongs(event: Event, run_id: str, session_id: str | None) -> bool:
    if is_text(event.meta.get("runId")):
        return bool(event.meta["runId"] == run_id)
    return session_id is not None and event.meta.get("sessionId") == session_id


# Derived context and the verdict (12.3, 12.4)


def answering_iteration(view: View) -> float | None:
    calls, ends = view.of("stream.llm_start"), view.of("agent.turn_end")
    if ends:
        calls = [call for call in calls if call.index < ends[-1].index]
    iteration = calls[-1].payload.get("iteration") if calls else None
    return iteration if is_number(iteration) else None


def verdict_of(view: View, snapshot: Object, served: bool, is_resumed: bool) -> tuple[Verdict | None, int]:
    """The verdict, and how many events were passed over on the way to it."""
    routed = view.of("skill.turn_routed")[:1]
    if routed and is_text(routed[0].payload.get("by")):
        return event_verdict(routed[0]), 0
    held = held_verdict(snapshot, served) if is_resumed else None
    return held, len(routed)


def event_verdict(event: Event) -> Verdict:
    payload = event.payload
    fields = route_fields(payload)
    if isinstance(payload.get("decisive"), bool):
        fields["decisive"] = payload["decisive"]
    if is_text(payload.get("scorer")):
        fields["scorer"] = payload["scorer"]
    if is_object(payload.get("decider")) and is_text(payload["decider"].get("model")):
        fields["deciderModel"] = payload["decider"]["model"]
    return Verdict(
        fields,
        objects_of(payload.get("scores")),
        lambda path: at(event, path),
        lambda rank: at(event, f"/scores/{rank}/score"),
        event.keeps_out("to"),
        held=False,
    )


def held_verdict(snapshot: Object, served: bool) -> Verdict | None:
    state, paused = snapshot.get("sharedState"), snapshot.get("initialState")
    if not is_object(state) or not is_object(paused) or not isinstance(paused.get("history"), list):
        return None
    route = state.get("turnRoute", ABSENT)
    if not is_object(route) or not same(route, paused.get("turnRoute", ABSENT)):
        return None
    kept_out: tuple[str, ...] = ()
    if served:
        route, _, kept_out = without_placeholders(route, {})
    if not is_text(route.get("by")):
        return None
    fields = route_fields(route)
    scores, scorer = state.get("entryScores", ABSENT), state.get("entryScorer", ABSENT)
    scores_held = isinstance(scores, list) and same(scores, paused.get("entryScores", ABSENT))
    is_scorer = is_text(scorer) and not (served and is_placeholder(scorer))
    if scores_held and is_scorer and same(scorer, paused.get("entryScorer", ABSENT)):
        fields["scorer"] = scorer
    return Verdict(
        fields,
        objects_of(scores) if scores_held else [],
        lambda path: state_at("turnRoute", path),
        lambda rank: state_at("entryScores", f"/{rank}/score"),
        "to" in kept_out,
        held=True,
    )


def route_fields(route: Object) -> Object:
    fields = {name: route[name] for name in ("by", "from", "to") if is_text(route.get(name))}
    if is_object(route.get("witness")) and is_text(route["witness"].get("text")):
        fields["witness"] = route["witness"]["text"]
    if isinstance(route.get("offered"), list):
        fields["offered"] = len(route["offered"])
    return fields


def objects_of(entries: Value) -> list[Object]:
    return [entry for entry in entries if is_object(entry)] if isinstance(entries, list) else []


def same(one: Value, other: Value) -> bool:
    return stringify(one) == stringify(other)


def at(event: Event, path: str) -> Object:
    stage = event.meta.get("runtimeStageId")
    where = {"kind": "event", "index": event.index, "type": event.type, "path": path}
    return where | ({"runtimeStageId": stage} if is_text(stage) else {})


def state_at(key: str, path: str) -> Object:
    return {"kind": "state", "key": key, "path": path}


# Facts that never depend on the verdict (13)


def configuration(view: View) -> tuple[Object, bool]:
    """What was configured, and whether that is no skill graph."""
    events = view.of("agent.run_configured")
    if not events or events[0].keeps_out("skillGraph"):
        return not_recorded(), False
    graph = events[0].payload.get("skillGraph")
    if not is_object(graph):
        return recorded("none", [at(events[0], "#meta/runId")]), True
    told = {name: graph[name] for name in ("routing", "continuity", "scorer") if is_text(graph.get(name))}
    return recorded(told, [at(events[0], "/skillGraph/routing")]), False


def delivered_rows(view: View) -> list[Event]:
    return [
        event
        for event in view.of("context.injected")
        if event.payload.get("slot") == "system-prompt"
        and event.payload.get("source") == "skill"
        and is_text(event.payload.get("sourceId"))
    ]


def first_rows(view: View) -> dict[str, Event]:
    first: dict[str, Event] = {}
    for event in delivered_rows(view):
        first.setdefault(event.payload["sourceId"], event)
    return first


def delivered_fact(view: View) -> Object:
    first = list(first_rows(view).items())[:LISTED]
    return recorded([cut(skill, TEXT) for skill, _ in first], [at(event, "/sourceId") for _, event in first])


def refusals_of(view: View) -> list[tuple[Event, str, str, str]]:
    """Every refusal: its event, the skill, who refused, and the form of words for it."""
    refused = [
        (event, event.payload["requestedId"], "skill-graph", "rejected")
        for event in view.of("skill.rejected")
        if is_text(event.payload.get("requestedId"))
    ]
    for event in view.of("permission.check"):
        target, rule = event.payload.get("target"), event.payload.get("policyRuleId")
        result = event.payload.get("result")
        if event.payload.get("capability") == "skill_read" and is_text(target) and result in ("deny", "halt"):
            skill = target[len("skill:") :] if target.startswith("skill:") else target
            by, form = (rule, "refused") if is_text(rule) else ("permission", "refused-unnamed")
            refused.append((event, skill, by, form))
    return refused


def refusal_facts(view: View) -> Object:
    every = refusals_of(view)
    listed = [{"requestedId": cut(skill, TEXT), "by": cut(by, TEXT), "kind": "rule"} for _, skill, by, _ in every]
    return {"refusals": listed[:LISTED]} | ({"refusalsOmitted": len(every) - LISTED} if len(every) > LISTED else {})


def recorded(value: Value, pointers: list[Object], source: str = "library") -> Object:
    return {"value": value, "source": source, "status": "recorded", "pointers": pointers}


def not_recorded() -> Object:
    return {"value": None, "source": "library", "status": "not-recorded", "pointers": [], "missing": "no-event"}


# The outcome (14 to 16)


def undecided(is_resumed: bool, is_unconfigured: bool) -> Object:
    facts = {"routing": {"verdict": not_recorded(), "scores": not_recorded()}, "checkPointers": []}
    if is_unconfigured:
        return {**facts, "status": "not-applicable", "check": "not-applicable"}
    missing = "before-pause" if is_resumed else "no-event"
    told = {"status": "not-recorded", "check": "unreachable", "unreachable": {"code": "decided", "missing": missing}}
    return {**facts, **told, **({"beforePause": "lost"} if is_resumed else {})}


def decided(view: View, verdict: Verdict, answering: float | None) -> Object:
    fields, to = verdict.fields, verdict.fields.get("to")
    value = {name: fields[name] for name in ("by", "from", "to", "decisive", "scorer") if name in fields}
    extra = {name: fields[name] for name in ("witness", "offered", "deciderModel") if name in fields}
    pointers = [verdict.at("/by"), *([verdict.at("/to")] if to is not None else [])]
    told = {"status": "recorded", **({"beforePause": "held"} if verdict.held else {})}
    facts = {"verdict": recorded(value, pointers), "scores": scores_fact(verdict)}
    checked, lines = check(view, verdict, answering)
    return {**told, "routing": facts, **checked, "extra": {"held": verdict.held, **extra, **lines}}


def scores_fact(verdict: Verdict) -> Object:
    """The application's numbers, where the best of them is the decided skill's."""
    if len(verdict.scores) < 2:
        return not_recorded()
    top, following = verdict.scores[:2]
    score, to = following.get("score"), verdict.fields.get("to", ABSENT)
    if not identical(top.get("id", ABSENT), to) or not is_text(following.get("id")):
        return not_recorded()
    if not is_number(top.get("score")) or not is_number(score):
        return not_recorded()
    equal = all(identical(entry.get("score", ABSENT), score) for entry in verdict.scores[1:])
    value = {"top": top["score"], "next": score, "nextId": following["id"], "allOthersEqual": equal}
    return recorded(value, [verdict.score_at(0), verdict.score_at(1)], "app")


def identical(one: Value, other: Value) -> bool:
    """Strict equality: the same type and the same value; objects and lists are never the same."""
    return type(one) is type(other) and not isinstance(one, dict | list) and one == other


def check(view: View, verdict: Verdict, answering: float | None) -> tuple[Object, Object]:
    """Whether the decided skill was given to the model, and the lines on its refusals."""
    to, pointers = verdict.fields.get("to"), [verdict.at("/to")]
    missing = {"code": "delivery", "missing": "before-pause" if verdict.held else "no-event"}
    unknown = {"check": "unreachable", "checkPointers": pointers, "unreachable": missing}
    if verdict.fields["by"] in LIBRARY and verdict.to_kept_out:
        return unknown, {}
    if verdict.fields["by"] not in LIBRARY or to is None:
        return {"check": "not-applicable", "checkPointers": pointers}, {}
    lines = {"decidedRefusals": decided_refusals(view, to)}
    first = first_rows(view)
    if to in first:
        return {"check": "reachable", "checkPointers": [*pointers, at(first[to], "/sourceId")]}, lines
    if not is_complete(view, answering):
        return unknown, lines
    signal = {"to": to, **({"other": next(iter(first))} if first else {})}
    signal["pointers"] = [at(event, "/slot") for event in compositions(view)]
    return {"check": "reachable", "checkPointers": pointers, "signal": signal}, lines


def compositions(view: View) -> list[Event]:
    return [e for e in view.of("context.slot_composed") if e.payload.get("slot") == "system-prompt"]


def is_complete(view: View, answering: float | None) -> bool:
    """Whether every system prompt up to the answer is recorded, with as many skill rows as it counts."""
    telling = view.of("context.slot_composed") + view.of("context.injected")
    if any(event.keeps_out("slot", "source", "sourceId", "iteration", "sourceBreakdown") for event in telling):
        return False
    if answering is None or answering < 1:
        return False
    iteration = 1.0
    while iteration <= answering:
        of_iteration = [e for e in compositions(view) if identical(e.payload.get("iteration"), iteration)]
        if not of_iteration or not is_whole(view, of_iteration[-1]):
            return False
        iteration += 1
    return True


def is_whole(view: View, compose: Event) -> bool:
    breakdown = compose.payload.get("sourceBreakdown")
    if not is_object(breakdown):
        return False
    skill = breakdown.get("skill", ABSENT)
    expected = 0.0 if skill is ABSENT else skill.get("count") if is_object(skill) else None
    rows = [event for event in delivered_rows(view) if stage_of(event) == stage_of(compose)]
    return is_number(expected) and len(rows) == expected


def stage_of(event: Event) -> Value:
    """The step an event names; a value of a wrong type reads as absent (product contract, section 3)."""
    stage = event.meta.get("runtimeStageId")
    return stage if is_text(stage) else ABSENT


def decided_refusals(view: View, to: str) -> Object:
    """The rules that refused the decided skill: the last event of each, at the place of its first."""
    of_decided = [refusal for refusal in refusals_of(view) if refusal[1] == to]
    last: dict[tuple[str, str], Object] = {}
    for event, _, by, form in of_decided:
        last[event.type, by] = {"form": form, "by": cut(by, TEXT), "eventIndex": event.index}
    listed = list(last.values())[:LINES]
    return {"listed": listed, "unlisted": len(of_decided) - len(listed)}
