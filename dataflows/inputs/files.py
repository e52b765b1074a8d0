"""Files: opens a source for reading, and nothing that only looks like one."""

import os
import stat
from typing import IO, TYPE_CHECKING

from dataflows.inputs.refused import no_regular_file
from dataflows.inputs.sources import Source

if TYPE_CHECKING:
    from dataflows.inputs.urls import RemoteFile


def opened(source: Source) -> "IO[bytes] | RemoteFile":
    """The open file, unbuffered, to be closed by whoever asks.

    Raises:
        OSError: it is not there or may not be read.
        RefusedError: it is a pipe, a socket or a device now.
    """
    if source.is_url:
        from dataflows.inputs.urls import open_url  # noqa: PLC0415 - fsspec takes 0.2 s to load; most have no URLs

        return open_url(source.uri)
    return open(source.uri, "rb", buffering=0, opener=_open_regular)


def _open_regular(path: str, flags: int) -> int:
    """Opens without waiting, as for somebody who would write to a pipe, and keeps a regular file only."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise no_regular_file()
    return descriptor
