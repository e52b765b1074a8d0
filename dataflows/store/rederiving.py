"""Deriving again from stored facts, without the recordings: for newer derivations and for late arrivals."""

from pathlib import Path

import polars as pl

from afp_nodes.record import FactCollector
from afp_nodes.schemas import FACT_TABLES, Frame, RunRecords, Runs, Table
from dataflows.declared import Declarations
from dataflows.derive import Frames, derive
from dataflows.store.columns import in_shape
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot
from dataflows.store.manifest import Chunk, LiveChunk
from dataflows.store.outdated import DERIVED, FACTS
from dataflows.store.parts import must_be_whole, write_chunk
from dataflows.store.scanning import live, scan_files

LISTS_AT_ONCE = 2_000
"""Unit lists without runs that are derived in one piece, which bounds the memory that takes."""


def derived_again(root: Path, batch_id: str, chunk: LiveChunk, declarations: Declarations) -> Chunk:
    """New parts for the derived tables of the live runs of a chunk, made from its facts and what is in force.

    Raises `StoreError` when a part of the chunk is damaged, or the store cannot be written.
    """
    facts = facts_in(root, chunk)
    declared = declarations.of_runs(facts["run_records"]["run_id"].to_list())
    return write_chunk(str(root), batch_id, _derived(facts, declared.frames), declared.digest)


def tables_of_lists(lists: Declarations) -> Frames:
    """What derives from unit lists alone, whose runs are in no recording; tables without rows are left out."""
    nothing, run_ids = FactCollector(keep_tokens=False).frames(), sorted(lists.run_ids())
    shares = [run_ids[start : start + LISTS_AT_ONCE] for start in range(0, len(run_ids), LISTS_AT_ONCE)]
    parts = [_derived(nothing, lists.of_runs(share).frames) for share in shares]
    tables = {name: pl.concat([part[name] for part in parts]) for name in DERIVED} if parts else {}
    return {name: frame for name, frame in tables.items() if not frame.is_empty()}


def chunks_derived_again(earlier: Snapshot | None, later: Snapshot) -> int:
    """How many chunks of a snapshot have other derived tables in a later one."""
    before = {chunk.id: _derived_files(chunk) for chunk in (earlier.manifest.chunks if earlier else ())}
    return sum(before.get(chunk.id, now) != now for chunk in later.manifest.chunks for now in [_derived_files(chunk)])


def facts_of(snapshot: Snapshot, chunk_id: str) -> dict[str, pl.DataFrame]:
    """What the graph begins with, for the live runs of one chunk: `run_records` and every fact table.

    Raises `StoreError` when the snapshot has no such chunk, or a part of it is damaged.
    """
    return facts_in(snapshot.root, _chunk(snapshot, chunk_id))


def facts_in(root: Path, chunk: LiveChunk) -> dict[str, pl.DataFrame]:
    """The same for a chunk that no snapshot may have yet."""
    for part in chunk.tables.values():
        must_be_whole(root, part)
    facts = {schema.table_name(): _rows(root, chunk, schema, schema) for schema in FACT_TABLES}
    return {"run_records": _rows(root, chunk, Runs, RunRecords), **facts}


def _derived(facts: Frames, declared: Frames) -> Frames:
    """The derived tables alone: the facts stay as they are."""
    tables = derive(facts, declared)
    return {name: tables[name] for name in tables if name not in FACTS}


def _derived_files(chunk: LiveChunk) -> dict[str, str]:
    return {table: part.file for table, part in chunk.tables.items() if table not in FACTS}


def _chunk(snapshot: Snapshot, chunk_id: str) -> LiveChunk:
    for chunk in snapshot.manifest.chunks:
        if chunk.id == chunk_id:
            return chunk
    raise StoreError(
        f"Snapshot {snapshot.version} has no chunk {chunk_id}.", "Ask for chunks of the snapshot that is read."
    )


def _rows(root: Path, chunk: LiveChunk, table: type[Table], wanted: type[Frame]) -> pl.DataFrame:
    """The live rows of one table of the chunk, with the wanted columns; one it was written without is NULL."""
    part = chunk.tables.get(table.table_name())
    if part is None:
        return pl.DataFrame(schema=wanted.stored_dtypes())
    rows = scan_files((str(root / part.file),))
    wanted_columns = in_shape(wanted.stored_dtypes(), rows.collect_schema().names())
    return rows.filter(live(chunk.superseded)).select(wanted_columns).collect()
