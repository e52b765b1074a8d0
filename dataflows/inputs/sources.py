"""Sources: files and URLs that hold documents, as their file system tells of them before they are opened."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Fingerprint: TypeAlias = tuple[int, int, int, int]
"""`size_bytes`, `modified_ns`, `changed_ns` and `inode` of a source when it was read."""

NO_INODE = 0
"""`inode` of a URL whose file system tells nothing by which a change could be seen."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file or URL. Small and picklable: it is what a worker process is sent.

    `uri` is an absolute path, exactly as the file system spells it, or a URL. Sizes are bytes as the file lies, times
    nanoseconds since 1970 UTC. `changed_ns` is the inode's own change time, which no program can set back.
    """

    uri: str
    size_bytes: int
    modified_ns: int
    changed_ns: int
    inode: int

    @classmethod
    def of_file(cls, path: str, status: os.stat_result) -> "Source":
        """A local file."""
        inode = number_of(f"{status.st_dev}:{status.st_ino}")
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, inode)

    def as_read(self, *, documents: int, refused: int) -> dict[str, Any]:
        """The row of `files` that says what it held when it was read."""
        return {
            "source_uri": self.uri,
            "size_bytes": self.size_bytes,
            "modified_ns": self.modified_ns,
            "changed_ns": self.changed_ns,
            "inode": self.inode,
            "documents": documents,
            "refused": refused,
        }

    @property
    def is_url(self) -> bool:
        """Not a path of this machine."""
        return not self.uri.startswith("/")

    @property
    def fingerprint(self) -> Fingerprint:
        """What tells one state of the source from the next."""
        return self.size_bytes, self.modified_ns, self.changed_ns, self.inode


def is_unchanged(source: Source, known: Mapping[str, Fingerprint]) -> bool:
    """Whether the source is as it was when it was last read, so that it need not be read again.

    Same size and modification time alone are not enough: a file can be replaced by another that has both.
    """
    return source.inode != NO_INODE and known.get(source.uri) == source.fingerprint


def number_of(identity: str) -> int:
    """An identity as a number of 63 bits, which every engine stores as a signed integer."""
    return int.from_bytes(hashlib.blake2b(identity.encode(), digest_size=8).digest()) >> 1
