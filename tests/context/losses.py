"""What may become of a recording before it is read: losses that its header tells or hides, and odd values."""

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

Json = Any
Object = dict[str, Json]

ODDITIES: tuple[Json, ...] = (
    *(None, True, 0, 1, 2.5, 1e300, -1, "", "x", "call_0_0", "é😀", "REDACTED", "[REDACTED]"),
    *([], ["one", None], ["one", "one"], [{"id": "one"}, {"id": 1}], [{"source": "fact", "sourceId": "one"}]),
    *({}, {"fact": {"count": 1}}, {"a": {"count": 1e308}}, [{"role": "tool", "toolCallId": ""}, "no message"]),
    *("agentfootprint.context.injected", "agentfootprint.agent.turn_start", "append", "merge", "delete", "call-llm#7"),
)


def events_of(document: Object) -> list[Json]:
    """The events of a recording in its envelope, to change."""
    events: list[Json] = document["recording"]["events"]
    return events


def capped(document: Object, kept_from: int, says_so: bool) -> Object:
    """The recording without its first events; its header says so, or nothing."""
    copy = deepcopy(document)
    copy["recording"]["events"] = events_of(copy)[kept_from:]
    copy["run"] = {"droppedEvents": kept_from, "firstRetainedEventIndex": kept_from} if says_so else {}
    return copy


def without(document: Object, *members: str) -> Object:
    """The recording without its events, or without members of its snapshot."""
    copy = deepcopy(document)
    for member in members:
        copy["recording"].pop(member, None)
        copy["recording"]["snapshot"].pop(member, None)
    return copy


def without_events(document: Object, *kinds: str) -> Object:
    """The recording without the events of some kinds."""
    copy = deepcopy(document)
    types = [f"agentfootprint.{kind}" for kind in kinds]
    copy["recording"]["events"] = [each for each in events_of(copy) if each["type"] not in types]
    return copy


def damaged(document: Object, dice: random.Random) -> Object:
    """The recording after a few accidents: parts lost, put twice, of another type, or of another run."""
    copy = deepcopy(document)
    for _ in range(dice.randint(1, 4)):
        dice.choice((_lose, _lose, _repeat, _spoil, _spoil, _spoil, _estrange, _redact))(copy, dice)
    return copy


def _lists(document: Object) -> list[list[Json]]:
    """The lists of events and commits of a recording, as far as they are lists yet."""
    recording = document["recording"]
    mounts = recording["snapshot"].get("subflowResults") or {}
    found = [recording["events"], recording["snapshot"]["commitLog"]]
    found += [mount["treeContext"]["history"] for mount in mounts.values()]
    return [each for each in found if each]


def _lose(document: Object, dice: random.Random) -> None:
    rows = dice.choice(_lists(document) or [[None]])
    begin = dice.randrange(len(rows))
    del rows[begin : begin + dice.choice((1, 1, 3, len(rows)))]


def _repeat(document: Object, dice: random.Random) -> None:
    rows = dice.choice(_lists(document) or [[None]])
    rows.insert(dice.randrange(len(rows) + 1), deepcopy(dice.choice(rows)))


def _spoil(document: Object, dice: random.Random) -> None:
    places = [place for rows in _lists(document) for place in _places(rows)]
    state = document["recording"]["snapshot"]["initialState"]
    holder, name = dice.choice([*places, *_places(state)] or [({}, "x")])
    holder[name] = deepcopy(dice.choice(ODDITIES))


def _estrange(document: Object, dice: random.Random) -> None:
    events = [each for each in events_of(document) if isinstance(each, dict) and isinstance(each.get("meta"), dict)]
    for each in dice.sample(events, min(2, len(events))):
        each["meta"]["runId"] = "another"


def _redact(document: Object, dice: random.Random) -> None:
    document["recording"]["snapshot"]["recorders"] = [{"id": "agentfootprint.redaction"}]
    for holder, name in [place for rows in _lists(document) for place in _places(rows)]:
        if name in ("payload", "sourceId", "rawContent", "toolCallId") and dice.random() < 0.1:
            holder[name] = "[REDACTED]"


def _places(part: Json) -> Iterator[tuple[Json, Any]]:
    """Every member and entry of a part, at any depth."""
    for name, inner in list(part.items() if isinstance(part, dict) else enumerate(part)):
        yield part, name
        if isinstance(inner, dict | list):
            yield from _places(inner)
