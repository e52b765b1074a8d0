"""Whole files: what is written takes its name only when it is all there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(output: str | Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `output` when it is whole; a pipe or device is written as it stands.

    Raises:
        OSError: it cannot be written there.
    """
    target = Path(output)
    if target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
