"""`afp forget`, killed with -9 while it works: the store stays whole, and the same command ends what was begun."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dataflows.forgetting import forget_runs
from dataflows.job import run
from dataflows.store import Store
from dataflows.store.checking import check
from tests.declaring import recording, units, write
from tests.store.test_forgetting import names
from tests.stores import told_tables

FORGET = """
import itertools, os, sys
from dataflows.forgetting import forget_runs

path, call, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
original = getattr(os, call)
calls = itertools.count()

def halting(*args, **options):
    if next(calls) == count:
        print("halted", flush=True)
        sys.stdin.readline()
    return original(*args, **options)

setattr(os, call, halting)
forget_runs(path, runs=["run-of-alice"])
"""

MOMENTS = [("fsync", 0), ("fsync", 20), ("rename", 9), ("link", 0), ("unlink", 0), ("unlink", 9)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some runs and a unit list, and the same after one of the runs was forgotten."""
    folder = tmp_path_factory.mktemp("forgetting")
    for run_id in ("kept", "run-of-alice"):
        run([str(path) for path in write(folder / "runs", **{run_id: recording(run_id)}).values()], str(folder / "all"))
    run([str(write(folder / "lists", lists__units=[units("run-of-alice", "a")])["lists__units"])], str(folder / "all"))
    shutil.copytree(folder / "all", folder / "without")
    forget_runs(str(folder / "without"), runs=["run-of-alice"])
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("call", "count"), MOMENTS)
def test_a_killed_forgetting_leaves_a_whole_store_and_is_ended_by_the_next(
    call: str, count: int, folder: Path, tmp_path: Path
) -> None:
    store = Store(shutil.copytree(folder / "all", tmp_path / "store"))
    command = [sys.executable, "-c", FORGET, str(store.path), call, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"halted\n", f"it ended before its call {count} of {call}"
        killed.kill()
    before, after = told_tables(Store(folder / "all")), told_tables(Store(folder / "without"))
    assert told_tables(store) in (before, after)
    assert [problem for problem in check(store) if "is gone" not in str(problem)] == []
    forget_runs(str(store.path), runs=["run-of-alice"])
    assert told_tables(store) == after
    assert check(store) == []
    assert names(store.path, "run-of-alice") == []
