"""The lock of the nightly job: one at a time in a store, and the second says who holds it.

The kernel lets go of it when its holder dies, however that happens: a dead holder never stands in the way.
"""

import json
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from dataflows.printable import glimpse
from dataflows.store import StoreError
from dataflows.store.errors import writing_into
from dataflows.store.writers import lies_at, try_lock, undisturbed

NAME = "nightly.lock"
COMMAND_CHARACTERS = 300
COMMAND_KEPT = 1_000
MOST_BYTES = 20_000


class HeldError(StoreError):
    """Another nightly job is at work in the store."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock."""

    pid: int
    host: str
    since: str
    command: str

    @classmethod
    def here(cls) -> "Holder":
        """This process."""
        command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])[:COMMAND_KEPT]
        return cls(os.getpid(), socket.gethostname(), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC", command)

    def sentence(self) -> str:
        """What people read of it."""
        command = glimpse(self.command, COMMAND_CHARACTERS)
        return f"process {self.pid} on {glimpse(self.host, COMMAND_CHARACTERS)}, since {self.since}: {command}"


@contextmanager
def holding(root: Path) -> Iterator[None]:
    """Holds the store for a nightly job; nothing is left of the lock in the end.

    Raises `HeldError` when another job holds it, and `StoreError` when the store cannot be written.
    """
    path = root / "writers" / NAME
    with undisturbed(), writing_into(root):
        descriptor = _taken(path)
    try:
        yield
    finally:
        with undisturbed():
            path.unlink(missing_ok=True)
            os.close(descriptor)


def _taken(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        if not try_lock(descriptor):
            try:
                raise HeldError(f"Another nightly job holds the store: {_holder(descriptor)}.", "Wait for it to end.")
            finally:
                os.close(descriptor)
        if lies_at(descriptor, path):
            os.truncate(descriptor, 0)
            os.write(descriptor, json.dumps(asdict(Holder.here())).encode())
            return descriptor
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        return Holder(**json.loads(os.pread(descriptor, MOST_BYTES, 0))).sentence()
    except (ValueError, TypeError):
        return "it has not said who it is"
