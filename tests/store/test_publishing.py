"""What a reader sees after jobs were published, one after another and at once."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from afp_nodes.schemas import TABLES, VIEW_COLUMNS
from dataflows.store import Snapshot, Store, StoreError, drafting
from dataflows.store.batch import open_batch
from dataflows.store.catalog import connect
from dataflows.store.checking import check
from dataflows.store.manifest import Chunk
from dataflows.store.merging import Contribution
from dataflows.store.outdated import needs_rederiving
from dataflows.store.parts import write_chunk
from dataflows.store.rederiving import facts_of
from dataflows.store.scanning import scan_files
from tests.store.drawn import (
    chunk_frames,
    files_below,
    inputs,
    publish_runs,
    published_runs,
    recordings,
    refusals,
    sightings_of,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "a store with 'quotes', [brackets], 100% é").create()


def test_an_empty_job_publishes_every_table_with_all_columns_and_no_rows(store: Store) -> None:
    with open_batch(store, "1") as job:
        snapshot = job.publish(Contribution())
    assert snapshot.row_counts() == {name: int(name == "snapshots") for name in TABLES}
    for name, schema in TABLES.items():
        wanted = list(schema.columns()) + [c for c in _extra_columns(name) if c != "run_id"]
        assert snapshot.scan(name).collect_schema().names() == wanted


def _extra_columns(table: str) -> list[str]:
    return list(VIEW_COLUMNS[table].columns()) if table in VIEW_COLUMNS else []


def test_sql_and_frames_show_the_same_tables(store: Store) -> None:
    publish_runs(store, {"r": "a1", "s": "b1"}, commits=1)
    snapshot = publish_runs(store, {"r": "a2", "t": "c1"}, commits=2)
    with connect(snapshot) as connection:
        for table in snapshot.tables():
            assert_frame_equal(
                connection.sql(f"FROM {table}").pl(), snapshot.scan(table).collect(), check_row_order=False
            )


def test_a_snapshot_never_changes_while_newer_ones_are_published(store: Store) -> None:
    first = publish_runs(store, {"r": "a1"})
    publish_runs(store, {"s": "b1"})
    assert published_runs(first) == {"r": "a1"}
    assert published_runs(_snapshot(store)) == {"r": "a1", "s": "b1"}
    assert published_runs(_snapshot(store, 1)) == {"r": "a1"}


def test_a_better_recording_takes_the_place_of_the_run_in_every_table(store: Store) -> None:
    publish_runs(store, {"r": "a1", "s": "b1"}, commits=1)
    snapshot = publish_runs(store, {"r": "a2"}, commits=2)
    assert published_runs(snapshot) == {"r": "a2", "s": "b1"}
    assert snapshot.row_counts()["events"] == snapshot.scan("events").collect().height == 6
    assert [chunk.superseded for chunk in snapshot.manifest.chunks] == [("r",), ()]
    assert check(store) == []


def test_a_worse_recording_that_comes_later_is_listed_and_not_shown(store: Store) -> None:
    publish_runs(store, {"r": "a2"}, commits=2)
    snapshot = publish_runs(store, {"r": "a1", "s": "b1"}, commits=1)
    assert published_runs(snapshot) == {"r": "a2", "s": "b1"}
    statuses = snapshot.scan("recordings").filter(run_id="r").select("recording_sha256", "status").collect()
    assert sorted(statuses.iter_rows()) == [("a1", "superseded"), ("a2", "active")]


def test_a_chunk_whose_last_run_lost_leaves_the_snapshot(store: Store) -> None:
    publish_runs(store, {"r": "a1"}, commits=1)
    assert len(publish_runs(store, {"r": "a2"}, commits=2).manifest.chunks) == 1


def test_run_ids_that_look_like_sql_are_superseded_like_any_other(store: Store) -> None:
    odd = ["x'); DROP TABLE runs;--", 'a"b', "nul\0inside", "", "é"]
    publish_runs(store, {run: f"{i}-1" for i, run in enumerate([*odd, "kept"])}, commits=1)
    snapshot = publish_runs(store, {run: f"{i}-2" for i, run in enumerate(odd)}, commits=2)
    with connect(snapshot) as connection:
        shown = dict(connection.execute("SELECT run_id, recording_sha256 FROM runs").fetchall())
    assert shown == published_runs(snapshot) == {run: f"{i}-2" for i, run in enumerate(odd)} | {"kept": "5-1"}


def test_two_jobs_that_took_in_the_same_recording_leave_one_copy_of_the_run(store: Store) -> None:
    with open_batch(store, "1") as one, open_batch(store, "1") as other:
        chunks = [
            write_chunk(str(job.root), job.batch_id, chunk_frames({"r": "a1", "s": "b1"})) for job in (one, other)
        ]
        for job, chunk in zip((one, other), chunks, strict=True):
            job.publish(Contribution((chunk,), sightings_of([chunk])))
    snapshot = _snapshot(store)
    assert snapshot.row_counts()["runs"] == 2
    assert [chunk.id for chunk in snapshot.manifest.chunks] == [chunks[0].id]


def test_a_job_that_was_overtaken_merges_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    overtaken: list[int] = []
    merged = drafting.merged

    def merged_too_late(newest: Snapshot | None, *rest: Any) -> Any:
        draft = merged(newest, *rest)
        if len(overtaken) < 2:
            overtaken.append(1)
            publish_runs(store, {f"fast{len(overtaken)}": f"f{len(overtaken)}"})
        return draft

    with open_batch(store, "1") as job:
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames({"slow": "s1"}))
        monkeypatch.setattr(drafting, "merged", merged_too_late)
        snapshot = job.publish(Contribution((chunk,), sightings_of([chunk])))
    assert published_runs(snapshot) == {"fast1": "f1", "fast2": "f2", "slow": "s1"}
    assert store.versions() == [1, 2, 3]
    assert check(store) == []
    assert _parts_no_snapshot_lists(store) == set()


def test_file_systems_without_hard_links_publish_under_a_lock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    publish_runs(store, {"r": "a1"})
    assert published_runs(publish_runs(store, {"s": "b1"})) == {"r": "a1", "s": "b1"}
    assert files_below(store.path / "manifests") == {"0000000001.json", "0000000002.json"}


def test_a_session_that_ends_leaves_nothing_it_did_not_publish(store: Store) -> None:
    publish_runs(store, {"r": "a1"})
    before = files_below(store.path)
    with pytest.raises(KeyboardInterrupt):
        _interrupted_while_writing(store)
    assert files_below(store.path) == before


def _interrupted_while_writing(store: Store) -> None:
    with open_batch(store, "1") as job:
        write_chunk(str(job.root), job.batch_id, chunk_frames({"s": "b1"}))
        (store.path / "parts/runs" / f"{job.batch_id}-0.parquet.tmp").touch()
        assert f"writers/{job.batch_id}.lock" in files_below(store.path)
        raise KeyboardInterrupt


def _interrupted_after_publishing(store: Store) -> None:
    with open_batch(store, "1") as job:
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames({"r": "a1"}))
        job.publish(Contribution((chunk,), sightings_of([chunk])))
        raise KeyboardInterrupt


def test_chunks_that_were_published_outlive_an_error_after_the_publish(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt):
        _interrupted_after_publishing(store)
    assert check(store) == []
    assert published_runs(_snapshot(store)) == {"r": "a1"}


def test_a_recording_whose_rows_are_in_no_chunk_is_not_published(store: Store) -> None:
    with open_batch(store, "1") as job, pytest.raises(StoreError, match="Recording a1 of run 'r' has rows in no chunk"):
        job.publish(Contribution(recordings=recordings("run_id | recording_sha256 | source_uri\n r | a1 | /f")))
    assert store.versions() == []


def test_a_run_of_no_recording_is_not_published(store: Store) -> None:
    with (
        pytest.raises(StoreError, match="Recording a1 of run 'r' has no row in recordings"),
        open_batch(store, "1") as job,
    ):
        job.publish(Contribution((write_chunk(str(job.root), job.batch_id, chunk_frames({"r": "a1"})),)))
    assert store.versions() == []


def test_a_study_names_its_runs_and_of_several_the_least_counts(store: Store) -> None:
    runs = [{"run_id": run, "arm_or_spec_id": "x", "seed": seed} for seed, run in enumerate(("r", "absent"))]
    study = {"kind": "ablation", "specs": [], "runs": runs}
    studies = [json.dumps(study | {"study_id": name}) for name in ("b", "a")]
    publish_runs(store, {"r": "a1", "s": "b1"})
    with open_batch(store, "1") as job:
        documents = inputs(("h1", "/b.json", "study", studies[0]), ("h2", "/a.json", "study", studies[1]))
        snapshot = job.publish(Contribution(inputs=documents))
    labels = snapshot.scan("runs").select("run_id", "arm_id", "study_id").sort("run_id").collect()
    assert labels.rows() == [("r", None, "a"), ("s", None, None)]


def test_quarantine_and_files_follow_what_was_read_last(store: Store) -> None:
    with open_batch(store, "1") as job:
        job.publish(Contribution(quarantine=refusals("source_uri | message\n /f | torn\n /g | torn")))
    with open_batch(store, "1") as job:
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames({"r": "a1"}))
        found = recordings("run_id | recording_sha256 | source_uri\n r | a1 | /f")
        snapshot = job.publish(Contribution((chunk,), found))
    assert snapshot.scan("quarantine").collect()["source_uri"].to_list() == ["/g"]


def test_chunks_of_older_derivations_are_derived_again_from_their_facts(store: Store) -> None:
    publish_runs(store, {"r": "a1", "s": "b1"}, "1", commits=1)
    newest = publish_runs(store, {"s": "b2"}, "2", commits=2)
    [old] = needs_rederiving(newest, "2")
    facts = facts_of(newest, old)
    assert facts["run_records"]["run_id"].to_list() == ["r"]
    assert facts["events"]["run_id"].unique().to_list() == ["r"]
    with open_batch(store, "2") as job:
        again = _with_answer(facts_of(newest, old), "derived again")
        chunk = write_chunk(str(job.root), job.batch_id, again)
        snapshot = job.publish(Contribution(replaced_chunks={old: chunk}))
    assert needs_rederiving(snapshot, "2") == []
    assert snapshot.scan("runs").sort("run_id").collect()["answer"].to_list() == ["derived again", ""]
    assert snapshot.row_counts()["events"] == snapshot.scan("events").collect().height == 6
    assert check(store) == []


def _with_answer(facts: dict[str, pl.DataFrame], answer: str) -> dict[str, pl.DataFrame]:
    """What derivations might make of some facts."""
    runs = chunk_frames(dict(facts["run_records"].select("run_id", "recording_sha256").iter_rows()))["runs"]
    return {"runs": runs.with_columns(answer=pl.lit(answer))}


def test_derivations_made_again_do_not_bring_back_a_run_that_was_superseded_meanwhile(store: Store) -> None:
    first = publish_runs(store, {"r": "a1", "s": "b1"}, "1", commits=1)
    [old] = needs_rederiving(first, "2")
    with open_batch(store, "2") as job:
        chunk = write_chunk(str(job.root), job.batch_id, _with_answer(facts_of(first, old), "again"))
        publish_runs(store, {"s": "b2"}, "2", commits=2)
        snapshot = job.publish(Contribution(replaced_chunks={old: chunk}))
    assert published_runs(snapshot) == {"r": "a1", "s": "b2"}
    assert check(store) == []


def test_a_chunk_that_is_gone_when_its_derivations_come_is_left_alone(store: Store) -> None:
    first = publish_runs(store, {"r": "a1"}, "1", commits=1)
    [old] = needs_rederiving(first, "2")
    with open_batch(store, "2") as job:
        chunk = write_chunk(str(job.root), job.batch_id, _with_answer(facts_of(first, old), "again"))
        publish_runs(store, {"r": "a2"}, "2", commits=2)
        snapshot = job.publish(Contribution(replaced_chunks={old: chunk}))
    assert published_runs(snapshot) == {"r": "a2"}
    assert _parts_no_snapshot_lists(store) == set()


def test_parts_written_before_a_column_existed_show_it_as_null(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = TABLES["events"].stored_dtypes()
    older = {name: dtype for name, dtype in stored.items() if name != "event_run_id"}
    monkeypatch.setattr(TABLES["events"], "stored_dtypes", classmethod(lambda _: older))
    publish_runs(store, {"r": "a1"})
    monkeypatch.undo()
    snapshot = publish_runs(store, {"s": "b1"})
    shown = snapshot.scan("events").collect()
    with connect(snapshot) as connection:
        assert_frame_equal(connection.sql("FROM events").pl(), shown, check_row_order=False)
    assert shown.columns == list(stored)
    assert shown.filter(run_id="r")["event_run_id"].to_list() == [None] * 3
    assert check(store) == []


def test_parts_hold_rows_in_the_order_of_their_key_and_plain_types(store: Store) -> None:
    snapshot = publish_runs(store, {"s": "b1", "r": "a1"})
    [file] = snapshot.files("events")
    events = pl.read_parquet(file, glob=False)
    assert events.select("run_id", "event_idx").rows() == [(r, i) for r in "rs" for i in range(3)]
    plain = (pl.String, pl.Int64, pl.Float64, pl.Boolean, pl.Datetime, pl.List)
    for table in snapshot.tables():
        for path in snapshot.files(table):
            assert all(isinstance(t, plain) for t in scan_files((path,)).collect_schema().values())


def test_a_chunk_travels_between_processes_and_knows_its_recordings(store: Store) -> None:
    import pickle

    with open_batch(store, "1") as job:
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames({"r": "a1"}))
        travelled: Chunk = pickle.loads(pickle.dumps(chunk))
        assert travelled == chunk
        assert travelled.runs == {"r": "a1"}


def test_each_snapshot_counts_its_rows_and_names_its_parent(store: Store) -> None:
    publish_runs(store, {"r": "a1"})
    snapshot = publish_runs(store, {"s": "b1"})
    history = snapshot.scan("snapshots").sort("snapshot_id").collect()
    assert history.select("snapshot_id", "parent_id").rows() == [("1", None), ("2", "1")]
    assert json.loads(history["row_counts_json"][1]) == snapshot.row_counts()


def test_what_is_no_store_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/todo.txt").touch()
    with pytest.raises(StoreError, match=r"no store at .*absent\. Make one: afp run"):
        Store(tmp_path / "absent").snapshot()
    with pytest.raises(StoreError, match="notes is not a store"):
        Store(tmp_path / "notes").snapshot()
    with pytest.raises(StoreError, match="Choose a folder that is empty"):
        Store(tmp_path / "notes").create()
    assert files_below(tmp_path) == {"notes/todo.txt"}


def test_versions_that_are_not_there_and_manifests_that_cannot_be_read_are_named(store: Store) -> None:
    publish_runs(store, {"r": "a1"})
    with pytest.raises(StoreError, match="has no snapshot 7"):
        store.snapshot(7)
    manifest = store.path / "manifests/0000000001.json"
    document = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps(document | {"format": 99}))
    with pytest.raises(StoreError, match=r"newer release .* Upgrade"):
        store.snapshot()
    for damaged in ("", "{}", "[]", json.dumps(document)[:-9], json.dumps(document | {"chunks": 3})):
        manifest.write_text(damaged)
        with pytest.raises(StoreError, match=r"0000000001\.json cannot be read"):
            store.snapshot()


def test_a_store_without_a_snapshot_is_a_store(store: Store) -> None:
    assert store.exists()
    assert store.snapshot() is None
    assert store.versions() == []


def test_an_unknown_table_is_answered_with_those_there_are(store: Store) -> None:
    snapshot = publish_runs(store, {"r": "a1"})
    with pytest.raises(StoreError, match="no table 'loop'"):
        snapshot.scan("loop")


def _snapshot(store: Store, version: int | None = None) -> Snapshot:
    snapshot = store.snapshot(version)
    assert snapshot is not None
    return snapshot


def _parts_no_snapshot_lists(store: Store) -> set[str]:
    listed = {part.file for version in store.versions() for part in _snapshot(store, version).manifest.parts()}
    return {f"parts/{name}" for name in files_below(store.path / "parts")} - listed
