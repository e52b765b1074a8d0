"""Chunks: bytes that arrive piece by piece, and exact parts cut from them."""

from collections import deque
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from afp_nodes.refusals import RefusedError
from dataflows.inputs.refused import truncated, unreadable

Chunks: TypeAlias = Iterator[bytes]
"""Bytes in pieces of any length but none; whoever cannot give the rest raises `RefusedError`."""

CHUNK_BYTES = 2**20


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


class SeekableFile(Readable, Protocol):
    """An open file that can be read from any place."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Goes to a place; from there on it is read."""

    def tell(self) -> int:
        """The place."""

    def seekable(self) -> bool:
        """Whether `seek` works."""


def chunks_of(file: Readable, piece_bytes: int = CHUNK_BYTES) -> Chunks:
    """All bytes of an open file; pieces longer than the file spare joining them.

    Raises:
        RefusedError: the file cannot be read on.
    """
    try:
        while chunk := file.read(piece_bytes):
            yield chunk
    except OSError as error:
        raise unreadable(error) from error


def pass_over(chunks: Chunks) -> None:
    """Uses up what nobody wants, so that what follows it can be read."""
    deque(chunks, maxlen=0)


class ExactReader:
    """Cuts parts of a known length from chunks of any length.

    `offset` counts the bytes handed out. `is_lost` says that a part could not be had whole, so that nobody knows where
    the next one begins.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._chunk = b""
        self._used = 0
        self.offset = 0
        self.is_lost = False

    def take(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end."""
        return b"".join(self._pieces(size))

    def part(self, size: int) -> Chunks:
        """The next `size` bytes in pieces.

        Raises:
            RefusedError: the chunks end before, or cannot be read on.
        """
        end = self.offset + size
        try:
            yield from self._pieces(size)
            if self.offset < end:
                raise truncated(f"is cut off; bytes missing: {end - self.offset:,}")
        except RefusedError:
            self.is_lost = True
            raise

    def exactly(self, size: int) -> bytes:
        """The next `size` bytes.

        Raises:
            RefusedError: there are fewer.
        """
        return b"".join(self.part(size))

    def rest(self, piece_bytes: int) -> Chunks:
        """All that is left, in pieces of at most `piece_bytes`."""
        while piece := self._piece(piece_bytes):
            yield piece

    def put_back(self, size: int) -> None:
        """The last bytes of the piece that was handed out last, which are not wanted yet."""
        self._used -= size
        self.offset -= size

    def _pieces(self, size: int) -> Chunks:
        while size and (piece := self._piece(size)):
            size -= len(piece)
            yield piece

    def _piece(self, size: int) -> bytes:
        """At least one byte and at most `size`; none at the end."""
        if self._used == len(self._chunk):
            self._chunk, self._used = next(self._chunks, b""), 0
        piece = self._chunk[self._used : self._used + size]
        self._used += len(piece)
        self.offset += len(piece)
        return piece
