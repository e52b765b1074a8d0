"""Random states that mean harm: few ids and names, rows of every kind, and values of a wrong type anywhere."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Json = Any
Object = dict[str, Json]
Values = st.SearchStrategy[Json]

ODDITIES: tuple[Json, ...] = (
    *(None, True, False, 0, 1, 1.0, 2, -1, 2**53 + 1, "", "x", "c1", "1", "REDACTED"),
    *([], {}, [None], [{}], {"a": 1}),
)
ODD = st.sampled_from(ODDITIES)
PLACEHOLDERS = ("REDACTED", "[REDACTED]", "REDACTED ", "Redacted")
CALLS = st.sampled_from(["c1", "c1", "c2", "c3", "old", "", "constructor"])
TOOLS = st.sampled_from(["t", "t", "u", "", "constructor", "__proto__"])
ARGUMENTS = st.sampled_from(["a", "b", "", "a/b", "10", "9"])
TURNS = st.sampled_from([1, 1, 2, 2, 1.0, 2.0, 3, 0, 1.5, True, "2", None])
LISTS = st.sampled_from([[], [1], [None], ["x", {}]])

ABSENCE = {"af_absent": True, "checked": ["x"]}
BOUNDARY = {"af_coverage": {}, "result": []}
VALUES: tuple[Json, ...] = (
    *([], [1], [1, 2], {}, {"rows": []}, {"rows": [1]}, {"rows": {}, "vms": []}, None, True, 4, "text"),
    *(ABSENCE, ABSENCE | {"checked": []}, ABSENCE | {"af_absent": 1}, ABSENCE | {"not_checked": [None]}),
    *(BOUNDARY, BOUNDARY | {"result": ABSENCE}, BOUNDARY | {"result": BOUNDARY}, BOUNDARY | {"af_coverage": []}),
    *({"af_coverage": {"cannot_cover": [1]}, "result": {"rows": []}}, {"af_coverage": {}}, ABSENCE | BOUNDARY),
)
SPOILED = ("[NaN]", "[1,]", "[] x", "[", "{'a':1}", '["\n"]', '["é😀"]', "[1e999]", '{"rows":[1],"rows":[]}')
BLANKS = ("", " ", "\t\r\n", "\u00a0", "\ufeff", "\u2028", "\u3000", "\x1f", "\x1c", "\x85", "\u200b")
NOTICES = ("[dropped history", "[steps unrun", "[Dropped history", " [dropped history", "[schema check]", "q", "")


def rows(**members: Values) -> st.SearchStrategy[Object]:
    """An object with these members; a name may end in `_` where Python keeps it for itself."""
    return st.fixed_dictionaries({name.rstrip("_"): values for name, values in members.items()})


def spoiled(state: Object, seed: int) -> Object:
    """The state with some members gone, some of a wrong type, and some kept out."""
    dice, copy = random.Random(seed), json.loads(json.dumps(state))
    for holder, place in list(_places(copy)):
        if dice.random() < 0.05:
            holder[place] = deepcopy(dice.choice(ODDITIES))
        elif dice.random() < 0.05 and isinstance(holder, dict):
            del holder[place]
    for name in copy:
        if dice.random() < 0.02:
            copy[name] = dice.choice(PLACEHOLDERS)
    return copy


def _places(part: Json) -> Iterator[tuple[Json, str | int]]:
    """Every member and entry, the outer ones after those inside them."""
    for place, inner in list(part.items() if isinstance(part, dict) else enumerate(part)):
        if isinstance(inner, dict | list):
            yield from _places(inner)
        yield part, place


@st.composite
def contents(draw: st.DrawFn) -> Json:
    """What a tool returned: a value, its text, a text that is almost one, or a value inside boundaries."""
    value = draw(st.sampled_from(VALUES))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2, 7, 8, 9, 10)))):
        value = {"af_coverage": {}, "result": value}
    if draw(st.booleans()):
        return value
    text = draw(st.sampled_from((*SPOILED, *[json.dumps(value)] * 12)))
    blank = st.sampled_from((*[""] * 12, *BLANKS))
    return draw(blank) + text + draw(blank) + draw(st.sampled_from((*[""] * 5, "\n\n[note]")))


REFERENCES = rows(toolCallId=CALLS)
RESULTS = rows(role=st.just("tool"), toolCallId=CALLS, toolName=TOOLS, content=contents())
MESSAGES = st.one_of(
    rows(role=st.just("user"), content=st.sampled_from(NOTICES)),
    rows(role=st.just("user"), content=st.sampled_from(NOTICES), injectedBy=ODD),
    rows(role=st.just("assistant"), content=st.just(""), toolCalls=st.lists(rows(id=CALLS, name=TOOLS), max_size=4)),
    *(RESULTS, RESULTS),
    rows(role=st.just("tool"), toolCallId=CALLS, toolName=TOOLS, content=contents(), toolChars=st.integers(-1, 9)),
)
COVERAGE = rows(
    kind=st.sampled_from(["absence", "ledger"]), toolCallId=CALLS, toolName=TOOLS, notChecked=LISTS, cannotCover=LISTS
)
SOURCES = st.sampled_from(["default", "model", "said", "result", "answered", "app"])
ARGUMENT_ROWS = st.fixed_dictionaries(
    {"kind": st.just("argument"), "turn": TURNS, "toolCallId": CALLS, "argument": ARGUMENTS},
    optional={
        "toolName": TOOLS,
        "source": SOURCES,
        "rule": ODD,
        "period": st.booleans(),
        "failed": st.just("uncheckable"),
        "claimed": SOURCES,
        "asked": st.just("?"),
        "reading": st.just(True),
        "setAside": st.just("x"),
        "result": CALLS,
    },
)
CONTINGENT_ROWS = rows(
    kind=st.just("contingent"),
    turn=TURNS,
    toolCallId=CALLS,
    declaredOn=st.one_of(st.just("answer"), REFERENCES),
    carriers=st.lists(REFERENCES, max_size=4),
)
UNSTAMPED_ROWS = rows(
    kind=st.just("contingent"),
    declaredOn=st.just("answer"),
    carriers=st.lists(REFERENCES, max_size=4),
    witnesses=st.lists(REFERENCES, max_size=4),
)
PERIOD_ROWS = st.fixed_dictionaries(
    {
        "kind": st.just("period"),
        "turn": TURNS,
        "toolCallId": CALLS,
        "verdict": st.sampled_from(["covered", "not-held", "partly-held", "unknown", "undeclared", "constructor"]),
    },
    optional={
        "toolName": TOOLS,
        "argument": ARGUMENTS,
        "differs": st.just({}),
        "beyondRetention": st.just(True),
    },
)
CONFLICT_ROWS = st.fixed_dictionaries(
    {"kind": st.just("conflict"), "witnesses": st.lists(REFERENCES, max_size=4)}, optional={"turn": TURNS}
)
ANSWER_ROWS = rows(
    kind=st.sampled_from(["grounded", "steps-unfinished", "time-derived"]),
    turn=TURNS,
    lookedUp=st.integers(-1, 2),
    toolCallId=CALLS,
)
LEDGER_ROWS = st.one_of(
    *(ARGUMENT_ROWS, ARGUMENT_ROWS, CONTINGENT_ROWS, UNSTAMPED_ROWS, PERIOD_ROWS, CONFLICT_ROWS, ANSWER_ROWS)
)
DECISIONS = rows(
    at=st.sampled_from(["tool", "tool", "model"]),
    toolCallId=CALLS,
    changedKeys=st.lists(ARGUMENTS, max_size=4),
    from_=st.dictionaries(ARGUMENTS, st.sampled_from(["person", "app", "default"]), max_size=2),
)
REPORTS = rows(
    status=st.sampled_from(["passed", "failed", "unverified", "skipped"]),
    mode=st.sampled_from(["enforce", "observe"]),
    candidateDigest=st.sampled_from(["sha256:1f", ""]),
    checks=st.lists(rows(tools=st.lists(TOOLS, max_size=4)), max_size=3),
)
WHOLE = st.fixed_dictionaries(
    {
        "history": st.lists(MESSAGES, max_size=8),
        "findingsLedger": st.lists(LEDGER_ROWS, max_size=8),
        "coverageDeclared": st.lists(COVERAGE, max_size=2),
        "middlewareDecisions": st.lists(DECISIONS, max_size=2),
        "turnNumber": TURNS,
    },
    optional={
        "pausedToolCallId": CALLS,
        "argumentAsk": st.just({"waiting": {}}),
        "unsupportedValues": rows(revised=st.booleans()),
        "stoppedEarly": st.just({}),
        "answerValidation": REPORTS,
        "finalContent": ODD,
    },
)
STATES: st.SearchStrategy[Object] = st.builds(spoiled, WHOLE, st.integers(0, 2**32))
"""A committed state."""

DECLARED = st.dictionaries(TOOLS, st.sampled_from(["rows", "vms", "constructor"]), max_size=3)
"""Where an application says its tools' results hold their rows."""

LIKELY_KEYS = ("findingsLedger", "coverageDeclared", "middlewareDecisions", "answerValidation")
STATE_PLACES = st.builds(
    lambda key, path: {"kind": "state", "key": key, "path": path},
    st.sampled_from((*LIKELY_KEYS, "history", "turnNumber")),
    st.sampled_from(["/0/kind", "/1/kind", "/2/values", "/9/kind", "/x/kind", "", "/checks/0/id", "/checks/1", "/0"]),
)
HISTORY_PLACES = st.builds(
    lambda index, call: {"kind": "history", "index": index} | call,
    st.integers(0, 9),
    st.one_of(st.just({"path": "/role"}), CALLS.map(lambda call: {"path": "/toolCallId", "toolCallId": call})),
)
WITNESSES = st.lists(st.one_of(STATE_PLACES, HISTORY_PLACES), max_size=4)
"""Places that a reason may rest on, whether there is something or not."""
