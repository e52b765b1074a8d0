"""`afp run`, killed with -9 at forty moments: the store stays whole, and the next run ends as if nothing had been."""

import subprocess
import sys
from pathlib import Path

import pytest

from dataflows.job import run
from dataflows.store import Store
from dataflows.store.checking import check
from tests.stores import told_tables

RECORDINGS = ("s-flat-memdecay-travel", "s-grouped-l2-incident", "s-syn-verbs")
DATA = Path(__file__).parents[1] / "data" / "recordings"

COMMAND = """
import itertools, os, sys, dataflows.ingest
from dataflows.cli import main

inbox, store, call, count = *sys.argv[1:4], int(sys.argv[4])
original = getattr(os, call)
calls = itertools.count()

def halting(*args, **options):
    if next(calls) == count:
        os.write(1, b"halted\\n")
        sys.stdin.readline()
    return original(*args, **options)

setattr(os, call, halting)
dataflows.ingest.CHUNK_RUNS = 1
sys.argv = ["afp", "run", inbox, "--store", store]
main()
"""
"""The command, standing still before the nth call of an `os` function until it is killed."""

WRITING_A_PART = [("fsync", count) for count in range(0, 48, 2)]
"""A part is synced while it still has its temporary name: who is killed there was writing it."""
OTHER_MOMENTS = [
    *[("rename", count) for count in range(0, 40, 4)],
    *[("open", count) for count in (0, 30)],
    ("link", 0),
    *[("unlink", 0), ("scandir", 0), ("stat", 3)],
]


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inbox")
    for name in RECORDINGS:
        (folder / f"{name}.json.gz").write_bytes((DATA / f"{name}.json.gz").read_bytes())
    return folder


@pytest.fixture(scope="module")
def undisturbed(inbox: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return told_tables(_run(inbox, tmp_path_factory.mktemp("undisturbed") / "store"))


@pytest.mark.slow
@pytest.mark.parametrize(("call", "count"), [*WRITING_A_PART, *OTHER_MOMENTS])
def test_a_killed_run_leaves_a_whole_store_and_the_next_one_completes_it(
    call: str, count: int, inbox: Path, undisturbed: dict[str, list[str]], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-c", COMMAND, str(inbox), str(store), call, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"halted\n", f"the run ended before its call {count} of {call}"
        if (call, count) in WRITING_A_PART:
            assert list(store.glob("parts/*/*.parquet.tmp")), "no part was being written"
        killed.kill()
    if Store(store).exists():
        assert check(Store(store)) == []
    finished = _run(inbox, store)
    assert check(finished) == []
    assert told_tables(finished) == undisturbed


def test_forty_moments_are_killed_at_and_twenty_of_them_while_a_part_is_written() -> None:
    assert len(set(WRITING_A_PART)) >= 20
    assert len({*WRITING_A_PART, *OTHER_MOMENTS}) >= 40


def _run(inbox: Path, store: Path) -> Store:
    run([str(inbox)], str(store))
    return Store(store)
