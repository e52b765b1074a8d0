"""Publishing: a draft becomes the next snapshot in one atomic step for all tables, or nothing happens."""

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import polars as pl

from afp_nodes.ledger import snapshots
from afp_nodes.schemas import TABLES, Snapshots
from dataflows.store.columns import shape_of, stored_columns
from dataflows.store.errors import writing_into
from dataflows.store.fleet_tables import fleet_tables
from dataflows.store.folder import Snapshot, Store
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import Manifest, Part, manifest_file
from dataflows.store.merging import Draft, earlier_rows
from dataflows.store.parts import TEMPORARY, new_chunk_id, sync_folder, write_table
from dataflows.store.writers import locked

_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who publishes: into which store, in which batch, with which derivations."""

    root: Path
    batch_id: str
    code_version: str


class Base(NamedTuple):
    """What a snapshot is built upon: the newest version (0 when there is none) and its content."""

    version: int
    snapshot: Snapshot | None


def newest_of(root: Path) -> Base:
    """The newest snapshot of a store as a base."""
    snapshot = Store(root).snapshot()
    return Base(snapshot.version if snapshot else 0, snapshot)


def publish(
    publisher: Publisher,
    base_of: Callable[[], Base],
    draft_of: Callable[[Snapshot | None], Draft],
    restores: int | None = None,
) -> Snapshot:
    """Publishes a draft made from the newest snapshot; it is made again whenever another writer was faster.

    `restores` names the version that is published again. Raises `StoreError` when the store cannot be written;
    then nothing was published.
    """
    with writing_into(publisher.root):
        while True:
            base = base_of()
            published = published_upon(publisher, base, draft_of(base.snapshot), restores)
            if published:
                return published


def published_upon(publisher: Publisher, base: Base, draft: Draft, restores: int | None = None) -> Snapshot | None:
    """Publishes a draft that was made from `base`; None when another writer was faster. Raises `OSError`."""
    manifest = _manifest(publisher, base, draft, restores)
    if _becomes_next(publisher, manifest):
        return Snapshot(publisher.root, manifest)
    kept = {part.file for part in (*draft.parts.values(), *(base.snapshot.manifest.parts() if base.snapshot else ()))}
    for _, part in manifest.whole_parts():
        if part.file not in kept:
            (publisher.root / part.file).unlink()
    return None


def _manifest(publisher: Publisher, base: Base, draft: Draft, restores: int | None) -> Manifest:
    """The draft as a manifest, its job tables written, and the fleet tables that are made off all the others."""
    earlier = base.snapshot.manifest if base.snapshot else None
    untold = Manifest(
        version=base.version + 1,
        parent=base.version or None,
        created_at=datetime.now(UTC),
        batch_id=publisher.batch_id,
        code_version=publisher.code_version,
        columns=_columns(earlier, draft),
        chunks=draft.chunks,
        tables=draft.parts | {name: _job_part(publisher, name, frame) for name, frame in draft.frames.items()},
        restores=restores,
        rollbacks=(earlier.rollbacks if earlier else 0) + (restores is not None),
        lists=draft.lists,
        studies=draft.studies,
        settings=draft.settings,
        forgotten=draft.forgotten or (earlier.forgotten if earlier else Forgotten()),
    )
    untold = replace(untold, older_shapes=_older_shapes(untold, draft.shapes))
    made = fleet_tables(Snapshot(publisher.root, untold), earlier)
    fleet = made.parts | {name: _job_part(publisher, name, frame) for name, frame in made.frames.items()}
    untold = replace(untold, fleet=fleet, made_of=made.digest)
    history = _history(earlier_rows(base.snapshot, Snapshots), untold)
    tables = untold.tables | {"snapshots": _job_part(publisher, "snapshots", history)}
    return replace(untold, tables=tables)


def _columns(earlier: Manifest | None, draft: Draft) -> dict[str, dict[str, str]]:
    """The columns of every table; those that no schema here describes stay as they were, while a chunk has them."""
    today = {name: stored_columns(schema) for name, schema in TABLES.items()}
    held = {table for chunk in draft.chunks for table in chunk.tables} - today.keys()
    return today | {name: earlier.columns[name] for name in sorted(held) if earlier and name in earlier.columns}


def _older_shapes(manifest: Manifest, known: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The columns of the parts that were written with others than those of today."""
    today = {shape_of(columns) for columns in manifest.columns.values()}
    return {shape: known[shape] for shape in sorted({part.shape for part in manifest.parts()} - today)}


def _job_part(publisher: Publisher, table: str, frame: pl.DataFrame) -> Part:
    return write_table(str(publisher.root), table, new_chunk_id(publisher.batch_id), frame)


def _history(earlier: pl.DataFrame, manifest: Manifest) -> pl.DataFrame:
    """The table `snapshots` with a row for the manifest, which counts itself."""
    counts = manifest.row_counts() | {"snapshots": earlier.height + 1}
    row = {
        "snapshot_id": str(manifest.version),
        "created_at": manifest.created_at,
        "parent_id": str(manifest.parent) if manifest.parent else None,
        "batch_id": manifest.batch_id,
        "code_version": manifest.code_version,
        "row_counts_json": json.dumps(counts, separators=(",", ":")),
    }
    return snapshots(earlier, pl.DataFrame([row], schema=Snapshots.stored_dtypes())).collect()


def _becomes_next(publisher: Publisher, manifest: Manifest) -> bool:
    """Publishes the manifest under its version unless the version is taken; everything it lists is durable before."""
    folder = publisher.root / "manifests"
    temporary = folder / f"{publisher.batch_id}-{token_hex(4)}.json{TEMPORARY}"
    try:
        with temporary.open("xb") as file:
            file.write(manifest.to_json())
            file.flush()
            os.fsync(file.fileno())
        for table in (publisher.root / "parts").iterdir():
            if table.is_dir():
                sync_folder(table)
        sync_folder(publisher.root / "parts")
        published = _linked(temporary, manifest_file(publisher.root, manifest.version))
    finally:
        temporary.unlink(missing_ok=True)
    _confirm(folder)
    return published


def _confirm(folder: Path) -> None:
    """Makes the published name durable. Readers see it whatever becomes of this, so stderr has to do for a failure."""
    try:
        sync_folder(folder)
    except OSError as error:
        print(f"The snapshot is published, but might not outlive a power cut: {folder}: {error}", file=sys.stderr)


def _linked(temporary: Path, target: Path) -> bool:
    """Gives the file its final name unless that is taken."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _renamed_alone(temporary, target)
    return True


def _renamed_alone(temporary: Path, target: Path) -> bool:
    """The same where the file system knows no hard links: looked and renamed under a lock that all writers take.

    As atomic as a link for readers and after a crash; between writers it rests on `flock`, so two machines that
    share such a file system need one that passes locks on.
    """
    with locked(target.parent):
        if target.exists():
            return False
        temporary.rename(target)
        return True
