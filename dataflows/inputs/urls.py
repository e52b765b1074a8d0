"""URLs: sources on any file system that fsspec knows, found and opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from fsspec.core import url_to_fs  # type: ignore[import-untyped]

from dataflows.inputs.sources import NO_INODE, Source, number_of

_TIMES = ("lastmodified", "last_modified", "last-modified", "mtime", "modified", "updated", "created")
_VERSIONS = ("etag", "checksum", "md5hash", "content_md5", "crc32c", "generation", "versionid", "version_id", "sha")


class RemoteFile:
    """An open URL. Whatever its service raises comes out as the `OSError` that local files raise."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __enter__(self) -> "RemoteFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1, /) -> bytes:
        with _as_os_error():
            return bytes(self._file.read(size))

    def seek(self, offset: int, whence: int = 0, /) -> int:
        with _as_os_error():
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def seekable(self) -> bool:
        return bool(self._file.seekable())


def sources_at(url: str) -> list[Source]:
    """The file at a URL, or all files below it, of any ending.

    Raises:
        OSError: nothing is there, or the service does not say; also when no installed package knows such URLs.
    """
    with _as_os_error():
        system, path = url_to_fs(url)
        system.invalidate_cache()
        entries = system.find(path, detail=True).values() if system.isdir(path) else [system.info(path)]
        return [source_of(system.unstrip_protocol(entry["name"]), entry) for entry in entries]


def open_url(url: str) -> RemoteFile:
    """Opens a URL for reading.

    Raises:
        OSError: it is not there, or the service does not give it.
    """
    with _as_os_error():
        system, path = url_to_fs(url)
        return RemoteFile(system.open(path, "rb"))


def source_of(url: str, entry: dict[str, Any]) -> Source:
    """A URL as its service lists it."""
    told = {key.lower(): value for key, value in entry.items()}
    versions = {key: str(told[key]) for key in (*_TIMES, *_VERSIONS) if told.get(key)}
    inode = number_of(repr(versions)) if versions else NO_INODE
    return Source(url, told.get("size") or 0, _modified_ns(told), 0, inode)


def _modified_ns(told: dict[str, Any]) -> int:
    """When it was last modified, where that is told as a time; 0 where not."""
    match next((told[key] for key in _TIMES if told.get(key)), None):
        case datetime() as moment:
            return round(moment.timestamp() * 1e9)
        case int() | float() as seconds:
            return round(seconds * 1e9)
        case _:
            return 0


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # each service has exceptions of its own, under no common name
        raise OSError(str(error)) from error
