"""One variable: its life joined to the loops of the run and to the sources its values name (section 16)."""

from collections.abc import Mapping
from typing import NamedTuple

from tests.oracle.javascript import ABSENT
from tests.oracle.lives import MAX_DEPTH, MAX_LIVES, Moment, Slice, coverage, forward, timeline
from tests.oracle.loops import Frame, Source, trajectory, writer_frames
from tests.oracle.recording import Log, Recording
from tests.oracle.suspects import Seed, classify, named


class Indexed(NamedTuple):
    """A value some loop's call drew on, with the frame that decided."""

    frame: Frame
    source: Source


ValueIndex = Mapping[tuple[str, str], Indexed]
"""Values by (key, writer id)."""


class Joined(NamedTuple):
    """A moment with the loop it lies in and the first suspect it introduced."""

    moment: Moment
    loop_index: int | None
    suspect: Seed | None


class Hook(NamedTuple):
    """A suspect that a step introduced."""

    writer_id: str
    suspect: Seed


class Trace(NamedTuple):
    """Everything the record says about one variable."""

    moments: list[Joined]
    hooks: list[Hook]
    notes: list[str]
    missing: str | None
    coverage: str
    slice: Slice


def value_index(frames: list[Frame]) -> dict[tuple[str, str], Indexed]:
    """Values by key and writer, first frame first; a frame's own reads before the tool result that stood before it."""
    index: dict[tuple[str, str], Indexed] = {}
    for frame in frames:
        for source in [*frame.sources, *filter(None, [frame.proximate])]:
            if source.writer_id is not None:
                index.setdefault((source.key, source.writer_id), Indexed(frame, source))
    return index


def frames_seen(recording: Recording, log: Log) -> list[Frame]:
    """The frames a log's moments are joined to, by step id: a mount's own if it is one, none for other mounts.

    The run's own log is joined to all of them. In a grouped run these are frames of mounts, whose ids the run's log
    does not hold as a rule; an id that both hold is joined, as the reference does.
    """
    frames = trajectory(recording).frames
    return frames if log is recording.run else [frame for frame in frames if frame.log is log]


def trace(
    log: Log,
    key: str,
    frames: list[Frame],
    before: int | None = None,
    max_lives: int = MAX_LIVES,
    max_depth: int = MAX_DEPTH,
) -> Trace:
    """The life of a key in a log. The bound cuts moments and picks the life asked about, never the loops."""
    life, found = timeline(log, key, before), forward(log, key, before, max_lives, max_depth)
    loops, values = writer_frames(frames), value_index(frames)
    moments, hooks = [], {}
    for moment in life.moments:
        step = log.commits[moment.at].id
        suspects = _suspects(values, key, step) if moment.kind == "write" else []
        for suspect in suspects:
            hooks.setdefault((step, suspect.id), Hook(step, suspect))
        loop_index = frames[loops[step]].loop_index if step in loops else None
        moments.append(Joined(moment, loop_index, suspects[0] if suspects else None))
    notes = list(dict.fromkeys([*life.notes, *found.notes]))
    return Trace(moments, [*hooks.values()], notes, life.missing, coverage(found), found)


def _suspects(values: ValueIndex, key: str, step: str) -> list[Seed]:
    entry = values.get((key, step))
    if entry is None or entry.source.folded.value is ABSENT:
        return []
    return named(classify([key], {key: entry.source.folded.value}))
