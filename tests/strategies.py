"""Random small recordings that collide on purpose: few ids, few keys, every verb, trees that lie.

A recording is drawn as the parsed document a file would hold. Alphabets are tiny, so ids repeat, paths nest into
each other, steps read what others wrote, and loops open in odd places.
"""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Json = Any
Object = dict[str, Json]

SEPARATOR = "\x1f"
SLOTS = ("systemPromptInjections", "messagesInjections", "toolsInjections")
NESTED_KEYS = ("k>x", "k>10", "k>length", "k>__proto__", "a>k>x", "lastToolResult>toolName")
LIKELY_KEYS = (*SLOTS, "lastToolResult", "k")
KEYS = (
    *("a", "a.b", "k.x", "10", "9", "01", "é", "😀", "", "constructor", "__proto__", *LIKELY_KEYS, *LIKELY_KEYS),
    *(key.replace(">", SEPARATOR) for key in NESTED_KEYS),
)
VERBS = ("set", "set", "set", "append", "append", "append", "merge", "delete", "weird-verb", "")
RUN_STRETCHES = (
    ("seed#0", "sf-injection-engine#1", "context#2", "call-llm#3", "tool-calls#4"),
    ("seed#0", "sf-injection-engine#1", "sf-injection-engine/x#2", "call-llm#3", "context#2"),
    ("sf-injection-engine#5", "context#2", "call-llm#7", "tool-calls#4"),
    ("sf-injection-engine#1", "call-llm#3", "tool-calls#4", "sf-injection-engine#5", "context#2", "call-llm#7"),
    ("grp/sf-injection-engine#6", "context#2", "grp/call-llm#8", "call-llm#3"),
    ("context#2", "tool-calls#4"),
    *(("call-llm#7",), ("sf-injection-engine#1",), ("xsf-injection-engine#9",), ("odd",), ("",), ("context#2",)),
)
MOUNT_STRETCHES = (
    ("", "inner#0", "call-llm#1"),
    ("inner#0", "context#2", "call-llm#3", "inner#0"),
    ("inner#0", "tool-calls#4", "sub/call-llm#1"),
    *(("context#2",), ("",), ("inner#0",)),
)
MOUNTS = (
    *("sf-llm-call#2", "sf-llm-call#10", "sf-llm-call#10", "outer/sf-llm-call#3", "sf-llm-call#4#1"),
    *("sf-llm-call", "sf-llm-call-x#3", "sf-llm-call/sf-tools#7", "sf-tools#11"),
)

VALUES: tuple[Json, ...] = (
    *(None, True, False, 0, 1, 1.0, -0.0, 1.5, 1e21, 1e-7, 2**53 + 1, "", "1", "x", "REDACTED", "é😀", "line\nbreak"),
    *([], [1], [1, 1.0, True], [1, 2, 2], ["1", None, {"x": 1}], [{"x": 1}], [[1], [1]], [0, -0.0, False, ""]),
    *({}, {"x": 1}, {"x": [1, 2]}, {"10": 1, "9": 2, "x": None}, {"x": {"10": [1]}, "01": 0}, {"x": [2], "😀": {}}),
)
FACT = {"source": "fact", "sourceId": "one", "rawContent": "text"}
RULE = {"source": "instructions", "sourceId": "two", "contentSummary": "summary"}
MEMORY = {"source": "memory", "sourceId": "one"}
RECALL = {"source": "memory", "sourceId": "memory:docs#one", "rawContent": 1, "contentSummary": "summary"}
DOCUMENT = {"source": "rag", "sourceId": "memory:docs#one"}
NAMELESS = {"source": "skill", "sourceId": ""}
NOT_ENGINEERED = (
    *(
        {"source": "base", "sourceId": "base"},
        {"source": "FACT", "sourceId": "loud"},
        {"source": "fact", "sourceId": 7},
    ),
    *(None, 7, "text", [], {}),
)
SLOT_VALUES: tuple[Json, ...] = (
    *([FACT, RECALL], [RULE, MEMORY], [FACT, MEMORY, FACT, RULE], [MEMORY, FACT], [RECALL, DOCUMENT, RULE], [FACT]),
    *([NAMELESS, None, FACT], [*NOT_ENGINEERED], [*NOT_ENGINEERED, RULE], {"0": FACT}, FACT),
)
TOOL_RESULTS: tuple[Json, ...] = (
    {"toolName": "look", "result": "found"},
    {"toolName": "calc", "result": {"n": 1}},
    *({"toolName": ""}, {"toolName": 5}, {}, [], None, 0, "", "REDACTED", "look", ["toolName"]),
)

ODDITIES: tuple[Json, ...] = (None, 5, 1.5, True, "x", "", [], {}, [None, 5], {"a": 1}, [{}])


def values_of(key: str) -> st.SearchStrategy[Json]:
    """Values that a key may hold: mostly what its name promises."""
    if key in SLOTS:
        return st.sampled_from((*SLOT_VALUES, *SLOT_VALUES, *VALUES)).map(deepcopy)
    return st.sampled_from(TOOL_RESULTS if key == "lastToolResult" else VALUES).map(deepcopy)


@st.composite
def trace_rows(draw: st.DrawFn, keys: list[str]) -> Object:
    """One trace row, with or without a list of what was read before it."""
    row = {"path": draw(st.sampled_from(keys)), "verb": draw(st.sampled_from(VERBS))}
    if draw(st.booleans()):
        return row
    return row | {"readKeys": draw(st.lists(st.sampled_from(keys), max_size=3))}


@st.composite
def commits(draw: st.DrawFn, step: str, keys: list[str]) -> Object:
    """One commit of a step, with values for most of its rows."""
    rows = [] if _rarely(draw, 5) else draw(st.lists(trace_rows(keys), min_size=1, max_size=4))
    trees: dict[str, Object] = {"overwrite": {}, "updates": {}}
    for row in rows:
        for tree in trees.values():
            if not _rarely(draw, 5):
                _plant(tree, row["path"], draw(values_of(row["path"])))
    stage = step.rpartition("#")[0]
    named = {"stage": f"Stage {stage}", "stageId": stage, "runtimeStageId": step, "idx": 7, "redactedPaths": []}
    untracked = draw(st.sampled_from([None, None, None, [], ["args"], ["env", "silent"]]))
    return named | trees | {"trace": rows} | ({} if untracked is None else {"untrackedSources": untracked})


@st.composite
def nodes(draw: st.DrawFn, step: str, keys: list[str]) -> Object:
    """One tree node of a step, with reads, without any, or with none recorded."""
    node: Object = {"id": "n", "runtimeStageId": step, "name": "N"}
    if not _rarely(draw, 5):
        reads = draw(st.lists(st.sampled_from(keys), min_size=not _rarely(draw, 4), max_size=4))
        node["stageReads"] = dict.fromkeys(reads, 1)
    return node


@st.composite
def trees(draw: st.DrawFn, steps: list[str], keys: list[str]) -> Object:
    """An execution tree of some steps: each node hangs on an earlier one, as its `next` or as one more child."""
    grown = [draw(nodes(step, keys)) for step in steps or ["seed#0"]]
    for at, node in enumerate(grown[1:], start=1):
        parent = grown[draw(st.integers(0, at - 1))] if _rarely(draw, 3) else grown[at - 1]
        if "next" not in parent and not _rarely(draw, 3):
            parent["next"] = node
        else:
            parent.setdefault("children", []).append(node)
    return grown[0]


@st.composite
def logs(draw: st.DrawFn, stretches: tuple[tuple[str, ...], ...]) -> tuple[list[Object], Object | None]:
    """A commit log with the tree that tells its reads, if one is recorded.

    Each log has a handful of keys, and runs through some stretches of steps. Its tree mostly knows the steps that
    commit, in their order; sometimes others, and some twice.
    """
    keys = [draw(st.sampled_from(LIKELY_KEYS)), *draw(st.lists(st.sampled_from(KEYS), max_size=3))]
    ids = [step for stretch in draw(st.lists(st.sampled_from(stretches), min_size=1, max_size=4)) for step in stretch]
    log = [draw(commits(step, keys)) for step in ids]
    if _rarely(draw, 6):
        return log, None
    others = list(draw(st.sampled_from(((), (), *stretches))))
    return log, draw(trees(others + ids if _rarely(draw, 4) else ids + others, keys))


@st.composite
def mounts(draw: st.DrawFn) -> Object:
    """What a subflow mount left: a log and a tree, one of them, or nothing."""
    history, tree = draw(logs(MOUNT_STRETCHES))
    context: Object = {}
    if not _rarely(draw, 7):
        context["history"] = history
    if tree is not None:
        context["stageContexts"] = tree
    return {} if _rarely(draw, 9) else {"subflowId": "sf", "treeContext": context}


@st.composite
def snapshots(draw: st.DrawFn) -> Object:
    """The snapshot of one run: flat or grouped, whole or with parts missing."""
    log, tree = draw(logs(RUN_STRETCHES))
    names = draw(st.lists(st.sampled_from(MOUNTS), unique=True, max_size=4)) if draw(st.booleans()) else []
    snapshot: Object = {"sharedState": {"userMessage": "why?"}, "initialState": {"k": 1}, "runId": "engine"}
    if not _rarely(draw, 9):
        snapshot["commitLog"] = log
    if tree is not None:
        snapshot["executionTree"] = tree
    if names:
        snapshot["subflowResults"] = {name: draw(mounts()) for name in names}
    return snapshot


@st.composite
def batches(draw: st.DrawFn, max_size: int = 4) -> dict[str, Object]:
    """Some recordings by run id."""
    drawn = draw(st.lists(snapshots(), min_size=1, max_size=max_size))
    return {f"run-{n}": envelope(snapshot, f"run-{n}") for n, snapshot in enumerate(drawn)}


def envelope(snapshot: Object, run_id: str) -> Object:
    """A snapshot as the document a recorder would write."""
    return {
        "format": "agentfootprint.recording.v1",
        "producer": {"agentfootprintVersion": "9.62.0", "footprintjsVersion": "9.24.0"},
        "run": {"runId": run_id, "startedAt": "2026-01-01T00:00:00.000Z", "complete": True, "droppedEvents": 0},
        "recording": {"snapshot": snapshot, "events": []},
    }


def spoiled(document: Object, dice: random.Random) -> Object:
    """The document with one to three members of its logs and trees of another type than they should be."""
    copy = deepcopy(document)
    for _ in range(dice.randint(1, 3)):
        holder, place = dice.choice(list(_places(copy["recording"]["snapshot"])))
        holder[place] = deepcopy(dice.choice(ODDITIES))
    return copy


def _places(part: Json) -> Iterator[tuple[Json, str | int]]:
    """Every member and entry of a snapshot but those inside its values."""
    for place, inner in list(part.items() if isinstance(part, dict) else enumerate(part)):
        yield part, place
        if isinstance(inner, dict | list) and place not in ("sharedState", "overwrite", "updates", "stageReads"):
            yield from _places(inner)


def as_bytes(document: Object, indent: int | None = None) -> bytes:
    """A document as a file holds it."""
    return json.dumps(document, ensure_ascii=False, indent=indent).encode()


def _rarely(draw: st.DrawFn, one_in: int) -> bool:
    """True about once in so many draws; no end of the range, which is drawn more often than its share."""
    return draw(st.integers(0, one_in - 1)) == one_in // 2


def _plant(tree: Object, path: str, value: Json) -> None:
    """Put a value at a path of a committed tree, where the way there leads through objects."""
    *way, last = path.split(SEPARATOR)
    for segment in way:
        tree = tree.setdefault(segment, {})
        if not isinstance(tree, dict):
            return
    tree[last] = value
