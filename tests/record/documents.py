"""Tiny recorded documents, and the facts they give."""

import hashlib
import json
from typing import Any

import polars as pl

from afp_nodes.record import FactCollector, ReadOptions, ReadRecording, read_document

FORMAT = "agentfootprint.recording.v1"
OWN = "meta-1"


def event(kind: str, payload: Any = None, *, run: str | None = OWN, clock: float | None = None, **meta: Any) -> Any:
    """One event of a type without its prefix."""
    named = {"runId": run, "wallClockMs": clock, **meta}
    return {
        "type": f"agentfootprint.{kind}",
        "payload": {} if payload is None else payload,
        "meta": {name: value for name, value in named.items() if value is not None},
    }


def configured(run: str | None = OWN, clock: float | None = None, **manifest: Any) -> Any:
    """The event with which a leg begins."""
    return event("agent.run_configured", manifest, run=run, clock=clock)


def commit(step: str, overwrite: Any = None, trace: list[str] | None = None, **members: Any) -> Any:
    """One commit; a trace row is written `verb path`, with `>` for the path delimiter."""
    rows = [dict(zip(("verb", "path"), row.replace(">", "\x1f").split(" "), strict=True)) for row in trace or []]
    return {"runtimeStageId": step, "stageId": step.partition("#")[0], "overwrite": overwrite, "trace": rows, **members}


def bare(snapshot: Any = None, events: Any = None) -> dict[str, Any]:
    """A recording without an envelope."""
    return {"snapshot": {} if snapshot is None else snapshot, "events": [] if events is None else events}


def envelope(recording: Any, **run: Any) -> dict[str, Any]:
    """A recording in its envelope."""
    return {"format": FORMAT, "run": {"runId": "run-1", **run}, "recording": recording}


def encoded(document: Any) -> bytes:
    """A document as bytes; text and bytes as they are."""
    if isinstance(document, bytes):
        return document
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return text.encode()


def recording_of(document: Any, name: str = "run.json") -> ReadRecording:
    """The one run of a document."""
    read = read_document(encoded(document), name)
    assert isinstance(read, ReadRecording)
    return read


def facts_of(*documents: Any, keep_tokens: bool = False, split_runs: bool = False) -> dict[str, pl.DataFrame]:
    """The frames of the runs of some documents."""
    collector = FactCollector(keep_tokens=keep_tokens)
    for document in documents:
        data = encoded(document)
        read = read_document(data, "run.json", ReadOptions(split_runs=split_runs))
        for recording in read if isinstance(read, list) else [read]:
            assert isinstance(recording, ReadRecording)
            collector.add(recording, hashlib.sha256(data).hexdigest())
    return collector.frames()


def run_of(*documents: Any) -> dict[str, Any]:
    """The `run_records` row of a document that holds one run."""
    return facts_of(*documents)["run_records"].row(0, named=True)
