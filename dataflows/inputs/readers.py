"""Readers: from a source to its documents, by the ending of its name."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from afp_nodes.refusals import Refusal, RefusedError
from dataflows.inputs.chunks import CHUNK_BYTES, SeekableFile, chunks_of
from dataflows.inputs.codecs import Codec, gunzipped, plain
from dataflows.inputs.documents import Document, Ignored, Limits
from dataflows.inputs.endings import ending_of
from dataflows.inputs.files import opened
from dataflows.inputs.forms import FORMS
from dataflows.inputs.layouts import Layout, lone_document
from dataflows.inputs.members import Item
from dataflows.inputs.refused import too_large, unreadable
from dataflows.inputs.sources import Source
from dataflows.inputs.tars import tar_items
from dataflows.inputs.zips import zip_items

Reader: TypeAlias = Callable[[SeekableFile, Source, Limits], Iterator[Item]]
"""An open file, the source it is of, limits: documents, what was refused, and members that are none."""


class Reading(Iterator[Document | Refusal]):
    """The documents of a source and what was refused of it, in order.

    `ignored` counts the members so far that were no documents; it is final when the reading has ended.
    """

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self.ignored = 0

    def __next__(self) -> Document | Refusal:
        while isinstance(item := next(self._items), Ignored):
            self.ignored += 1
        return item


def read_documents(source: Source, limits: Limits | None = None) -> Reading:
    """Documents one after another; no more than one is held at a time.

    Whatever cannot be read is a `Refusal` in its place, and what can be read after it still comes.
    """
    return Reading(_items(source, limits or Limits()))


def _items(source: Source, limits: Limits) -> Iterator[Item]:
    try:
        file = opened(source)
    except OSError as error:
        yield unreadable(error).at(source.uri, 0)
    except RefusedError as refused:
        yield refused.at(source.uri, 0)
    else:
        with file:
            yield from READERS[ending_of(source.uri, READERS)](file, source, limits)


def _plain_document(file: SeekableFile, source: Source, limits: Limits) -> Iterator[Item]:
    """The usual case, read at once into the one piece of memory that it is handed on in."""
    if source.size_bytes > limits.max_document_bytes:
        yield too_large(limits.max_document_bytes).at(source.uri, 0)
    else:
        yield from lone_document(chunks_of(file, (source.size_bytes or CHUNK_BYTES) + 1), source.uri, 0, limits)


def _form_reader(form: Layout) -> Reader:
    def read(file: SeekableFile, source: Source, limits: Limits) -> Iterator[Item]:
        return form(chunks_of(file), source.uri, 0, limits)

    return read


def _zip(file: SeekableFile, source: Source, limits: Limits) -> Iterator[Item]:
    return zip_items(file, source.uri, limits)


def _tar(codec: Codec) -> Reader:
    def read(file: SeekableFile, source: Source, limits: Limits) -> Iterator[Item]:
        return tar_items(codec(chunks_of(file)), source.uri, limits)

    return read


READERS: dict[str, Reader] = {
    **{ending: _form_reader(form) for ending, form in FORMS.items()},
    ".json": _plain_document,
    ".zip": _zip,
    ".tar": _tar(plain),
    ".tar.gz": _tar(gunzipped),
    ".tgz": _tar(gunzipped),
}
"""A reader for each ending that is accepted; another ending, or another way to read one, is another entry."""
