"""Rewriting: parts of chunks written anew without some of their rows."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from afp_nodes.schemas import TABLES
from dataflows.declared import Declarations
from dataflows.store.columns import in_shape
from dataflows.store.manifest import Chunk, LiveChunk, Part
from dataflows.store.parts import must_be_whole, new_chunk_id, write_table
from dataflows.store.scanning import live, scan_files


def live_rows(root: Path, table: str, sources: Collection[LiveChunk]) -> pl.LazyFrame | None:
    """The live rows of one table in some chunks, in the shape it has today; None where none has any."""
    held = [(chunk.tables[table], chunk.superseded) for chunk in sources if table in chunk.tables]
    return _joined(root, table, [(part, superseded) for part, superseded in held if part.live_rows])


def chunk_without(
    root: Path, batch_id: str, chunk: LiveChunk, gone: Collection[str], declarations: Declarations
) -> LiveChunk | None:
    """A chunk of the live runs of another that are not gone; None where none is left.

    Raises `StoreError` when the chunk is damaged, `OSError`.
    """
    chunk_id = new_chunk_id(batch_id)
    parts = _parts_without(root, chunk_id, chunk.tables, chunk.superseded, gone)
    if "runs" not in parts:
        return None
    run_ids = scan_files((str(root / parts["runs"].file),)).select("run_id").collect()["run_id"].to_list()
    return LiveChunk(chunk_id, chunk.code_version, len(run_ids), (), parts, declarations.digest_of(run_ids))


def new_chunk_without(root: Path, batch_id: str, chunk: Chunk, gone: Collection[str]) -> Chunk:
    """A chunk that is not published yet, without these runs; its files lie apart from those of the other."""
    chunk_id = new_chunk_id(batch_id)
    runs = {run_id: sha256 for run_id, sha256 in chunk.runs.items() if run_id not in gone}
    return replace(chunk, id=chunk_id, runs=runs, parts=_parts_without(root, chunk_id, chunk.parts, (), gone))


def _parts_without(
    root: Path, chunk_id: str, parts: Mapping[str, Part], superseded: tuple[str, ...], gone: Collection[str]
) -> dict[str, Part]:
    """New parts with the live rows of runs that are not gone; a table without any has none."""
    written = {}
    for table, part in parts.items():
        must_be_whole(root, part)
        rows = _joined(root, table, [(part, (*superseded, *gone))])
        frame = rows.collect() if rows is not None else None
        if frame is not None and not frame.is_empty():
            written[table] = write_table(str(root), table, chunk_id, frame)
    return written


def _joined(root: Path, table: str, held: Collection[tuple[Part, tuple[str, ...]]]) -> pl.LazyFrame | None:
    scans = [(scan_files((str(root / part.file),)), dead) for part, dead in held]
    if not scans:
        return None
    schema = TABLES.get(table)
    wanted = schema.stored_dtypes() if schema else scans[0][0].collect_schema()
    rows = [scan.filter(live(dead)).select(in_shape(wanted, scan.collect_schema().names())) for scan, dead in scans]
    return pl.concat(rows)
