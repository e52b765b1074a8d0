"""Codecs: the text inside gzip and Zstandard data, piece by piece."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import zstandard

from dataflows.inputs.chunks import Chunks
from dataflows.inputs.refused import damaged, truncated

Codec: TypeAlias = Callable[[Chunks], Chunks]
"""Compressed data: the text of it."""


class Decoder(Protocol):
    """Decodes one compressed stream; what follows it is left in `unused_data`."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Method:
    """A way of compressing.

    `feed_bytes` bounds what a decoder is given at once, and with it what comes out: gzip makes at most a thousand
    bytes of one, Zstandard some thirty thousand. So no bomb can fill the memory before somebody counts.
    """

    name: str
    decoder: Callable[[], Decoder]
    error: type[Exception]
    feed_bytes: int


_GZIP = _Method("gzip", lambda: zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), zlib.error, feed_bytes=2**14)
_ZSTANDARD = _Method("Zstandard", lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError, 2**10)


def plain(chunks: Chunks) -> Chunks:
    """Text that is not compressed."""
    return chunks


def gunzipped(chunks: Chunks) -> Chunks:
    """Text of gzip data; several streams one after another are one text."""
    return _decoded(chunks, _GZIP)


def unzstandardised(chunks: Chunks) -> Chunks:
    """Text of Zstandard data; several frames one after another are one text."""
    return _decoded(chunks, _ZSTANDARD)


def _decoded(chunks: Chunks, method: _Method) -> Chunks:
    """Text of all streams.

    Raises:
        RefusedError: the data ends inside a stream, or is none.
    """
    decoder: Decoder | None = None
    padding, text_bytes = b"", 0
    for feed in _feeds(chunks, method.feed_bytes):
        coded = feed if decoder else feed.lstrip(padding)
        while coded:
            decoder = decoder or method.decoder()
            try:
                text = decoder.decompress(coded)
            except method.error as error:
                raise damaged(
                    f"holds no sound {method.name} data after {text_bytes:,} bytes of text: {error}"
                ) from error
            text_bytes += len(text)
            if text:
                yield text
            coded = b""
            if decoder.eof:
                padding = b"\0"  # what was written to a tape is filled up with zeros
                coded, decoder = decoder.unused_data.lstrip(padding), None
    if decoder:
        raise truncated(f"ends in the middle of its {method.name} data, after {text_bytes:,} bytes of text")


def _feeds(chunks: Chunks, feed_bytes: int) -> Chunks:
    for chunk in chunks:
        for start in range(0, len(chunk), feed_bytes):
            yield chunk[start : start + feed_bytes]
