"""One variable joined to loops and sources (section 16)."""

from tests.reference.notation import chain, commit, slot_record, snapshot

SNAPSHOT_16 = snapshot(
    [
        commit(
            "seed#0",
            {"systemPromptInjections": [slot_record("fact", "one", "1")], "history": []},
            ["set systemPromptInjections", "set history"],
        ),
        commit("sf-injection-engine#1"),
        commit(
            "context#2",
            {"systemPromptInjections": [slot_record("memory", "one", "m"), slot_record("fact", "two", "2")]},
            ["append systemPromptInjections"],
        ),
        commit("call-llm#3", {"o": 1}, ["set o"]),
        commit("tool-calls#4", {"lastToolResult": {"toolName": "look", "result": "r"}}, ["set lastToolResult"]),
        commit("sf-injection-engine#5"),
        commit("call-llm#6", {"o": 2}, ["set o"]),
    ],
    chain(
        "seed#0",
        "sf-injection-engine#1",
        "context#2",
        ("call-llm#3", ["systemPromptInjections", "history"]),
        ("tool-calls#4", ["o"]),
        "sf-injection-engine#5",
        ("call-llm#6", ["systemPromptInjections", "history"]),
    ),
)
HOOKS_16 = ["context#2 injection one", "context#2 injection two"]

# snapshot, key, bound or None, coverage, moments, hooks, notes
TRACES = [
    (
        SNAPSHOT_16,
        "systemPromptInjections",
        None,
        "conservative",
        ["set@0", "append@2 loop0 injection:one", "read@3 loop0", "read@6 loop1"],
        HOOKS_16,
        ["conservative-fed-edges"],
    ),
    (
        SNAPSHOT_16,
        "lastToolResult",
        None,
        "unknown",
        ["set@4 loop0 tool:look"],
        ["tool-calls#4 tool look"],
        [],
    ),
    (
        SNAPSHOT_16,
        "history",
        None,
        "conservative",
        ["set@0", "read@3 loop0", "read@6 loop1"],
        [],
        ["conservative-fed-edges"],
    ),
    (SNAPSHOT_16, "o", None, "unknown", ["set@3 loop0", "read@4 loop0", "set@6 loop1"], [], []),
    (
        SNAPSHOT_16,
        "systemPromptInjections",
        3,
        "conservative",
        ["set@0", "append@2 loop0 injection:one"],
        HOOKS_16,
        ["conservative-fed-edges"],
    ),
]
