"""The short notation of the record format's examples: commits, nodes, chains, slot records."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

Json = Any

TRACE_ROW = re.compile(r"(?P<verb>\S+) (?P<path>.+?)(?:\[(?P<keys>.*)\])?")


class _Nothing:
    """No value at all, as opposed to None, which is JSON null."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()


def commit(
    step: str,
    overwrite: dict[str, Json] | None = None,
    trace: Sequence[str] = (),
    updates: dict[str, Json] | None = None,
) -> dict[str, Json]:
    """One commit. A trace row is `verb path`, with `>` for the path's separator and `[k1,k2]` for its read list."""
    stage = step.rpartition("#")[0]
    return {
        "stage": stage,
        "stageId": stage,
        "runtimeStageId": step,
        "overwrite": overwrite or {},
        "updates": updates or {},
        "redactedPaths": [],
        "trace": [_row(text) for text in trace],
    }


def node(
    step: str,
    reads: Sequence[str] = (),
    following: dict[str, Json] | None = None,
    children: Sequence[dict[str, Json]] = (),
) -> dict[str, Json]:
    """One node of an execution tree."""
    stage = step.rpartition("#")[0]
    members = {"id": stage, "runtimeStageId": step, "name": stage, "stageReads": dict.fromkeys(reads, 1)}
    return members | ({"children": list(children)} if children else {}) | ({"next": following} if following else {})


def chain(*steps: tuple[str, Sequence[str]] | str) -> dict[str, Json]:
    """Nodes linked by `next`: each a step, or a step with what it read."""
    step, reads = (steps[0], ()) if isinstance(steps[0], str) else steps[0]
    return node(step, reads, chain(*steps[1:]) if len(steps) > 1 else None)


def slot_record(source: str, source_id: str, raw_content: Json = NOTHING, **extra: Json) -> dict[str, Json]:
    """One record of an injection slot."""
    content = {} if raw_content is NOTHING else {"rawContent": raw_content}
    return {"source": source, "sourceId": source_id, **content, **extra}


def snapshot(
    log: Sequence[dict[str, Json]],
    tree: dict[str, Json] | None = None,
    subflow_results: dict[str, Json] | None = None,
) -> dict[str, Json]:
    """A snapshot; what is not given is not a member."""
    members: dict[str, Json] = {"commitLog": list(log)}
    if tree is not None:
        members["executionTree"] = tree
    if subflow_results is not None:
        members["subflowResults"] = subflow_results
    return members


def path(text: str) -> str:
    """A path written with `>`, with the record's own separator."""
    return text.replace(">", "\x1f")


def document(snapshot_members: dict[str, Json], run_id: str = "example") -> bytes:
    """An envelope around a snapshot, as a file holds it."""
    envelope = {
        "format": "agentfootprint.recording.v1",
        "producer": {"agentfootprintVersion": "9.62.0", "footprintjsVersion": "9.24.0"},
        "run": {"runId": run_id, "complete": True, "droppedEvents": 0},
        "recording": {"snapshot": snapshot_members, "events": []},
    }
    return json.dumps(envelope).encode()


def _row(text: str) -> dict[str, Json]:
    match = TRACE_ROW.fullmatch(text)
    if match is None:
        raise ValueError(f"no trace row: {text!r}; write 'verb path' or 'verb path[key,key]'")
    row: dict[str, Json] = {"path": path(match["path"]), "verb": match["verb"]}
    return row if match["keys"] is None else row | {"readKeys": [k for k in match["keys"].split(",") if k]}
