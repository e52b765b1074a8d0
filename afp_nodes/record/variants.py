"""Which of the accepted shapes a document has, and where in it the run lies.

Rule: product contract, section 3. An envelope; a recording without one (`snapshot`, `events`, or both); a snapshot
alone (`commitLog` or `sharedState`); the `checkpoint` of a paused run. An envelope's `recording` may be any of the
others.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from afp_nodes.record.shapes import NOTHING, Document, Event, Recording, Snapshot
from afp_nodes.record.tolerant import TolerantReader
from afp_nodes.refusals import RefusedError
from afp_nodes.words import QuarantineCode, SourceFormat

ENVELOPE_FORMAT = "agentfootprint.recording.v1"

TRIED = (
    f"tried: an envelope (`format` is `{ENVELOPE_FORMAT}`), a recording (`snapshot` or `events`), "
    "a snapshot (`commitLog` or `sharedState`), a `checkpoint`, a study (`study_id` and `runs`)"
)

_KINDS = {b"[": "a list", b'"': "a text", b"n": "null", b"t": "true", b"f": "false", b"{": "an object"}


@dataclass(frozen=True, slots=True)
class Content:
    """What a document holds of a run, whatever its shape; `redaction_marker` is empty unless a policy was in force."""

    source_format: SourceFormat
    snapshot: Snapshot
    events: list[Event] | None
    checkpoint_state: Raw
    redaction_marker: Raw = field(default_factory=Raw)


def content_of(document: Document) -> Content:
    """The run in a document.

    Raises `RefusedError`: `wrong-format`, `empty-recording` or `unknown-shape`.
    """
    if document.format is None:
        content = _content(document)
        if content is None:
            raise RefusedError(
                QuarantineCode.UNKNOWN_SHAPE, f"the document has none of the shapes that are read; {TRIED}", _REMEDY
            )
        return content
    if document.format != ENVELOPE_FORMAT:
        raise RefusedError(
            QuarantineCode.WRONG_FORMAT,
            f"the document's format is {document.format[:80]!r}; only {ENVELOPE_FORMAT!r} is read",
            "record with a library that writes this format, or export the recording without its envelope",
        )
    content = _content(document.recording) if document.recording else None
    if content is None:
        raise RefusedError(
            QuarantineCode.EMPTY_RECORDING,
            "the envelope's `recording` holds nothing: neither `snapshot`, `events`, a log, a state nor a checkpoint",
            "save the recording after the run has started, then run again",
        )
    return Content(SourceFormat.ENVELOPE, content.snapshot, content.events, content.checkpoint_state)


def tolerant_document(text: bytes) -> tuple[Document, int]:
    """A document that holds a value of a wrong type, and how many such values it holds.

    Only members that the document's shape gives a meaning are looked at. Raises `RefusedError`: `unknown-shape`
    where the document is no object, `wrong-type` where a recording's own members are of a wrong type.
    """
    raw = msgspec.json.decode(text, type=Raw)
    if _kind(raw) != "an object":
        raise RefusedError(
            QuarantineCode.UNKNOWN_SHAPE, f"the document is {_kind(raw)}, not an object; {TRIED}", _REMEDY
        )
    members = msgspec.json.decode(raw, type=dict[str, Raw])
    reader = TolerantReader()
    document = reader.shape_of(_picked(members, "format", "study_id", "runs"), Document)
    if document.format is None:
        told = document.study_id, document.runs
        document = reader.shape_of(_body_members(members), Document)
        document.study_id, document.runs = told
    elif document.format == ENVELOPE_FORMAT:
        document = reader.shape_of(_picked(members, "format", "producer", "run", "configuration"), Document)
        document.recording = _tolerant_recording(members.get("recording", NOTHING), reader)
    return document, reader.odd


_REMEDY = "leave this file out of the inbox, or record the run again"


def _content(body: Recording) -> Content | None:
    """The run in a document or in an envelope's `recording`; None where there is none."""
    state = body.checkpoint.shared_state if body.checkpoint else NOTHING
    if body.snapshot is not UNSET or body.events is not UNSET:
        events = None if body.events is UNSET else body.events
        return Content(SourceFormat.BARE, body.snapshot or Snapshot(), events, state)
    if body.commit_log is not UNSET or body.shared_state is not UNSET:
        return Content(SourceFormat.SNAPSHOT, body, None, state)
    return Content(SourceFormat.CHECKPOINT, Snapshot(), None, state) if body.checkpoint else None


def _tolerant_recording(raw: Raw, reader: TolerantReader) -> Recording | None:
    if not raw or _kind(raw) == "null":
        return None
    _require("recording", raw, "an object")
    return reader.shape_of(_body_members(msgspec.json.decode(raw, type=dict[str, Raw])), Recording)


def _body_members(members: dict[str, Raw]) -> dict[str, Raw]:
    """The members that mean something in the shape these members make."""
    if "snapshot" in members or "events" in members:
        _require("snapshot", members.get("snapshot", NOTHING), "an object")
        _require("events", members.get("events", NOTHING), "a list")
        return _picked(members, "snapshot", "events", "checkpoint")
    if "commitLog" in members or "sharedState" in members:
        return _picked(members, "checkpoint", *(field.encode_name for field in msgspec.structs.fields(Snapshot)))
    return _picked(members, "checkpoint")


def _picked(members: dict[str, Raw], *names: str) -> dict[str, Any]:
    return {name: members[name] for name in names if name in members}


def _require(name: str, raw: Raw, kind: str) -> None:
    """Refuse a member that is there and neither null nor of the wanted kind."""
    if raw and _kind(raw) not in (kind, "null"):
        raise RefusedError(
            QuarantineCode.WRONG_TYPE,
            f"`{name}` is {_kind(raw)}; it must be {kind} or null",
            "record the run again with the library's own sink",
        )


def _kind(raw: Raw) -> str:
    """What kind of value a text without white space around it is, in words."""
    return _KINDS.get(msgspec.json.encode(raw)[:1], "a number")
