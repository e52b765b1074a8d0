"""Members of a row: read where they are of the type the rule asks for, absent where not.

Rules: assessment and routing, sections 0 and 17.
"""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""An entry of a recorded list that is an object."""

MOST_ENTRIES = 1_000
"""Entries that are read off one list of a row. Rule: assessment and routing, section 17."""


def text_of(row: Row, member: str) -> str | None:
    """The member where it is a text, the empty one included."""
    value = row.get(member)
    return value if isinstance(value, str) else None


def name_of(row: Row, member: str) -> str | None:
    """The member where it is a text that can name something: not the empty one."""
    return text_of(row, member) or None


def entries(value: Any) -> list[Any]:
    """The entries of a list; what is no list has none."""
    return value if isinstance(value, list) else []


def read_entries(value: Any) -> list[Any]:
    """The entries that are read off a list of a row: the first thousand."""
    return entries(value)[:MOST_ENTRIES]


def is_filled(value: Any) -> bool:
    """A list with at least one entry, whatever the entry is."""
    return bool(entries(value))


def names_some(value: Any, calls: frozenset[str]) -> bool:
    """Whether an entry that is read off a list names one of the calls."""
    return any(isinstance(entry, dict) and text_of(entry, "toolCallId") in calls for entry in read_entries(value))
