"""Workers: the same results from this process, from others and from a cluster."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from afp_nodes.refusals import RefusedError
from afp_nodes.words import QuarantineCode
from dataflows.derive import SchemaError
from dataflows.extensions import ExtensionError
from dataflows.job import run
from dataflows.store import Snapshot, Store, StoreError
from dataflows.store.manifest import SnapshotGoneError
from dataflows.workers import Executor, Workers
from tests.cli.conftest import recording, write_lines

ALL = (Workers(1), Workers(2), Workers(2, Executor.RAY))
RUNS = [f"r{i}" for i in range(6)]


def halved(share: int) -> float:
    return 1 / share


def unwritten(share: int) -> None:
    raise StoreError(f"Cannot write {share}.", "Make room.")


@pytest.fixture(params=ALL, ids=lambda workers: f"{workers.executor}-{workers.jobs}")
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param.executor is Executor.RAY:
        pytest.importorskip("ray")
    return request.param


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_every_share_is_worked_on_once_and_a_failure_ends_the_job_with_what_it_was(workers: Workers) -> None:
    assert sorted(workers.mapped(halved, [1, 2, 4, 8])) == [0.125, 0.25, 0.5, 1.0]
    assert list(workers.mapped(halved, [])) == []
    with pytest.raises(ZeroDivisionError):
        list(workers.mapped(halved, [1, 0, 2]))


@pytest.mark.parametrize(
    "error",
    [
        StoreError("Cannot write.", "Make room."),
        SnapshotGoneError("It is gone.", "Look."),
        ExtensionError("Node x failed."),
        SchemaError("a column"),
        RefusedError(QuarantineCode.NOT_JSON, "is not JSON", "correct it"),
    ],
)
def test_what_goes_wrong_in_another_process_is_told_in_the_same_words(error: Exception) -> None:
    told = pickle.loads(pickle.dumps(error))
    assert (type(told), str(told), vars(told)) == (type(error), str(error), vars(error))


@pytest.mark.slow
def test_a_store_that_cannot_be_written_by_a_worker_is_told_in_its_sentence() -> None:
    with pytest.raises(StoreError, match=r"Cannot write 1\. Make room\."):
        list(Workers(2).mapped(unwritten, [1, 1]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_a_cluster_makes_the_same_tables(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for half in (RUNS[:3], RUNS[3:]):
        write_lines(inbox / f"{half[0]}.jsonl", *(recording(run_id, []) for run_id in half))
    stores = {executor: Store(tmp_path / executor) for executor in Executor}
    for executor, store in stores.items():
        run([str(inbox)], str(store.path), jobs=2, executor=executor)
    here, there = (_newest(stores[executor]) for executor in Executor)
    for table in here.tables():
        if table not in ("recordings", "files", "snapshots"):
            assert here.scan(table).collect().equals(there.scan(table).collect()), table


def _newest(store: Store) -> Snapshot:
    snapshot = store.snapshot()
    assert snapshot
    return snapshot
