"""A check names what is wrong: the file, the table and the key."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from afp_nodes.schemas import TABLES
from dataflows.store import Store, StoreError
from dataflows.store.checking import Problem, check
from dataflows.store.manifest import LiveChunk, Manifest, manifest_file
from dataflows.store.parts import write_part
from tests.store.drawn import publish_runs, store_of_two_jobs


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of_two_jobs(tmp_path / "store")


def manifest_of(store: Store) -> Manifest:
    snapshot = store.snapshot()
    assert snapshot
    return snapshot.manifest


def part_of(store: Store, table: str) -> str:
    return manifest_of(store).chunks[-1].tables[table].file


def only(store: Store) -> Problem:
    [problem] = check(store)
    return problem


def published_otherwise(store: Store, change: Callable[[Manifest], Manifest]) -> None:
    """The newest manifest, changed behind the store's back."""
    manifest = manifest_of(store)
    manifest_file(store.path, manifest.version).write_bytes(change(manifest).to_json())


def with_rows(store: Store, table: str, rows: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[Manifest], Manifest]:
    """A change that gives the last chunk another part of a table, which the manifest describes truly."""

    def change(manifest: Manifest) -> Manifest:
        *others, chunk = manifest.chunks
        frame = pl.read_parquet(store.path / chunk.tables[table].file, glob=False)
        part = write_part(str(store.path), f"parts/{table}/forged.parquet", rows(frame))
        return replace(manifest, chunks=(*others, replace(chunk, tables={**chunk.tables, table: part})))

    return change


def test_a_store_as_it_was_written_has_no_problem(store: Store) -> None:
    assert check(store) == []


def test_an_empty_store_has_no_problem_and_no_store_is_an_error(tmp_path: Path) -> None:
    assert check(Store(tmp_path / "new").create()) == []
    with pytest.raises(StoreError, match="no store"):
        check(Store(tmp_path / "absent"))


@pytest.mark.parametrize("place", [3, 0.5, -9])
def test_a_flipped_byte_is_named_with_its_file_and_table(store: Store, place: float) -> None:
    file = store.path / part_of(store, "events")
    data = bytearray(file.read_bytes())
    data[int(place * len(data)) if isinstance(place, float) else place] ^= 1
    file.write_bytes(data)
    problem = only(store)
    assert (problem.file, problem.table) == (part_of(store, "events"), "events")
    assert "is not the file that was published" in str(problem)


def test_a_part_that_is_gone_is_named(store: Store) -> None:
    (store.path / part_of(store, "runs")).unlink()
    assert str(only(store)) == f"{part_of(store, 'runs')} (table runs) is gone."


def test_a_file_of_an_older_snapshot_that_is_gone_is_named(store: Store) -> None:
    publish_runs(store, {"r": "a2", "u": "d1"}, commits=2)
    first = store.snapshot(1)
    assert first
    file = first.manifest.tables["recordings"].file
    (store.path / file).unlink()
    assert str(only(store)) == f"{file}, a file of snapshot 1, is gone."


def test_a_key_that_stands_twice_in_a_part_is_named(store: Store) -> None:
    published_otherwise(store, with_rows(store, "events", lambda events: pl.concat([events, events.tail(1)])))
    problem = only(store)
    assert (problem.table, problem.key) == ("events", "run_id='t', event_idx=2")
    assert problem.file == "parts/events/forged.parquet"


def test_a_key_with_null_that_stands_twice_is_named(store: Store) -> None:
    life = {"run_id": "t", "scope": "", "key": "k", "commit_idx": None, "readers": [1]}
    lives = pl.DataFrame([life, life], TABLES["lives"].stored_dtypes())

    def change(manifest: Manifest) -> Manifest:
        part = write_part(str(store.path), "parts/lives/forged.parquet", lives)
        *others, chunk = manifest.chunks
        return replace(manifest, chunks=(*others, replace(chunk, tables={**chunk.tables, "lives": part})))

    published_otherwise(store, change)
    assert only(store).key == "run_id='t', scope='', key='k', commit_idx=None"


def test_a_run_that_two_chunks_hold_is_named(store: Store) -> None:
    def revived(chunk: LiveChunk) -> LiveChunk:
        tables = {table: replace(part, dead_rows=0) for table, part in chunk.tables.items()}
        return replace(chunk, superseded=(), tables=tables)

    published_otherwise(store, lambda m: replace(m, chunks=tuple(map(revived, m.chunks))))
    assert [p.key for p in check(store) if p.table == "runs"] == ["run_id='s'", "run_id='s'"]


def test_rows_of_a_run_its_chunk_does_not_hold_are_named(store: Store) -> None:
    published_otherwise(
        store, with_rows(store, "events", lambda events: events.with_columns(run_id=pl.lit("x")).head(1))
    )
    assert "has rows of run 'x', which its chunk does not hold" in str(only(store))


def test_a_run_whose_recording_is_not_the_active_one_is_named(store: Store) -> None:
    other = pl.when(run_id="t").then(pl.lit("zz")).otherwise("recording_sha256")
    published_otherwise(store, with_rows(store, "runs", lambda runs: runs.with_columns(recording_sha256=other)))
    assert {p.table for p in check(store)} == {"recordings", "runs"}
    assert all(p.key == "run_id='t'" for p in check(store))


def test_a_chunk_that_was_derived_with_what_is_not_in_force_is_named(store: Store) -> None:
    def change(manifest: Manifest) -> Manifest:
        *others, chunk = manifest.chunks
        return replace(manifest, chunks=(*others, replace(chunk, declared="of old")), lists="of old")

    published_otherwise(store, change)
    problems = [str(problem) for problem in check(store)]
    assert [what in said for what, said in zip(("chunk ", "what belongs to no chunk"), problems, strict=True)] == [
        True
    ] * 2
    assert all("other unit lists or declarations than those in force; the next run" in said for said in problems)
    publish_runs(store, {"u": "d1"})
    assert check(store) == []


def test_a_unit_list_without_a_run_whose_run_is_there_is_named(store: Store) -> None:
    lists = pl.DataFrame({"run_id": ["t", "absent"], "iteration": 0}).select(
        pl.col(name) if name in ("run_id", "iteration") else pl.lit(None, dtype).alias(name)
        for name, dtype in TABLES["missing_context_summary"].stored_dtypes().items()
    )

    def change(manifest: Manifest) -> Manifest:
        part = write_part(str(store.path), "parts/missing_context_summary/forged.parquet", lists)
        return replace(manifest, tables={**manifest.tables, "missing_context_summary": part})

    published_otherwise(store, change)
    problem = only(store)
    assert (problem.table, problem.key) == ("missing_context_summary", "run_id='t'")
    assert "has rows of run 't' as of one without recording, which it has" in str(problem)


def test_a_wrong_row_count_is_named(store: Store) -> None:
    def change(manifest: Manifest) -> Manifest:
        *others, chunk = manifest.chunks
        events = replace(chunk.tables["events"], rows=7)
        return replace(manifest, chunks=(*others, replace(chunk, tables={**chunk.tables, "events": events})))

    published_otherwise(store, change)
    assert "holds (6, 0), not 7 rows, 0 of them superseded" in str(only(store))


def test_columns_other_than_those_published_are_named(store: Store) -> None:
    file = store.path / part_of(store, "events")

    def change(manifest: Manifest) -> Manifest:
        narrow = pl.read_parquet(file, glob=False).drop("type")
        part = replace(write_part(str(store.path), "parts/events/forged.parquet", narrow), shape="")
        *others, chunk = manifest.chunks
        return replace(manifest, chunks=(*others, replace(chunk, tables={**chunk.tables, "events": part})))

    published_otherwise(store, change)
    assert "does not have the columns it was published with" in str(only(store))


def test_a_gap_between_manifests_and_a_damaged_one_are_named(store: Store) -> None:
    publish_runs(store, {"u": "d1"})
    manifest_file(store.path, 2).rename(store.path / "manifests/elsewhere")
    assert str(only(store)) == "Snapshot 2, which manifests/0000000003.json is built on, is gone."
    manifest_file(store.path, 3).write_bytes(b"{}")
    assert [problem.file for problem in check(store)] == ["manifests/0000000003.json"] * 2


def test_a_manifest_under_a_wrong_number_is_named(store: Store) -> None:
    def misnumbered(document: dict[str, Any]) -> bytes:
        return json.dumps(document | {"version": 5}).encode()

    file = manifest_file(store.path, 2)
    file.write_bytes(misnumbered(json.loads(file.read_bytes())))
    assert "says it is snapshot 5" in str(check(store)[0])


def test_stray_files_are_no_problem(store: Store) -> None:
    for folder in (store.path, *(path for path in store.path.rglob("*") if path.is_dir())):
        (folder / "stray.parquet").touch()
        (folder / "half.parquet.tmp").write_bytes(b"PAR1")
        (folder / "0000000009.json.tmp").write_bytes(b'{"format"')
    assert check(store) == []
    snapshot = publish_runs(store, {"u": "d1"})
    assert snapshot.row_counts()["runs"] == snapshot.scan("runs").collect().height == 4
