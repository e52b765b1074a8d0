"""What applications declare reaches the tables, whenever and however it arrives."""

import json
import os
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import dataflows.ingest
import dataflows.publication
from afp_nodes.refusals import RefusedError
from dataflows.derive import CHUNK_TABLES, tables_of
from dataflows.job import run
from dataflows.store import Snapshot, Store, drafting
from dataflows.store.checking import check
from dataflows.store.compaction import compact
from dataflows.store.upkeep import rollback, vacuum
from tests.declaring import declaration, recording, units, write
from tests.stores import told_tables

LISTS = ("context_units", "missing_context", "missing_context_summary")


@pytest.fixture
def inbox(tmp_path: Path) -> dict[str, Path]:
    """Two runs; what is declared of one, of all, and of a run that is not there."""
    return write(
        tmp_path / "inbox",
        q=recording("q"),
        r=recording("r"),
        all__declarations=declaration("*", find="rows"),
        r__declarations=declaration(["r"], find="other"),
        lists__units=[units("r", "a", "b", sent=("a",)), units("absent", "c")],
    )


@pytest.fixture
def whole(inbox: dict[str, Path], tmp_path: Path) -> dict[str, list[str]]:
    """The tables of one job that finds all of it."""
    return taken_in(tmp_path / "whole", inbox.values())


def taken_in(store: Path, paths: Iterable[Path], **options: Any) -> dict[str, list[str]]:
    """The tables after one job."""
    run([str(path) for path in paths], str(store), **options)
    assert check(Store(store)) == []
    return told_tables(Store(store))


def newest(store: Path) -> Snapshot:
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot


def rows(store: Path, table: str, *columns: str) -> list[tuple[object, ...]]:
    return sorted(newest(store).scan(table).select(columns).collect().rows())


def never(*_: object) -> Any:
    raise AssertionError("a chunk is derived a second time")


def test_what_is_declared_stands_in_the_tables(inbox: dict[str, Path], tmp_path: Path) -> None:
    taken_in(tmp_path / "store", inbox.values())
    assert [run_id for run_id, _ in rows(tmp_path / "store", "reasons", "run_id", "reason")] == ["q"]
    assert rows(tmp_path / "store", "missing_context", "run_id", "unit_id") == [("absent", "c"), ("r", "b")]


def test_a_list_of_a_run_that_is_not_there_gives_neither_a_run_nor_a_verdict(
    inbox: dict[str, Path], tmp_path: Path
) -> None:
    taken_in(tmp_path / "store", inbox.values())
    for table in CHUNK_TABLES:
        told = {run_id for (run_id,) in rows(tmp_path / "store", table, "run_id")}
        assert ("absent" in told) == (table in LISTS), table


@pytest.mark.parametrize(
    "order",
    [
        ("r", "r__declarations", "lists__units"),
        ("lists__units", "r__declarations", "r"),
        ("all__declarations", "r", "r__declarations"),
    ],
)
def test_documents_that_come_one_by_one_give_the_tables_of_one_job(
    order: tuple[str, ...], inbox: dict[str, Path], tmp_path: Path
) -> None:
    for name in order:
        taken_in(tmp_path / "apart", [inbox[name]])
    together = taken_in(tmp_path / "together", [inbox[name] for name in order])
    assert told_tables(Store(tmp_path / "apart")) == together


def test_chunks_and_workers_change_nothing(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataflows.publication, "SHARE_BYTES", 1)
    assert taken_in(tmp_path / "workers", inbox.values(), jobs=2) == whole
    monkeypatch.setattr(dataflows.ingest, "CHUNK_RUNS", 1)
    assert taken_in(tmp_path / "chunks", inbox.values()) == whole


def test_a_run_is_derived_once_when_what_is_declared_of_it_is_known_or_lies_beside_it(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafting, "derived_again", never)
    assert taken_in(tmp_path / "beside", inbox.values()) == whole
    taken_in(tmp_path / "before", [inbox["all__declarations"], inbox["r__declarations"], inbox["lists__units"]])
    assert taken_in(tmp_path / "before", [inbox["q"], inbox["r"]]) == whole


def test_what_arrives_in_an_archive_beside_the_recordings_reaches_them_all_the_same(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(inbox.values(), reverse=True):
            archive.write(path, path.name)
    tables = taken_in(tmp_path / "store", [tmp_path / "all.zip"])
    assert {name: tables[name] for name in CHUNK_TABLES} == {name: whole[name] for name in CHUNK_TABLES}


def test_only_the_chunks_it_touches_are_derived_again(inbox: dict[str, Path], tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    for name in ("q", "r"):
        run([str(inbox[name])], store)
    before = [chunk.tables for chunk in newest(tmp_path / "store").manifest.chunks]
    summary = run([str(inbox["lists__units"])], store)
    of_q, of_r = (chunk.tables for chunk in newest(tmp_path / "store").manifest.chunks)
    assert summary.rederived_chunks == 1
    assert of_q == before[0]
    assert {table for table in of_r if of_r[table] != before[1].get(table)} >= {"missing_context", "verdicts"}
    assert of_r["states"] == before[1]["states"]
    assert run([str(inbox["all__declarations"])], store).rederived_chunks == 2


def test_what_is_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    short, long = units("r", "a"), units("r", "b", "c", sent=("b", "c"))
    places = write(tmp_path / "inbox", r=recording("r"), short__units=short, long__units=long)
    for name in ("r", "short__units", "long__units"):
        taken_in(tmp_path / "store", [places[name]])
    assert rows(tmp_path / "store", "context_units", "unit_id") == [("b",), ("c",)]
    assert rows(tmp_path / "store", "missing_context", "unit_id") == []
    taken_in(tmp_path / "store", [places["short__units"]])
    assert rows(tmp_path / "store", "context_units", "unit_id") == [("b",), ("c",)]


def test_a_run_takes_over_the_list_that_waited_for_it_and_another_version_of_it_keeps_it(tmp_path: Path) -> None:
    lists = units("r", "a")
    places = write(tmp_path / "inbox", part=recording("r", complete=False), r=recording("r"), r__units=lists)
    for name in ("r__units", "part", "r"):
        taken_in(tmp_path / "store", [places[name]])
        assert rows(tmp_path / "store", "missing_context", "run_id", "unit_id") == [("r", "a")]
    assert newest(tmp_path / "store").manifest.tables.keys().isdisjoint(LISTS)
    assert taken_in(tmp_path / "whole", places.values()) == told_tables(Store(tmp_path / "store"))


def test_a_list_of_a_run_whose_other_version_lies_in_the_same_chunk_reaches_the_one_that_stands(tmp_path: Path) -> None:
    first = write(tmp_path / "first", q=recording("q"), r=recording("r", complete=False))
    then = write(tmp_path / "then", r=recording("r"), r__units=units("r", "a"))
    taken_in(tmp_path / "store", first.values())
    taken_in(tmp_path / "store", then.values())
    assert taken_in(tmp_path / "whole", [*first.values(), *then.values()]) == told_tables(Store(tmp_path / "store"))


def test_a_rollback_takes_declarations_back_and_the_next_run_brings_them_again(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    before = taken_in(tmp_path / "store", [inbox["q"], inbox["r"]])
    taken_in(tmp_path / "store", [inbox["all__declarations"], inbox["r__declarations"], inbox["lists__units"]])
    rollback(Store(tmp_path / "store"), 1)
    assert told_tables(Store(tmp_path / "store")) == before
    assert taken_in(tmp_path / "store", inbox.values()) == whole


def test_compaction_and_vacuum_leave_every_table_as_it_was_and_nothing_to_derive_again(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in reversed(inbox):
        taken_in(tmp_path / "store", [inbox[name]])
    store = Store(tmp_path / "store")
    assert compact(store)
    vacuum(store, keep_days=0)
    assert check(store) == []
    assert told_tables(store) == whole
    monkeypatch.setattr(drafting, "derived_again", never)
    other = write(tmp_path / "other", s=recording("s"))
    taken_in(tmp_path / "store", other.values())


def _overtaking(monkeypatch: pytest.MonkeyPatch, others_job: Callable[[], object]) -> None:
    """Another job publishes after this one has merged, and before it can publish."""
    merged = drafting.merged

    def merged_too_late(*inputs: Any) -> Any:
        draft = merged(*inputs)
        monkeypatch.setattr(drafting, "merged", merged)
        others_job()
        return draft

    monkeypatch.setattr(drafting, "merged", merged_too_late)


@pytest.mark.parametrize(
    ("slow", "fast"),
    [
        (("q", "r"), ("all__declarations", "r__declarations", "lists__units")),
        (("all__declarations", "r__declarations", "lists__units"), ("q", "r")),
        (("r", "all__declarations"), ("q", "r__declarations", "lists__units")),
    ],
)
def test_what_another_job_declared_or_recorded_meanwhile_is_derived_with_before_this_one_publishes(
    slow: tuple[str, ...],
    fast: tuple[str, ...],
    inbox: dict[str, Path],
    whole: dict[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _overtaking(monkeypatch, lambda: run([str(inbox[name]) for name in fast], str(tmp_path / "store")))
    assert taken_in(tmp_path / "store", [inbox[name] for name in slow]) == whole
    assert Store(tmp_path / "store").versions() == [1, 2]


def test_lists_without_runs_are_derived_again_by_newer_derivations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = write(tmp_path / "inbox", lists__units=units("absent", "a"))
    taken_in(tmp_path / "store", places.values())
    for module in ("job", "publication"):
        monkeypatch.setattr(f"dataflows.{module}.CODE_VERSION", "later")
    assert run([str(path) for path in places.values()], str(tmp_path / "store")).published
    assert newest(tmp_path / "store").manifest.code_version == "later"
    assert not run([str(path) for path in places.values()], str(tmp_path / "store")).published


def test_newer_derivations_keep_what_is_declared(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_in(tmp_path / "store", inbox.values())
    for module in ("job", "publication"):
        monkeypatch.setattr(f"dataflows.{module}.CODE_VERSION", "later")
    assert run([str(inbox["q"])], str(tmp_path / "store")).rederived_chunks == 1
    assert told_tables(Store(tmp_path / "store")) == whole


def test_a_job_leaves_nothing_of_what_it_handed_to_its_workers(inbox: dict[str, Path], tmp_path: Path) -> None:
    taken_in(tmp_path / "store", inbox.values())
    assert {path.name for path in (tmp_path / "store").iterdir()} == {
        *("parts", "manifests", "writers"),
        *("catalog.duckdb", "catalog.stamp"),
    }


def test_an_entry_that_is_refused_stays_so_when_its_file_is_read_again_and_in_every_copy(tmp_path: Path) -> None:
    entries = [units("r", "a"), {"run_id": "r"}]
    [place] = write(tmp_path / "inbox", lists__units=entries).values()
    first = run([str(tmp_path / "inbox")], str(tmp_path / "store"))
    os.utime(place, ns=(1, 1))
    second = run([str(tmp_path / "inbox")], str(tmp_path / "store"))
    write(tmp_path / "inbox", copy__units=entries)
    third = run([str(tmp_path / "inbox")], str(tmp_path / "store"))
    assert [job.newly_quarantined for job in (first, second, third)] == [1, 0, 1]
    refused = rows(tmp_path / "store", "quarantine", "position", "code")
    assert refused == [(1, "bad-units"), (1, "bad-units")]


def test_bytes_that_two_names_tell_apart_are_two_documents_whichever_came_first(tmp_path: Path) -> None:
    both = {**units("r", "a"), **declaration(["r"], find="rows")}
    named = write(tmp_path / "inbox", x__declarations=both, x__units=both, y=both, z__units=both)
    tables = []
    for number, order in enumerate((list(named), [*reversed(named)])):
        for name in order:
            run([str(named[name])], str(tmp_path / f"store{number}"))
        tables.append(told_tables(Store(tmp_path / f"store{number}")))
    taken_in(tmp_path / "whole", named.values())
    assert tables[0] == tables[1] == told_tables(Store(tmp_path / "whole"))
    kinds = [("declarations", "active"), ("units", "active"), ("units", "duplicate")]
    assert rows(tmp_path / "whole", "inputs", "kind", "status") == kinds
    assert rows(tmp_path / "whole", "quarantine", "code") == [("unknown-shape",)]


def test_named_documents_in_memory_give_the_tables_of_a_job(inbox: dict[str, Path], tmp_path: Path) -> None:
    taken_in(tmp_path / "store", inbox.values())
    tables = tables_of([(path.name, path.read_bytes()) for path in inbox.values()], validate=True)
    for name in CHUNK_TABLES:
        stored = newest(tmp_path / "store").scan(name).select(tables[name].columns).collect()
        in_memory = tables[name].cast(dict(stored.schema))
        assert sorted(map(str, in_memory.rows())) == sorted(map(str, stored.rows())), name


def test_documents_in_memory_that_cannot_be_taken_in_are_refused() -> None:
    with pytest.raises(RefusedError, match="entry 1"):
        tables_of([("x.units.json", json.dumps([units("r", "a"), 5]).encode())])
