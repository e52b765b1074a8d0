"""Ingest: from sources to written chunks, in one process. What a worker does with its share of the files."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from afp_nodes.record import FactCollector, ReadInput, ReadOptions, ReadRecording, read_document
from afp_nodes.record.inputs import named_kind
from afp_nodes.refusals import Refusal, RefusedError
from dataflows.declared import handed_over
from dataflows.derive import derive
from dataflows.ingested import Ingested, IngestOptions, document_name
from dataflows.inputs import Document, Limits, Source, read_documents
from dataflows.store.parts import write_chunk
from dataflows.store.scrubbing import scrubbed

CHUNK_RUNS = 400
"""Runs of one chunk: enough to spread the cost of a query over them, few enough to stay in cache."""
CHUNK_BYTES = 20_000_000
"""Size of one chunk's facts, rows and text, which bounds a worker's memory."""


def ingest(sources: Iterable[Source], options: IngestOptions) -> Iterator[Ingested]:
    """Take in every document of `sources`, and say after each source what came of it.

    Bytes seen before are listed as copies and not read again. A document that cannot be read is refused and the
    rest goes on. The last item holds the last chunk. While a document is taken in, the next one is read.
    """
    with ThreadPoolExecutor(1) as reading:
        intake = _Intake(options)
        for item in _one_ahead(_items(sources, options.limits), reading):
            if not isinstance(item, _SourceRead):
                intake.take(item)
                continue
            intake.close(item)
            yield intake.handed_over()
        intake.flush()
        yield intake.handed_over()


@dataclass(frozen=True, slots=True)
class _SourceRead:
    """The end of one source; `ignored` counts its members that were no documents."""

    source: Source
    ignored: int


Item: TypeAlias = Document | Refusal | _SourceRead


def _items(sources: Iterable[Source], limits: Limits) -> Iterator[Item]:
    """What the sources hold, in order, each followed by its end."""
    for source in sources:
        documents = read_documents(source, limits)
        yield from documents
        yield _SourceRead(source, documents.ignored)


def _one_ahead(items: Iterator[Item], pool: ThreadPoolExecutor) -> Iterator[Item]:
    """The same items; while one is worked on, the next is fetched."""
    fetched = pool.submit(next, items, None)
    while (item := fetched.result()) is not None:
        fetched = pool.submit(next, items, None)
        yield item


class _Intake:
    """One chunk being filled, and what is to be told of the documents on the way."""

    def __init__(self, options: IngestOptions) -> None:
        self._options = options
        self._read_options = ReadOptions(split_runs=options.split_runs)
        self._seen = set(options.known)
        self._ingested = Ingested()
        self._documents = self._refused = 0
        self._names_forgotten = False
        self._start_chunk()

    def take(self, item: Document | Refusal) -> None:
        """Take in one document, or list it as refused."""
        self._documents += 1
        if isinstance(item, Refusal):
            self._ingested.refusals.append(item)
            self._refused += 1
        else:
            self._refused += not self._take_document(item)

    def close(self, read: _SourceRead) -> None:
        """One source is read: count what it held. One that held what is forgotten is not told of: its name might."""
        source = read.source
        self._ingested.documents += self._documents
        self._ingested.refused_documents += self._refused
        self._ingested.ignored += read.ignored
        self._ingested.bytes += source.size_bytes
        if not self._names_forgotten:
            self._ingested.files.append(source.as_read(documents=self._documents, refused=self._refused))
        self._documents = self._refused = 0
        self._names_forgotten = False

    def handed_over(self) -> Ingested:
        """What came in since this was last asked."""
        ingested, self._ingested = self._ingested, Ingested()
        return ingested

    def flush(self) -> None:
        """Derive the tables of the chunk and write them as its parts."""
        if self._runs:
            options, declared = self._options, handed_over(self._options.declared, self._runs)
            frames = derive(self._facts.frames(), declared.frames)
            self._ingested.chunks.append(write_chunk(options.store_root, options.batch_id, frames, declared.digest))
        self._start_chunk()

    def _start_chunk(self) -> None:
        self._facts = FactCollector(keep_tokens=self._options.keep_tokens)
        self._runs: set[str] = set()

    def _take_document(self, document: Document) -> bool:
        """Take in one document; False when it was refused.

        A copy of what its name says to be a list is read again, for the entries of it that are refused.
        """
        place = {"source_uri": document.source_uri, "position": document.position}
        kind = named_kind(document.source_uri)
        name = document_name(document.sha256, kind)
        is_copy = name in self._seen
        if self._options.forgotten.has_document(document.sha256):
            self._names_forgotten = True
            return True
        if is_copy and kind is None:
            self._ingested.copies.append({"name": name, **place})
            return True
        try:
            read = read_document(document.data, document.source_uri, self._read_options)
        except RefusedError as refused:
            self._ingested.refusals.append(_on_its_line(refused, document).at(document.source_uri, document.position))
            return False
        self._seen.add(name)
        if isinstance(read, ReadInput):
            self._take_input(read, document, place, is_copy=is_copy)
        else:
            for recording in read if isinstance(read, list) else [read]:
                if self._options.forgotten.has_run(recording.run_id):
                    self._names_forgotten = True
                else:
                    self._take_recording(recording, document, place)
        return True

    def _take_input(self, read: ReadInput, document: Document, place: dict[str, Any], *, is_copy: bool) -> None:
        self._ingested.refusals.extend(
            refused.at(document.source_uri, index) for index, refused in read.refused_entries
        )
        if is_copy:
            self._ingested.copies.append({"name": document_name(document.sha256, read.kind), **place})
            return
        forgotten = self._options.forgotten
        content = scrubbed(read.kind, read.content_json, forgotten.has_run) if forgotten else read.content_json
        if content is None:
            self._names_forgotten = True
            return
        self._ingested.inputs.append(
            {
                "sha256": document.sha256,
                **place,
                "kind": read.kind,
                "size_bytes": len(document.data),
                "content_json": content,
            }
        )

    def _take_recording(self, recording: ReadRecording, document: Document, place: dict[str, Any]) -> None:
        """Add one run to the chunk; two recordings of one run never share a chunk."""
        if recording.run_id in self._runs or self._is_full():
            self.flush()
        self._facts.add(recording, document.sha256)
        self._runs.add(recording.run_id)
        self._ingested.recordings.append(
            {
                "recording_sha256": document.sha256,
                **place,
                "run_id": recording.run_id,
                "source_format": recording.source_format,
                "size_bytes": len(document.data),
                "complete": recording.complete,
                "commits": recording.commits,
                "events": recording.events,
            }
        )

    def _is_full(self) -> bool:
        return len(self._runs) >= CHUNK_RUNS or self._facts.size_bytes >= CHUNK_BYTES


def _on_its_line(refused: RefusedError, document: Document) -> RefusedError:
    """The refusal with the document's line, where its source holds one document a line."""
    if document.line is None:
        return refused
    message = refused.message.replace("line 1, column", "column")
    return RefusedError(refused.code, f"line {document.line} of the file: {message}", refused.remedy)
