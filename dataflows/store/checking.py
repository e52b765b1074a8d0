"""Checking: every file against what the manifest says of it, every key, and the chain of snapshots.

A check is a query that returns offenders.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from afp_nodes.schemas import TABLES
from afp_nodes.schemas.studies import Studies
from dataflows.store.catalog import connect, part_rows, quoted_name, quoted_texts
from dataflows.store.columns import shape_of
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot, Store
from dataflows.store.manifest import LiveChunk, Part, read_manifest
from dataflows.store.merging import out_of_force
from dataflows.store.outdated import DERIVED
from dataflows.store.study_tables import is_current

SHOWN = 5
"""Offending keys of one table or file that are named."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a store, in a sentence, with the file, table and key it concerns."""

    message: str
    file: str | None = None
    table: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        return self.message


def check(store: Store) -> list[Problem]:
    """What is wrong with a store; nothing when all is well.

    Looked at: the chain of manifests; every file of the newest snapshot against its size, hash, columns and rows;
    every key of every table, NULL counting as a value; whether runs, recordings and chunks tell of each other;
    whether what was declared when a chunk was derived is still in force; and that the files of older snapshots are
    still there. Raises `StoreError` when no store is there.
    """
    problems = list(_chain_problems(store))
    try:
        newest = store.snapshot()
    except StoreError:
        return problems
    if newest is None:
        return problems
    problems += _part_problems(newest)
    return problems or list(_table_problems(newest))


def _chain_problems(store: Store) -> Iterator[Problem]:
    """Manifests that cannot be read or are missing between others, and older snapshots that lost a file."""
    versions = store.versions()
    forgotten = _forgotten_versions(store)
    for version in versions:
        name = f"manifests/{version:010d}.json"
        if version > versions[0] and version - 1 not in {*versions, *forgotten}:
            yield Problem(f"Snapshot {version - 1}, which {name} is built on, is gone.", file=name)
        try:
            manifest = read_manifest(store.path, version)
        except StoreError as error:
            yield Problem(str(error), file=name)
            continue
        if (manifest.version, manifest.parent) != (version, version - 1 or None):
            yield Problem(f"{name} says it is snapshot {manifest.version}, built on {manifest.parent}.", file=name)
        if version != versions[-1]:
            yield from _lost_parts(store.path, manifest.parts(), f"snapshot {version}")


def _forgotten_versions(store: Store) -> frozenset[int]:
    """Snapshots that were removed because they held what was forgotten."""
    try:
        newest = store.snapshot()
    except StoreError:
        return frozenset()
    return newest.manifest.forgotten.versions if newest else frozenset()


def _lost_parts(root: Path, parts: list[Part], whose: str) -> Iterator[Problem]:
    for part in parts:
        if not (root / part.file).exists():
            yield Problem(f"{part.file}, a file of {whose}, is gone.", file=part.file)


def _part_problems(snapshot: Snapshot) -> Iterator[Problem]:
    """Files of the snapshot that are not what the manifest says, or repeat a key within themselves."""
    with duckdb.connect() as connection:
        for table, part in snapshot.manifest.whole_parts():
            yield from _file_problems(connection, snapshot, table, part, ())
        for chunk in snapshot.manifest.chunks:
            for table, part in chunk.tables.items():
                yield from _file_problems(connection, snapshot, table, part, chunk.superseded)


def _file_problems(
    connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, table: str, part: Part, superseded: tuple[str, ...]
) -> Iterator[Problem]:
    path = snapshot.root / part.file
    where = f"{part.file} (table {table})"
    if not path.exists():
        yield Problem(f"{where} is gone.", part.file, table)
        return
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    changed = sha256 != part.sha256 or path.stat().st_size != part.bytes
    if changed:
        yield Problem(f"{where} is not the file that was published: its hash or size differs.", part.file, table)
    try:
        yield from _content_problems(connection, snapshot, table, part, superseded)
    except duckdb.Error as error:
        if not changed:
            yield Problem(f"{where} cannot be read: {error}", part.file, table)


def _content_problems(
    connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, table: str, part: Part, superseded: tuple[str, ...]
) -> Iterator[Problem]:
    where = f"{part.file} (table {table})"
    rows = part_rows(str(snapshot.root / part.file))
    held = {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()}
    if shape_of(held) != part.shape:
        yield Problem(f"{where} does not have the columns it was published with.", part.file, table)
        return
    dead = f"count(*) FILTER (run_id IN ({quoted_texts(superseded)}))" if superseded else "0"
    counts = connection.execute(f"SELECT count(*), {dead} FROM {rows}").fetchone()
    if counts != (part.rows, part.dead_rows):
        said = f"{part.rows} rows, {part.dead_rows} of them superseded"
        yield Problem(f"{where} holds {counts}, not {said}.", part.file, table)
    if table in TABLES:
        yield from _repeated_keys(connection, table, rows, part.file)


def _repeated_keys(connection: duckdb.DuckDBPyConnection, table: str, rows: str, file: str | None) -> Iterator[Problem]:
    """Keys that more than one row has; NULL counts as a value."""
    names = TABLES[table].key_columns()
    key = ", ".join(quoted_name(name) for name in names)
    repeated = f"SELECT {key}, count(*) FROM {rows} GROUP BY {key} HAVING count(*) > 1 ORDER BY {key} LIMIT {SHOWN}"
    for *values, times in connection.execute(repeated).fetchall():
        shown = ", ".join(f"{name}={value!r}" for name, value in zip(names, values, strict=True))
        place = f" in {file}" if file else ""
        yield Problem(f"Table {table} has {times} rows with the key {shown}{place}.", file, table, shown)


def _table_problems(snapshot: Snapshot) -> Iterator[Problem]:
    """What only shows over all files: keys that repeat from chunk to chunk, runs without recording, rows without run.

    Chunks hold whole runs, so a key that has the run in it repeats between chunks only where a run does.
    """
    with connect(snapshot) as connection:
        for table in snapshot.tables():
            if table in TABLES and (table == "runs" or "run_id" not in TABLES[table].key_columns()):
                yield from _repeated_keys(connection, table, quoted_name(table), None)
        yield from _disagreements(connection)
        for chunk in snapshot.manifest.chunks:
            yield from _strangers(connection, snapshot, chunk)
        for table in sorted(DERIVED & snapshot.manifest.tables.keys()):
            yield from _repeated_runs(connection, snapshot, table)
    for what in out_of_force(snapshot):
        yield Problem(
            f"In the newest snapshot {what} was derived with other unit lists or declarations than those in force;"
            " the next run that publishes derives it again.",
            f"manifests/{snapshot.version:010d}.json",
        )
    if not is_current(snapshot):
        yield Problem(
            "The tables of studies were made of other studies or recordings than those in force, or before what judges"
            " them was installed or removed; the next run that publishes makes them anew.",
            table=Studies.table_name(),
        )


def _disagreements(connection: duckdb.DuckDBPyConnection) -> Iterator[Problem]:
    """Runs whose rows are not those of the active recording."""
    active = "SELECT DISTINCT run_id, recording_sha256 FROM recordings WHERE status = 'active'"
    shown = "SELECT run_id, recording_sha256 FROM runs"
    for one, other, what in ((active, shown, "recordings"), (shown, active, "runs")):
        missing = f"{one} EXCEPT {other} ORDER BY ALL LIMIT {SHOWN}"
        for run_id, sha256 in connection.execute(missing).fetchall():
            lacking = "runs" if what == "recordings" else "recordings"
            yield Problem(
                f"Run {run_id!r} with recording {sha256} is active in {what} and not in {lacking}.",
                table=what,
                key=f"run_id={run_id!r}",
            )


def _strangers(connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, chunk: LiveChunk) -> Iterator[Problem]:
    """Rows of a chunk whose run is neither among its runs nor superseded."""
    runs = f"SELECT run_id FROM {part_rows(str(snapshot.root / chunk.tables['runs'].file))}"
    known = f"{runs} UNION ALL SELECT unnest([{quoted_texts(chunk.superseded)}]::VARCHAR[])"
    for table, part in chunk.tables.items():
        rows = part_rows(str(snapshot.root / part.file))
        strange = f"SELECT DISTINCT run_id FROM {rows} WHERE run_id NOT IN ({known})"
        for (run_id,) in connection.execute(f"{strange} ORDER BY ALL LIMIT {SHOWN}").fetchall():
            yield Problem(
                f"{part.file} (table {table}) has rows of run {run_id!r}, which its chunk does not hold.",
                part.file,
                table,
                f"run_id={run_id!r}",
            )


def _repeated_runs(connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, table: str) -> Iterator[Problem]:
    """Runs with rows in a part for unit lists without a run, although they have a recording."""
    part = snapshot.manifest.tables[table]
    rows = part_rows(str(snapshot.root / part.file))
    recorded = f"SELECT DISTINCT run_id FROM {rows} WHERE run_id IN (SELECT run_id FROM runs)"
    for (run_id,) in connection.execute(f"{recorded} ORDER BY ALL LIMIT {SHOWN}").fetchall():
        yield Problem(
            f"{part.file} (table {table}) has rows of run {run_id!r} as of one without recording, which it has.",
            part.file,
            table,
            f"run_id={run_id!r}",
        )
