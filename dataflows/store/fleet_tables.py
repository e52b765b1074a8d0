"""Fleet tables: what all runs of a snapshot make together with its settings, made whole.

A digest of what they are made of stands in the manifest: while it stays the same, so do the tables.
"""

import hashlib
from dataclasses import dataclass, field

import msgspec
import polars as pl

from afp_nodes.schemas import NightReports
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot
from dataflows.store.manifest import Manifest, Part
from dataflows.store.merging import earlier_rows

NOT_READ = frozenset({"snapshots", "files"})
"""Tables that tell nothing of the fleet, and change though it does not."""


@dataclass(frozen=True, slots=True)
class FleetTables:
    """The fleet tables of a snapshot: `parts` that stay or `frames` to be written, and the digest of their origin."""

    digest: str = ""
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)


def fleet_tables(snapshot: Snapshot, earlier: Manifest | None) -> FleetTables:
    """The fleet tables of a snapshot that has none yet: those of an earlier one, where nothing has changed.

    Raises `StoreError` when an embedder gives something that cannot be used.
    """
    digest = fleet_digest(snapshot.manifest)
    if not digest:
        return FleetTables()
    if earlier and earlier.made_of == digest:
        return FleetTables(digest, parts=earlier.fleet)
    from afp_nodes.studies.embedders import Embeddings  # noqa: PLC0415 - most publications that change nothing end above
    from afp_nodes.studies.similarity import EmbeddingError  # noqa: PLC0415
    from dataflows.fleet import tables_of_fleet  # noqa: PLC0415
    from dataflows.store.embeddings import KeptEmbeddings  # noqa: PLC0415

    stored = {table: snapshot.scan(table) for table in snapshot.tables() if table not in NOT_READ}
    try:
        made = tables_of_fleet(
            stored,
            snapshot.manifest.settings,
            snapshot_id=str(snapshot.version),
            earlier_reports=earlier_rows(Snapshot(snapshot.root, earlier) if earlier else None, NightReports).lazy(),
            embeddings=Embeddings(KeptEmbeddings(snapshot.root).of),
        )
    except EmbeddingError as error:
        raise StoreError(
            f"The answers of arms cannot be compared: {error}.", "Correct or remove the package that offers it."
        ) from error
    return FleetTables(digest, frames={name: frame for name, frame in made.items() if not frame.is_empty()})


def fleet_digest(manifest: Manifest) -> str:
    """The digest of what a snapshot's fleet tables are made of; '' where there is no run and no setting."""
    if not manifest.chunks and not manifest.settings:
        return ""
    chunks = sorted(
        (chunk.superseded, sorted(part.sha256 for part in chunk.tables.values())) for chunk in manifest.chunks
    )
    whole = sorted((table, part.sha256) for table, part in manifest.tables.items() if table not in NOT_READ)
    said = (manifest.code_version, chunks, whole, sorted(manifest.settings.items()))
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:16]
