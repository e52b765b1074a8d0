"""Zip archives, member by member, as their table of contents lists them."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from dataflows.inputs.chunks import Chunks, SeekableFile, chunks_of
from dataflows.inputs.documents import Limits
from dataflows.inputs.members import Item, Members
from dataflows.inputs.refused import damaged, truncated, unreadable
from dataflows.inputs.zip_salvage import salvaged_items

_NO_TABLE = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error)
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, ValueError)

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What zip tools write unless they are told otherwise; `zipfile` unpacks no other within bounds on all Pythons."""

ENCRYPTED = 0x1
UNPACK = "unpack the archive and give the folder"


def zip_items(file: SeekableFile, source_uri: str, limits: Limits) -> Iterator[Item]:
    """The documents of all members; folders are passed over, links ignored, encrypted members refused.

    Of an archive without its end, where the table of contents stands, the members before the cut are read.
    """
    try:
        archive = zipfile.ZipFile(cast(IO[bytes], file))
    except _NO_TABLE:
        file.seek(0)
        yield from salvaged_items(file, source_uri, limits)
    except OSError as error:
        yield unreadable(error).at(source_uri, 0)
    else:
        with archive:
            yield from _items(archive, Members(source_uri, limits))


def _items(archive: zipfile.ZipFile, members: Members) -> Iterator[Item]:
    for member in archive.infolist():
        if stat.S_ISLNK(member.external_attr >> 16):
            yield members.ignored(member.filename)
        elif not member.filename.endswith("/"):  # `is_dir` fails on an empty name
            yield from members.read(member.filename, _contents(archive, member))


def _contents(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Chunks:
    """The member's text.

    Raises:
        RefusedError: it is encrypted, packed in an unusual way, damaged or cut.
    """
    if member.flag_bits & ENCRYPTED:
        raise damaged("is encrypted", UNPACK)
    if member.compress_type not in _METHODS:
        raise damaged(f"is packed in an unusual way (method {member.compress_type}), which is not read", UNPACK)
    try:
        with archive.open(member) as contents:
            yield from chunks_of(contents)
    except NotImplementedError as error:
        raise damaged(f"is packed in an unusual way ({error}), which is not read", UNPACK) from error
    except EOFError as error:
        raise truncated("ends too early in its archive") from error
    except _DAMAGED as error:
        raise damaged(f"is damaged in its archive: {error}") from error
    except OSError as error:
        raise unreadable(error) from error
