"""Parts: immutable Parquet files, written under a temporary name, synced, renamed."""

import hashlib
import io
import os
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from afp_nodes.schemas import TABLES, Table
from dataflows.store.columns import shape_of, sql_type
from dataflows.store.errors import StoreError, writing_into
from dataflows.store.manifest import Chunk, Part

ROW_GROUP_ROWS = 32_768
"""Rows of one row group: few enough that the statistics of `run_id` lead straight to one run's rows."""

ROW_GROUP_BYTES = 8_000_000
"""Bytes of one row group, roughly: the values of a long recording are encoded a part at a time."""

SYNCING_THREADS = 4

TEMPORARY = ".tmp"
"""Ending of a file that is still being written."""


def write_chunk(root: str, batch_id: str, frames: Mapping[str, pl.DataFrame], declared: str = "") -> Chunk:
    """Writes one chunk of whole runs, one part a table, and returns what to publish.

    `frames` holds published tables by name, `runs` among them; what it holds besides is not written. Tables without
    rows have no part. `declared` is the digest of what was declared of the runs. Everything is synced when this
    returns, and nothing is visible before it is published.

    Raises `StoreError` when the store cannot be written.
    """
    chunk_id = new_chunk_id(batch_id)
    stored = {name: frame for name, frame in frames.items() if name in TABLES and not frame.is_empty()}
    with writing_into(Path(root)), ThreadPoolExecutor(SYNCING_THREADS) as syncing:
        written = {table: syncing.submit(write_table, root, table, chunk_id, frame) for table, frame in stored.items()}
        parts = {table: part.result() for table, part in written.items()}
    runs = frames["runs"]
    return Chunk(chunk_id, dict(zip(runs["run_id"], runs["recording_sha256"], strict=True)), parts, declared)


def stored_frame(schema: type[Table], frame: pl.DataFrame) -> pl.DataFrame:
    """The frame as it is stored: the schema's columns as plain types, rows of a run together.

    Most frames come in the order of their runs; sorting them all by their keys would take as long as writing them.
    """
    plain = frame.select(pl.col(n).cast(t) for n, t in schema.stored_dtypes().items())
    in_order = "run_id" in plain.columns and plain["run_id"].is_sorted()
    return plain if in_order else plain.sort(schema.key_columns())


def new_chunk_id(batch_id: str) -> str:
    """A name for a chunk and its parts; it begins with the batch that writes them."""
    return f"{batch_id}-{secrets.token_hex(4)}"


def part_name(table: str, unique: str) -> str:
    """A part's path inside the store."""
    return f"parts/{table}/{unique}.parquet"


def write_table(root: str, table: str, unique: str, frame: pl.DataFrame) -> Part:
    """Writes one frame of a published table as one part of its own. Raises `OSError`.

    A table that no schema here describes, since its package is not active, is written as it was read.
    """
    schema = TABLES.get(table)
    return write_part(root, part_name(table, unique), stored_frame(schema, frame) if schema else frame)


def must_be_whole(root: Path, part: Part) -> None:
    """Holds a part against its recorded hash, before its rows are written on as good ones.

    Raises `StoreError` when it is gone or is not the file that was published.
    """
    try:
        with (root / part.file).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        found = ""
    if found != part.sha256:
        raise StoreError(
            f"{root / part.file} is not the file that was published: its rows are not used.",
            f"See all that is wrong: afp store check --store {root}",
        )


def write_part(root: str, name: str, frame: pl.DataFrame) -> Part:
    """Writes one frame as one part: temporary name, sync, rename. Raises `OSError`."""
    buffer = io.BytesIO()
    size = int(frame.estimated_size())
    rows = min(ROW_GROUP_ROWS, max(1, frame.height * ROW_GROUP_BYTES // max(1, size)))
    frame.write_parquet(buffer, compression="zstd", compression_level=3, row_group_size=rows)
    data = buffer.getbuffer()
    write_synced(Path(root, name), data)
    columns = {column: sql_type(dtype) for column, dtype in frame.schema.items()}
    sha256 = hashlib.sha256(data).hexdigest()
    return Part(name, frame.height, len(data), sha256, shape_of(columns), size)


def write_synced(path: Path, data: bytes | memoryview) -> None:
    """Puts `data` at `path` so that it is there whole or not at all. Raises `OSError`."""
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(path.name + TEMPORARY)
    with temporary.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable. Raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
