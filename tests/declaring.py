"""Small documents that declare something, and a recording whose tables show it."""

import json
from pathlib import Path
from typing import Any

EMPTY_RESULT = {"rows": []}
"""What the one call of the recording found: whether it tells of nothing depends on what is declared of the tool."""


def recording(run_id: str, **run: Any) -> dict[str, Any]:
    """A run that called `find` once, whose result has no row."""
    history = [
        {"role": "user", "content": "Is there one?"},
        {"role": "assistant", "content": "", "toolCalls": [{"id": "c1", "name": "find", "args": {}}]},
        {"role": "tool", "toolCallId": "c1", "toolName": "find", "content": json.dumps(EMPTY_RESULT)},
        {"role": "assistant", "content": "There is none."},
    ]
    snapshot = {"sharedState": {"history": history}, "commitLog": []}
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, **run},
        "recording": {"snapshot": snapshot, "events": []},
    }


def declaration(run_ids: Any, **rows_at: str) -> dict[str, Any]:
    """Which member of the result of some tools holds the rows."""
    return {"run_ids": run_ids, "tools": {tool: {"rowsAt": member} for tool, member in rows_at.items()}}


def units(run_id: str, *available: str, sent: tuple[str, ...] = ()) -> dict[str, Any]:
    """The unit list of a run."""
    return {"run_id": run_id, "available": [{"id": i} for i in available], "sent": [{"id": i} for i in sent]}


def write(folder: Path, **documents: Any) -> dict[str, Path]:
    """Puts documents into a folder, each under its name (`__` for a dot), and says where they lie."""
    folder.mkdir(parents=True, exist_ok=True)
    places = {name: folder / f"{name.replace('__', '.')}.json" for name in documents}
    for name, document in documents.items():
        places[name].write_text(json.dumps(document))
    return places
