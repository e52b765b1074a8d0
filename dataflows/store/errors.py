"""What a store says when it cannot do what was asked."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreError(Exception):
    """A store that cannot be read or written, with what to do about it. It may come from a worker's process."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message, remedy)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


@contextmanager
def writing_into(path: Path) -> Iterator[None]:
    """Turns what the file system says while `path` is written into a `StoreError` with a remedy."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"Cannot write {error.filename or path}: {error.strerror or error}.", _remedy(error.errno, path)
        ) from error


def _remedy(code: int | None, path: Path) -> str:
    if code in (errno.ENOSPC, errno.EDQUOT):
        return "Nothing was published; free some space (`afp store vacuum` drops old snapshots) and run again."
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"Nothing was published; make {path} writable for this user or choose another store."
    return "Nothing was published; look after the disk and run again."
