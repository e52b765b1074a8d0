"""Tar archives, member by member as they come."""

import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from afp_nodes.refusals import RefusedError
from dataflows.inputs.chunks import Chunks, ExactReader, pass_over
from dataflows.inputs.documents import Limits
from dataflows.inputs.members import Item, Members
from dataflows.inputs.refused import damaged, empty, truncated

BLOCK_BYTES = tarfile.BLOCKSIZE
MAX_EXTENSION_BYTES = 2**20

_FILE_TYPES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_PAX_TYPES = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_EXTENSION_TYPES = (*_PAX_TYPES, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)


@dataclass(frozen=True, slots=True)
class _Member:
    """One member as its header tells; `size_bytes` of contents follow, filled up to whole blocks."""

    name: str
    size_bytes: int
    type: bytes


def tar_items(chunks: Chunks, source_uri: str, limits: Limits) -> Iterator[Item]:
    """The documents of all members; folders are passed over, links and devices ignored.

    What comes after a cut is lost, and one refusal says so: of the member that was cut, else of the archive.
    """
    members = Members(source_uri, limits)
    reader = ExactReader(chunks)
    try:
        for member in _members(reader):
            contents = reader.part(member.size_bytes)
            if member.type in _FILE_TYPES:
                yield from members.read(member.name, contents)
            elif member.type != tarfile.DIRTYPE:
                yield members.ignored(member.name)
            pass_over(contents)
            if reader.is_lost:
                return
    except RefusedError as refused:
        yield refused.at(source_uri, 0)


def _members(reader: ExactReader) -> Iterator[_Member]:
    """One per member; the reader stands at its contents, and after them when the next one is asked for.

    Archives one after another in one file are one: what follows an end mark is read, too.

    Raises:
        RefusedError: the archive has no end, or is none.
    """
    has_ended = False
    extension: dict[str, str] = {}
    while block := reader.take(BLOCK_BYTES):
        has_ended = not block.strip(b"\0")
        if has_ended:
            continue
        header = _header(block, reader.offset - len(block))
        if header.type in _EXTENSION_TYPES:
            extension |= _extension(header, reader)
        else:
            yield _member(header, extension, reader.offset)
            extension = {}
        reader.take(-reader.offset % BLOCK_BYTES)
    if not reader.offset:
        raise empty()
    if not has_ended:
        raise truncated("ends without an end mark: members may be missing")


def _header(block: bytes, offset: int) -> tarfile.TarInfo:
    if len(block) < BLOCK_BYTES:
        raise truncated(f"ends in the middle of a header, at byte {offset:,}")
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    except tarfile.HeaderError as error:
        raise (_damaged_header(offset) if offset else damaged("holds no tar data")) from error


def _member(header: tarfile.TarInfo, extension: Mapping[str, str], offset: int) -> _Member:
    stated_size = extension.get("size", str(header.size))
    if not stated_size.isdecimal():
        raise _damaged_header(offset)
    has_contents = header.isreg() or header.type not in tarfile.SUPPORTED_TYPES
    return _Member(extension.get("path", header.name), int(stated_size) if has_contents else 0, header.type)


def _extension(header: tarfile.TarInfo, reader: ExactReader) -> dict[str, str]:
    """What stands before a member's own header and overrides it: its `path` and `size`, spelled in full."""
    offset = reader.offset
    if not 0 <= header.size <= MAX_EXTENSION_BYTES:
        raise _damaged_header(offset)
    text = reader.exactly(header.size)
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": _text(text.partition(b"\0")[0])}
    try:
        return dict(_pax_records(text)) if header.type in _PAX_TYPES else {}
    except ValueError as error:
        raise _damaged_header(offset) from error


def _pax_records(text: bytes) -> Iterator[tuple[str, str]]:
    """Key and value of records like `18 path=a/b.json`, each with its own length and a line feed.

    Raises:
        ValueError: a length is none.
    """
    while text:
        length = int(text.partition(b" ")[0])
        if length <= 0:
            raise ValueError(length)
        key, _, value = text[:length].partition(b" ")[2].removesuffix(b"\n").partition(b"=")
        yield _text(key), _text(value)
        text = text[length:]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _damaged_header(offset: int) -> RefusedError:
    return damaged(f"has a damaged header before byte {offset:,}: members from there on are lost")
