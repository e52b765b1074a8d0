"""Upkeep: what was published, an older snapshot again, and the removal of what nobody needs."""

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from dataflows.store.catalog_file import write_catalog
from dataflows.store.embeddings import remove_leftovers
from dataflows.store.errors import StoreError, writing_into
from dataflows.store.folder import Snapshot, Store
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import Manifest, manifest_file, published_versions, read_manifest
from dataflows.store.merging import unchanged
from dataflows.store.parts import sync_folder
from dataflows.store.publishing import Base, Publisher, newest_of, publish
from dataflows.store.writers import (
    batch_of,
    files_of_batches,
    live_writers,
    locked,
    remove_dead_writers,
    session,
    undisturbed,
)

KEEP_DAYS = 7.0
"""Days for which `vacuum` keeps old snapshots unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """What a vacuum removed: snapshots, files, and the bytes they took."""

    snapshots: int
    files: int
    bytes: int


def history(store: Store) -> list[Manifest]:
    """The snapshots that can be read, newest first; `check` names those that cannot.

    Raises `StoreError` when no store is there.
    """
    return [manifest for version in reversed(store.versions()) if (manifest := _readable(store, version))]


def rollback(store: Store, version: int) -> Snapshot:
    """Publishes an older snapshot again, as the newest. It also leads out of a newest manifest that is damaged.

    A job that is at work meanwhile cannot publish any more and has to run again. Raises `StoreError` when the
    version or one of its files is gone.
    """
    root = store.path
    with locked(root / "manifests"), session(root) as batch_id:
        forgotten = _forgotten(store)
        if version in forgotten.versions:
            raise StoreError(
                f"Snapshot {version} held what was forgotten, and is gone.", "`afp store history` lists the others."
            )
        restored = store.snapshot(version)
        if restored is None:
            raise StoreError(f"{root} has no snapshot {version}.", "Nothing was published yet.")
        _must_be_whole(restored)
        draft = replace(unchanged(restored), forgotten=forgotten)

        def base_of() -> Base:
            try:
                return newest_of(root)
            except StoreError:
                return Base(published_versions(root)[-1], restored)

        publisher = Publisher(root, batch_id, restored.manifest.code_version)
        with undisturbed():
            snapshot = publish(publisher, base_of, lambda _: draft, restores=version)
            write_catalog(root, batch_id)
        return snapshot


def vacuum(store: Store, keep_versions: int = 1, keep_days: float = KEEP_DAYS) -> Vacuumed:
    """Removes snapshots that are neither among the newest nor young, and every file that no snapshot lists.

    Files of a writer at work are left alone; what dead writers left behind goes. The catalog file is renewed, in case
    it still showed a snapshot that went. Raises `StoreError` when a manifest that stays cannot be read: nobody can
    say then which files it lists.
    """
    root = store.path
    store.versions()
    with locked(root / "manifests"), session(root) as batch_id, writing_into(root):
        remove_dead_writers(root)
        # In this order: a file that a writer publishes from here on is either no candidate, or its writer is alive.
        candidates = files_of_batches(root)
        alive = live_writers(root)
        kept = _kept(root, keep_versions, keep_days)
        dropped = [version for version in published_versions(root) if version < kept[0]] if kept else []
        removed = remove_snapshots(root, dropped, candidates, alive)
        remove_leftovers(root)
        write_catalog(root, batch_id)
        return Vacuumed(len(dropped), len(removed), sum(removed))


def remove_snapshots(root: Path, versions: Collection[int], candidates: list[Path], alive: set[str]) -> list[int]:
    """Removes these snapshots, and of the candidates every file that no other lists and no live writer wrote.

    Returns the sizes of these files. Raises `StoreError` when a manifest that stays cannot be read, `OSError`.
    """
    staying = [version for version in published_versions(root) if version not in versions]
    listed = {root / part.file for version in staying for part in read_manifest(root, version).parts()}
    for version in versions:
        manifest_file(root, version).unlink(missing_ok=True)
    sync_folder(root / "manifests")
    unneeded = [path for path in candidates if path not in listed and batch_of(path) not in alive]
    sizes = [path.stat().st_size for path in unneeded]
    for path in unneeded:
        path.unlink(missing_ok=True)
    return sizes


def _forgotten(store: Store) -> Forgotten:
    """What was forgotten, as the newest manifest says that can be read: what once was forgotten stays so."""
    manifests = (_readable(store, version) for version in reversed(store.versions()))
    return next((manifest.forgotten for manifest in manifests if manifest), Forgotten())


def _readable(store: Store, version: int) -> Manifest | None:
    try:
        return read_manifest(store.path, version)
    except StoreError:
        return None


def _kept(root: Path, keep_versions: int, keep_days: float) -> list[int]:
    """The versions to keep: the newest ones, and from the first young one on; never fewer than the newest."""
    versions = published_versions(root)
    oldest_kept = time.time() - timedelta(days=keep_days).total_seconds()
    young = [version for version in versions if manifest_file(root, version).stat().st_mtime >= oldest_kept]
    first = min([*young, *versions[-max(keep_versions, 1) :]], default=0)
    return [version for version in versions if version >= first]


def _must_be_whole(snapshot: Snapshot) -> None:
    for part in snapshot.manifest.parts():
        if not (snapshot.root / part.file).exists():
            raise StoreError(
                f"Snapshot {snapshot.version} cannot be published again: {part.file} is gone.",
                "Choose a newer one: `afp store history` lists them.",
            )
