"""Pointers: the place in the record that a reason or a check rests on.

Rule: assessment and routing, section 9. Indices are those of the recorded lists; a pointer names a leaf, whether or
not the leaf is there.
"""

from collections.abc import Sequence

from msgspec import Struct, json


class StatePointer(Struct, frozen=True, tag_field="kind", tag="state"):
    """A place in a member of the state, as an RFC 6901 path; '' is the whole member."""

    key: str
    path: str


class HistoryPointer(
    Struct, frozen=True, tag_field="kind", tag="history", rename={"tool_call_id": "toolCallId"}, omit_defaults=True
):
    """A tool result in the history."""

    index: int
    path: str
    tool_call_id: str | None = None


Pointer = StatePointer | HistoryPointer


def ledger_pointer(position: int, member: str) -> StatePointer:
    """A member of a row of the findings ledger."""
    return StatePointer("findingsLedger", f"/{position}/{member}")


def coverage_pointer(position: int) -> StatePointer:
    """A row of the coverage that tools declared."""
    return StatePointer("coverageDeclared", f"/{position}/kind")


def result_pointer(position: int, tool_call_id: str | None) -> HistoryPointer:
    """A tool result, by its call where it names one."""
    return HistoryPointer(position, "/role" if tool_call_id is None else "/toolCallId", tool_call_id)


def pointers_json(pointers: Sequence[Pointer]) -> str:
    """Pointers as JSON text."""
    return json.encode(pointers).decode()
