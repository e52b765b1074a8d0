"""Recordings of probe runs: each under the id of its probe, and out of sight until its study lists it.

Rules: product contract, sections 3 (forms of a recording), 6 and 7. A recording that no study lists would count as a
production run. So it lies under an ending that nobody takes in, until its result is synced and its study written.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Raw

from afp_nodes.record import read_recordings
from afp_nodes.record.decoding import compacted
from afp_nodes.record.variants import ENVELOPE_FORMAT
from afp_nodes.refusals import RefusedError
from dataflows.probes.names import file_name
from dataflows.store.parts import sync_folder

FOLDER = "recordings"
HIDDEN = ".part"
"""Ends the name of a recording that no study lists yet."""

GREATEST_BYTES = 512 * 2**20
"""A file larger than this is not read: `afp run` would refuse it."""

_Members = dict[str, Raw]


class RecordingError(Exception):
    """What a runner gave for a recording is none."""


class Recordings:
    """The recordings of one folder of results."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir(exist_ok=True)

    def hide(self, run_id: str, recording: bytes) -> None:
        """Write a recording, synced, where `afp run` does not look."""
        place = self._place(run_id, HIDDEN)
        place.unlink(missing_ok=True)  # it may be a link that somebody laid there
        with place.open("xb") as file:
            file.write(recording)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self._folder)

    def show(self, run_id: str) -> None:
        """Let a recording be seen, if it is hidden."""
        hidden = self._place(run_id, HIDDEN)
        if hidden.exists():
            hidden.replace(self._place(run_id, ""))

    def clear(self, known: set[str]) -> None:
        """Remove hidden recordings whose probes have no result: they will be run again."""
        kept = {self._place(run_id, HIDDEN).name for run_id in known}
        for hidden in self._folder.glob(f"*{HIDDEN}"):
            if hidden.name not in kept:
                hidden.unlink()

    def _place(self, run_id: str, ending: str) -> Path:
        return self._folder / f"{file_name(run_id)}.json{ending}"


def recording_at(path: str) -> bytes:
    """The bytes of the file that a runner names. Raises `RecordingError` where that is no file that can be read."""
    file = Path(path)
    try:
        if not file.is_file():
            raise RecordingError("recording_path names no file")
        if file.stat().st_size > GREATEST_BYTES:
            raise RecordingError(f"the file of recording_path is larger than {GREATEST_BYTES // 2**20} MB")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise RecordingError(f"the file of recording_path cannot be read: {error}") from error


def under_run_id(document: bytes, run_id: str) -> bytes:
    """A recording in an envelope that names that run, all else as it is recorded.

    Raises `RecordingError` where the document is no recording that `afp run` takes in.
    """
    try:
        members = msgspec.json.decode(compacted(document), type=_Members)
        named = _envelope(members, run_id)
        held = [recording.run_id for recording in read_recordings(named)]
    except RefusedError as error:
        raise RecordingError(f"the recording cannot be read: {error.message}") from error
    except (msgspec.ValidationError, RecursionError) as error:
        raise RecordingError(f"the recording is no object that can be read: {error}") from error
    if held != [run_id]:
        raise RecordingError(f"the recording holds {len(held)} runs under ids of their own")
    return named


def _envelope(members: _Members, run_id: str) -> bytes:
    """The members of a document as an envelope of that run."""
    if bytes(members.get("format", b"null")) == b"null":
        body = Raw(msgspec.json.encode(members))
        members = {"format": Raw(msgspec.json.encode(ENVELOPE_FORMAT)), "recording": body}
    run = members.get("run", Raw(b"{}"))
    told = msgspec.json.decode(run, type=_Members) if bytes(run).startswith(b"{") else {}
    named = told | {"runId": Raw(msgspec.json.encode(run_id))}
    return msgspec.json.encode(members | {"run": Raw(msgspec.json.encode(named))}) + b"\n"
