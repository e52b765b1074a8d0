"""Shredding: from decoded runs to the facts of a chunk, as frames."""

from collections.abc import Iterable, Iterator
from itertools import compress, repeat
from typing import Any

import polars as pl
from msgspec import UNSET, Raw, json

from afp_nodes.record.calls import tool_calls
from afp_nodes.record.columns import NO_OWNER, Columns, Pools
from afp_nodes.record.document import ReadRecording, RecordedEvents
from afp_nodes.record.logs import Log, Row, commit_columns, commits_of, logs_of, scope_rows
from afp_nodes.record.own_events import own_flags
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.person import said_by_person
from afp_nodes.record.reads import OF_SCOPE, ReadColumns
from afp_nodes.record.run_facts import TOKEN, event_facts, header_facts, manifest_facts, redaction_facts, turn_facts
from afp_nodes.record.shapes import NOTHING, Event, EventMeta, Message, SharedState
from afp_nodes.record.spellings import Spellings
from afp_nodes.record.trees import Names
from afp_nodes.record.uncollected import uncollected
from afp_nodes.record.values import Values
from afp_nodes.record.writes import WriteColumns
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

OWNERS = {
    "states": "run_records",
    "scopes": "run_records",
    "commits": "scopes",
    "writes": "commits",
    "reads": "scopes",
    "events": "run_records",
    "messages": "run_records",
    "tool_calls": "run_records",
}
"""What a row belongs to, and takes columns over from."""

INHERITED = {"commits": OF_SCOPE, "run_records": ()}
"""The columns that rows take over from what they belong to, where it is more than the run."""

NO_META = EventMeta()
ROW_BYTES = 200
"""Bytes a row of facts takes beside its text, with what is derived from it, roughly."""

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


class _Facts:
    """The columns of one chunk, by the name of their frame, and what is remembered of its texts."""

    def __init__(self) -> None:
        self.pools = Pools()
        self.writes, self.reads = WriteColumns(self.pools), ReadColumns(self.pools)
        self.known_reads: Spellings[Names] = Spellings()
        self.rows = {
            name: Columns(schema, self.pools, inherited=INHERITED.get(name, ("run_id",)))
            for name, schema in SCHEMAS.items()
            if name not in ("writes", "reads")
        }

    def columns(self) -> dict[str, Columns | WriteColumns | ReadColumns]:
        """The columns of every frame, each after those of what its rows belong to."""
        every: dict[str, Columns | WriteColumns | ReadColumns] = {
            **self.rows,
            "writes": self.writes,
            "reads": self.reads,
        }
        return {name: every[name] for name in SCHEMAS}


class FactCollector:
    """Collects the facts of the runs of one chunk; holds no document once its run was added.

    `keep_tokens` keeps token events as rows; they are counted either way.
    """

    def __init__(self, keep_tokens: bool = False) -> None:
        self._keep_tokens = keep_tokens
        self._facts = _Facts()

    @property
    def runs(self) -> int:
        """Runs added so far."""
        return len(self._facts.rows["run_records"])

    @property
    def size_bytes(self) -> int:
        """Roughly the bytes that the frames will take."""
        rows = sum(map(len, self._facts.columns().values()))
        return self._facts.pools.size + rows * ROW_BYTES

    @uncollected
    def add(self, recording: ReadRecording, sha256: str) -> None:
        """Add the facts of one run; `sha256` is of its document."""
        _Shredder(recording, self._facts, self._keep_tokens).shred(sha256)

    @uncollected
    def frames(self) -> dict[str, pl.DataFrame]:
        """One frame a fact, by name, in the order and the dtypes of its schema; closed words are plain text yet.

        The collector is empty afterwards.
        """
        columns, distinct = self._facts.columns(), self._facts.pools.series()
        self._facts = _Facts()
        frames: dict[str, pl.DataFrame] = {}
        for name in SCHEMAS:
            frames[name] = columns.pop(name).frame(distinct, frames[OWNERS[name]] if name in OWNERS else NO_OWNER)
        return frames


class _Shredder:
    """Turns one recording into rows."""

    def __init__(self, recording: ReadRecording, facts: _Facts, keep_tokens: bool) -> None:
        self._recording = recording
        self._facts = facts
        self._keep_tokens = keep_tokens
        self._values = Values(recording.pieces)
        self._payloads = Payloads()
        self._odd = recording.odd_values

    def shred(self, sha256: str) -> None:
        """Add all rows of the run; its own row comes last, when all that is odd was met."""
        snapshot = self._recording.snapshot
        logs = logs_of(snapshot, self._facts.known_reads, self._payloads)
        self._add_logs(logs)
        stated = self._stated_state()
        shared = stated or self._object(self._recording.checkpoint_state)
        state = self._payloads.of(shared, SharedState)
        self._add("states", self._state_rows(shared, self._object(snapshot.initial_state), is_stated=bool(stated)))
        self._add("messages", self._message_rows(state.history or []))
        own, read = self._add_events()
        self._add("tool_calls", self._call_rows(own))
        facts = self._run_facts([event for _, event in own], read, shared, state, logs)
        row = {
            "run_id": self._recording.run_id,
            "recording_sha256": sha256,
            "odd_values": self._odd + self._payloads.odd,
            **facts,
        }
        self._facts.rows["run_records"].add([row[name]] for name in RunRecords.column_names())

    def _add_logs(self, logs: list[Log]) -> None:
        first_scope = len(self._facts.rows["scopes"])
        self._add("scopes", scope_rows(logs))
        self._facts.rows["commits"].add_owned(commit_columns(logs, first_scope))
        self._facts.writes.add(commits_of(logs), self._values, self._payloads)
        for scope, log in enumerate(logs, first_scope):
            if log.reads:
                self._facts.reads.add(scope, log.reads)

    def _run_facts(
        self, own: list[Event], read: int, shared: Raw, state: SharedState, logs: list[Log]
    ) -> dict[str, Any]:
        recording, payloads, values = self._recording, self._payloads, self._values
        events = recording.recorded.events if recording.recorded else None
        is_redacted = bool(recording.redaction_marker)
        redaction = redaction_facts((log.commits for log in logs), shared, events, is_redacted, values)
        return {
            "write_provenance": recording.snapshot.write_provenance,
            "replaced_characters": recording.replaced_characters,
            **header_facts(recording, own),
            **manifest_facts(recording, own, payloads, values),
            **event_facts(recording.recorded, recording.header, read, own, payloads),
            **turn_facts(own, state, payloads, redaction["redacted_names"], is_redacted),
            **redaction,
        }

    def _stated_state(self) -> Raw:
        """The final state as the snapshot has it."""
        stated = self._recording.snapshot.shared_state
        return self._object(NOTHING if stated is UNSET else stated)

    def _object(self, raw: Raw) -> Raw:
        """A kept value that should be an object; nothing, and counted unless null, where it is none."""
        return Raw(self._object_text(json.encode(raw)))

    def _object_text(self, text: bytes) -> bytes:
        if text.startswith(b"{"):
            return text
        self._odd += text not in (b"", b"null")
        return b""

    def _state_rows(self, shared: Raw, initial: Raw, *, is_stated: bool) -> Iterator[Row]:
        marker = self._recording.redaction_marker
        kinds = {StateKind.SHARED: shared, StateKind.INITIAL: initial, StateKind.REDACTION: marker}
        for kind, raw in kinds.items():
            if raw:
                yield kind.value, self._values.kept(raw), kind == StateKind.SHARED and not is_stated

    def _message_rows(self, history: list[Message]) -> Iterator[Row]:
        for index, message in enumerate(history):
            yield (
                index,
                message.role,
                self._plain(message.content),
                message.tool_call_id,
                message.tool_name,
                self._values.spoken(message.injected_by),
                said_by_person(message),
            )

    def _add_events(self) -> tuple[list[tuple[int, Event]], int]:
        """Add the events; returns the run's own that can be read, with their positions, and how many can be read."""
        recorded = self._recording.recorded
        if recorded is None:
            return [], 0
        payloads = [json.encode(event.payload) for event in recorded.events]
        own = own_flags(recorded.events, recorded.own_run)
        self._extend_events(recorded, payloads, own)
        told = zip(own, recorded.indexes, recorded.events, payloads, strict=True)
        read = [
            (is_own, index, event)
            for is_own, index, event, payload in told
            if event.type is not None and payload.startswith(b"{")
        ]
        return [(index, event) for is_own, index, event in read if is_own], len(read)

    def _extend_events(self, recorded: RecordedEvents, payloads: list[bytes], own: list[bool]) -> None:
        kept = [self._keep_tokens or event.type != TOKEN for event in recorded.events]
        events = list(compress(recorded.events, kept))
        metas = [event.meta or NO_META for event in events]
        run = len(self._facts.rows["run_records"])
        self._facts.rows["events"].add_owned(
            (
                repeat(run, len(events)),
                compress(recorded.indexes, kept),
                [event.type for event in events],
                [meta.runtime_stage_id for meta in metas],
                [meta.wall_clock_ms for meta in metas],
                self._values.all_kept([self._object_text(text) for text in compress(payloads, kept)]),
                compress(own, kept),
                [meta.run_id for meta in metas],
            )
        )

    def _call_rows(self, own: list[tuple[int, Event]]) -> Iterator[Row]:
        for call in tool_calls(own, self._payloads):
            yield (
                call.tool_call_id,
                call.occurrence,
                call.start.tool_name,
                self._values.kept(call.start.args),
                self._values.kept(call.end.result),
                self._plain(call.end.error),
                call.status(self._values),
                call.duration_ms(),
                call.iteration,
                call.start_event_idx,
                call.end_event_idx,
            )

    def _add(self, name: str, rows: Iterable[Row]) -> None:
        """Add rows that belong to the run."""
        self._facts.rows[name].add_rows(len(self._facts.rows["run_records"]), rows)

    def _plain(self, raw: Raw) -> str | None:
        """A text as it reads, any other value as JSON text; null reads as absent."""
        return None if json.encode(raw) == b"null" else self._values.spoken(raw)
