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

from dataflows.store.errors import writing_into
from dataflows.store.manifest import manifests

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


class WriterLock:
    """The lock file that says that a writer is alive; the kernel lets go of it when the writer dies."""

    def __init__(self, root: Path, batch_id: str) -> None:
        self._path = root / "writers" / f"{batch_id}.lock"
        self._descriptor = -1

    def take(self) -> None:
        """Creates and locks the file. Raises `StoreError` when the store cannot be written."""
        with writing_into(self._path):
            while True:
                descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o644)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if _lies_at(descriptor, self._path):
                    self._descriptor = descriptor
                    return
                os.close(descriptor)

    def give_back(self) -> None:
        """Removes the file and lets go."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


def live_writers(root: Path) -> set[str]:
    """Batches whose writer is alive."""
    return {batch_id for batch_id, lock in _locks(root) if _is_held(lock)}


def remove_dead_writers(root: Path, older_than: timedelta = timedelta()) -> None:
    """Removes what dead writers left: unpublished parts, temporary files, their lock files."""
    latest = time.time() - older_than.total_seconds()
    for batch_id, lock in _locks(root):
        with _opened(lock) as descriptor:
            if descriptor is not None and os.fstat(descriptor).st_mtime <= latest and _try_lock(descriptor):
                remove_unpublished(root, batch_id)
                lock.unlink(missing_ok=True)


def remove_unpublished(root: Path, batch_id: str, after: int = 0) -> None:
    """Removes every file of a batch that no snapshot lists; only those past version `after` can list one."""
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
        return descriptor is not None and not _try_lock(descriptor)


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


def _try_lock(descriptor: int) -> bool:
    """Whether nobody held the lock; it is held by this process then, until the file is closed."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lies_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one at the path: a clearing writer may have removed it in between."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
