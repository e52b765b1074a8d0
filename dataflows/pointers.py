"""Pointers: the leaf of a record that a row names as what it rests on.

Rules: assessment and routing, sections 9 and 12.4. A pointer names a leaf, whether or not the leaf exists: of a run
that stopped early it may point to an iteration that was never written down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import duckdb

from afp_nodes.javascript import ABSENT, is_index_name, parse_as_spelled
from dataflows.questions import answer

RUN_OF_EVENT = "#meta/runId"
"""The one path that does not lead into an event's payload: the run that its meta names."""

Pointer = Mapping[str, Any]


class PointedEvent(NamedTuple):
    """An event that a pointer may lead into."""

    type: str | None
    payload: Any
    run_id: str | None


@dataclass(frozen=True)
class Record:
    """What the pointers of one run lead into: its final state, and its events by their positions."""

    state: Any
    events: Mapping[int, PointedEvent] = field(default_factory=dict)

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection, run_id: str, pointers: Sequence[Pointer]) -> "Record":
        """As much of a run's record as these pointers lead into."""
        leads_to_state = any(pointer["kind"] in ("state", "history") for pointer in pointers)
        states = answer(connection, "final_state", run_id=run_id) if leads_to_state else []
        indexes = [pointer["index"] for pointer in pointers if pointer["kind"] == "event"]
        events = answer(connection, "pointed_events", run_id=run_id, indexes=indexes) if indexes else []
        return cls(
            parse_as_spelled(states[0]["state_json"]) if states else ABSENT,
            {
                event["event_idx"]: PointedEvent(
                    event["type"], parse_as_spelled(event["payload_json"] or "{}"), event["event_run_id"]
                )
                for event in events
            },
        )

    def leaf(self, pointer: Pointer) -> Any:
        """The value a pointer names; `ABSENT` where the record holds none.

        Raises:
            ValueError: the pointer is of a kind that no rule knows.
        """
        match pointer["kind"]:
            case "state":
                return at_path(_member(self.state, pointer["key"]), pointer["path"])
            case "history":
                message = _member(_member(self.state, "history"), str(pointer["index"]))
                return at_path(message, pointer["path"])
            case "event":
                return self._in_event(pointer)
            case kind:
                raise ValueError(f"no pointer is of kind {kind!r}")

    def _in_event(self, pointer: Pointer) -> Any:
        event = self.events.get(pointer["index"])
        if event is None or event.type != pointer["type"]:
            return ABSENT
        if pointer["path"] == RUN_OF_EVENT:
            return ABSENT if event.run_id is None else event.run_id
        return at_path(event.payload, pointer["path"])


def at_path(value: Any, path: str) -> Any:
    """What stands in a value at an RFC 6901 path; `ABSENT` where nothing does. The empty path is the value itself.

    Raises:
        ValueError: the text is no such path.
    """
    if path and not path.startswith("/"):
        raise ValueError(f"{path!r} is no path: it does not begin with a slash")
    for segment in path.split("/")[1:]:
        value = _member(value, segment.replace("~1", "/").replace("~0", "~"))
    return value


def _member(value: Any, name: str) -> Any:
    """A member of an object by its name, an entry of a list by its position."""
    if isinstance(value, Mapping):
        return value.get(name, ABSENT)
    if isinstance(value, list) and is_index_name(name) and int(name) < len(value):
        return value[int(name)]
    return ABSENT
