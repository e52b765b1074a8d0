"""Sources: which calls a reason rests on, and how many more the record cannot name.

Rule: assessment and routing, section 10. What names no call is counted, never dropped and never guessed.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from afp_nodes.assessment.members import MOST_ENTRIES, Row, entries, name_of, read_entries
from afp_nodes.assessment.pointers import HistoryPointer, Pointer, StatePointer
from afp_nodes.assessment.state import State
from afp_nodes.assessment.turn import TurnResult
from afp_nodes.javascript import is_index_name
from afp_nodes.words import Reason, SourceKind


class Call(NamedTuple):
    """A call, and the tool it ran."""

    tool_call_id: str
    tool_name: str


class Source(NamedTuple):
    """What a reason rests on; `unnamed` counts what names no call, or a call of no known tool."""

    kind: str
    calls: tuple[Call, ...] = ()
    unnamed: int = 0


class Reference(NamedTuple):
    """One mention of a call; without an id it is anonymous, and may stand for several."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    mentions: int = 1


ANONYMOUS = Reference()
"""A mention of a call that nothing names."""


def reason_source(
    reason: str, kind: str, witness: Sequence[Pointer], state: State, results: Sequence[TurnResult]
) -> Source:
    """What a reason of some kind rests on, by the places that bear witness to it.

    A call stands once, under the first name it is met with. A call first met without a name takes the one the run
    knows, and stays nameless where the run knows none.
    """
    if kind != SourceKind.CALLS:
        return Source(kind)
    references = [r for pointer in witness for r in _references(reason, pointer, state, results)]
    met: dict[str, str | None] = {}
    for reference in references:
        if reference.tool_call_id is not None:
            met.setdefault(reference.tool_call_id, reference.tool_name)
    known = tool_names(state) if None in met.values() else {}
    named = {call: name or known.get(call) for call, name in met.items()}
    calls = tuple(Call(call, name) for call, name in named.items() if name is not None)
    anonymous = sum(reference.mentions for reference in references if reference.tool_call_id is None)
    return Source(kind, calls, anonymous + len(named) - len(calls))


def tool_names(state: State) -> dict[str, str]:
    """The tool of each call, as the whole history names it: any result before every request, the last result first."""
    requested: dict[str, str] = {}
    returned: dict[str, str] = {}
    for message in entries(state.get("history")):
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            _add_name(returned, message, "toolCallId", "toolName")
        for call in read_entries(message.get("toolCalls")):
            if isinstance(call, dict) and name_of(call, "id") not in requested:
                _add_name(requested, call, "id", "name")
    return requested | returned


def _add_name(names: dict[str, str], row: Row, id_member: str, name_member: str) -> None:
    call, name = name_of(row, id_member), name_of(row, name_member)
    if call is not None and name is not None:
        names[call] = name


def _references(reason: str, pointer: Pointer, state: State, results: Sequence[TurnResult]) -> Sequence[Reference]:
    """The calls one place names; an anonymous one where it names none."""
    if isinstance(pointer, HistoryPointer):
        found = _of_result(pointer, state)
    elif pointer.key == "answerValidation":
        found = _of_check(_check_at(pointer, state), results)
    else:
        found = _of_row(reason, _at(state.get(pointer.key), pointer.path, 1))
    return list(found) or [ANONYMOUS]


def _of_result(pointer: HistoryPointer, state: State) -> Iterator[Reference]:
    """The call of a result in the history."""
    history = entries(state.get("history"))
    message = history[pointer.index] if 0 <= pointer.index < len(history) else None
    name = name_of(message, "toolName") if isinstance(message, dict) else None
    if pointer.tool_call_id is not None or name is not None:
        yield Reference(pointer.tool_call_id, name)


def _of_row(reason: str, row: Any) -> Iterator[Reference]:
    """The calls that a row names: by its kind, whatever the reason."""
    if not isinstance(row, dict):
        return
    kind = row.get("kind")
    if kind == "conflict":
        yield from _of_list(row.get("witnesses"))
    elif kind == "contingent":
        yield from _of_list(row.get("carriers"))
    else:
        set_aside = kind == "argument" and reason == Reason.VALUE_CONTINGENT
        call = name_of(row, "result" if set_aside else "toolCallId")
        name = None if set_aside else name_of(row, "toolName")
        if call is not None or name is not None:
            yield Reference(call, name)


def _of_list(value: Any) -> Iterator[Reference]:
    """One mention an entry, whether it names a call or not, also of those that are not read."""
    for entry in read_entries(value):
        yield Reference(name_of(entry, "toolCallId")) if isinstance(entry, dict) else ANONYMOUS
    yield from _unread(value)


def _of_check(check: Any, results: Sequence[TurnResult]) -> Iterator[Reference]:
    """Every call of this turn of each tool that a check of the answer names."""
    tools = check.get("tools") if isinstance(check, dict) else None
    read = read_entries(tools)
    names = [tool for tool in read if isinstance(tool, str) and tool]
    for name in dict.fromkeys(names):
        ran = [Reference(result.tool_call_id, name) for result in results if result.tool_name == name]
        yield from ran or [Reference(None, name)]
    yield from [ANONYMOUS] * (len(read) - len(names))
    yield from _unread(tools)


def _unread(value: Any) -> Iterator[Reference]:
    """The entries of a list that are beyond those that are read, as one mention."""
    beyond = len(entries(value)) - MOST_ENTRIES
    if beyond > 0:
        yield Reference(mentions=beyond)


def _check_at(pointer: StatePointer, state: State) -> Any:
    """The check of the application's report that a path such as `/checks/0/id` points into."""
    report = state.get(pointer.key)
    if not isinstance(report, dict) or not pointer.path.startswith("/checks/"):
        return None
    return _at(report.get("checks"), pointer.path, 2)


def _at(value: Any, path: str, segment: int) -> Any:
    """The entry of a list that a segment of a path points to; None where there is none."""
    parts, rows = path.split("/"), entries(value)
    position = parts[segment] if segment < len(parts) else ""
    return rows[int(position)] if is_index_name(position) and int(position) < len(rows) else None
