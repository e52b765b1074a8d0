"""Loops: where they begin, which call they hold, what that call drew on (record format, sections 10 and 11)."""

from dataclasses import dataclass
from functools import cmp_to_key
from typing import NamedTuple

from tests.oracle.javascript import ABSENT, TEXT_LIMIT, cut, leading_integer, stringify
from tests.oracle.recording import Log, Recording
from tests.oracle.values import Folded, fold, last_writer

ENGINE = "sf-injection-engine"
CALL = "call-llm"
CALL_MOUNT = "sf-llm-call"
TOOL_RESULT = "lastToolResult"


class Source(NamedTuple):
    """One key a call drew on: who wrote it, the position its value was folded at, the value."""

    key: str
    writer_id: str | None
    writer_idx: int | None
    folded: Folded

    @property
    def text(self) -> str:
        """The value as evidence: texts as they are, the rest as JSON, cut; '' where there is none."""
        value = self.folded.value
        if value is ABSENT:
            return ""
        return cut(value if isinstance(value, str) else stringify(value))


@dataclass(frozen=True)
class Frame:
    """One loop: a stretch of one log."""

    loop_index: int
    log: Log
    head: int
    end: int

    @property
    def is_grouped(self) -> bool:
        """Whether the frame is the log of a mount."""
        return self.log.scope != ""

    @property
    def body_ids(self) -> list[str]:
        """The step of each commit, repeats kept."""
        return [commit.id for commit in self.log.commits[self.head : self.end]]

    @property
    def call_idx(self) -> int | None:
        """Position of the first commit of the model call."""
        positions = range(self.head, self.end)
        return next((at for at in positions if split_stage(self.log.commits[at].stage_id)[1] == CALL), None)

    @property
    def call_id(self) -> str | None:
        """Step of the model call."""
        return None if self.call_idx is None else self.log.commits[self.call_idx].id

    @property
    def incomplete_sources(self) -> list[str]:
        """Untracked inputs of the call's commit."""
        return [] if self.call_idx is None else self.log.commits[self.call_idx].untracked_sources or []

    @property
    def sources(self) -> list[Source]:
        """What the call drew on, in the order of its first-wins reads."""
        if self.call_idx is None:
            return []
        return [self._source(key) for key in self.log.first_wins.get(self.log.commits[self.call_idx].id, [])]

    @property
    def proximate(self) -> Source | None:
        """The tool result that stood before the call, read or not; flat frames only."""
        if self.is_grouped or self.call_idx is None:
            return None
        source = self._source(TOOL_RESULT)
        return None if source.folded.value is ABSENT else source

    @property
    def intermediate_text(self) -> str | None:
        """What the call's step wrote, over all its commits: `path=JSON` a line, cut."""
        if self.call_id is None:
            return None
        paths = dict.fromkeys(path for commit in self.log.commits if commit.id == self.call_id for path in commit.paths)
        at = self.log.last_index[self.call_id]
        return (
            cut("\n".join(f"{path}={stringify(fold(self.log, path, at).value)}" for path in paths), TEXT_LIMIT) or None
        )

    def _source(self, key: str) -> Source:
        """A key with its last writer before the call, folded at the *last* commit of that writer's id."""
        writer = last_writer(self.log, key, self.call_idx)
        if writer is None:
            return Source(key, None, None, Folded(ABSENT, []))
        writer_id = self.log.commits[writer].id
        at = self.log.last_index[writer_id]
        return Source(key, writer_id, at, fold(self.log, key, at))


@dataclass(frozen=True)
class Trajectory:
    """The loops of a run, what came before the first, and whether a limit cut some."""

    prelude: list[str]
    frames: list[Frame]
    truncated: bool = False


def split_stage(stage_id: str) -> tuple[str, str]:
    """A stage id as (prefix, local name), split at its last slash."""
    prefix, _, local = stage_id.rpartition("/")
    return prefix, local


def is_in_engine(stage_id: str) -> bool:
    """Whether a commit belongs to the injection engine, which opens every loop."""
    prefix, local = split_stage(stage_id)
    return local == ENGINE or prefix == ENGINE or prefix.startswith(ENGINE + "/")


def heads(log: Log) -> list[str]:
    """The id of every commit that is in the injection engine while the one before is not."""
    inside = [is_in_engine(commit.stage_id) for commit in log.commits]
    return [log.commits[at].id for at in range(len(inside)) if inside[at] and not (at and inside[at - 1])]


def call_mounts(recording: Recording) -> list[Log]:
    """The mounts that are model calls, by the number after the last `#`; any makes the run a grouped one."""
    mounts = [log for log in recording.mounts if split_stage(log.scope.split("#")[0])[1] == CALL_MOUNT]
    return sorted(mounts, key=cmp_to_key(_by_number))


def _by_number(left: Log, right: Log) -> int:
    a, b = (leading_integer(log.scope.rpartition("#")[2]) for log in (left, right))
    return 0 if a is None or b is None else a - b


def trajectory(recording: Recording, max_frames: int | None = None) -> Trajectory:
    """The loops of a run: cut from its own log (flat), or one a mount (grouped)."""
    mounts = call_mounts(recording)
    whole = _grouped(recording.run, mounts) if mounts else _flat(recording.run)
    if max_frames is None or len(whole.frames) <= max_frames:
        return whole
    return Trajectory(whole.prelude, whole.frames[:max_frames], truncated=True)


def _flat(log: Log) -> Trajectory:
    ids = [commit.id for commit in log.commits]
    opens = sorted({ids.index(head) for head in heads(log)})
    ends = [*opens[1:], len(ids)]
    frames = [Frame(n, log, head, end) for n, (head, end) in enumerate(zip(opens, ends, strict=True))] if opens else []
    return Trajectory(ids[: opens[0]] if opens else ids, frames)


def _grouped(run: Log, mounts: list[Log]) -> Trajectory:
    ids = [commit.id for commit in run.commits]
    first = ids.index(mounts[0].scope) if mounts[0].scope in ids else 0
    return Trajectory(ids[:first], [Frame(n, log, 0, len(log.commits)) for n, log in enumerate(mounts)])


def writer_frames(frames: list[Frame]) -> dict[str, int]:
    """The first frame whose body holds each step."""
    index: dict[str, int] = {}
    for position, frame in enumerate(frames):
        for step in frame.body_ids:
            index.setdefault(step, position)
    return index
