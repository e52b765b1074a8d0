"""The suspect classifier (section 12)."""

from tests.reference.notation import slot_record

SYSTEM, MESSAGES, TOOL = "systemPromptInjections", "messagesInjections", "lastToolResult"

# keys, values, untracked sources, seeds (kind, id, text)
CLASSIFY = [
    (
        [SYSTEM, MESSAGES],
        {
            SYSTEM: [
                slot_record("fact", "f", "tf"),
                slot_record("base", "b", "x"),
                slot_record("fact", "f", "again"),
                slot_record("memory", "c", "tc"),
                None,
                7,
                slot_record("FACT", "l", "x"),
                slot_record("fact", "", "empty"),
            ],
            MESSAGES: [
                slot_record("memory", "f", "mf"),
                slot_record("fact", "c", "fc"),
                slot_record("custom", "g", contentSummary="sum"),
                slot_record("rag", "o"),
            ],
        },
        [],
        [
            ("injection", "f", "tf"),
            ("memory", "c", "tc"),
            ("injection", "", "empty"),
            ("memory", "f", "mf"),
            ("injection", "c", "fc"),
            ("injection", "g", "sum"),
            ("injection", "o", None),
        ],
    ),
    (
        [MESSAGES, SYSTEM],
        {MESSAGES: [slot_record("fact", "m", "1")], SYSTEM: [slot_record("fact", "s", "2")]},
        [],
        [("injection", "s", "2"), ("injection", "m", "1")],
    ),
    ([TOOL], {TOOL: {"toolName": "calc", "result": {"n": 1}}}, [], [("tool", "calc", None)]),
    ([TOOL], {TOOL: {"toolName": 5}}, ["args"], [("arg", None, None)]),
    (["history"], {"history": [slot_record("fact", "x", "y")]}, [], [("stage", None, None)]),
    ([SYSTEM], {SYSTEM: {"0": slot_record("fact", "a", "x")}}, ["env"], [("stage", None, None)]),
]

# kind, id, spec
SPECS = [
    ("tool", "calc", {"kind": "tool", "ignoredTools": ["calc"]}),
    ("injection", "memory:docs#rights", {"kind": "injection", "excludeInjectionIds": ["memory:docs#rights"]}),
    ("memory", "memory:hr#msg-3-0", {"kind": "memory", "excludeMemoryIds": ["memory:hr#msg-3-0"]}),
]
