"""A store outlives whatever happens to its writers: kill -9, signals, a full disk, other writers, readers beside."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dataflows.store import Snapshot, Store, StoreError
from dataflows.store.batch import open_batch
from dataflows.store.catalog import connect
from dataflows.store.checking import check
from dataflows.store.merging import Contribution
from dataflows.store.parts import write_chunk
from dataflows.store.upkeep import vacuum
from dataflows.store.writers import undisturbed
from tests.store.drawn import chunk_frames, files_below, publish_runs, published_runs, sightings_of

WRITER = """
import itertools, os, signal, sys
from dataflows.store import Store
from tests.store.test_faults import publish_new_runs

path, call, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
original = getattr(os, call)
calls = itertools.count()

def halting(*args):
    if next(calls) == count:
        print("halted", flush=True)
        sys.stdin.readline()
    return original(*args)

setattr(os, call, halting)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
publish_new_runs(Store(path))
"""
"""A writer that stands still before the nth call of an `os` function until its parent has decided what happens."""

BEFORE = {"r": "a1"}
AFTER = {"r": "a2"} | {f"new{i}": f"n{i}" for i in range(8)}
PARTS = 26
"""Parts that the writer writes: two a chunk, six of the job, two of the fleet."""


def publish_new_runs(store: Store) -> Snapshot:
    """One job of some chunks; it supersedes a run that is there."""
    with open_batch(store, "1") as job:
        runs = [{run: sha} for run, sha in AFTER.items()]
        chunks = tuple(write_chunk(str(job.root), job.batch_id, chunk_frames(each)) for each in runs)
        return job.publish(Contribution(chunks, sightings_of(chunks, commits=2)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store").create()
    publish_runs(store, BEFORE, commits=1)
    return store


@contextmanager
def halted_writer(store: Store, call: str, count: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A writer that stands still at one moment of its work."""
    command = [sys.executable, "-c", WRITER, str(store.path), call, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "halted\n"
        yield writer


def newest_runs(store: Store) -> dict[str, str]:
    snapshot = store.snapshot()
    assert snapshot
    return published_runs(snapshot)


@pytest.mark.deep
def test_a_writer_killed_while_it_writes_any_of_its_parts_leaves_the_last_snapshot(store: Store) -> None:
    """A part is synced while it still has its temporary name: whoever is killed there was writing it."""
    whole = files_below(store.path)
    hits = 0
    for count in range(PARTS):
        with halted_writer(store, "fsync", count) as writer:
            hits += any(name.endswith(".parquet.tmp") for name in files_below(store.path))
            writer.kill()
        assert newest_runs(store) == BEFORE
        assert check(store) == []
    assert hits >= 20, f"only {hits} kills landed while a part was being written"
    assert len(files_below(store.path) - whole) > 2 * PARTS, "the killed writers left hardly anything"
    vacuum(store)
    assert files_below(store.path) == whole
    assert published_runs(publish_new_runs(store)) == AFTER
    assert check(store) == []


@pytest.mark.slow
@pytest.mark.parametrize(("call", "count", "outcome"), [("link", 0, BEFORE), ("rename", 3, BEFORE)])
def test_a_writer_killed_before_the_atomic_step_has_published_nothing(
    store: Store, call: str, count: int, outcome: dict[str, str]
) -> None:
    with halted_writer(store, call, count) as writer:
        writer.kill()
    assert newest_runs(store) == outcome
    assert published_runs(publish_new_runs(store)) == AFTER
    vacuum(store)
    assert check(store) == []


@pytest.mark.slow
def test_a_writer_killed_after_the_atomic_step_has_published_everything(store: Store) -> None:
    folders = sum(1 for _ in (store.path / "parts").iterdir())
    with halted_writer(store, "fsync", PARTS + 1 + folders + 1) as writer:
        assert store.versions() == [1, 2]
        writer.kill()
    vacuum(store)
    assert newest_runs(store) == AFTER
    assert check(store) == []


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_signal_ends_a_writer_without_leaving_anything(store: Store, number: signal.Signals, code: int) -> None:
    before = files_below(store.path)
    with halted_writer(store, "fsync", 5) as writer:
        assert len(files_below(store.path)) > len(before)
        writer.send_signal(number)
        writer.communicate("go on\n")
    assert writer.returncode == code
    assert files_below(store.path) == before


def test_signals_wait_for_the_end_of_a_block_that_must_not_be_disturbed() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        _interrupted_twice(done)
    assert done == ["block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _interrupted_twice(done: list[str]) -> None:
    with undisturbed():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("block")


@pytest.mark.parametrize("nth", range(0, PARTS + 1, 4))
def test_a_full_disk_at_any_sync_publishes_nothing_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    before = files_below(store.path)
    sync, calls = os.fsync, iter(range(1000))

    def full(descriptor: int) -> None:
        if next(calls) >= nth:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"No space left on device\. Nothing was published; free some space"):
        publish_new_runs(store)
    monkeypatch.undo()
    assert files_below(store.path) == before
    assert newest_runs(store) == BEFORE
    assert check(store) == []


def test_a_snapshot_the_disk_did_not_confirm_is_published_and_that_is_said(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    link, sync = os.link, os.fsync

    def unplugged(_descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def last_success(*names: Path) -> None:
        link(*names)
        monkeypatch.setattr(os, "fsync", unplugged)

    monkeypatch.setattr(os, "link", last_success)
    assert published_runs(publish_new_runs(store)) == AFTER
    assert "might not outlive a power cut" in capsys.readouterr().err
    monkeypatch.setattr(os, "fsync", sync)


def test_a_place_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"Cannot write .*file/store.*Not a directory"):
        Store(tmp_path / "file/store").create()


def test_a_store_without_the_right_to_write_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(store.path / "writers/x.lock"))

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(StoreError, match=r"Cannot write .*x\.lock: Permission denied.*make .* writable"):
        publish_new_runs(store)


RIVAL = """
import sys
from dataflows.store import Store
from tests.store.drawn import publish_runs

store, own = Store(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(8):
    runs = {"shared": f"{turn}{own}", f"{own}{turn}": f"{own}{turn}", f"both{turn}": f"both{turn}"}
    publish_runs(store, runs, commits=turn)
"""
"""A writer of eight batches: a better version of one run each time, a run of its own, and one its rival brings, too."""


@pytest.mark.slow
def test_two_writers_and_a_reader_at_once_tear_nothing_and_lose_nothing(store: Store) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", RIVAL, str(store.path), own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for own in "xy"
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    seen = set()
    while any(writer.poll() is None for writer in writers):
        snapshot = store.snapshot()
        assert snapshot
        seen.add(snapshot.version)
        assert_whole(snapshot)
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert len(seen) > 2, "the reader hardly looked"
    own = {f"{name}{turn}": f"{name}{turn}" for name in ("x", "y", "both") for turn in range(8)}
    assert newest_runs(store) == BEFORE | own | {"shared": "7y"}
    assert check(store) == []
    assert not list((store.path / "writers").iterdir())


def assert_whole(snapshot: Snapshot) -> None:
    """Every table of the snapshot tells of the same runs."""
    with connect(snapshot) as connection:
        active = "SELECT DISTINCT run_id, recording_sha256 FROM recordings WHERE status = 'active' ORDER BY ALL"
        runs = connection.execute("SELECT run_id, recording_sha256 FROM runs ORDER BY ALL").fetchall()
        events = connection.execute("SELECT run_id, count(*) FROM events GROUP BY ALL ORDER BY ALL").fetchall()
        assert connection.execute(active).fetchall() == runs
    assert events == [(run_id, 3) for run_id, _ in runs]
