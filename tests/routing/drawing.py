"""Random records that collide on purpose: few skills, few steps, other runs, gaps, values of a wrong type.

A record is drawn as a leg that makes sense, and then spoiled here and there, so that proofs often hold and often just
fail.
"""

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from tests.routing.events import (
    GRAPH,
    MARKER,
    call,
    checked,
    composed,
    configured,
    end,
    given,
    record,
    rejected,
    resume,
    skills,
    start,
    verdict,
)

Json = Any
Object = dict[str, Any]

SKILLS = ("refunds", "orders", "faq", "", "skill:faq", "k" * 199 + "😀" + "x", "k" * 199 + "😀" + "y", "\ud800")
LIKELY = ("refunds", "refunds", "orders", "", None)
"""Skills that a turn is routed to."""
WORDS = ("entry", "intent", "continuity", "decider", "entry", "intent", "menu", "none", "later-word", "")
STAGES = ("s1", "s2", "s3", None)
RULES = ("r1", "r2", "permission", "", "r" * 201, None)
RESULTS = ("deny", "halt", "deny", "halt", "allow", "gate_open", "Deny")
ODD: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    1,
    2,
    1.5,
    -1,
    "",
    "1",
    "refunds",
    [],
    {},
    [1],
    {"a": 1},
    2**53 + 1,
    1e300,
)
ENTRIES: tuple[Json, ...] = (None, 5, "event", [], {}, {"type": 5, "payload": {}}, {"type": "x", "payload": []})
METAS: tuple[Json, ...] = (None, "meta", {}, {"runId": 5}, {"runId": ""}, {"sessionId": "s"}, {"sessionId": 5})
PLACEHOLDERS = ("REDACTED", "[REDACTED]")
HISTORIES: tuple[Json, ...] = ([], [{"role": "user", "content": "q"}], [], {}, None)

Dice = random.Random


def drawn(seed: int) -> Object:
    """The record of a seed."""
    dice = Dice(seed)
    goes_on = _rarely(dice, 3)
    events = [
        *_beginning(dice, goes_on),
        *_routing(dice, goes_on),
        *_iterations(dice),
        *_refusals(dice),
        *_ending(dice),
    ]
    if _rarely(dice, 40):
        events = []
    if _rarely(dice, 3):
        events = [_of_another(dice, each) if _rarely(dice, 4) else each for each in events]
    snapshot = _states(dice) if goes_on or _rarely(dice, 4) else {}
    drawn_record = record(*(_spoiled(dice, each) for each in _shuffled(dice, events)), **snapshot)
    if _rarely(dice, 5):
        _redact(dice, drawn_record, marked=not _rarely(dice, 4))
    return drawn_record


def _beginning(dice: Dice, goes_on: bool) -> Iterator[Json]:
    if not _rarely(dice, 8):
        graph = dice.choice((GRAPH, GRAPH, {"routing": 5, "scorer": ""}, {}))
        session = dice.choice(("s", None, 5))
        plain = configured(graph, sessionId=session)
        yield configured([], sessionId=session) if _rarely(dice, 6) else plain
    if _rarely(dice, 10):
        yield configured(run=dice.choice(("other", "meta-1", None)), sessionId="s")
    if goes_on == _rarely(dice, 5):
        yield start()
    if goes_on != _rarely(dice, 5):
        yield resume(run=dice.choice(("meta-1", "meta-1", "consumer-scope")))


def _routing(dice: Dice, goes_on: bool) -> Iterator[Json]:
    for _ in range(dice.choice((0, 0, 0, 1) if goes_on else (0, 1, 1, 1, 2))):
        to = dice.choice((*LIKELY, 5))
        told = verdict(dice.choice(WORDS), to, **_verdict_members(dice, to))
        yield {**told, "payload": told["payload"] | {"by": dice.choice(ODD)}} if _rarely(dice, 8) else told


def _verdict_members(dice: Dice, to: Json) -> Object:
    members = {
        "from": dice.choice(SKILLS),
        "decisive": dice.choice((True, False, 1, None)),
        "scorer": dice.choice(("keyword", "", 5)),
        "scores": _scores(dice, to),
        "witness": dice.choice(({"text": "words"}, {"text": 5}, "words")),
        "offered": dice.choice(([], ["a", None], {"length": 2})),
        "decider": dice.choice(({"model": "m"}, {"model": None}, [])),
    }
    return {name: value for name, value in members.items() if not _rarely(dice, 3)}


def _scores(dice: Dice, to: Json) -> Json:
    ids = [to if not _rarely(dice, 4) else dice.choice(ODD), dice.choice(("orders", "faq")), "third"]
    entries = [{"id": each, "score": dice.choice((1, 1.0, 2, 0, 1e300))} for each in ids[: dice.choice((1, 2, 3))]]
    for entry in entries:
        if _rarely(dice, 8):
            entry[dice.choice(("id", "score"))] = dice.choice(ODD)
        if _rarely(dice, 12):
            del entry[dice.choice(("id", "score"))]
    return dice.choice((entries, entries, [None, *entries, 5], {"0": entries}))


def _iterations(dice: Dice) -> Iterator[Json]:
    last = dice.choice((1, 1, 1, 2, 3))
    for iteration in range(1, last + 1):
        stage = dice.choice(STAGES)
        rows = [given(dice.choice(SKILLS), stage) for _ in range(dice.choice((0, 0, 1, 2)))]
        count = len(rows) if not _rarely(dice, 8) else dice.choice((0, 1, 2, 0.5, "1", None, True))
        breakdown = None if not rows and _rarely(dice, 2) else skills(count)
        yield from rows
        if not _rarely(dice, 12):
            yield composed(dice.choice((iteration, float(iteration))), breakdown, stage)
        if _rarely(dice, 8):
            yield composed(iteration, dice.choice((None, skills(1), [])), dice.choice(STAGES))
        yield call(iteration if not _rarely(dice, 12) else dice.choice((1.5, 0, "1", True, 4)))


def _refusals(dice: Dice) -> Iterator[Json]:
    for _ in range(dice.choice((0, 0, 1, 3, 16))):
        skill = dice.choice((*SKILLS, "refunds", "refunds", "refunds"))
        if _rarely(dice, 2):
            yield rejected(skill)
        else:
            capability = "skill_read" if not _rarely(dice, 8) else "tool_call"
            yield checked(dice.choice(("skill:", "")) + skill, dice.choice(RESULTS), dice.choice(RULES), capability)


def _ending(dice: Dice) -> Iterator[Json]:
    if not _rarely(dice, 5):
        yield end()
    if _rarely(dice, 6):
        yield dice.choice((call(9), end(), given("refunds")))


def _of_another(dice: Dice, told: Json) -> Json:
    """The event as one that names another run, or none."""
    stage = {name: value for name, value in told["meta"].items() if name == "runtimeStageId"}
    return {**told, "meta": {**stage, **dice.choice(({"runId": "other"}, {"sessionId": "s"}, {}))}}


def _states(dice: Dice) -> Object:
    """The state a leg ended with, and the one it began with: mostly of one route."""
    to = dice.choice(LIKELY)
    route = verdict(dice.choice(WORDS), to, **_verdict_members(dice, to))["payload"]
    ended = {"turnRoute": route, "entryScores": _scores(dice, to), "entryScorer": dice.choice(("keyword", 5))}
    for name in list(ended):
        if _rarely(dice, 6):
            ended[name] = dice.choice(ODD)
        if _rarely(dice, 8):
            del ended[name]
    paused = deepcopy(ended) | {"history": dice.choice(HISTORIES)}
    if _rarely(dice, 3):
        _change(dice, paused)
    return {"sharedState": ended, "initialState": paused if not _rarely(dice, 10) else dice.choice(ODD)}


def _change(dice: Dice, paused: Object) -> None:
    """Make one value of a state another, or spell it in another order."""
    name = dice.choice(list(paused))
    if isinstance(paused[name], dict) and _rarely(dice, 2):
        paused[name] = dict(reversed(paused[name].items()))
    else:
        paused[name] = dice.choice(ODD)


def _shuffled(dice: Dice, events: list[Json]) -> list[Json]:
    """The events, sometimes with two of them exchanged, one repeated, or the first ones lost."""
    moved = list(events)
    if len(moved) > 1 and _rarely(dice, 4):
        one, other = dice.sample(range(len(moved)), 2)
        moved[one], moved[other] = moved[other], moved[one]
    if moved and _rarely(dice, 6):
        moved.insert(dice.randrange(len(moved)), deepcopy(dice.choice(moved)))
    return moved[dice.randrange(len(moved)) :] if moved and _rarely(dice, 10) else moved


def _spoiled(dice: Dice, told: Json) -> Json:
    """The event, rarely with a part of another type than it should be."""
    if not _rarely(dice, 25):
        return told
    spoil: Callable[[], Json] = dice.choice(
        (
            lambda: dice.choice(ENTRIES),
            lambda: {**told, "meta": dice.choice(METAS)},
            lambda: {**told, "meta": {**told["meta"], "runtimeStageId": dice.choice((5, None, ["s1"]))}},
            lambda: {**told, "payload": dice.choice(ODD)},
            lambda: {**told, "type": told["type"].removeprefix("agentfootprint.")},
            *[lambda: {**told, "payload": _odd_member(dice, told["payload"])}] * 5,
        )
    )
    return deepcopy(spoil())


def _odd_member(dice: Dice, payload: Object) -> Object:
    return payload | ({dice.choice(list(payload)): dice.choice(ODD)} if payload else {"slot": "system-prompt"})


def _redact(dice: Dice, drawn_record: Object, *, marked: bool) -> None:
    """Put placeholders into payloads and states, as a policy would; without its mark they are plain texts."""
    if marked:
        drawn_record["snapshot"]["recorders"] = [{"id": "x"}, MARKER]
    for told in drawn_record["events"]:
        if isinstance(told, dict) and _rarely(dice, 6):
            whole = not isinstance(told.get("payload"), dict) or not told["payload"] or _rarely(dice, 4)
            holder, name = (told, "payload") if whole else (told["payload"], dice.choice(list(told["payload"])))
            holder[name] = dice.choice(PLACEHOLDERS)
    ended, paused = (drawn_record["snapshot"].get(name) for name in ("sharedState", "initialState"))
    route = ended.get("turnRoute") if isinstance(ended, dict) else None
    holder = route if isinstance(route, dict) and _rarely(dice, 2) else ended
    if holder and isinstance(paused, dict) and _rarely(dice, 2):
        name, word = dice.choice(list(holder)), dice.choice(PLACEHOLDERS)
        holder[name] = word
        other = paused.get("turnRoute") if holder is route else paused
        if isinstance(other, dict):
            other[name] = word


def _rarely(dice: Dice, one_in: int) -> bool:
    return dice.randrange(one_in) == 0
