"""Deriving again from stored facts, without the recordings: for newer derivations and for late arrivals."""

import polars as pl

from afp_nodes.schemas import FACT_TABLES, Frame, RunRecords, Runs, Table
from dataflows.store.columns import in_shape
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot
from dataflows.store.manifest import LiveChunk
from dataflows.store.parts import must_be_whole
from dataflows.store.scanning import live, scan_files


def needs_rederiving(snapshot: Snapshot, code_version: str) -> list[str]:
    """The chunks whose derived tables were made by other derivations than these."""
    return [chunk.id for chunk in snapshot.manifest.chunks if chunk.code_version != code_version]


def facts_of(snapshot: Snapshot, chunk_id: str) -> dict[str, pl.DataFrame]:
    """What the graph begins with, for the live runs of one chunk: `run_records` and every fact table.

    Raises `StoreError` when the snapshot has no such chunk, or a part of it is damaged.
    """
    chunk = _chunk(snapshot, chunk_id)
    for part in chunk.tables.values():
        must_be_whole(snapshot.root, part)
    facts = {schema.table_name(): _rows(snapshot, chunk, schema, schema) for schema in FACT_TABLES}
    return {"run_records": _rows(snapshot, chunk, Runs, RunRecords), **facts}


def _chunk(snapshot: Snapshot, chunk_id: str) -> LiveChunk:
    for chunk in snapshot.manifest.chunks:
        if chunk.id == chunk_id:
            return chunk
    raise StoreError(
        f"Snapshot {snapshot.version} has no chunk {chunk_id}.", "Ask for chunks of the snapshot that is read."
    )


def _rows(snapshot: Snapshot, chunk: LiveChunk, table: type[Table], wanted: type[Frame]) -> pl.DataFrame:
    """The live rows of one table of the chunk, with the wanted columns; one it was written without is NULL."""
    part = chunk.tables.get(table.table_name())
    if part is None:
        return pl.DataFrame(schema=wanted.stored_dtypes())
    rows = scan_files((str(snapshot.root / part.file),))
    wanted_columns = in_shape(wanted.stored_dtypes(), rows.collect_schema().names())
    return rows.filter(live(chunk.superseded)).select(wanted_columns).collect()
