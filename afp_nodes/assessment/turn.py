"""The turn an answer belongs to: its number, and the tool results after the last message of a person.

Rules: assessment and routing, sections 2 and 6.
"""

from typing import Any, NamedTuple

from afp_nodes.assessment.emptiness import parsed
from afp_nodes.assessment.members import Row, entries, text_of
from afp_nodes.assessment.person import said_by_person
from afp_nodes.assessment.pointers import HistoryPointer, result_pointer
from afp_nodes.assessment.state import State
from afp_nodes.javascript import as_double, cut_utf16, utf16_length
from afp_nodes.words import TurnFrom


class TurnResult(NamedTuple):
    """A tool result of this turn; its id and name may be the empty text."""

    position: int
    tool_call_id: str | None
    tool_name: str | None
    data: Any
    """What the tool itself returned, parsed where it is JSON text."""

    @property
    def pointer(self) -> HistoryPointer:
        """Where it stands."""
        return result_pointer(self.position, self.tool_call_id)


def turn_number(state: State) -> float | None:
    """The number of the turn; None where none is recorded, and then rows of any turn are read."""
    return as_double(state.get("turnNumber"))


def is_of_turn(row: Row, turn: float | None) -> bool:
    """Whether a row is stamped with the turn."""
    return turn is None or as_double(row.get("turn")) == turn


def turn_results(state: State) -> tuple[list[TurnResult], TurnFrom]:
    """The tool results of the turn in order, and where it begins."""
    history = entries(state.get("history"))
    said = next((at for at in range(len(history) - 1, -1, -1) if said_by_person(history[at])), None)
    start, since = (0, TurnFrom.WHOLE_HISTORY) if said is None else (said + 1, TurnFrom.PERSON)
    results = [
        TurnResult(position, text_of(message, "toolCallId"), text_of(message, "toolName"), parsed(_own_bytes(message)))
        for position, message in enumerate(history[start:], start)
        if isinstance(message, dict) and message.get("role") == "tool"
    ]
    return results, since


def _own_bytes(message: Row) -> Any:
    """The content without what the library added: cut at `toolChars` where that is a length within it."""
    content, length = message.get("content"), as_double(message.get("toolChars"))
    if not isinstance(content, str) or length is None or not length.is_integer():
        return content
    return cut_utf16(content, int(length)) if 0 <= length <= utf16_length(content) else content
