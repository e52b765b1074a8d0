"""Arms reach the tables whenever they come, stay in force, and are refused without harm."""

import json
from pathlib import Path
from typing import Any

import pytest

from dataflows.arms_file import ArmsFile
from dataflows.inputs import NoSuchPathError
from dataflows.job import run
from dataflows.store import Snapshot, Store
from tests.job.test_studies import event

ALIKE, OTHER = "The parcel leaves on Monday.", "Nobody can tell you that."
MODELS = ({"model": "m1"}, {"model": "m2"})


def recording(run_id: str, question: str, answer: str, model: str) -> dict[str, Any]:
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True},
        "configuration": {"manifest": {"llm": {"model": model}}},
        "recording": {
            "snapshot": {"sharedState": {}, "commitLog": []},
            "events": [event("agent.turn_start", userPrompt=question), event("agent.turn_end", finalContent=answer)],
        },
    }


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """Three questions, each asked three times of either model."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    for model, answer in (("m1", ALIKE), ("m2", OTHER)):
        for question in "pqr":
            for again in range(3):
                run_id = f"{question}-{model}-{again}"
                document = recording(run_id, f"Where is parcel {question}?", answer, model)
                (folder / f"{run_id}.json").write_text(json.dumps(document))
    return folder


def arms_file(folder: Path, *facets: dict[str, str], **members: Any) -> str:
    path = folder / "arms.json"
    arms = [{"id": f"arm{place}", "facets": each} for place, each in enumerate(facets)]
    path.write_text(json.dumps({"arms": arms} | members))
    return str(path)


def newest(store: str) -> Snapshot:
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot


def arm_of(snapshot: Snapshot) -> dict[str, str | None]:
    return dict(snapshot.scan("runs").select("run_id", "arm_id").collect().iter_rows())


def observed(snapshot: Snapshot) -> list[tuple[str, str]]:
    rows = snapshot.scan("verdicts").collect()
    return [(row["subject_id"], row["verdict"]) for row in rows.to_dicts() if row["kind"] == "observational"]


def test_arms_that_come_with_the_runs_or_after_them_give_the_same_tables(inbox: Path, tmp_path: Path) -> None:
    arms = arms_file(tmp_path, *MODELS)
    together, later = str(tmp_path / "together"), str(tmp_path / "later")
    run([str(inbox)], together, arms=arms)
    run([str(inbox)], later)
    assert {*arm_of(newest(later)).values()} == {None}
    assert run([str(inbox)], later, arms=arms).published
    for table in ("runs", "arm_runs", "verdicts"):
        one, other = (newest(store).scan(table).collect() for store in (together, later))
        assert one.sort(one.columns[0]).equals(other.sort(one.columns[0])), table
    assert observed(newest(later)) == [("arm1", "differs")]


def test_arms_stay_in_force_and_runs_that_come_later_belong_to_them(inbox: Path, tmp_path: Path) -> None:
    store, arms = str(tmp_path / "store"), arms_file(tmp_path, *MODELS)
    run([str(inbox)], store, arms=arms)
    (inbox / "late.json").write_text(json.dumps(recording("late", "Where is parcel p?", OTHER, "m2")))
    run([str(inbox)], store)
    assert arm_of(newest(store))["late"] == "arm1"
    assert not run([str(inbox)], store, arms=arms).published
    run([str(inbox)], store, arms=arms_file(tmp_path, {"model": "m2"}, {"model": "m9"}))
    assert arm_of(newest(store))["late"] == "arm0"
    assert observed(newest(store)) == [("arm1", "not-comparable")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "not-json"),
        ("[]", "unknown-shape"),
        ('{"arms": 1}', "unknown-shape"),
        ('{"arms": [{"id": "a", "facets": 1}]}', "wrong-type"),
        ('{"arms": [{"id": "a"}, {"id": "b", "facets": {"model": "m"}}], "embedder": "none"}', "wrong-type"),
        ('{"arms": [{"id": "a"}]}', "too-few-arms"),
        ('{"arms": [{"id": " "}, {"id": "b", "facets": {"model": "m"}}]}', "blank-arm-id"),
        ('{"arms": [{"id": "a"}, {"id": "a", "facets": {"model": "m"}}]}', "repeated-arm-id"),
        ('{"arms": [{"id": "a"}, {"id": "b", "facets": {"model": "m"}}], "baseline": "c"}', "unknown-baseline"),
        ('{"arms": [{"id": "a"}, {"id": "b"}]}', "undeclared-arm"),
        (
            '{"arms": [{"id": "a", "facets": {"window": "x"}}, {"id": "b", "facets": {"window": "x"}}]}',
            "same-configuration",
        ),
    ],
)
def test_a_file_that_compares_nothing_is_refused_under_its_reason(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "arms.json").write_text(text)
    read = ArmsFile.read(str(tmp_path / "arms.json"))
    [refused] = read.ingested.refusals
    assert (refused.source_uri, refused.position, refused.code) == (str(tmp_path / "arms.json"), 0, code)
    assert (read.settings, read.ingested.documents) == ({}, 1)


def test_a_refused_file_leaves_the_arms_before_it_and_is_listed_until_it_is_mended(inbox: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    run([str(inbox)], store, arms=arms_file(tmp_path, *MODELS))
    refused = arms_file(tmp_path, {"model": "m1"})
    summary = run([str(inbox)], store, arms=refused)
    assert (summary.quarantined, summary.newly_quarantined, summary.found) == (1, 1, 19)
    assert newest(store).scan("quarantine").collect()["code"].to_list() == ["too-few-arms"]
    assert observed(newest(store)) == [("arm1", "differs")]
    again = run([str(inbox)], store, arms=refused)
    assert (again.quarantined, again.newly_quarantined) == (1, 0)
    run([str(inbox)], store, arms=arms_file(tmp_path, *MODELS))
    assert newest(store).row_counts()["quarantine"] == 0


def test_a_file_among_the_recordings_is_no_recording(inbox: Path, tmp_path: Path) -> None:
    summary = run([str(inbox)], str(tmp_path / "store"), arms=arms_file(inbox, *MODELS))
    assert (summary.found, summary.loaded, summary.quarantined) == (18, 18, 0)


def test_a_file_that_is_not_there_ends_the_job_before_it_begins(inbox: Path, tmp_path: Path) -> None:
    with pytest.raises(NoSuchPathError, match="cannot be read: No such file"):
        run([str(inbox)], str(tmp_path / "store"), arms=str(tmp_path / "none.json"))
    assert not (tmp_path / "store").exists()


def test_a_rollback_brings_the_arms_of_its_snapshot_back(inbox: Path, tmp_path: Path) -> None:
    from dataflows.store.upkeep import rollback

    store = str(tmp_path / "store")
    run([str(inbox)], store)
    run([str(inbox)], store, arms=arms_file(tmp_path, *MODELS))
    rollback(Store(store), 1)
    assert {*arm_of(newest(store)).values()} == {None}
    rollback(Store(store), 2)
    assert observed(newest(store)) == [("arm1", "differs")]
