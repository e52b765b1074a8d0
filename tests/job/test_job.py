"""The main job end to end: what comes in, in any order and any number of times, and what becomes of it."""

import gzip
import io
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import pytest

import dataflows
import dataflows.ingest
from dataflows.job import NoDocumentsError, run
from dataflows.store import Snapshot, Store, StoreError
from dataflows.store.batch import Batch
from dataflows.store.merging import Contribution
from dataflows.store.upkeep import rollback
from tests.stores import told_tables

DATA = Path(__file__).parents[1] / "data" / "recordings"
NAMES = ("s-flat-memdecay-travel", "s-grouped-l2-incident", "s-syn-verbs", "s-eng-throw", "s-notree-codesearch")


def recording(run_id: str, **run: Any) -> dict[str, Any]:
    """A small envelope; its one commit writes `k`."""
    commit = {
        "overwrite": {"k": run_id},
        "updates": {},
        "redactedPaths": [],
        "trace": [{"path": "k", "verb": "set"}],
        "stage": "Seed",
        "stageId": "seed",
        "runtimeStageId": "seed#0",
    }
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, **run},
        "recording": {"snapshot": {"sharedState": {}, "commitLog": [commit]}, "events": []},
    }


def write(folder: Path, name: str, document: Any) -> Path:
    """Puts a document into a folder, as JSON unless it is bytes already."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path


def stored_ids(store: Path) -> list[str]:
    snapshot = Store(store).snapshot()
    assert snapshot
    return sorted(snapshot.scan("runs").collect()["run_id"])


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(DATA / f"{name}.json.gz", folder)
    return folder


def test_workers_batches_and_order_of_arrival_never_change_a_table(inbox: Path, tmp_path: Path) -> None:
    run([str(inbox)], str(tmp_path / "one"))
    whole = told_tables(Store(tmp_path / "one"))
    run([str(inbox)], str(tmp_path / "two"), jobs=2)
    assert told_tables(Store(tmp_path / "two")) == whole
    for name in reversed(NAMES):
        run([str(inbox / f"{name}.json.gz")], str(tmp_path / "apart"))
    assert told_tables(Store(tmp_path / "apart")) == whole


def test_chunks_of_one_run_give_the_tables_of_one_chunk(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run([str(inbox)], str(tmp_path / "whole"))
    monkeypatch.setattr(dataflows.ingest, "CHUNK_RUNS", 1)
    run([str(inbox)], str(tmp_path / "cut"))
    assert told_tables(Store(tmp_path / "cut")) == told_tables(Store(tmp_path / "whole"))


def test_known_files_are_not_read_again_and_nothing_is_published(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run([str(inbox)], str(tmp_path / "store"))
    monkeypatch.setattr(dataflows.ingest, "read_documents", None)
    again = run([str(inbox)], str(tmp_path / "store"))
    assert (first.loaded, first.published, again.duplicate, again.published) == (5, True, 5, False)
    assert again.snapshot_id == first.snapshot_id == "1"


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_seen(tmp_path: Path) -> None:
    first, second = (recording("r", sessionId=session) for session in ("s1", "s2"))
    path = write(tmp_path / "inbox", "r.json", first)
    run([str(path)], str(tmp_path / "store"))
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.unlink()
    write(tmp_path / "inbox", "r.json", second)
    os.utime(path, ns=times)
    summary = run([str(path)], str(tmp_path / "store"))
    assert (summary.found, summary.loaded + summary.superseded, summary.conflicts) == (1, 1, ["r"])


def test_of_two_versions_of_a_run_the_complete_one_stands_whatever_came_first(tmp_path: Path) -> None:
    part = write(tmp_path / "inbox", "part.json", recording("r", complete=False))
    whole = write(tmp_path / "inbox", "whole.json", recording("r"))
    late = run([str(part)], str(tmp_path / "a")), run([str(whole)], str(tmp_path / "a"))
    early = run([str(whole)], str(tmp_path / "b")), run([str(part)], str(tmp_path / "b"))
    assert [(s.loaded, s.superseded) for s in (*late, *early)] == [(1, 0), (1, 0), (1, 0), (0, 1)]
    assert told_tables(Store(tmp_path / "a")) == told_tables(Store(tmp_path / "b"))
    snapshot = Store(tmp_path / "a").snapshot()
    assert snapshot
    assert snapshot.scan("runs").collect()["complete"].to_list() == [True]


def test_one_run_three_times_is_one_run_and_every_place_is_listed(tmp_path: Path) -> None:
    document = recording("r")
    for name in ("a.json", "b.json"):
        write(tmp_path / "inbox", name, document)
    write(
        tmp_path / "inbox",
        "bare.json",
        {**document["recording"], "events": [{"type": "x", "payload": {}, "meta": {"runId": "r"}}]},
    )
    summary = run([str(tmp_path / "inbox")], str(tmp_path / "store"))
    assert (summary.found, summary.loaded, summary.duplicate, summary.superseded) == (3, 1, 1, 1)
    snapshot = Store(tmp_path / "store").snapshot()
    assert snapshot
    assert sorted(snapshot.scan("recordings").collect()["status"]) == ["active", "duplicate", "superseded"]


def test_what_is_refused_is_new_once_and_gone_once_it_is_mended(tmp_path: Path) -> None:
    inbox, store = tmp_path / "inbox", str(tmp_path / "store")
    write(inbox, "good.json", recording("good"))
    write(inbox, "bad.json", b'{"format": ')
    first, second = run([str(inbox)], store), run([str(inbox)], store)
    assert [(s.quarantined, s.newly_quarantined) for s in (first, second)] == [(1, 1), (1, 0)]
    assert second.found == second.loaded + second.duplicate + second.superseded + second.quarantined == 2
    write(inbox, "bad.json", recording("mended"))
    third = run([str(inbox)], store)
    snapshot = Store(store).snapshot()
    assert snapshot
    assert (third.loaded, third.quarantined, snapshot.row_counts()["quarantine"]) == (1, 0, 0)


def _zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.json", data)
    return buffer.getvalue()


GOOD = json.dumps(recording("good")).encode()


@pytest.mark.parametrize(
    ("name", "data", "code", "loaded"),
    [
        ("x.json", b"", "not-json", 0),
        ("x.json", b"nonsense", "not-json", 0),
        ("x.json", b'{"a": NaN}', "not-json", 0),
        ("x.json", b'{"snapshot": {"sharedState": "\xff"}}', "not-json", 0),
        ("x.json", GOOD[:-20], "truncated", 0),
        ("x.json.gz", gzip.compress(GOOD)[:-30], "truncated", 0),
        ("x.jsonl", GOOD + b"\n{oops}\n" + GOOD.replace(b"good", b"fine"), "not-json", 2),
        ("x.jsonl", GOOD + b"\n" + GOOD[:50] + b"\n\n", "truncated", 1),
        ("x.zip", _zipped(good=GOOD, bad=b"{"), "truncated", 1),
        ("x.json", b'{"format": "agentfootprint.recording.v9"}', "wrong-format", 0),
        ("x.json", b"{}", "unknown-shape", 0),
        ("x.json", b"[]", "unknown-shape", 0),
        ("x.json", b"null", "unknown-shape", 0),
        ("x.json", b'{"snapshot": 5, "events": []}', "wrong-type", 0),
        ("x.json", b'{"snapshot": {}, "events": {}}', "wrong-type", 0),
        ("x.json", b'{"format": "agentfootprint.recording.v1", "recording": {}}', "empty-recording", 0),
        ("x.json", b'{"events": [{"meta": {"runId": "a"}}, {"meta": {"runId": "b"}}]}', "several-runs", 0),
        ("x.json", b'{"snapshot": {"sharedState": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}", "too-deep", 0),
        ("x.json", b'{"snapshot": "' + b"x" * 2**21 + b'"}', "too-large", 0),
        ("x.study.json", b'{"study_id": 5}', "bad-study", 0),
        ("x.units.json", b'{"run_id": 5}', "bad-units", 0),
        ("x.declarations.json", b'{"run_ids": "*", "tools": {"t": {"rowsAt": "a.b"}}}', "bad-declarations", 0),
    ],
)
def test_bad_input_is_refused_with_its_place_and_a_remedy_and_the_rest_goes_on(
    name: str, data: bytes, code: str, loaded: int, tmp_path: Path
) -> None:
    write(tmp_path / "inbox", name, data)
    write(tmp_path / "inbox", "zz.json", recording("beside"))
    summary = run([str(tmp_path / "inbox")], str(tmp_path / "store"), max_document_mb=1)
    assert summary.found == summary.loaded + summary.duplicate + summary.superseded + summary.quarantined
    assert [refusal.code for refusal in summary.refusals] == [code]
    (refusal,) = summary.refusals
    assert str(tmp_path / "inbox" / name) in refusal.source_uri
    assert refusal.message
    assert refusal.remedy
    assert (summary.loaded, summary.newly_quarantined) == (loaded + 1, 1)
    assert "beside" in stored_ids(tmp_path / "store")


def test_a_document_of_several_runs_can_be_split(tmp_path: Path) -> None:
    events = [{"type": "x", "payload": {}, "meta": {"runId": run_id}} for run_id in ("a", "b")]
    path = write(tmp_path / "inbox", "both.json", {"snapshot": {}, "events": events})
    assert run([str(path)], str(tmp_path / "store")).quarantined == 1
    split = run([str(path)], str(tmp_path / "store"), split_runs=True)
    assert (split.found, split.loaded, split.quarantined) == (1, 1, 0)
    assert stored_ids(tmp_path / "store") == ["a", "b"]


def test_newer_derivations_derive_again_from_the_stored_facts(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(tmp_path / "store")
    run([str(inbox)], store)
    before = told_tables(Store(store))
    for path in inbox.iterdir():
        path.write_bytes(b"gone")
    other = write(tmp_path / "other", "r.json", recording("r"))
    for module in ("job", "publication"):
        monkeypatch.setattr(f"dataflows.{module}.CODE_VERSION", "later")
    summary = run([str(other)], store)
    after = told_tables(Store(store))
    assert summary.rederived_chunks == 1
    assert all(set(before[table]) <= set(after[table]) for table in before)
    assert run([str(other)], store).rederived_chunks == 0


def test_after_a_rollback_the_next_run_takes_in_what_was_rolled_back(inbox: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    run([str(inbox / f"{NAMES[0]}.json.gz")], store)
    run([str(inbox)], store)
    whole = told_tables(Store(store))
    rollback(Store(store), 1)
    assert len(stored_ids(tmp_path / "store")) == 1
    summary = run([str(inbox)], store)
    assert (summary.loaded, summary.duplicate) == (4, 1)
    assert told_tables(Store(store)) == whole


def test_a_url_is_read_like_a_folder_also_with_several_workers(tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    files.pipe("/fleet/a.json", json.dumps(recording("a")).encode())
    files.pipe("/fleet/deep/b.jsonl.gz", gzip.compress(json.dumps(recording("b")).encode()))
    summary = run(["memory://fleet"], str(tmp_path / "store"), jobs=2)
    files.rm("/fleet", recursive=True)
    assert (summary.found, summary.loaded) == (2, 2)
    assert stored_ids(tmp_path / "store") == ["a", "b"]


def test_a_store_inside_its_own_inbox_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "inbox", "r.json", recording("r"))
    for found in (1, 1):
        assert run([str(tmp_path / "inbox")], str(tmp_path / "inbox" / "store")).found == found


def test_a_folder_without_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoDocumentsError, match="No documents found in"):
        run([str(tmp_path)], str(tmp_path / "store"))
    assert not (tmp_path / "store").exists()


def test_the_job_and_its_tables_are_at_hand_from_python(inbox: Path, tmp_path: Path) -> None:
    assert dataflows.run([str(inbox)], str(tmp_path / "store")).loaded == 5
    snapshot = dataflows.Store(tmp_path / "store").snapshot()
    assert snapshot
    stored = snapshot.scan("loops").collect().height
    documents = [gzip.decompress(path.read_bytes()) for path in inbox.iterdir()]
    assert dataflows.tables_of(documents)["loops"].height == stored > 0
    with pytest.raises(AttributeError, match="has no attribute 'jobs'; it has Store, forget_runs, run, tables_of"):
        dataflows.jobs  # noqa: B018 - asking is the point


def test_a_catalog_that_was_lost_or_moved_is_made_anew_though_nothing_else_is(inbox: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    run([str(inbox)], str(store))
    (store / "catalog.duckdb").unlink()
    assert not run([str(inbox)], str(store)).published
    assert _runs_in_catalog(store) == 5
    moved = store.rename(tmp_path / "moved")
    assert not run([str(inbox)], str(moved)).published
    assert _runs_in_catalog(moved) == 5


def _runs_in_catalog(store: Path) -> int:
    with duckdb.connect(str(store / "catalog.duckdb"), read_only=True) as connection:
        (found,) = connection.execute("SELECT count(*) FROM runs").fetchall()
    return int(found[0])


def test_a_url_is_no_store(inbox: Path) -> None:
    with pytest.raises(StoreError, match="is a URL; a store is a folder"):
        run([str(inbox)], "s3://bucket/store")


def test_of_two_jobs_at_once_on_the_same_files_one_loads_them_and_the_other_finds_duplicates(
    inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, overtaken = str(tmp_path / "store"), []
    publish = Batch.publish

    def overtaken_publish(batch: Batch, contribution: Contribution) -> Snapshot:
        monkeypatch.setattr(Batch, "publish", publish)
        overtaken.append(run([str(inbox)], store))
        return publish(batch, contribution)

    monkeypatch.setattr(Batch, "publish", overtaken_publish)
    late = run([str(inbox)], store)
    assert [(s.found, s.loaded, s.duplicate) for s in (*overtaken, late)] == [(5, 5, 0), (5, 0, 5)]
    assert len(stored_ids(tmp_path / "store")) == 5
