"""Layouts: how documents lie in a text, alone or one a line."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from afp_nodes.refusals import Refusal, RefusedError
from dataflows.inputs.chunks import Chunks
from dataflows.inputs.documents import Document, Limits
from dataflows.inputs.refused import empty, too_large

Layout: TypeAlias = Callable[[Chunks, str, int, Limits], Iterator[Document | Refusal]]
"""Text, its `source_uri`, the position of its first document, limits: its documents and what was refused of them."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def lone_document(chunks: Chunks, source_uri: str, position: int, limits: Limits) -> Iterator[Document | Refusal]:
    """The whole text as one document."""
    try:
        text = _whole(chunks, limits.max_document_bytes)
    except RefusedError as refused:
        yield refused.at(source_uri, position)
    else:
        yield Document.of(source_uri, position, text)


def document_lines(chunks: Chunks, source_uri: str, position: int, limits: Limits) -> Iterator[Document | Refusal]:
    """Each line that is not blank as one document.

    A line that is too long is passed over and costs the others nothing. What stands after the last line end is a line
    too, unless the text was cut there.
    """
    number, first = 0, position
    try:
        for line in _lines(chunks, limits.max_document_bytes):
            number += 1
            if line is None:
                yield too_large(limits.max_document_bytes, f"line {number}").at(source_uri, position)
                position += 1
            elif text := _without_marks(line, is_first=number == 1):
                yield Document.of(source_uri, position, text, number)
                position += 1
                del line, text  # a long line is not held while the next one is read
    except RefusedError as refused:
        yield Refusal(source_uri, position, refused.code, f"{refused.message}, in line {number + 1}", refused.remedy)
        return
    if position == first:
        yield empty().at(source_uri, position)


def _whole(chunks: Chunks, limit_bytes: int) -> bytes:
    text = _Text(limit_bytes)
    for chunk in chunks:
        text.add(chunk)
        if text.is_too_large:
            raise too_large(limit_bytes)
    if not text.size_bytes:
        raise empty()
    return text.taken()


def _lines(chunks: Chunks, limit_bytes: int) -> Iterator[bytes | None]:
    """Lines without their line feeds; None for one that is too long."""
    line = _Text(limit_bytes)
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            line.add(chunk[start:end])
            yield None if line.is_too_large else line.taken()
            line = _Text(limit_bytes)
            start = end + 1
        line.add(chunk[start:])
    if line.size_bytes:
        yield None if line.is_too_large else line.taken()


def _without_marks(line: bytes, *, is_first: bool) -> bytes:
    """The line without byte order mark and carriage return; nothing when it is blank."""
    text = line.removeprefix(BYTE_ORDER_MARK) if is_first else line
    return b"" if text.isspace() else text.removesuffix(b"\r")


class _Text:
    """Bytes put together from pieces; one piece is handed on as it is, and nothing is kept beyond the limit."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._pieces: list[bytes] = []
        self.size_bytes = 0

    @property
    def is_too_large(self) -> bool:
        return self.size_bytes > self._limit_bytes

    def add(self, piece: bytes) -> None:
        self.size_bytes += len(piece)
        if self.is_too_large:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def taken(self) -> bytes:
        """The bytes, of which nothing is held any more."""
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
