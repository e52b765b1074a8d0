"""Documents: the texts that sources hold, one JSON document each, as bytes that nobody has parsed yet."""

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """What a document may not exceed, so that no input can fill the memory.

    The default is the longest text that V8 can hold, and with it the largest document that a recorder on stock Node
    can write.
    """

    max_document_bytes: int = 512 * 2**20


@dataclass(frozen=True, slots=True)
class Document:
    """One document of one source.

    `source_uri` is the source's, `ARCHIVE::MEMBER` for a member of an archive. `position` is the document's index in
    it, from 0: blank lines are no documents. `line` is its line, from 1, where a source holds one document a line.
    `sha256` is of `data`, which is the decompressed text as it lies: with its byte order mark when it is a file of its
    own; without mark and line end when it is a line.
    """

    source_uri: str
    position: int
    data: bytes = field(repr=False)
    sha256: str
    line: int | None = None

    @classmethod
    def of(cls, source_uri: str, position: int, data: bytes, line: int | None = None) -> "Document":
        """A document with its digest."""
        return cls(source_uri, position, data, hashlib.sha256(data).hexdigest(), line)


@dataclass(frozen=True, slots=True)
class Ignored:
    """One member of an archive that is no document: another ending, or a link."""

    source_uri: str
