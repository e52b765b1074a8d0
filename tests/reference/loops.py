"""Writers, heads, frames, context sources and the proximate tool result (sections 5, 9, 10 and 11)."""

from typing import Any

from tests.reference.notation import NOTHING, chain, commit, snapshot
from tests.reference.values import LOG_5

TWO = [
    commit("seed#0", {"s": [1]}, ["set s"]),
    commit("sf-injection-engine#1"),
    commit("context#2", {"s": [2]}, ["append s"]),
    commit("call-llm#3", {"o": "x"}, ["set o"]),
    commit("context#2", {"s": [3]}, ["append s"]),
]
TWO_SNAPSHOT = snapshot(TWO, chain("seed#0", "sf-injection-engine#1", "context#2", ("call-llm#3", ["s"])))

ODD = [
    commit("seed#0"),
    commit("grp/sf-injection-engine#1"),
    commit("sf-injection-engine/evaluate#2"),
    commit("grp/call-llm#3", {"o": 1}, ["set o"]),
    commit("call-llm#4", {"o": 2}, ["set o"]),
    commit("sf-injection-engine#5"),
    commit("mid#6"),
    commit("sf-injection-engine/sub/deep#7"),
    commit("xsf-injection-engine#8"),
    commit("grp/sf-injection-engine/x#9"),
]
REPEATED = [
    commit("sf-injection-engine#1"),
    commit("call-llm#2", {"o": 1}, ["set o"]),
    commit("sf-injection-engine#1"),
    commit("call-llm#3", {"o": 2}, ["set o"]),
]


def _inner(value: int) -> dict[str, Any]:
    history = [
        commit("sf-llm-call/seed#0", {"s": value}, ["set s"]),
        commit("sf-llm-call/call-llm#1", {"o": value}, ["set o"]),
    ]
    tree = chain("sf-llm-call/seed#0", ("sf-llm-call/call-llm#1", ["s", "absent"]))
    return {"treeContext": {"history": history, "stageContexts": tree}}


GROUPED = snapshot(
    [commit("seed#0"), commit("sf-llm-call#2"), commit("sf-llm-call#10")],
    subflow_results={
        "sf-llm-call#10": _inner(10),
        "sf-llm-call#2": _inner(2),
        "sf-llm-call": _inner(0),
        "sf-llm-call-x#3": _inner(3),
        "outer/sf-llm-call#11": {"treeContext": {}},
    },
)

TEXTS = snapshot(
    [
        commit(
            "seed#0",
            {"s": "str", "n": 1e21, "z": None, "o": {"10": 1, "9": 2, "b": "é"}},
            ["set s", "set n", "set z", "set o"],
        ),
        commit("sf-injection-engine#1"),
        commit(
            "call-llm#2",
            {"llmLatestContent": "hi", "c": {"a": 1}},
            ["set llmLatestContent", "set c", "delete gone"],
        ),
    ],
    chain("seed#0", "sf-injection-engine#1", ("call-llm#2", ["s", "n", "z", "o", "never"])),
)
PROXIMATE = snapshot(
    [
        commit("tool-calls#0", {"lastToolResult": None}, ["set lastToolResult"]),
        commit("sf-injection-engine#1"),
        commit("call-llm#2"),
    ]
)

# log, key, bound or None, writer
LAST_WRITER = [(LOG_5, "k", None, "seed#0"), (TWO, "s", 3, "context#2"), (TWO, "s", 0, NOTHING)]

# log, head ids
HEADS = [
    (ODD, ["grp/sf-injection-engine#1", "sf-injection-engine#5", "sf-injection-engine/sub/deep#7"]),
    (REPEATED, ["sf-injection-engine#1", "sf-injection-engine#1"]),
    ([], []),
]

ODD_FRAMES = [
    (
        1,
        "grp/call-llm#3",
        3,
        ["grp/sf-injection-engine#1", "sf-injection-engine/evaluate#2", "grp/call-llm#3", "call-llm#4"],
        "",
    ),
    (5, None, None, ["sf-injection-engine#5", "mid#6"], ""),
    (
        7,
        None,
        None,
        ["sf-injection-engine/sub/deep#7", "xsf-injection-engine#8", "grp/sf-injection-engine/x#9"],
        "",
    ),
]
GROUPED_BODY = ["sf-llm-call/seed#0", "sf-llm-call/call-llm#1"]

# snapshot, limit of frames or None, prelude, frames (head, call, call position, body, scope), whether some were cut
FRAMES = [
    (snapshot(ODD), None, ["seed#0"], ODD_FRAMES, False),
    (snapshot(ODD), 1, ["seed#0"], ODD_FRAMES[:1], True),
    (
        snapshot(REPEATED),
        None,
        [],
        [
            (
                0,
                "call-llm#2",
                1,
                ["sf-injection-engine#1", "call-llm#2", "sf-injection-engine#1", "call-llm#3"],
                "",
            )
        ],
        False,
    ),
    (snapshot([]), None, [], [], False),
    (
        GROUPED,
        None,
        ["seed#0"],
        [
            (0, "sf-llm-call/call-llm#1", 1, GROUPED_BODY, "sf-llm-call#2"),
            (0, "sf-llm-call/call-llm#1", 1, GROUPED_BODY, "sf-llm-call#10"),
            (0, None, None, [], "outer/sf-llm-call#11"),
        ],
        False,
    ),
]

# snapshot, sources of each frame (key, writer, position of the value, value, text)
SOURCES = [
    (TWO_SNAPSHOT, [[("s", "context#2", 4, [1, 2, 3], "[1,2,3]")]]),
    (
        GROUPED,
        [
            [("s", "sf-llm-call/seed#0", 0, 2, "2"), ("absent", None, None, NOTHING, "")],
            [("s", "sf-llm-call/seed#0", 0, 10, "10"), ("absent", None, None, NOTHING, "")],
            [],
        ],
    ),
    (
        TEXTS,
        [
            [
                ("s", "seed#0", 0, "str", "str"),
                ("n", "seed#0", 0, 1e21, "1e+21"),
                ("z", "seed#0", 0, None, "null"),
                ("o", "seed#0", 0, {"9": 2, "10": 1, "b": "é"}, '{"9":2,"10":1,"b":"é"}'),
                ("never", None, None, NOTHING, ""),
            ]
        ],
    ),
]

# snapshot, values that some call drew on (key, writer, scope, value), the first loop's
VALUE_INDEX = [
    (TWO_SNAPSHOT, [("s", "context#2", "", [1, 2, 3])]),
    (GROUPED, [("s", "sf-llm-call/seed#0", "sf-llm-call#2", 2)]),
    (PROXIMATE, [("lastToolResult", "tool-calls#0", "", None)]),
]

# snapshot, proximate tool result of each frame that has one (writer, value)
PROXIMATES = [(PROXIMATE, [("tool-calls#0", None)]), (TEXTS, []), (GROUPED, [])]

# snapshot, what the call of each frame wrote
INTERMEDIATE_TEXTS = [
    (TEXTS, ['llmLatestContent="hi"\nc={"a":1}\ngone=undefined']),
    (snapshot(REPEATED), ["o=1"]),
    (PROXIMATE, [None]),
    (GROUPED, ["o=2", "o=10", None]),
]
