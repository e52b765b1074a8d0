"""Packs texts in every way that inputs may be packed, with the tools everyone has."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import zstandard

from afp_nodes.refusals import Refusal
from dataflows.inputs import Document, Limits, find_sources, read_documents

Members = Iterable[tuple[str, bytes]]

zstandardised = zstandard.compress
gzipped = gzip.compress


class OneWay(io.RawIOBase):
    """A stream to write to that cannot be wound back, so that sizes must follow the contents."""

    def __init__(self) -> None:
        self.buffer = io.BytesIO()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        return self.buffer.write(data)


def zipped(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    _fill_zip(buffer, members, method)
    return buffer.getvalue()


def zipped_one_way(members: Members, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = OneWay()
    _fill_zip(stream, members, method)
    return stream.buffer.getvalue()


def _fill_zip(target: io.BytesIO | OneWay, members: Members, method: int) -> None:
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, contents in members:
            archive.writestr(zipfile.ZipInfo(name), contents, method)


def tarred(members: Members, layout: int = tarfile.PAX_FORMAT) -> bytes:
    return tarred_headers(((file_header(name, len(contents)), contents) for name, contents in members), layout)


def file_header(name: str, size: int = 0, type_: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.type = size, type_
    return header


def tarred_headers(members: Iterable[tuple[tarfile.TarInfo, bytes]], layout: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=layout) as archive:
        for header, contents in members:
            archive.addfile(header, io.BytesIO(contents))
    return buffer.getvalue()


def in_pieces(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    """The bytes in pieces of these sizes, over and over."""
    start, turn = 0, 0
    while start < len(data):
        size = sizes[turn % len(sizes)]
        yield data[start : start + size]
        start, turn = start + size, turn + 1


def read_file(path: Path, limits: Limits | None = None) -> list[Document | Refusal]:
    """All that comes of one file."""
    [source] = find_sources([path]).sources
    return list(read_documents(source, limits))


def texts(items: Iterable[object]) -> list[bytes]:
    return [item.data for item in items if isinstance(item, Document)]


def refusals(items: Iterable[object]) -> list[Refusal]:
    return [item for item in items if isinstance(item, Refusal)]


def codes(items: Iterable[object]) -> list[str]:
    return [refusal.code.value for refusal in refusals(items)]
