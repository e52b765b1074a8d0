"""Who a run is, and documents that name several."""

import hashlib
from typing import Any

import pytest

from afp_nodes.record import ReadOptions, ReadRecording, RefusedError, read_document
from afp_nodes.words import QuarantineCode
from tests.record.documents import bare, commit, configured, encoded, envelope, event, facts_of, recording_of

SPLIT = ReadOptions(split_runs=True)
TWO_LEGS = bare(
    {"runId": "engine", "commitLog": [commit("a#0")], "sharedState": {"userMessage": "why?"}},
    [
        event("agent.turn_start", {"userPrompt": "one"}, run="leg-1"),
        event("pause.request", run="consumer-scope"),
        event("pause.resume", run="consumer-scope"),
        event("stream.llm_end", {"usage": {"input": 3, "output": 4}}, run="leg-2"),
        event("agent.turn_end", {"finalContent": "done"}, run="leg-2"),
    ],
)


@pytest.mark.parametrize(
    ("document", "run_id"),
    [
        (envelope(bare({"runId": "engine"}, [configured("meta")]), runId="stated"), "stated"),
        (envelope(bare({"runId": "engine"}, [configured("meta")]), runId=""), "meta"),
        (bare({"runId": "engine"}, [event("x", run="consumer-scope"), event("x", run=""), configured("meta")]), "meta"),
        (bare({"runId": "engine"}, [event("x", run="consumer-scope")]), "engine"),
        ({"commitLog": [], "runId": "engine"}, "engine"),
        (envelope(bare(events=[configured("a"), configured("b")]), runId="stated"), "stated"),
        (envelope(bare(), runId="x'); DROP TABLE runs;--"), "x'); DROP TABLE runs;--"),
        (envelope(bare(), runId="0012"), "0012"),
    ],
)
def test_the_first_id_that_is_stated_is_the_runs(document: Any, run_id: str) -> None:
    assert recording_of(document).run_id == run_id


def test_a_run_without_an_id_is_known_by_its_bytes() -> None:
    data = b"\xef\xbb\xbf" + encoded(bare())
    assert recording_of(data).run_id == f"sha256:{hashlib.sha256(data).hexdigest()[:16]}"


def test_a_document_that_names_several_runs_is_refused_with_a_hint() -> None:
    with pytest.raises(RefusedError) as refused:
        read_document(encoded(TWO_LEGS), "run.json")
    assert refused.value.code == QuarantineCode.SEVERAL_RUNS
    assert "leg-1, leg-2" in refused.value.message
    assert "--split-runs" in refused.value.remedy


def test_split_runs_have_their_own_events_and_the_last_one_has_the_snapshot() -> None:
    read = read_document(encoded(TWO_LEGS), "run.json", SPLIT)
    assert isinstance(read, list)
    assert [(run.run_id, run.commits, run.events) for run in read] == [("leg-1", 0, 3), ("leg-2", 1, 2)]
    facts = facts_of(TWO_LEGS, split_runs=True)
    assert facts["events"].select("run_id", "event_idx").rows() == [
        ("leg-1", 0),
        ("leg-1", 1),
        ("leg-1", 2),
        ("leg-2", 3),
        ("leg-2", 4),
    ]
    told = facts["run_records"].select("question", "answer", "answered", "resumed_leg", "output_tokens", "events")
    assert told.rows() == [("one", None, False, False, 0.0, 3), ("why?", "done", True, True, 4.0, 2)]


def test_an_event_that_names_no_run_goes_with_the_one_before_it() -> None:
    named = [None, "b", "consumer-scope", "a", None]
    facts = facts_of(bare(events=[event("x", run=run) for run in named]), split_runs=True)
    assert facts["events"].select("run_id", "event_idx").rows() == [("b", 0), ("b", 1), ("b", 2), ("a", 3), ("a", 4)]


def test_splitting_changes_nothing_where_one_run_is_named() -> None:
    assert isinstance(read_document(encoded(bare(events=[configured()])), "run.json", SPLIT), ReadRecording)


def test_what_decides_between_versions_is_told() -> None:
    read = recording_of(envelope(bare({"commitLog": [commit("a#0"), commit("b#1")]}, [configured()]), complete=True))
    assert (read.complete, read.commits, read.events) == (True, 2, 1)
    assert recording_of({"sharedState": {}}).events is None
    assert recording_of(bare()).events == 0
