"""Answers: what a runner's line says of a probe. Rule: product contract, section 7."""

from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Raw, Struct

from afp_nodes.javascript import is_truthy, stringify
from afp_nodes.record.decoding import compacted
from afp_nodes.refusals import RefusedError
from dataflows.printable import glimpse
from dataflows.probes.recordings import RecordingError, recording_at, under_run_id
from dataflows.probes.results import Cost

SHOWN = 300
"""Of what a runner wrote, so many characters stand in a reason."""


class NoAnswerError(Exception):
    """A line is no answer; `in_turn` says that the runner can be asked the next probe all the same."""

    def __init__(self, reason: str, *, in_turn: bool, recording: bytes | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.in_turn = in_turn
        self.recording = recording


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a probe: its output, and its recording under the id of the probe."""

    output: str
    cost: Cost | None
    recording: bytes | None


class _Line(Struct):
    run_id: str | None = None
    output: str | None = None
    cost: Cost | None = None
    recording: Raw = Raw(b"null")
    recording_path: str | None = None
    error: Any = None


def answer_in(line: bytes, run_id: str) -> Answer:
    """The answer to the probe of that run id. Raises `NoAnswerError` where the line is none."""
    told = _told(line)
    if told.run_id not in (None, run_id):
        raise NoAnswerError(f"the runner answered another probe: {glimpse(told.run_id or '', SHOWN)}", in_turn=False)
    failed = is_truthy(told.error)
    try:
        recording = _recording(told, run_id)
    except RecordingError as error:
        if not failed:
            raise NoAnswerError(glimpse(str(error), SHOWN), in_turn=True) from error
        recording = None
    if failed:
        said = told.error if isinstance(told.error, str) else stringify(told.error)
        raise NoAnswerError(f"the runner says: {glimpse(said, SHOWN)}", in_turn=True, recording=recording)
    if told.output is None:
        raise NoAnswerError("the answer has neither output nor error", in_turn=True)
    return Answer(told.output, told.cost, recording)


def _told(line: bytes) -> _Line:
    try:
        return msgspec.json.decode(compacted(line), type=_Line)
    except RefusedError as error:
        wrote = glimpse(line[: 4 * SHOWN].decode(errors="replace"), SHOWN // 2)
        raise NoAnswerError(f"the runner wrote what is no JSON ({error.message}): {wrote}", in_turn=False) from error
    except (msgspec.ValidationError, RecursionError) as error:
        raise NoAnswerError(f"the runner wrote what is no answer: {error}", in_turn=False) from error


def _recording(told: _Line, run_id: str) -> bytes | None:
    if bytes(told.recording) != b"null":
        return under_run_id(bytes(told.recording), run_id)
    return None if told.recording_path is None else under_run_id(recording_at(told.recording_path), run_id)
