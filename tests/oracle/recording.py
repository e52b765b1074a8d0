"""Documents, logs and trees: the record as typed Python, with what is of a wrong type read as absent."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.oracle.javascript import Value, member_names
from tests.oracle.reads import first_wins_reads, last_wins_reads

FORMAT = "agentfootprint.recording.v1"


@dataclass(frozen=True)
class Row:
    """One trace row: a path that a commit touched, and how; `read_keys` is None when the dial was off."""

    path: str
    verb: str
    read_keys: list[str | None] | None


@dataclass(frozen=True)
class Commit:
    """One bundle of a commit log; its place in the log is its identity, its `id` may be shared."""

    id: str = ""
    stage_id: str = ""
    stage_name: str = ""
    rows: list[Row] = field(default_factory=list)
    overwrite: Value = None
    updates: Value = None
    untracked_sources: list[str | None] | None = None
    redacted_paths: list[str] = field(default_factory=list)

    @cached_property
    def paths(self) -> list[str]:
        """Distinct paths in the order in which the commit first touched them."""
        return list(dict.fromkeys(row.path for row in self.rows))

    def last_row(self, path: str) -> Row:
        """The last row for a path."""
        return next(row for row in reversed(self.rows) if row.path == path)


@dataclass(frozen=True)
class Log:
    """One commit log with the tree that tells its reads: the run's own (`scope` is ''), or that of a mount."""

    commits: list[Commit]
    tree: dict[str, Any] | None
    scope: str = ""

    @cached_property
    def first_wins(self) -> dict[str, list[str]]:
        """Keys a step read, as frames see it."""
        return first_wins_reads(self.tree)

    @cached_property
    def last_wins(self) -> dict[str, list[str]]:
        """Keys a step read, as variables see it."""
        return last_wins_reads(self.tree)

    @cached_property
    def last_index(self) -> dict[str, int]:
        """Position of the last commit of each id."""
        return {commit.id: at for at, commit in enumerate(self.commits)}

    @cached_property
    def writes(self) -> dict[str, list[int]]:
        """Positions that wrote each path, ascending; a commit counts once a path."""
        positions = defaultdict(list)
        for at, commit in enumerate(self.commits):
            for path in commit.paths:
                positions[path].append(at)
        return dict(positions)

    @cached_property
    def reads(self) -> dict[str, list[int]]:
        """Positions that read each key, ascending; a step reads at each of its commits."""
        positions = defaultdict(list)
        for at, commit in enumerate(self.commits):
            for key in self.last_wins.get(commit.id, []):
                positions[key].append(at)
        return dict(positions)

    @property
    def keys(self) -> list[str]:
        """Every key written in the log or read by a step that commits in it."""
        return list(dict.fromkeys([*self.writes, *self.reads]))


@dataclass(frozen=True)
class Recording:
    """One recorded run: its own log and the logs of its mounts, in member order."""

    run: Log
    mounts: list[Log]

    @property
    def logs(self) -> list[Log]:
        """All logs, the run's own first."""
        return [self.run, *self.mounts]


def recording_of(document: Value) -> Recording:
    """The recording a document holds: an envelope, a bare recording, or a snapshot alone."""
    own, *mounts = logs_of(snapshot_of(record_of(document)))
    return Recording(run=own, mounts=mounts)


def record_of(document: Value) -> dict[str, Any]:
    """What a document holds: the recording of an envelope, else the document itself."""
    record = _object(document)
    return _object(record.get("recording")) if record.get("format") == FORMAT else record


def snapshot_of(record: dict[str, Any]) -> dict[str, Any]:
    """The snapshot of a recording, which may be one itself."""
    return _object(record.get("snapshot")) if {"snapshot", "events", "checkpoint"} & record.keys() else record


def logs_of(snapshot: dict[str, Any]) -> list[Log]:
    """The run's own log, then that of each mount that has a number, in member order."""
    mounts = _object(snapshot.get("subflowResults"))
    own = Log(_commits(snapshot.get("commitLog")), _tree(snapshot.get("executionTree")))
    return [own, *(_mount(name, mounts[name]) for name in member_names(mounts) if "#" in name)]


def _mount(name: str, result: Value) -> Log:
    context = _object(_object(result).get("treeContext"))
    return Log(_commits(context.get("history")), _tree(context.get("stageContexts")), scope=name)


def _tree(value: Value) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _commits(value: Value) -> list[Commit]:
    return [_commit(_object(entry)) for entry in _list(value)]


def _commit(entry: dict[str, Any]) -> Commit:
    return Commit(
        id=_text(entry.get("runtimeStageId")),
        stage_id=_text(entry.get("stageId")),
        stage_name=_text(entry.get("stage")),
        rows=[
            _row(row) for row in _list(entry.get("trace")) if isinstance(row, dict) and isinstance(row.get("path"), str)
        ],
        overwrite=entry.get("overwrite"),
        updates=entry.get("updates"),
        untracked_sources=_texts(entry.get("untrackedSources")),
        redacted_paths=[path for path in _list(entry.get("redactedPaths")) if isinstance(path, str)],
    )


def _row(row: dict[str, Any]) -> Row:
    return Row(row["path"], _text(row.get("verb")), _texts(row.get("readKeys")))


def _object(value: Value) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Value) -> Sequence[Value]:
    return value if isinstance(value, list) else []


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Value) -> list[str | None] | None:
    """The texts of a list; an entry that is no text keeps its place as None."""
    return [entry if isinstance(entry, str) else None for entry in value] if isinstance(value, list) else None
