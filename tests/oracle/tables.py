"""The rows the product is to publish for one recording, table by table, in the columns of its schemas.

Values stand as parsed JSON under the column's name (`value_json`, `spec_json`, ...): spelling is not compared. A
value that is absent is None there and JSON null is `NULL_TEXT`, since a frame cannot tell the two apart otherwise.
"""

from collections.abc import Iterator
from typing import Any

from tests.oracle.javascript import ABSENT, Value, scrubbed
from tests.oracle.lives import MAX_DEPTH, MAX_LIVES, Life, fed, next_write, readers
from tests.oracle.loops import Frame, trajectory, writer_frames
from tests.oracle.reads import steps
from tests.oracle.recording import Commit, Log, Recording, recording_of
from tests.oracle.suspects import spec
from tests.oracle.trace import Trace, frames_seen, trace, value_index
from tests.oracle.values import native_get

Rows = list[dict[str, Any]]

NULL_TEXT = ("null",)
"""JSON null in a value column."""


def tables(document: Value, run_id: str, max_lives: int = MAX_LIVES, max_depth: int = MAX_DEPTH) -> dict[str, Rows]:
    """Every table that is compared, by name. Half surrogate pairs of the document read as U+FFFD, as published."""
    recording = recording_of(scrubbed(document))
    frames = trajectory(recording).frames
    traces = [
        (log, key, trace(log, key, frames_seen(recording, log), max_lives=max_lives, max_depth=max_depth))
        for log in recording.logs
        for key in log.keys
    ]
    rows = {
        "commits": commits(recording),
        "writes": writes(recording),
        "reads": reads(recording),
        "loops": loops(frames),
        "writer_frames": writer_frame_rows(frames),
        "context_sources": context_sources(frames),
        "value_index": value_index_rows(frames),
        "variables": [variable(log, key, life) for log, key, life in traces],
        "moments": [row for log, key, life in traces for row in moments(log, key, life)],
        "ablation_hooks": [row for log, key, life in traces for row in ablation_hooks(log, key, life)],
        "lives": [life_row(log, life) for log, life in lives(recording)],
        "fed_edges": fed_edges(recording),
    }
    return {name: [{"run_id": run_id, **row} for row in body] for name, body in rows.items()}


def commits(recording: Recording) -> Rows:
    """One row a commit."""
    return [
        {
            "scope": log.scope,
            "commit_idx": at,
            "runtime_stage_id": commit.id,
            "stage_id": commit.stage_id,
            "stage_name": commit.stage_name,
            "untracked_sources": commit.untracked_sources,
        }
        for log in recording.logs
        for at, commit in enumerate(log.commits)
    ]


def writes(recording: Recording) -> Rows:
    """One row a key that a commit wrote."""
    return [
        {
            "scope": log.scope,
            "commit_idx": at,
            "key": path,
            "runtime_stage_id": commit.id,
            "position": position,
            "verb": commit.last_row(path).verb,
            "read_keys": commit.last_row(path).read_keys,
            "entries": sum(row.path == path for row in commit.rows),
            "verbs": [row.verb for row in commit.rows if row.path == path],
            **committed(commit, path),
        }
        for log in recording.logs
        for at, commit in enumerate(log.commits)
        for position, path in enumerate(commit.paths)
    ]


def committed(commit: Commit, path: str) -> dict[str, Value]:
    """What the rows of one path read: `overwrite` for set and append, `updates` for every verb but those and delete."""
    verbs = {row.verb for row in commit.rows if row.path == path}
    return {
        "overwrite_json": stored(native_get(commit.overwrite, path)) if verbs & {"set", "append"} else None,
        "update_json": stored(native_get(commit.updates, path)) if verbs - {"set", "append", "delete"} else None,
    }


def reads(recording: Recording) -> Rows:
    """One row a key that a step read, by either reading of the tree."""
    return [
        {
            "scope": log.scope,
            "runtime_stage_id": step,
            "key": key,
            "position": _position(log.last_wins.get(step, []), key),
            "first_position": _position(log.first_wins.get(step, []), key),
        }
        for log in recording.logs
        for step in log.first_wins
        for key in dict.fromkeys([*log.last_wins.get(step, []), *log.first_wins[step]])
    ]


def loops(frames: list[Frame]) -> Rows:
    """One row a loop."""
    return [
        {
            "loop_index": frame.loop_index,
            "scope": frame.log.scope,
            "head_commit_idx": frame.head,
            "llm_call_id": frame.call_id,
            "llm_commit_idx": frame.call_idx,
            "body_ids": frame.body_ids,
            "intermediate_text": None if frame.intermediate_text is None else scrubbed(frame.intermediate_text),
            "incomplete_sources": frame.incomplete_sources or None,
            "untracked_reads_present": bool(frame.incomplete_sources),
        }
        for frame in frames
    ]


def writer_frame_rows(frames: list[Frame]) -> Rows:
    """One row a step that some loop's body holds."""
    return [
        {"runtime_stage_id": step, "frame_idx": at, "loop_index": frames[at].loop_index}
        for step, at in writer_frames(frames).items()
    ]


def context_sources(frames: list[Frame]) -> Rows:
    """One row a key a loop's call drew on; the tool result that stood before the call is last."""
    return [
        {
            "loop_index": frame.loop_index,
            "position": position,
            "key": source.key,
            "writer_id": source.writer_id,
            "writer_commit_idx": None if is_proximate else source.writer_idx,
            "value_json": stored(source.folded.value),
            "proximate": is_proximate,
        }
        for frame in frames
        for position, (source, is_proximate) in enumerate(
            [
                *((source, False) for source in frame.sources),
                *((source, True) for source in [frame.proximate] if source),
            ]
        )
    ]


def value_index_rows(frames: list[Frame]) -> Rows:
    """One row a committed value some loop drew on."""
    return [
        {
            "key": key,
            "writer_id": writer_id,
            "scope": entry.frame.log.scope,
            "value_json": stored(entry.source.folded.value),
            "basis": entry.source.folded.basis,
        }
        for (key, writer_id), entry in value_index(frames).items()
    ]


def variable(log: Log, key: str, life: Trace) -> dict[str, Any]:
    """The row of one variable of one log."""
    kinds = [joined.moment.kind for joined in life.moments]
    return {
        "scope": log.scope,
        "key": key,
        "missing": life.missing,
        "coverage": life.coverage,
        "writes": kinds.count("write"),
        "reads": kinds.count("read"),
        "notes": life.notes,
        "keys_read_kind": "map" if log.tree is None else "execution-tree",
        "steps": steps(log.tree),
        "steps_with_reads": None if log.tree is None else len(log.last_wins),
    }


def moments(log: Log, key: str, life: Trace) -> Rows:
    """One row a moment of one variable."""
    return [
        {
            "scope": log.scope,
            "key": key,
            "position": position,
            "kind": moment.kind,
            "commit_idx": moment.at,
            "runtime_stage_id": log.commits[moment.at].id,
            "stage_id": log.commits[moment.at].stage_id,
            "stage_name": log.commits[moment.at].stage_name,
            "verb": moment.verb,
            "from_write_idx": moment.from_write,
            "loop_index": loop_index,
            "suspect_kind": suspect.kind if suspect else None,
            "suspect_id": suspect.id if suspect else None,
        }
        for position, (moment, loop_index, suspect) in enumerate(life.moments)
    ]


def ablation_hooks(log: Log, key: str, life: Trace) -> Rows:
    """One row a suspect of one variable."""
    return [
        {
            "scope": log.scope,
            "key": key,
            "position": position,
            "writer_id": hook.writer_id,
            "suspect_id": hook.suspect.id,
            "suspect_kind": hook.suspect.kind,
            "spec_json": spec(hook.suspect),
        }
        for position, hook in enumerate(life.hooks)
    ]


def lives(recording: Recording) -> Iterator[tuple[Log, Life]]:
    """Every life of every log; one from before the run only where some step read it."""
    for log in recording.logs:
        for key in log.keys:
            if readers(log, Life(key, None)):
                yield log, Life(key, None)
            yield from ((log, Life(key, at)) for at in log.writes.get(key, []))


def life_row(log: Log, life: Life) -> dict[str, Any]:
    """The row of one life."""
    return {
        "scope": log.scope,
        "key": life.key,
        "commit_idx": life.written,
        "next_commit_idx": next_write(log, life),
        "readers": readers(log, life),
    }


def fed_edges(recording: Recording) -> Rows:
    """One row a life that fed another."""
    return [
        {
            "scope": log.scope,
            "from_key": edge.parent.key,
            "from_commit_idx": edge.parent.written,
            "to_key": edge.child.key,
            "to_commit_idx": edge.child.written,
            "basis": edge.basis,
        }
        for log, life in lives(recording)
        for reader in readers(log, life)
        for edge in fed(log, life, reader)
    ]


def stored(value: Value) -> Value:
    """A value as a value column holds it: None where it is absent, NULL_TEXT where it is JSON null."""
    return NULL_TEXT if value is None else None if value is ABSENT else value


def _position(names: list[str], key: str) -> int | None:
    return names.index(key) if key in names else None
