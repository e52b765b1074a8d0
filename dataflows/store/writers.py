"""Writers: who is at work in a store, and what those that died left behind."""

import fcntl
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from types import FrameType

from dataflows.store.errors import StoreError, writing_into
from dataflows.store.manifest import manifests, published_versions

OLD = timedelta(hours=1)
"""Age from which the next writer clears up after a dead one; `vacuum` does not wait."""

_NAMED_BY_BATCH = re.compile(r"(\d{8}T\d{6}-[0-9a-f]{8})[-.].+")


def new_batch_id() -> str:
    """A name for one writer's session: when it began, and a random tail."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{token_hex(4)}"


def batch_of(path: Path) -> str | None:
    """The batch a file was written in, by its name; None when no batch gave it that name."""
    named = _NAMED_BY_BATCH.fullmatch(path.name)
    return named[1] if named else None


@contextmanager
def session(root: Path) -> Iterator[str]:
    """One writer at work: yields its batch id. Writers do not wait for each other.

    While the session is open its lock file is held, which the kernel lets go of when the writer dies. When it ends,
    by an exception or an interrupt too, whatever the batch wrote and did not publish is removed, and the lock file.
    What other writers left behind when they died is removed when it is old.

    Raises `StoreError` when the store cannot be written.
    """
    batch_id = new_batch_id()
    lock = root / "writers" / f"{batch_id}.lock"
    published = published_versions(root)
    descriptor = -1
    try:
        with undisturbed(), writing_into(root):
            descriptor = _taken(lock)
            remove_dead_writers(root, OLD)
        yield batch_id
    finally:
        with undisturbed(), writing_into(root):
            remove_unpublished(root, batch_id, after=published[-1] if published else 0)
            lock.unlink(missing_ok=True)
            if descriptor >= 0:
                os.close(descriptor)


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Holds a folder of the store for one process at a time; yields whether it is held, which only fails unwaited.

    The lock is on the folder itself: no file is left, and the kernel lets go when the process dies.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if wait:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield wait or try_lock(descriptor)
    finally:
        os.close(descriptor)


def live_writers(root: Path) -> set[str]:
    """Batches whose writer is alive."""
    return {batch_id for batch_id, lock in _locks(root) if _is_held(lock)}


def remove_dead_writers(root: Path, older_than: timedelta = timedelta()) -> None:
    """Removes what dead writers left: unpublished parts, temporary files, their lock files.

    Nothing is removed while a manifest is damaged: it might list what looks like a leftover.
    """
    latest = time.time() - older_than.total_seconds()
    for batch_id, lock in _locks(root):
        with _opened(lock) as descriptor:
            if descriptor is not None and os.fstat(descriptor).st_mtime <= latest and try_lock(descriptor):
                try:
                    remove_unpublished(root, batch_id)
                except StoreError:
                    continue
                lock.unlink(missing_ok=True)


def remove_unpublished(root: Path, batch_id: str, after: int = 0) -> None:
    """Removes every file of a batch that no snapshot lists; only those past version `after` can list one.

    Raises `StoreError` when one of these snapshots cannot be read.
    """
    files = [path for path in files_of_batches(root) if batch_of(path) == batch_id]
    listed = {root / part.file for manifest in manifests(root, after) for part in manifest.parts()} if files else set()
    for path in files:
        if path not in listed:
            path.unlink(missing_ok=True)


def files_of_batches(root: Path) -> list[Path]:
    """Every file that some batch wrote, published or not, lock files aside; others' files are never touched."""
    folders = [root, root / "manifests", *(folder for folder in (root / "parts").iterdir() if folder.is_dir())]
    return [path for folder in folders for path in folder.iterdir() if batch_of(path)]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Holds SIGINT and SIGTERM back to the end of the block, then lets them have their way.

    For the few moments in which a second Ctrl-C would leave files behind. Signals only ever reach the main thread.
    """
    arrived: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        arrived.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for late in dict.fromkeys(arrived):
            signal.raise_signal(late)


def _locks(root: Path) -> list[tuple[str, Path]]:
    """The lock files with their batches."""
    named = [(batch_of(path), path) for path in (root / "writers").iterdir()]
    return [(batch_id, path) for batch_id, path in named if batch_id]


def _is_held(lock: Path) -> bool:
    with _opened(lock) as descriptor:
        return descriptor is not None and not try_lock(descriptor)


@contextmanager
def _opened(lock: Path) -> Iterator[int | None]:
    """The lock file, opened; None when its writer has just given it back."""
    try:
        descriptor = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Whether nobody held the lock; it is held by this process then, until the file is closed."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken(lock: Path) -> int:
    """A new lock file, held until the returned descriptor is closed."""
    while True:
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if lies_at(descriptor, lock):
            return descriptor
        os.close(descriptor)


def lies_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one at the path: a clearing writer may have removed it in between."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
