"""Pointers: each one that a rule hands out names a leaf, there or honestly not there."""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.javascript import ABSENT
from dataflows.pointers import PointedEvent, Record, at_path
from dataflows.questions import questions_to
from dataflows.store import Store
from tests.cli.conftest import event, recording, store_of
from tests.oracle.assessment import state_of

__all__ = ["store_of"]

DATA = Path(__file__).parent / "data"
CASES = sorted([*(DATA / "assessment").glob("*.jsonl.gz"), *(DATA / "routing").glob("*.jsonl.gz")])
MAY_BE_MISSING = {
    ("state", "argumentAsk", "requestId"),
    ("state", "stoppedEarly", "iteration"),
    ("state", "findingsLedger", "values"),
    ("state", "turnRoute", "to"),
    ("event", "agentfootprint.skill.turn_routed", "to"),
    ("event", "agentfootprint.skill.turn_routed", "score"),
    ("event", "agentfootprint.agent.run_configured", "routing"),
}
"""Leaves that a rule names whether or not the record holds them; scores count without the entries that are none."""


def pointers_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every pointer in a golden result."""
    if isinstance(value, dict):
        if value.keys() >= {"kind", "path"}:
            yield value
        for member in value.values():
            yield from pointers_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from pointers_in(item)


@cache
def document(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def record_of(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The record of a case: its own, or that of the recording it names."""
    if "record" in case:
        return dict(case["record"])
    [path] = [place / case["recording"] for place in (folder, DATA) if (place / case["recording"]).exists()]
    stored = document(path)
    return dict(stored.get("recording", stored))


def pointed(record: dict[str, Any]) -> Record:
    events = record.get("events")
    told = [item if isinstance(item, dict) else {} for item in (events if isinstance(events, list) else [])]
    metas = [item.get("meta") if isinstance(item.get("meta"), dict) else {} for item in told]
    return Record(
        state_of(record),
        {
            index: PointedEvent(item.get("type"), item.get("payload"), meta.get("runId"))
            for index, (item, meta) in enumerate(zip(told, metas, strict=True))
        },
    )


def place(pointer: dict[str, Any]) -> tuple[str, str, str]:
    """What kind of leaf a pointer names, wherever it stands in its list."""
    return pointer["kind"], pointer.get("key") or pointer.get("type") or "", pointer["path"].rpartition("/")[2]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_every_pointer_of_the_reference_names_a_leaf(path: Path) -> None:
    missing = set()
    for case in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
        found = list(pointers_in(case["expected"]))
        record = pointed(record_of(case, path.parent)) if found else None
        missing |= {place(pointer) for pointer in found if record and record.leaf(pointer) is ABSENT}
    assert missing <= MAY_BE_MISSING


def test_a_pointer_leads_into_the_record_as_the_store_keeps_it(store_of: Callable[..., str]) -> None:
    state = {"history": [{"role": "user"}, {"role": "tool", "toolCallId": "c1"}], "a/b": {"~": [1, {"x": None}]}}
    started = event("agent.turn_start", userPrompt="why?") | {"meta": {"runId": "inner"}}
    path = store_of(recording("r", [], snapshot={"sharedState": state}, events=[started]))
    turn_start = {"kind": "event", "index": 0, "type": "agentfootprint.agent.turn_start"}
    leaves: list[tuple[dict[str, Any], Any]] = [
        ({"kind": "history", "index": 1, "path": "/toolCallId", "toolCallId": "c1"}, "c1"),
        ({"kind": "history", "index": 2, "path": "/role"}, ABSENT),
        ({"kind": "state", "key": "a/b", "path": ""}, {"~": [1, {"x": None}]}),
        ({"kind": "state", "key": "a/b", "path": "/~0/1/x"}, None),
        ({"kind": "state", "key": "a/b", "path": "/~0/01/x"}, ABSENT),
        ({"kind": "state", "key": "none", "path": "/x"}, ABSENT),
        (turn_start | {"path": "/userPrompt"}, "why?"),
        (turn_start | {"path": "#meta/runId"}, "inner"),
        (turn_start | {"path": "/userPrompt", "type": "another"}, ABSENT),
        (turn_start | {"path": "/userPrompt", "index": 1}, ABSENT),
    ]
    snapshot = Store(path).snapshot()
    assert snapshot
    with questions_to(snapshot) as connection:
        record = Record.of(connection, "r", [pointer for pointer, _ in leaves])
    assert [record.leaf(pointer) for pointer, _ in leaves] == [leaf for _, leaf in leaves]


def test_every_pointer_the_tables_hold_leads_into_its_record(tmp_path: Path) -> None:
    from dataflows import job

    job.run([str(DATA / "recordings"), str(DATA / "routing" / "recordings")], str(tmp_path / "store"))
    snapshot = Store(tmp_path / "store").snapshot()
    assert snapshot
    held = "SELECT run_id, evidence_json FROM verdicts WHERE kind IN ('standing', 'routing') ORDER BY run_id"
    told = 0
    with questions_to(snapshot) as connection:
        for run_id, evidence in connection.execute(held).fetchall():
            pointers = list(pointers_in(json.loads(evidence)))
            record = Record.of(connection, run_id, pointers)
            missing = [pointer for pointer in pointers if record.leaf(pointer) is ABSENT]
            assert {place(pointer) for pointer in missing} <= MAY_BE_MISSING, run_id
            told += len(pointers) - len(missing)
    assert told > 20


def test_what_is_no_pointer_is_refused() -> None:
    record = Record({"k": 1})
    with pytest.raises(ValueError, match="kind 'row'"):
        record.leaf({"kind": "row", "path": ""})
    with pytest.raises(ValueError, match="slash"):
        at_path({"k": 1}, "k")
