"""A store of a few runs, and the program as a user calls it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dataflows import job
from dataflows.cli.program import program

SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "runs"
SAMPLED = (
    "engine.jsonl",
    "s-flat-l2-travel.json.gz",
    "s-grouped-l1-codesearch.json.gz",
    "s-dial-wp-full-delta-refunds.json.gz",
)

Afp = Callable[..., Result]


def recording(run_id: str, commits: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    """A small envelope: its commits in order, no reads, and what else `members` say of the run or the recording."""
    log = [
        {"overwrite": {}, "updates": {}, "redactedPaths": [], "trace": []}
        | {"stage": "Stage", "stageId": f"stage-{idx}", "runtimeStageId": f"stage-{idx}#{idx}", "idx": idx}
        | commit
        for idx, commit in enumerate(commits)
    ]
    snapshot = {"sharedState": {}, "commitLog": log} | members.pop("snapshot", {})
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, "droppedEvents": 0} | members.pop("run", {}),
        "recording": {"snapshot": snapshot, "events": members.pop("events", [])},
    }


def sets(**values: Any) -> dict[str, Any]:
    """A commit that sets keys."""
    return {"overwrite": values, "trace": [{"path": key, "verb": "set"} for key in values]}


def event(kind: str, idx: int = 0, **payload: Any) -> dict[str, Any]:
    """An event of the run."""
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"wallClockMs": 1_700_000_000_000 + idx}}


def write_lines(path: Path, *documents: dict[str, Any]) -> Path:
    """The documents as JSON lines."""
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of recorded runs. Tests read it."""
    path = tmp_path_factory.mktemp("cli") / "store"
    job.run([str(SAMPLE / name) for name in SAMPLED], str(path))
    return str(path)


@pytest.fixture
def store_of(tmp_path: Path) -> Callable[..., str]:
    """Makes a store of the recordings it is given."""

    def made(*recordings: dict[str, Any]) -> str:
        path = tmp_path / "store"
        job.run([str(write_lines(tmp_path / "inbox.jsonl", *recordings))], str(path))
        return str(path)

    return made


@pytest.fixture
def afp(monkeypatch: pytest.MonkeyPatch) -> Afp:
    """Calls the program with words, in this process."""
    monkeypatch.delenv("AFP_STORE", raising=False)
    monkeypatch.delenv("AFP_DEBUG", raising=False)

    def call(*words: str, **options: Any) -> Result:
        return CliRunner().invoke(program, list(words), **options)

    return call
