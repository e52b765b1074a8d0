"""Shredding: from decoded runs to the facts of a chunk, as frames."""

import re
from collections.abc import Iterable, Iterator
from itertools import compress, repeat
from typing import Any

import polars as pl
from msgspec import UNSET, Raw

from afp_nodes.javascript import in_member_order
from afp_nodes.record.calls import ToolCall, tool_calls
from afp_nodes.record.columns import Columns, Pool
from afp_nodes.record.document import Events as RecordedEvents
from afp_nodes.record.document import ReadRecording
from afp_nodes.record.own_events import is_read, own_flags
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.person import said_by_person
from afp_nodes.record.run_facts import (
    TOKEN,
    event_facts,
    header_facts,
    manifest_facts,
    redaction_facts,
    turn_facts,
)
from afp_nodes.record.shapes import (
    NOTHING,
    Commit,
    Event,
    Message,
    Node,
    Recorder,
    SharedState,
    TraceRow,
    TreeContext,
    is_object,
)
from afp_nodes.record.trees import TreeReads, tree_reads
from afp_nodes.record.values import Values
from afp_nodes.schemas import (
    Commits,
    Events,
    Frame,
    Messages,
    Reads,
    RunRecords,
    Scopes,
    States,
    ToolCalls,
    Writes,
)
from afp_nodes.words import StateKind

REDACTION_MARKER = b"agentfootprint.redaction"
CALL_MOUNT = re.compile(r"(?:[^#]*/)?sf-llm-call#")
MOUNT_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")
GREATEST = 2**63 - 1
ROW_BYTES = 40
"""Bytes a row takes beside its text, roughly."""

SCHEMAS: dict[str, type[Frame]] = {
    "run_records": RunRecords,
    "states": States,
    "scopes": Scopes,
    "commits": Commits,
    "writes": Writes,
    "reads": Reads,
    "events": Events,
    "messages": Messages,
    "tool_calls": ToolCalls,
}


class FactCollector:
    """Collects the facts of the runs of one chunk; holds no document once its run was added.

    `keep_tokens` keeps token events as rows; they are counted either way.
    """

    def __init__(self, keep_tokens: bool = False) -> None:
        self._keep_tokens = keep_tokens
        self._texts = Pool(pl.String())
        self._lists = Pool(pl.List(pl.String()))
        self._pools: dict[pl.DataType, Pool] = {pl.String(): self._texts, pl.List(pl.String()): self._lists}
        self._columns = {name: Columns(schema, self._pools) for name, schema in SCHEMAS.items()}

    @property
    def runs(self) -> int:
        """Runs added so far."""
        return len(self._columns["run_records"])

    @property
    def size_bytes(self) -> int:
        """Roughly the bytes that the frames will take."""
        rows = sum(map(len, self._columns.values()))
        return self._texts.size + self._lists.size + rows * ROW_BYTES

    def add(self, recording: ReadRecording, sha256: str, size_bytes: int) -> None:  # noqa: ARG002 - part of the seam
        """Add the facts of one run; `sha256` is of its document."""
        _Shredder(recording, self._columns, self._keep_tokens).shred(sha256)

    def frames(self) -> dict[str, pl.DataFrame]:
        """One frame a fact, by name, in the order and the stored dtypes of its schema."""
        distinct = {dtype: pool.series() for dtype, pool in self._pools.items()}
        return {name: columns.frame(distinct) for name, columns in self._columns.items()}


class _Shredder:
    """Turns one recording into rows."""

    def __init__(self, recording: ReadRecording, columns: dict[str, Columns], keep_tokens: bool) -> None:
        self._recording = recording
        self._run_id = recording.run_id
        self._columns = columns
        self._keep_tokens = keep_tokens
        self._values = Values(recording.pieces)
        self._payloads = Payloads()
        self._odd = recording.odd_values
        self._marker = _redaction_marker(recording.snapshot.recorders or [])

    def shred(self, sha256: str) -> None:
        """Add all rows of the run; its own row comes last, when all that is odd was met."""
        snapshot = self._recording.snapshot
        shared, initial = self._state(), self._object(snapshot.initial_state)
        logs = list(self._logs())
        for commits, tree, place in logs:
            self._add_scope(tree, **place)
            self._add_commits(commits, place["scope"])
        state = self._payloads.of(shared, SharedState)
        self._add_states(shared, initial)
        self._add_messages(state.history or [])
        own = self._add_events(self._recording.recorded)
        self._add_calls(tool_calls(own, self._payloads))
        own_events = [event for _, event in own]
        events = self._recording.recorded.events if self._recording.recorded else []
        is_redacted = bool(self._marker)
        facts = {
            **header_facts(self._recording, own_events),
            **manifest_facts(self._recording, own_events, self._payloads, self._values),
            **event_facts(self._recording.recorded, self._recording.header, own_events, self._payloads),
            **turn_facts(own_events, state, self._payloads, is_redacted),
            **redaction_facts((log for log, _, _ in logs), shared, events, is_redacted, self._values),
        }
        self._columns["run_records"].append(
            {
                "run_id": self._run_id,
                "recording_sha256": sha256,
                "write_provenance": snapshot.write_provenance,
                "odd_values": self._odd + self._payloads.odd,
                "replaced_characters": self._recording.replaced_characters,
                **facts,
            }
        )

    def _state(self) -> Raw:
        """The final state: the snapshot's, else that of a checkpoint."""
        stated = self._recording.snapshot.shared_state
        shared = self._object(NOTHING if stated is UNSET else stated)
        return shared or self._object(self._recording.checkpoint_state)

    def _object(self, raw: Raw) -> Raw:
        """A kept value that should be an object; nothing, and counted unless null, where it is none."""
        if is_object(raw):
            return raw
        self._odd += bool(raw) and bytes(raw) != b"null"
        return NOTHING

    def _logs(self) -> Iterator[tuple[list[Commit], Node | None, dict[str, Any]]]:
        """The run's own log, then that of each subflow mount whose name holds a `#`, in member order."""
        snapshot = self._recording.snapshot
        own = [] if snapshot.commit_log is UNSET else snapshot.commit_log or []
        yield own, snapshot.execution_tree, {"scope": "", "position": 0}
        subflows = snapshot.subflow_results or {}
        mounts = [name for name in in_member_order(list(subflows)) if "#" in name]
        for position, name in enumerate(mounts, 1):
            subflow = subflows[name]
            tree = (subflow.tree_context if subflow else None) or TreeContext()
            yield tree.history or [], tree.stage_contexts, {"scope": name, "position": position}

    def _add_scope(self, tree: Node | None, scope: str, position: int) -> None:
        reads = None if tree is None else tree_reads(tree)
        number = MOUNT_NUMBER.match(scope.rpartition("#")[2]) if scope else None
        self._columns["scopes"].append(
            {
                "run_id": self._run_id,
                "scope": scope,
                "position": position,
                "is_call_mount": CALL_MOUNT.match(scope) is not None,
                "mount_number": max(-GREATEST, min(GREATEST, int(number[1][:20]))) if number else None,
                "has_tree": reads is not None,
                "steps": None if reads is None else reads.steps,
                "steps_with_reads": None if reads is None else len(reads.last),
            }
        )
        if reads is not None:
            self._add_reads(reads, scope)

    def _add_reads(self, reads: TreeReads, scope: str) -> None:
        steps: list[str] = []
        keys: list[str] = []
        positions: list[int | None] = []
        first_positions: list[int | None] = []
        for step, last in reads.last.items():
            first = reads.first[step]
            count = len(last)
            steps += repeat(step, count)
            keys += last
            positions += range(count)
            first_positions += range(count) if first == last else map(_places(first).get, last)
        for step, first in reads.first.items():
            last = reads.last.get(step, [])
            for place, key in enumerate(first):
                if key not in last:
                    steps.append(step)
                    keys.append(key)
                    positions.append(None)
                    first_positions.append(place)
        self._extend(
            "reads",
            len(steps),
            scope=repeat(scope, len(steps)),
            runtime_stage_id=steps,
            key=keys,
            position=positions,
            first_position=first_positions,
        )

    def _add_commits(self, commits: list[Commit], scope: str) -> None:
        self._extend(
            "commits",
            len(commits),
            scope=repeat(scope, len(commits)),
            commit_idx=range(len(commits)),
            runtime_stage_id=[commit.runtime_stage_id or "" for commit in commits],
            stage_id=[commit.stage_id or "" for commit in commits],
            stage_name=[commit.stage or "" for commit in commits],
            untracked_sources=[_listed(commit.untracked_sources) for commit in commits],
        )
        rows = [
            (index, commit, position, key, entries)
            for index, commit in enumerate(commits)
            if commit.trace
            for position, (key, entries) in enumerate(_by_path(commit.trace).items())
        ]
        verbs = [tuple([entry.verb or "" for entry in entries]) for _, _, _, _, entries in rows]
        at = self._values.at
        self._extend(
            "writes",
            len(rows),
            scope=repeat(scope, len(rows)),
            commit_idx=[index for index, _, _, _, _ in rows],
            key=[key for _, _, _, key, _ in rows],
            runtime_stage_id=[commit.runtime_stage_id or "" for _, commit, _, _, _ in rows],
            position=[position for _, _, position, _, _ in rows],
            verb=[each[-1] for each in verbs],
            read_keys=[_listed(entries[-1].read_keys) for _, _, _, _, entries in rows],
            entries=[len(each) for each in verbs],
            verbs=verbs,
            overwrite_json=[
                at(commit.overwrite, key) if _is_stored(each) else None
                for (_, commit, _, key, _), each in zip(rows, verbs, strict=True)
            ],
            update_json=[
                at(commit.updates, key) if _is_merged(each) else None
                for (_, commit, _, key, _), each in zip(rows, verbs, strict=True)
            ],
        )

    def _add_states(self, shared: Raw, initial: Raw) -> None:
        kinds = (StateKind.SHARED, StateKind.INITIAL, StateKind.REDACTION)
        for kind, raw in zip(kinds, (shared, initial, self._marker), strict=True):
            if raw:
                row = {"run_id": self._run_id, "which": kind.value, "state_json": self._values.text(raw)}
                self._columns["states"].append(row)

    def _add_messages(self, history: list[Message]) -> None:
        self._extend(
            "messages",
            len(history),
            message_idx=range(len(history)),
            role=[message.role for message in history],
            content=[self._plain(message.content) for message in history],
            tool_call_id=[message.tool_call_id for message in history],
            tool_name=[message.tool_name for message in history],
            injected_by=[self._values.spoken(message.injected_by) for message in history],
            said_by_person=[said_by_person(message) for message in history],
        )

    def _add_events(self, recorded: RecordedEvents | None) -> list[tuple[int, Event]]:
        """Add the events; returns the run's own that can be read, with their positions."""
        if recorded is None:
            return []
        flags = own_flags(recorded.events, recorded.own_run)
        payloads = [self._values.text(event.payload) for event in recorded.events]
        readable = [is_read(event) for event in recorded.events]
        self._odd += sum(not fine and text not in (None, "null") for fine, text in zip(readable, payloads, strict=True))
        kept = [self._keep_tokens or event.type != TOKEN for event in recorded.events]
        events = list(compress(recorded.events, kept))
        metas = [event.meta for event in events]
        self._extend(
            "events",
            len(events),
            event_idx=compress(recorded.indexes, kept),
            type=[event.type for event in events],
            runtime_stage_id=[meta.runtime_stage_id if meta else None for meta in metas],
            wall_clock_ms=[meta.wall_clock_ms if meta else None for meta in metas],
            payload_json=compress(payloads, kept),
            own=compress(flags, kept),
            event_run_id=[meta.run_id if meta else None for meta in metas],
        )
        told = [own and fine for own, fine in zip(flags, readable, strict=True)]
        return list(compress(zip(recorded.indexes, recorded.events, strict=True), told))

    def _add_calls(self, calls: list[ToolCall]) -> None:
        text = self._values.text
        self._extend(
            "tool_calls",
            len(calls),
            tool_call_id=[call.tool_call_id for call in calls],
            occurrence=[call.occurrence for call in calls],
            tool_name=[call.start.tool_name for call in calls],
            args_json=[text(call.start.args) for call in calls],
            result_json=[text(call.end.result) for call in calls],
            error=[self._plain(call.end.error) for call in calls],
            status=[call.status(self._values) for call in calls],
            duration_ms=[call.duration_ms() for call in calls],
            iteration=[call.iteration for call in calls],
            start_event_idx=[call.start_event_idx for call in calls],
            end_event_idx=[call.end_event_idx for call in calls],
        )

    def _extend(self, name: str, rows: int, **columns: Iterable[Any]) -> None:
        self._columns[name].extend({"run_id": repeat(self._run_id, rows), **columns})

    def _plain(self, raw: Raw) -> str | None:
        """A text as it reads, any other value as JSON text; null reads as absent."""
        return None if bytes(raw) == b"null" else self._values.spoken(raw)


def _redaction_marker(recorders: list[Raw]) -> Raw:
    """The row of the recorders that says the record was served under a redaction policy."""
    named = (raw for raw in recorders if REDACTION_MARKER in bytes(raw))
    return next((raw for raw in named if Payloads().of(raw, Recorder).id == REDACTION_MARKER.decode()), NOTHING)


def _by_path(trace: list[TraceRow]) -> dict[str, list[TraceRow]]:
    """The entries of a commit by path, in the order in which it first touched them."""
    entries: dict[str, list[TraceRow]] = {}
    for entry in trace:
        if entry.path is not None:
            entries.setdefault(entry.path, []).append(entry)
    return entries


def _is_stored(verbs: tuple[str, ...]) -> bool:
    """Whether some entry reads its value from what the commit overwrote."""
    return "set" in verbs or "append" in verbs


def _is_merged(verbs: tuple[str, ...]) -> bool:
    """Whether some entry merges a delta; every verb that is not known does."""
    return any(verb not in ("set", "append", "delete") for verb in verbs)


def _places(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _listed(texts: list[str] | None) -> tuple[str, ...] | None:
    return None if texts is None else tuple(texts)
