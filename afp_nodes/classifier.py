"""The classifier: which removable sources a committed value names. Rule: record format, section 12."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from afp_nodes import javascript
from afp_nodes.words import SuspectKind

SLOTS = ("systemPromptInjections", "messagesInjections", "toolsInjections")
TOOL_RESULT = "lastToolResult"
ENGINEERED = frozenset({"rag", "skill", "memory", "instructions", "steering", "fact", "custom"})
"""Sources of a slot record that somebody put there and could leave out."""
SPEC_MEMBERS = {
    SuspectKind.TOOL: "ignoredTools",
    SuspectKind.INJECTION: "excludeInjectionIds",
    SuspectKind.MEMORY: "excludeMemoryIds",
}


@dataclass(frozen=True, slots=True)
class Seed:
    """One removable source that a value names."""

    kind: SuspectKind
    suspect_id: str

    def ablation_spec(self) -> str:
        """The reference's AblationSpec, as JSON text; the kind decides, never the shape of the id."""
        return msgspec.json.encode({"kind": self.kind, SPEC_MEMBERS[self.kind]: [self.suspect_id]}).decode()


@dataclass(frozen=True, slots=True)
class Classifier:
    """Names the removable sources in a committed value, most telling first.

    `seeds` gets a key and its value as JSON text. It is called once per distinct pair, for the keys in `keys`
    (None: for every key).
    """

    seeds: Callable[[str, str], Sequence[Seed]]
    keys: frozenset[str] | None = None


def recorded_seeds(key: str, value_json: str) -> list[Seed]:
    """The reference's reading: engineered records of a prompt slot, or the tool of the last result."""
    value = javascript.parse(value_json)
    if key in SLOTS:
        return list(_slot_seeds(value)) if isinstance(value, list) else []
    tool = value.get("toolName") if isinstance(value, dict) else None
    return [Seed(SuspectKind.TOOL, tool)] if isinstance(tool, str) else []


DEFAULT_CLASSIFIER = Classifier(recorded_seeds, frozenset({*SLOTS, TOOL_RESULT}))


def _slot_seeds(records: list[Any]) -> Iterator[Seed]:
    for record in records:
        if not isinstance(record, dict):
            continue
        source, source_id = record.get("source"), record.get("sourceId")
        if isinstance(source, str) and source in ENGINEERED and isinstance(source_id, str):
            yield Seed(SuspectKind.MEMORY if source == "memory" else SuspectKind.INJECTION, source_id)
