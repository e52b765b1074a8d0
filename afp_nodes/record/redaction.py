"""Redaction: whether a record was served under a redaction policy, and the payloads that such a record keeps out.

Rule: assessment and routing, sections 1.1 and 12.1. Only where the snapshot holds the marker is a placeholder no value.
"""

from collections.abc import Iterable, Sequence

from msgspec import Raw, json, structs

from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import NOTHING, Event, Recorder
from afp_nodes.signs import PLACEHOLDERS_JSON

MARKER = "agentfootprint.redaction"
EMPTY = Raw(b"{}")


def redaction_marker(recorders: Iterable[Raw]) -> Raw:
    """The row of the recorders that says the record was served under a redaction policy."""
    named = (raw for raw in recorders if MARKER.encode() in json.encode(raw))
    return next((raw for raw in named if Payloads().of(raw, Recorder).id == MARKER), NOTHING)


def with_kept_out_payloads(events: Sequence[Event]) -> list[Event]:
    """The events of a redacted record: a payload that is a placeholder reads as `{}`, and the event still counts."""
    return [structs.replace(event, payload=EMPTY) if _is_placeholder(event.payload) else event for event in events]


def _is_placeholder(raw: Raw) -> bool:
    return json.encode(raw).decode() in PLACEHOLDERS_JSON
