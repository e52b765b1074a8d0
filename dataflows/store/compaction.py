"""Compaction: small chunks become larger ones, and superseded runs leave the files."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from afp_nodes.schemas import Inputs
from dataflows.declared import Declarations
from dataflows.store.catalog_file import write_catalog
from dataflows.store.errors import StoreError, writing_into
from dataflows.store.folder import Snapshot, Store
from dataflows.store.manifest import LiveChunk
from dataflows.store.merging import Draft, counted, earlier_rows, unchanged
from dataflows.store.parts import must_be_whole, new_chunk_id, write_table
from dataflows.store.publishing import Publisher, newest_of, publish
from dataflows.store.rewriting import live_rows
from dataflows.store.scanning import scan_files
from dataflows.store.writers import locked, session, undisturbed

LARGE_BYTES = 96 * 2**20
LARGE_RUNS = 512
"""A chunk grows to this at most, as its rows lie in memory: it is derived again in one piece."""

SMALL_PART_OF_LARGE = 4
"""A chunk below this part of both is small. What a full share of recordings gives is not, and is left as it is."""

DUE = 16
"""Small chunks from which a publish compacts by itself."""


@dataclass(frozen=True, slots=True)
class Merger:
    """Chunks of one snapshot, and the chunk that was made of their live rows."""

    sources: tuple[LiveChunk, ...]
    merged: LiveChunk

    def applied(self, chunks: tuple[LiveChunk, ...], root: Path) -> tuple[LiveChunk, ...]:
        """The chunks of a newer snapshot with the merged one in place of its sources.

        They stay as they are when a source was dropped or derived again meanwhile. Runs that were superseded
        meanwhile are counted out of the merged one.
        """
        today = {chunk.id: chunk for chunk in chunks}
        pairs = [(source, today.get(source.id)) for source in self.sources]
        if not all(now and _files(now) == _files(source) for source, now in pairs):
            return chunks
        gone = {run for source, now in pairs if now for run in now.superseded} - self._superseded()
        merged = counted(self.merged, gone, root) if gone else self.merged
        first, *others = (source.id for source in self.sources)
        kept = (merged if chunk.id == first else chunk for chunk in chunks if chunk.id not in others)
        return tuple(chunk for chunk in kept if chunk.runs)

    def _superseded(self) -> set[str]:
        """Runs that were out already when the rows were taken."""
        return {run for source in self.sources for run in source.superseded}


def compact(store: Store) -> Snapshot | None:
    """Merges small chunks, drops superseded runs for good, and publishes the result; None when there is nothing to do.

    Every table keeps its rows. Writers go on meanwhile: what they publish is rebased upon. Raises `StoreError` when
    the store cannot be written; then nothing changed.
    """
    root = store.path
    with locked(root / "manifests"), session(root) as batch_id:
        newest = store.snapshot()
        groups = list(mergeable(newest.manifest.chunks)) if newest else []
        if newest is None or not groups:
            return None
        declarations = Declarations.among(earlier_rows(newest, Inputs))
        mergers = [_merger(root, batch_id, group, declarations) for group in groups]

        def draft_of(snapshot: Snapshot | None) -> Draft:
            draft = unchanged(snapshot or newest)
            chunks = draft.chunks
            for merger in mergers:
                chunks = merger.applied(chunks, root)
            return replace(draft, chunks=chunks)

        publisher = Publisher(root, batch_id, newest.manifest.code_version)
        with undisturbed():
            compacted = publish(publisher, lambda: newest_of(root), draft_of)
            write_catalog(root, batch_id)
        return compacted


def compact_when_due(root: Path) -> None:
    """Compacts when there are many small chunks and nobody else is at it.

    What was published before stands even when this fails; then stderr says so.
    """
    store = Store(root)
    newest = store.snapshot()
    if newest is None or sum(_is_small(chunk) for chunk in newest.manifest.chunks) < DUE:
        return
    with locked(root / "manifests", wait=False) as free:
        due = free
    if due:
        try:
            compact(store)
        except StoreError as error:
            print(f"The snapshot is published, but small parts could not be compacted. {error}", file=sys.stderr)


def mergeable(chunks: Iterable[LiveChunk]) -> Iterator[tuple[LiveChunk, ...]]:
    """Groups of chunks to be merged: small ones within the bounds, and whichever hold superseded runs.

    Chunks of different derivations stay apart.
    """
    for group in _fitting(sorted((c for c in chunks if _is_small(c) or c.superseded), key=lambda c: c.code_version)):
        if len(group) > 1 or group[0].superseded:
            yield group


def _fitting(chunks: Iterable[LiveChunk]) -> Iterator[tuple[LiveChunk, ...]]:
    """The chunks in their order, cut wherever one more would not fit."""
    group: tuple[LiveChunk, ...] = ()
    for chunk in chunks:
        if group and not _fit_together((*group, chunk)):
            yield group
            group = ()
        group += (chunk,)
    if group:
        yield group


def _is_small(chunk: LiveChunk) -> bool:
    return max(chunk.loaded_bytes / LARGE_BYTES, chunk.runs / LARGE_RUNS) * SMALL_PART_OF_LARGE < 1


def _fit_together(chunks: tuple[LiveChunk, ...]) -> bool:
    """Whether the chunks may become one."""
    return (
        len({chunk.code_version for chunk in chunks}) == 1
        and sum(chunk.loaded_bytes for chunk in chunks) <= LARGE_BYTES
        and sum(chunk.runs for chunk in chunks) <= LARGE_RUNS
    )


def _merger(root: Path, batch_id: str, sources: tuple[LiveChunk, ...], declarations: Declarations) -> Merger:
    """The live rows of the sources, written as one chunk, a table at a time.

    What is in force is what the sources were derived with: no snapshot holds chunks that were not.

    Raises `StoreError` when a source is damaged: its rows would pass for good ones from then on.
    """
    for chunk in sources:
        for part in chunk.tables.values():
            must_be_whole(root, part)
    chunk_id = new_chunk_id(batch_id)
    tables = sorted({table for source in sources for table in source.tables})
    rows = {table: live_rows(root, table, sources) for table in tables}
    with writing_into(root):
        parts = {
            table: write_table(str(root), table, chunk_id, frame.collect())
            for table, frame in rows.items()
            if frame is not None
        }
    code_version, runs = sources[0].code_version, sum(source.runs for source in sources)
    run_ids = scan_files((str(root / parts["runs"].file),)).select("run_id").collect()["run_id"].to_list()
    declared = declarations.digest_of(run_ids)
    return Merger(sources, LiveChunk(chunk_id, code_version, runs, (), parts, declared))


def _files(chunk: LiveChunk) -> dict[str, str]:
    return {table: part.file for table, part in chunk.tables.items()}
