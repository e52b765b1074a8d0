"""`afp run`, killed with -9 while what came late is derived with: a list or declaration counts whole or not yet."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dataflows.job import run
from dataflows.store import Store
from dataflows.store.checking import check
from tests.declaring import declaration, recording, units, write
from tests.faults.test_killed_runs import COMMAND
from tests.stores import told_tables

MOMENTS = [("fsync", 0), ("fsync", 27), ("rename", 16), ("link", 0), ("unlink", 0)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some runs, what is declared of them, and the store once that is taken in."""
    folder = tmp_path_factory.mktemp("late")
    for run_id in "qr":
        run([str(path) for path in write(folder / "runs", **{run_id: recording(run_id)}).values()], str(folder / "one"))
    lists = [units("r", "a", "b", sent=("a",)), units("absent", "c")]
    write(folder / "late", all__declarations=declaration("*", find="rows"), lists__units=lists)
    shutil.copytree(folder / "one", folder / "both")
    run([str(folder / "late")], str(folder / "both"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("call", "count"), MOMENTS)
def test_a_killed_run_leaves_what_was_or_what_is_to_be_and_the_next_one_completes_it(
    call: str, count: int, folder: Path, tmp_path: Path
) -> None:
    store = Store(shutil.copytree(folder / "one", tmp_path / "store"))
    command = [sys.executable, "-c", COMMAND, str(folder / "late"), str(store.path), call, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"halted\n", f"the run ended before its call {count} of {call}"
        killed.kill()
    before, after = told_tables(Store(folder / "one")), told_tables(Store(folder / "both"))
    assert check(store) == []
    assert told_tables(store) in (before, after)
    run([str(folder / "late")], str(store.path))
    assert check(store) == []
    assert told_tables(store) == after
