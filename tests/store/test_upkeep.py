"""Rolling back, compacting and vacuuming keep what readers and writers rely on."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dataflows.store import Snapshot, Store, StoreError, compaction
from dataflows.store.batch import open_batch
from dataflows.store.checking import check
from dataflows.store.compaction import compact, mergeable
from dataflows.store.manifest import LiveChunk, Part, manifest_file
from dataflows.store.merging import Contribution
from dataflows.store.parts import write_chunk
from dataflows.store.rederiving import facts_of
from dataflows.store.upkeep import history, rollback, vacuum
from tests.store.drawn import (
    chunk_frames,
    files_below,
    publish_runs,
    published_runs,
    sightings_of,
    store_of_two_jobs,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of_two_jobs(tmp_path / "store")


def newest(store: Store) -> Snapshot:
    snapshot = store.snapshot()
    assert snapshot
    return snapshot


def contents(snapshot: Snapshot) -> dict[str, pl.DataFrame]:
    """Every table but the one that tells of snapshots."""
    return {table: snapshot.scan(table).collect() for table in snapshot.tables() if table != "snapshots"}


def assert_same_rows(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> None:
    for table, frame in one.items():
        assert_frame_equal(frame, other[table], check_row_order=False)


def test_history_tells_of_every_snapshot_newest_first(store: Store) -> None:
    assert [(m.version, m.parent) for m in history(store)] == [(2, 1), (1, None)]


def test_a_rollback_publishes_the_older_tables_as_the_newest(store: Store) -> None:
    first = store.snapshot(1)
    assert first
    back = rollback(store, 1)
    assert (back.version, back.manifest.parent, back.manifest.restores) == (3, 2, 1)
    assert_same_rows(contents(back), contents(first))
    assert back.scan("snapshots").collect()["snapshot_id"].to_list() == ["1", "2", "3"]
    assert check(store) == []


def test_after_a_rollback_the_next_job_works_and_keeps_what_it_takes_in(store: Store) -> None:
    rollback(store, 1)
    assert published_runs(publish_runs(store, {"u": "d1"})) == {"r": "a1", "s": "b1", "u": "d1"}
    assert published_runs(publish_runs(store, {"s": "b2", "t": "c1"}, commits=2))["s"] == "b2"
    assert check(store) == []


def test_a_job_that_a_rollback_overtakes_must_run_again(store: Store) -> None:
    with open_batch(store, "1") as job:
        rollback(store, 1)
        with pytest.raises(StoreError, match=r"was rolled back while this job ran.* Run the job again"):
            job.publish(Contribution())
    assert store.versions() == [1, 2, 3]


def test_a_rollback_leads_out_of_a_damaged_newest_manifest(store: Store) -> None:
    manifest_file(store.path, 2).write_bytes(b"")
    with pytest.raises(StoreError, match="cannot be read"):
        store.snapshot()
    assert published_runs(rollback(store, 1)) == {"r": "a1", "s": "b1"}
    assert newest(store).version == 3


def test_a_damaged_manifest_between_others_stops_neither_history_nor_writers_nor_vacuum(store: Store) -> None:
    publish_runs(store, {"u": "d1"})
    manifest_file(store.path, 2).write_bytes(b"{}")
    dead = store.path / "writers/20260101T000000-00000000.lock"
    dead.touch()
    os.utime(dead, (0, 0))
    part = store.path / "parts/runs/20260101T000000-00000000-0.parquet"
    part.touch()
    assert [manifest.version for manifest in history(store)] == [3, 1]
    publish_runs(store, {"v": "e1"})
    assert part.exists()
    with pytest.raises(StoreError, match=r"0000000002\.json cannot be read"):
        vacuum(store)
    vacuum(store, keep_days=0)
    assert not part.exists()
    assert store.versions() == [4]
    assert check(store) == []


def test_a_rollback_to_what_is_gone_says_so_and_publishes_nothing(store: Store) -> None:
    with pytest.raises(StoreError, match="has no snapshot 9"):
        rollback(store, 9)
    lost = newest(store).manifest.chunks[0].tables["runs"].file
    (store.path / lost).unlink()
    with pytest.raises(StoreError, match=f"{lost} is gone"):
        rollback(store, 1)
    assert store.versions() == [1, 2]


def test_compaction_leaves_every_table_equal_row_for_row_and_drops_dead_rows(store: Store) -> None:
    before = newest(store)
    after = compact(store)
    assert after
    assert_same_rows(contents(before), contents(after))
    [chunk] = after.manifest.chunks
    assert (chunk.runs, chunk.superseded) == (3, ())
    assert all(part.dead_rows == 0 and part.rows == after.row_counts()[t] for t, part in chunk.tables.items())
    assert check(store) == []
    assert compact(store) is None


def test_a_writer_that_publishes_during_a_compaction_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer supersedes a run of the chunks that are being merged, and brings a new one."""
    publish = compaction.publish

    def overtaken(*args: Any) -> Snapshot:
        publish_runs(store, {"t": "c2", "u": "d1"}, commits=3)
        return publish(*args)

    monkeypatch.setattr(compaction, "publish", overtaken)
    after = compact(store)
    assert after
    assert published_runs(after) == {"r": "a1", "s": "b2", "t": "c2", "u": "d1"}
    assert after.row_counts()["events"] == after.scan("events").collect().height == 12
    assert [chunk.superseded for chunk in after.manifest.chunks] == [("t",), ()]
    assert check(store) == []


def test_a_compaction_yields_to_chunks_that_were_derived_again_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = compaction.publish
    derived = [chunk.id for chunk in newest(store).manifest.chunks][1]

    def overtaken(*args: Any) -> Snapshot:
        with open_batch(store, "2") as job:
            runs = chunk_frames({"s": "b2", "t": "c1"})["runs"].with_columns(answer=pl.lit("again"))
            chunk = write_chunk(str(job.root), job.batch_id, {"runs": runs})
            job.publish(Contribution(replaced_chunks={derived: chunk}))
        return publish(*args)

    monkeypatch.setattr(compaction, "publish", overtaken)
    after = compact(store)
    assert after
    assert after.scan("runs").filter(run_id="t").collect()["answer"].to_list() == ["again"]
    assert check(store) == []
    listed = {part.file for version in store.versions() for part in _manifest(store, version).parts()}
    assert {f"parts/{name}" for name in files_below(store.path / "parts")} == listed


def _manifest(store: Store, version: int) -> Any:
    snapshot = store.snapshot(version)
    assert snapshot
    return snapshot.manifest


def test_many_small_chunks_are_compacted_by_the_publish_that_makes_them_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "DUE", 4)
    store = Store(tmp_path / "store").create()
    for number in range(4):
        publish_runs(store, {f"r{number}": f"a{number}"})
    assert store.versions() == [1, 2, 3, 4, 5]
    assert len(newest(store).manifest.chunks) == 1
    assert published_runs(newest(store)) == {f"r{n}": f"a{n}" for n in range(4)}


def test_a_publish_stands_when_the_compaction_after_it_fails(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise StoreError("Cannot write it: No space left on device.", "Free some.")

    monkeypatch.setattr(compaction, "DUE", 1)
    monkeypatch.setattr(compaction, "compact", full)
    assert published_runs(publish_runs(store, {"u": "d1"})).keys() >= {"u"}
    assert "could not be compacted. Cannot write it: No space left" in capsys.readouterr().err


def chunks_of(*sizes: tuple[str, int, int, tuple[str, ...]]) -> Iterator[LiveChunk]:
    """Chunks by code version, runs, bytes and superseded runs."""
    for number, (code_version, runs, size, superseded) in enumerate(sizes):
        part = Part("f", 1, 1, "", "", size)
        yield LiveChunk(str(number), code_version, runs, superseded, {"runs": part})


def test_only_small_chunks_of_one_code_version_are_merged_and_never_beyond_the_bounds() -> None:
    small = ("1", 100, 10, ())
    large = ("1", compaction.LARGE_RUNS, 10, ())
    heavy = ("1", 1, compaction.LARGE_BYTES // 2, ())
    groups = list(mergeable(chunks_of(small, large, small, ("2", 1, 1, ()), *[small] * 4, heavy)))
    assert [[chunk.id for chunk in group] for group in groups] == [["0", "2", "4", "5", "6"]]
    assert all(sum(chunk.runs for chunk in group) <= compaction.LARGE_RUNS for group in groups)


def test_a_large_chunk_is_rewritten_alone_when_runs_of_it_were_superseded() -> None:
    groups = list(mergeable(chunks_of(("1", compaction.LARGE_RUNS, 10, ("r",)), ("1", 1, 1, ()))))
    assert [[chunk.id for chunk in group] for group in groups] == [["0"]]


def test_vacuum_keeps_the_newest_and_the_young_and_removes_what_no_snapshot_lists(store: Store) -> None:
    compact(store)
    assert vacuum(store).snapshots == 0
    before = contents(newest(store))
    freed = vacuum(store, keep_versions=1, keep_days=0)
    assert freed.snapshots == 2
    assert freed.bytes > 0
    assert store.versions() == [3]
    assert_same_rows(contents(newest(store)), before)
    assert {f"parts/{f}" for f in files_below(store.path / "parts")} == {p.file for p in newest(store).manifest.parts()}
    assert check(store) == []
    with pytest.raises(StoreError, match="has no snapshot 1"):
        rollback(store, 1)


def test_vacuum_keeps_as_many_versions_as_asked_and_never_fewer_than_one(store: Store) -> None:
    publish_runs(store, {"u": "d1"})
    vacuum(store, keep_versions=2, keep_days=0)
    assert store.versions() == [2, 3]
    vacuum(store, keep_versions=0, keep_days=0)
    assert store.versions() == [3]


def test_vacuum_leaves_the_files_of_a_writer_at_work_alone(store: Store) -> None:
    with open_batch(store, "1") as job:
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames({"u": "d1"}))
        vacuum(store, keep_versions=1, keep_days=0)
        assert published_runs(job.publish(Contribution((chunk,), sightings_of([chunk])))).keys() >= {"u"}
    assert check(store) == []


def test_vacuum_removes_what_a_dead_writer_left_and_nothing_that_is_not_ours(store: Store) -> None:
    before = files_below(store.path)
    dead = "20260101T000000-00000000"
    for name in (f"writers/{dead}.lock", f"parts/runs/{dead}-0.parquet", f"parts/runs/{dead}-1.parquet.tmp"):
        (store.path / name).touch()
    (store.path / f"manifests/{dead}-2.json.tmp").touch()
    (store.path / f"{dead}-catalog.duckdb.tmp").touch()
    (store.path / "parts/runs/mine.parquet").touch()
    vacuum(store)
    assert files_below(store.path) == before | {"parts/runs/mine.parquet"}


def test_the_next_job_clears_up_after_a_dead_writer_once_that_is_old(store: Store) -> None:
    before = files_below(store.path)
    dead = "20260101T000000-00000000"
    lock, part = store.path / f"writers/{dead}.lock", store.path / f"parts/runs/{dead}-0.parquet"
    lock.touch()
    part.touch()
    with open_batch(store, "1"):
        assert part.exists()
    os.utime(lock, (0, time.time() - 7200))
    with open_batch(store, "1"):
        assert not part.exists()
    assert files_below(store.path) == before


def test_files_a_dead_writer_had_published_stay(store: Store) -> None:
    [published] = {chunk.id[:24] for chunk in newest(store).manifest.chunks[:1]}
    (store.path / f"writers/{published}.lock").touch()
    vacuum(store)
    assert check(store) == []
    assert newest(store).scan("runs").collect().height == 3


@pytest.mark.parametrize("damage", ["a flipped byte", "a file that is gone"])
def test_a_damaged_part_is_never_merged_into_a_good_one(store: Store, damage: str) -> None:
    part = store.path / newest(store).manifest.chunks[0].tables["runs"].file
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.unlink()
    if damage == "a flipped byte":
        part.write_bytes(data)
    before = store.versions()
    with pytest.raises(StoreError, match=r"is not the file that was published.*store check"):
        compact(store)
    with pytest.raises(StoreError, match="is not the file that was published"):
        facts_of(newest(store), newest(store).manifest.chunks[0].id)
    assert store.versions() == before
    assert check(store)
