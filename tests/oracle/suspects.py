"""The suspect classifier: which removable sources a committed value names (record format, section 12)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.oracle.javascript import ABSENT, Value, is_truthy
from tests.oracle.loops import TOOL_RESULT

SLOTS = ("systemPromptInjections", "messagesInjections", "toolsInjections")
ENGINEERED = {"rag", "skill", "memory", "instructions", "steering", "fact", "custom"}


class Seed(NamedTuple):
    """One suspect; `stage` and `arg` have no id, and not every source has a text."""

    kind: str
    id: str | None = None
    text: str | None = None


def classify(keys: Sequence[str], values: Mapping[str, Value], untracked: Sequence[str] = ()) -> list[Seed]:
    """The sources some values name, in order: slots, then the tool, then arguments; else the stage itself."""
    seeds: dict[tuple[str, str | None], Seed] = {}
    for slot in SLOTS:
        records = values.get(slot, ABSENT)
        if slot in keys and isinstance(records, list):
            for seed in filter(None, map(_injection, records)):
                seeds.setdefault((seed.kind, seed.id), seed)
    found = [*seeds.values()]
    if TOOL_RESULT in keys:
        found += _tool(values.get(TOOL_RESULT, ABSENT))
    if "args" in untracked:
        found.append(Seed("arg"))
    return found or [Seed("stage")]


def spec(seed: Seed) -> dict[str, Any]:
    """The ablation spec that would remove a suspect with an id."""
    member = {"tool": "ignoredTools", "injection": "excludeInjectionIds", "memory": "excludeMemoryIds"}[seed.kind]
    return {"kind": seed.kind, member: [seed.id]}


def named(seeds: Sequence[Seed]) -> list[Seed]:
    """Seeds with an id, the first of each id."""
    first: dict[str, Seed] = {}
    for seed in seeds:
        if seed.id is not None:
            first.setdefault(seed.id, seed)
    return [*first.values()]


def _injection(record: Value) -> Seed | None:
    if not isinstance(record, dict):
        return None
    source, source_id = record.get("source"), record.get("sourceId")
    if not (isinstance(source, str) and isinstance(source_id, str) and source in ENGINEERED):
        return None
    texts = (record.get(name) for name in ("rawContent", "contentSummary"))
    return Seed(
        "memory" if source == "memory" else "injection", source_id, next((t for t in texts if isinstance(t, str)), None)
    )


def _tool(result: Value) -> list[Seed]:
    if not is_truthy(result) or not isinstance(result, dict) or not isinstance(result.get("toolName"), str):
        return []
    text = result.get("result")
    return [Seed("tool", result["toolName"], text if isinstance(text, str) else None)]
