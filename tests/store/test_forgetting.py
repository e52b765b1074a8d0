"""Forgetting: what is forgotten is in no file of the store, nothing brings it back, and what is kept is whole."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dataflows.forgetting import NothingToForgetError, files_that_name, forget_runs
from dataflows.job import run
from dataflows.retention import drop_older
from dataflows.store import Snapshot, Store, StoreError, forgetting
from dataflows.store.batch import open_batch
from dataflows.store.checking import check
from dataflows.store.compaction import compact
from dataflows.store.forgetting import forget
from dataflows.store.forgotten import Forgotten
from dataflows.store.merging import Contribution
from dataflows.store.parts import write_chunk
from dataflows.store.scrubbing import scrubbed
from dataflows.store.upkeep import rollback, vacuum
from tests.declaring import declaration, units
from tests.store.drawn import chunk_frames, publish_runs, published_runs, sightings_of
from tests.stores import told_tables

GONE, KEPT, SHARED = "run-of-alice", "run-of-bob", "both of them asked for a berth"
ONLY_GONE, ONLY_KEPT = "her berth is number 4711", "his berth is number 815"


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"wallClockMs": 1_700_000_000_000}}


def recording(run_id: str, secret: str, **members: Any) -> dict[str, Any]:
    """A run whose state, log, events and history all say the same."""
    log = [
        {
            "stage": "Call",
            "stageId": "call",
            "runtimeStageId": "call#0",
            "overwrite": {"note": secret, "shared": SHARED},
            "updates": {},
            "trace": [{"path": "note", "verb": "set"}, {"path": "shared", "verb": "set"}],
        }
    ]
    history = [{"role": "user", "content": SHARED}, {"role": "assistant", "content": secret}]
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, "startedAt": "2026-01-02T03:04:05Z"} | members,
        "recording": {
            "snapshot": {"sharedState": {"history": history, "note": secret}, "commitLog": log},
            "events": [event("agent.turn_start", userPrompt=SHARED), event("agent.turn_end", finalContent=secret)],
        },
    }


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of two people, an older version of one, documents that name both, and a store that two jobs filled."""
    base = tmp_path_factory.mktemp("forgetting")
    folder = base / "inbox"
    folder.mkdir()
    write(folder / f"{GONE}.json", recording(GONE, ONLY_GONE, tenant="alice", principal="p1"))
    write(folder / "older.json", recording(GONE, ONLY_GONE + " or not", complete=False))
    write(folder / "kept.json", recording(KEPT, ONLY_KEPT, tenant="bob", principal="p1"))
    write(folder / "lists.units.json", [units(GONE, "alice-unit"), units(KEPT, "bob-unit")])
    write(folder / "d.declarations.json", declaration([GONE, KEPT], find="rows"))
    study = {"study_id": "s", "kind": "ablation", "baseline": "baseline", "specs": [{"spec_id": "spec"}]}
    probes = [(f"probe-{n}", side, n % 2) for n, side in enumerate(("baseline", "baseline", "spec"))]
    runs = [{"run_id": run_id, "arm_or_spec_id": side, "seed": seed, "output": "x"} for run_id, side, seed in probes]
    runs.append({"run_id": GONE, "arm_or_spec_id": "spec", "seed": 1, "output": ONLY_GONE})
    write(folder / "s.study.json", study | {"original_run_id": GONE, "original_output": ONLY_GONE, "runs": runs})
    run([str(folder / "kept.json")], str(base / "store"))
    run([str(folder)], str(base / "store"))
    return base


@pytest.fixture
def inbox(filled: Path) -> Iterator[Path]:
    """The documents; what a test adds to them goes after it."""
    folder = filled / "inbox"
    documents = set(folder.iterdir())
    yield folder
    for path in set(folder.iterdir()) - documents:
        path.unlink()


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Store:
    """The store of all that."""
    return Store(shutil.copytree(filled / "store", tmp_path / "store"))


def write(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


def newest(store: Store) -> Snapshot:
    snapshot = store.snapshot()
    assert snapshot
    return snapshot


def held(root: Path) -> Iterator[str]:
    """Everything that the files of a store hold, and their names."""
    for path in sorted(root.rglob("*")):
        yield path.name
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            yield from (str(column.to_pylist()) for column in table.columns)
            yield str(pq.read_metadata(path).to_dict())
        elif path.is_file():
            yield path.read_bytes().decode("latin-1")


def digest(store: Store, run_id: str) -> list[str]:
    frame = newest(store).scan("recordings").collect()
    return [row["recording_sha256"] for row in frame.to_dicts() if row["run_id"] == run_id]


def names(root: Path, *texts: str) -> list[str]:
    """Those of the texts that some file of the store holds."""
    whole = "\n".join(held(root))
    return [text for text in texts if text in whole]


def test_what_is_forgotten_is_in_no_file_and_what_is_kept_is_whole(store: Store, inbox: Path) -> None:
    planted = [GONE, ONLY_GONE, "alice-unit", "alice", *digest(store, GONE)]
    assert names(store.path, *planted) == planted
    before = told_tables(store)
    forgot = forget_runs(str(store.path), runs=[GONE])
    assert names(store.path, *planted) == []
    assert names(store.path, KEPT, ONLY_KEPT, SHARED, "bob-unit", "probe-0") == [
        KEPT,
        ONLY_KEPT,
        SHARED,
        "bob-unit",
        "probe-0",
    ]
    assert check(store) == []
    after = told_tables(store)
    assert after["runs"] == [row for row in before["runs"] if GONE not in row]
    assert after["writes"] == [row for row in before["writes"] if GONE not in row]
    assert (forgot.runs, forgot.documents, forgot.rows["recordings"], forgot.snapshots) == ([GONE], 2, 2, [2])
    assert forgot.rewritten == [
        str(inbox / name) for name in ("d.declarations.json", "lists.units.json", "s.study.json")
    ]
    assert forgot.withdrawn == []
    assert newest(store).row_counts()["probe_runs"] == 3


def test_the_same_files_add_nothing_afterwards(store: Store, inbox: Path) -> None:
    forget_runs(str(store.path), runs=[GONE])
    after = told_tables(store)
    for again in range(2):
        if again:
            for path in inbox.iterdir():
                path.touch()
        summary = run([str(inbox)], str(store.path))
        assert (summary.found, summary.loaded, summary.duplicate) == (6, 0, 6)
        assert told_tables(store) == after
        assert names(store.path, GONE, ONLY_GONE) == []


def test_no_other_document_brings_the_run_back(store: Store, inbox: Path) -> None:
    forget_runs(str(store.path), runs=[GONE])
    write(inbox / "longer.json", recording(GONE, "more of her", complete=True, extra=1))
    write(inbox / "more.units.json", [units(GONE, "a", "b", "c"), units("other", "d")])
    summary = run([str(inbox)], str(store.path))
    assert (summary.loaded, summary.quarantined) == (1, 0)
    assert names(store.path, GONE, "more of her") == []
    assert names(store.path, "other") == ["other"]


def test_neither_rollback_nor_compaction_brings_it_back(store: Store) -> None:
    forget_runs(str(store.path), runs=[GONE])
    with pytest.raises(StoreError, match="Snapshot 2 held what was forgotten"):
        rollback(store, 2)
    rollback(store, 1)
    compact(store)
    vacuum(store, keep_versions=1, keep_days=0)
    assert names(store.path, GONE, ONLY_GONE) == []
    assert newest(store).manifest.forgotten.has_run(GONE)
    assert check(store) == []


def test_what_was_forgotten_stays_so_where_a_damaged_snapshot_is_rolled_back(store: Store) -> None:
    forget_runs(str(store.path), runs=[GONE])
    rollback(store, 1)
    (store.path / "manifests" / f"{store.versions()[-1]:010d}.json").write_text("{")
    assert rollback(store, 1).manifest.forgotten.has_run(GONE)


def test_an_older_snapshot_that_lost_a_file_goes_since_it_may_have_held_the_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "store").create()
    lost = publish_runs(store, {KEPT: "b1"})
    publish_runs(store, {GONE: "a1"})
    Path(lost.files("recordings")[0]).unlink()
    assert forget(store, [GONE]).snapshots == [1, 2]
    assert check(store) == []


def test_a_tenant_or_principal_is_forgotten_with_all_runs_and_does_not_block_later_ones(
    store: Store, inbox: Path
) -> None:
    assert forget_runs(str(store.path), tenants=["alice"]).runs == [GONE]
    write(inbox / "later.json", recording("later", "something", tenant="alice"))
    assert run([str(inbox)], str(store.path)).loaded == 1
    assert forget_runs(str(store.path), principals=["p1"]).runs == [KEPT]
    assert set(newest(store).scan("runs").collect()["run_id"]) == {"later"}


@pytest.mark.parametrize("moment", ["_swept", "_uncached"])
def test_what_was_begun_for_a_tenant_is_ended_by_asking_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    (store.path / "cache/embeddings").mkdir(parents=True, exist_ok=True)
    (store.path / "cache/embeddings/kept.parquet").touch()
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, moment, killed)
        with pytest.raises(KeyboardInterrupt):
            forget_runs(str(store.path), tenants=["alice"])
    forget_runs(str(store.path), tenants=["alice"])
    assert names(store.path, GONE, ONLY_GONE) == []
    assert not (store.path / "cache/embeddings").exists()
    with pytest.raises(NothingToForgetError):
        forget_runs(str(store.path), tenants=["alice"])


def test_a_list_of_the_run_alone_goes_with_its_place(store: Store, inbox: Path) -> None:
    place = write(inbox / "alone.units.json", units(GONE, "only of hers"))
    run([str(inbox)], str(store.path))
    assert forget_runs(str(store.path), runs=[GONE]).withdrawn == [str(place)]
    place.touch()
    assert run([str(inbox)], str(store.path)).duplicate == 7
    assert names(store.path, "alone.units.json", "only of hers") == []


def test_an_unknown_name_forgets_nothing_and_says_what_comes_nearest(store: Store) -> None:
    before = newest(store).version
    unknown: list[dict[str, Any]] = [
        {"runs": [GONE[:-1]]},
        {"tenants": ["alic"]},
        {"runs": [KEPT], "principals": ["p11"]},
    ]
    for asked in unknown:
        with pytest.raises(NothingToForgetError, match="Did you mean"):
            forget_runs(str(store.path), **asked)
    assert newest(store).version == before


def test_a_dry_run_says_the_same_and_changes_nothing(store: Store) -> None:
    before = newest(store).version
    dry = forget_runs(str(store.path), runs=[GONE], dry_run=True)
    assert newest(store).version == before
    wet = forget_runs(str(store.path), runs=[GONE])
    assert (dry.runs, dry.rows, dry.rewritten) == (wet.runs, wet.rows, wet.rewritten)


def test_a_run_that_only_documents_name_is_forgotten_too(store: Store) -> None:
    forget_runs(str(store.path), runs=["probe-2"])
    assert names(store.path, "probe-2") == []
    assert newest(store).row_counts()["probe_runs"] == 3


def test_a_writer_that_was_under_way_does_not_bring_it_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "store").create()
    publish_runs(store, {GONE: "a1", KEPT: "b1"}, commits=1)
    with open_batch(store, "1") as job:
        runs = {GONE: "digest of hers", "new": "c1"}
        chunk = write_chunk(str(job.root), job.batch_id, chunk_frames(runs))
        forget(store, [GONE])
        job.publish(Contribution((chunk,), sightings_of((chunk,), commits=2)))
    assert published_runs(newest(store)) == {KEPT: "b1", "new": "c1"}
    assert names(store.path, GONE, "digest of hers") == []
    assert check(store) == []


def test_the_last_run_of_a_store_can_be_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path / "store").create()
    publish_runs(store, {GONE: "a1"})
    forget(store, [GONE])
    assert newest(store).row_counts()["runs"] == 0
    assert check(store) == []
    assert names(store.path, GONE) == []


def test_marks_are_keyed_so_that_two_stores_have_none_in_common() -> None:
    one, other = Forgotten().more(["d"], ["r"]), Forgotten().more(["d"], ["r"])
    assert (one.has_run("r"), one.has_document("d"), one.has_run("d")) == (True, True, False)
    assert one.runs.isdisjoint(other.runs)
    assert not Forgotten()


def test_reports_that_name_it_are_listed_however_they_spell_it(tmp_path: Path) -> None:
    odd = 'a<b>"é"'
    write(tmp_path / "r.json", {"run": odd})
    (tmp_path / "r.html").write_text("<p>a&lt;b&gt;&quot;é&quot;</p>")
    (tmp_path / "r.md").write_text("nobody")
    assert [Path(path).name for path in files_that_name(str(tmp_path), [odd])] == ["r.html", "r.json"]


@pytest.mark.parametrize(
    ("kind", "document", "left"),
    [
        ("units", units("x", "a"), None),
        ("units", [units("x", "a")], None),
        ("units", [units("x", "a"), units("y", "a")], [units("y", "a")]),
        ("declarations", declaration("*", t="r"), declaration("*", t="r")),
        ("declarations", declaration(["x"], t="r"), None),
        ("declarations", [declaration(["x", "y"], t="r")], [declaration(["y"], t="r")]),
        ("study", {"study_id": "s", "runs": [{"run_id": "x"}]}, None),
        ("study", {"study_id": "s", "runs": []}, {"study_id": "s", "runs": []}),
        ("study", {"original_run_id": "x", "original_output": "o", "runs": []}, {"runs": []}),
        (
            "study",
            {"original_run_id": "y", "runs": [{"run_id": "y"}]},
            {"original_run_id": "y", "runs": [{"run_id": "y"}]},
        ),
    ],
)
def test_a_document_loses_what_it_says_of_the_run_and_nothing_else(kind: str, document: Any, left: Any) -> None:
    text = scrubbed(kind, json.dumps(document), "x".__eq__)
    assert (text and json.loads(text)) == left


def test_runs_that_are_too_old_are_dropped_and_not_taken_in_again(tmp_path: Path) -> None:
    inbox, store = tmp_path / "inbox", str(tmp_path / "store")
    inbox.mkdir()
    for day in (1, 2, 3):
        write(inbox / f"{day}.json", recording(f"day{day}", "x", startedAt=f"2026-01-0{day}T12:00:00Z"))
    write(inbox / "undated.json", recording("undated", "x", startedAt=None))
    run([str(inbox)], store)
    dropped = drop_older(store, datetime(2026, 1, 3, tzinfo=UTC))
    assert (dropped.runs, dropped.documents, dropped.undated) == (["day1", "day2"], 2, 1)
    assert set(newest(Store(store)).scan("runs").collect()["run_id"]) == {"day3", "undated"}
    for touched in (False, True):
        for path in inbox.iterdir() if touched else ():
            path.touch()
        again = run([str(inbox)], store)
        assert (again.found, again.loaded, again.duplicate) == (4, 0, 4)
    assert newest(Store(store)).row_counts()["files"] == 4
    assert drop_older(store, datetime(2026, 1, 3, tzinfo=UTC)).runs == []
    assert check(Store(store)) == []
    rollback(Store(store), 1)
    assert newest(Store(store)).row_counts()["runs"] == 4


def test_a_store_that_is_empty_has_nothing_to_forget(tmp_path: Path) -> None:
    Store(tmp_path / "store").create()
    with pytest.raises(StoreError, match="Nothing was published"):
        forget_runs(str(tmp_path / "store"), runs=["r"])
    shutil.rmtree(tmp_path / "store")


def test_a_run_that_only_an_older_snapshot_holds_is_forgotten_too(store: Store) -> None:
    planted = [GONE, ONLY_GONE, *digest(store, GONE)]
    rollback(store, 1)
    assert GONE not in str(newest(store).scan("runs").collect()["run_id"].to_list())
    assert forget_runs(str(store.path), tenants=["alice"]).runs == [GONE]
    assert names(store.path, *planted) == []
    assert check(store) == []
