"""Documents: from the bytes of one document to the runs it holds, each under its identity.

Rule: product contract, section 3.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from msgspec import UNSET, Raw

from afp_nodes.record.decoding import Decoded, decoded
from afp_nodes.record.inputs import ReadInput, named_kind, read_input
from afp_nodes.record.nesting import Pieces
from afp_nodes.record.own_events import own_run, run_ids
from afp_nodes.record.redaction import redaction_marker, with_kept_out_payloads
from afp_nodes.record.shapes import NOTHING, Configuration, Event, Producer, RunHeader, Snapshot
from afp_nodes.record.variants import Content, content_of
from afp_nodes.refusals import RefusedError
from afp_nodes.words import InputKind, QuarantineCode, SourceFormat


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How documents are read. `split_runs` makes a run of each run id in a document that names several."""

    split_runs: bool = False


@dataclass(frozen=True, slots=True)
class RecordedEvents:
    """The events of one run: those of its document, or its part of them.

    `indexes` are their positions in the document; `own_run` is the id that the run's own events carry, None = not
    recorded; `goes_on` says that the document's events go on with another run after the last one.
    """

    events: list[Event]
    indexes: Iterable[int]
    own_run: str | None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class ReadRecording:
    """One recorded run, decoded: who it is, what decides between its versions, and all that it holds.

    `commits` counts its own log; `events` counts its events, None = they are missing. `header` is None without an
    envelope. `redaction_marker` is empty unless the record was served under a redaction policy.
    """

    run_id: str
    source_format: SourceFormat
    complete: bool | None
    commits: int
    events: int | None
    snapshot: Snapshot = field(repr=False)
    checkpoint_state: Raw = field(repr=False)
    recorded: RecordedEvents | None = field(repr=False)
    header: RunHeader = field(repr=False)
    producer: Producer = field(repr=False)
    configuration: Configuration = field(repr=False)
    pieces: Pieces = field(repr=False)
    redaction_marker: Raw = field(repr=False)
    odd_values: int = 0
    replaced_characters: int = 0


def read_document(
    data: bytes, source_uri: str, options: ReadOptions | None = None
) -> ReadRecording | list[ReadRecording] | ReadInput:
    """What one document holds: a run, several runs (with `split_runs`), or another input.

    `source_uri` says where it lies; its last name tells studies, unit lists and declarations. Raises `RefusedError`
    for a document that cannot be taken in.
    """
    kind = named_kind(source_uri)
    if kind is not None:
        return read_input(data, kind)
    read = decoded(data)
    if read.document.study_id is not UNSET and read.document.runs is not UNSET:
        return read_input(data, InputKind.STUDY)
    recordings = _recordings(read, data, options or ReadOptions())
    return recordings if len(recordings) > 1 else recordings[0]


def read_recordings(data: bytes, options: ReadOptions | None = None) -> list[ReadRecording]:
    """The runs that one document holds. Raises `RefusedError` where it cannot be read as a recording."""
    return _recordings(decoded(data), data, options or ReadOptions())


def _recordings(read: Decoded, data: bytes, options: ReadOptions) -> list[ReadRecording]:
    content = _as_served(content_of(read.document))
    header = (read.document.run if content.source_format == SourceFormat.ENVELOPE else None) or RunHeader()
    if header.run_id:
        return [_recording(header.run_id, content, header, read, _all_events(content.events))]
    named = run_ids(content.events or [])
    if len(named) < 2:
        run_id = (named or [content.snapshot.run_id or f"sha256:{hashlib.sha256(data).hexdigest()[:16]}"])[0]
        return [_recording(run_id, content, header, read, _all_events(content.events))]
    if not options.split_runs:
        raise RefusedError(
            QuarantineCode.SEVERAL_RUNS,
            f"the events name {len(named)} runs: {', '.join(_shown(run_id) for run_id in named[:5])}",
            "record each run apart, or run again with --split-runs to make a run of each",
        )
    return _split(named, content, header, read)


def _split(named: list[str], content: Content, header: RunHeader, read: Decoded) -> list[ReadRecording]:
    """A run for each id that the events name.

    An event that names no run goes with the event before it, the first ones with the first run. The snapshot was
    taken when the recording was saved, so it is the last run's, and the earlier ones have none.
    """
    owners: list[str] = []
    for event in content.events or []:
        named_run = event.meta.run_id if event.meta and event.meta.run_id in named else None
        owners.append(named_run or (owners[-1] if owners else named[0]))
    last = owners[-1]
    recordings = []
    for run_id in named:
        indexes = [index for index, owner in enumerate(owners) if owner == run_id]
        events = [(content.events or [])[index] for index in indexes]
        recorded = RecordedEvents(events, indexes, run_id, goes_on=run_id != last)
        part = content if run_id == last else replace(content, snapshot=Snapshot(), checkpoint_state=NOTHING)
        recordings.append(_recording(run_id, part, header, read, recorded))
    return recordings


def _as_served(content: Content) -> Content:
    """The content, with the events as they read where the record was served under a redaction policy."""
    marker = redaction_marker(content.snapshot.recorders or [])
    events = content.events and with_kept_out_payloads(content.events) if marker else content.events
    return replace(content, events=events, redaction_marker=marker)


def _all_events(events: list[Event] | None) -> RecordedEvents | None:
    return None if events is None else RecordedEvents(events, range(len(events)), own_run(events))


def _recording(
    run_id: str, content: Content, header: RunHeader, read: Decoded, recorded: RecordedEvents | None
) -> ReadRecording:
    enveloped = content.source_format == SourceFormat.ENVELOPE
    return ReadRecording(
        run_id=run_id,
        source_format=content.source_format,
        complete=header.complete,
        commits=len(content.snapshot.commit_log or []),
        events=None if recorded is None else len(recorded.events),
        snapshot=content.snapshot,
        checkpoint_state=content.checkpoint_state,
        recorded=recorded,
        header=header,
        producer=(read.document.producer if enveloped else None) or Producer(),
        configuration=(read.document.configuration if enveloped else None) or Configuration(),
        pieces=read.pieces,
        redaction_marker=content.redaction_marker,
        odd_values=read.odd_values,
        replaced_characters=read.replaced_characters,
    )


def _shown(run_id: str) -> str:
    """An id as a message shows it: printable, and short."""
    return re.sub(r"[^\x20-\x7e]", "?", run_id[:60])
