"""Zip archives that lost their end, and with it the table of contents: what stands before the cut is still read."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from afp_nodes.refusals import RefusedError
from dataflows.inputs.chunks import Chunks, ExactReader, Readable, chunks_of, pass_over
from dataflows.inputs.documents import Limits
from dataflows.inputs.members import Item, Members
from dataflows.inputs.refused import damaged, empty, truncated

FEED_BYTES = 2**14

_HEADER = struct.Struct("<4s5H3I2H")
_HEADER_MARK = b"PK\x03\x04"
_DESCRIPTOR_MARK = b"PK\x07\x08"
_ENCRYPTED, _SIZES_FOLLOW, _UTF_8 = 0x1, 0x8, 0x800


@dataclass(frozen=True, slots=True)
class _Header:
    """What stands before a member's contents; where the sizes follow the contents, these two are 0."""

    name: str
    flags: int
    method: int
    crc: int
    packed_bytes: int

    @property
    def sizes_follow(self) -> bool:
        return bool(self.flags & _SIZES_FOLLOW)


def salvaged_items(file: Readable, source_uri: str, limits: Limits) -> Iterator[Item]:
    """The documents before the cut, then one refusal: of the member that was cut, else of the archive."""
    members = Members(source_uri, limits)
    reader = ExactReader(chunks_of(file))
    try:
        while header := _next_header(reader):
            contents = _contents(header, reader)
            if not header.name.endswith("/"):
                yield from members.read(header.name, contents)
            pass_over(contents)
            if reader.is_lost:
                return
        raise truncated("has no sound table of contents at its end: members may be missing")
    except RefusedError as refused:
        yield refused.at(source_uri, 0)


def _next_header(reader: ExactReader) -> _Header | None:
    """The next member's, or None where no member begins.

    Raises:
        RefusedError: not even the first one begins.
    """
    is_first = not reader.offset
    block = reader.take(_HEADER.size)
    if is_first and not block.startswith(_HEADER_MARK):
        raise damaged("holds no zip data") if block else empty()
    if len(block) < _HEADER.size or not block.startswith(_HEADER_MARK):
        return None
    _, _, flags, method, _, _, crc, packed_bytes, _, name_bytes, extra_bytes = _HEADER.unpack(block)
    name = reader.take(name_bytes).decode("utf-8" if flags & _UTF_8 else "cp437", "replace")
    reader.take(extra_bytes)
    return _Header(name, flags, method, crc, packed_bytes)


def _contents(header: _Header, reader: ExactReader) -> Chunks:
    """The member's text; the reader stands behind it afterwards.

    Raises:
        RefusedError: the archive was cut here, the text is damaged, or packed so that only a whole archive tells.
    """
    if header.method == zipfile.ZIP_DEFLATED and not header.flags & _ENCRYPTED:
        text = _inflated(reader)
    elif header.method == zipfile.ZIP_STORED and not header.flags & (_ENCRYPTED | _SIZES_FOLLOW):
        text = reader.part(header.packed_bytes)
    else:
        reader.is_lost = header.sizes_follow
        pass_over(reader.part(header.packed_bytes))
        raise damaged("is encrypted, or packed in a way that cannot be read from a cut archive")
    crc, text_bytes = 0, 0
    for piece in text:
        crc, text_bytes = zlib.crc32(piece, crc), text_bytes + len(piece)
        yield piece
    if crc != (_crc_that_follows(reader, text_bytes) if header.sizes_follow else header.crc):
        raise damaged("is damaged in its archive: its checksum is another")


def _inflated(reader: ExactReader) -> Chunks:
    inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    reader.is_lost = True
    try:
        for piece in reader.rest(FEED_BYTES):
            if text := inflater.decompress(piece):
                yield text
            if inflater.eof:
                reader.put_back(len(inflater.unused_data))
                reader.is_lost = False
                return
    except zlib.error as error:
        raise damaged(f"is damaged in its archive: {error}") from error
    raise truncated("ends too early: its archive is cut off here")


def _crc_that_follows(reader: ExactReader, text_bytes: int) -> int:
    """The checksum after the contents: a mark may stand before it, two sizes of 4 or of 8 bytes come after it."""
    mark_or_crc = reader.exactly(4)
    crc = reader.exactly(4) if mark_or_crc == _DESCRIPTOR_MARK else mark_or_crc
    has_short_sizes = reader.exactly(8)[4:] == (text_bytes % 2**32).to_bytes(4, "little")
    if not has_short_sizes:
        reader.exactly(8)
    return int.from_bytes(crc, "little")
