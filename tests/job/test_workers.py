"""Workers: the same results from this process, from others and from a cluster."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflows.job import run
from dataflows.store import Snapshot, Store
from dataflows.workers import Executor, Workers
from tests.cli.conftest import recording, write_lines

ALL = (Workers(1), Workers(2), Workers(2, Executor.RAY))
RUNS = [f"r{i}" for i in range(6)]


def halved(share: int) -> float:
    return 1 / share


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
