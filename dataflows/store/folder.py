"""The store as a folder: where its files lie, which snapshots it has, what a snapshot holds.

Light on purpose, like the manifest: data frames are only imported where one is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from dataflows.store.errors import StoreError, writing_into
from dataflows.store.manifest import Manifest, published_versions, read_manifest

if TYPE_CHECKING:
    import polars as pl

FOLDERS = ("parts", "manifests", "writers")
"""What makes a folder a store."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One published state of the store: it never changes, whatever is written meanwhile."""

    root: Path
    manifest: Manifest

    @property
    def version(self) -> int:
        """Number of the snapshot; 1 is the first."""
        return self.manifest.version

    def tables(self) -> list[str]:
        """Names of all tables, those without rows too."""
        return list(self.manifest.columns)

    def files(self, table: str) -> list[str]:
        """Absolute paths of the table's files. They still hold the rows of superseded runs: see `scan`."""
        manifest = self.manifest
        whole = (manifest.tables.get(table), manifest.fleet.get(table))
        parts = [*whole, *(chunk.tables.get(table) for chunk in manifest.chunks)]
        return [str(self.root / part.file) for part in parts if part]

    def row_counts(self) -> dict[str, int]:
        """Rows of every table, superseded runs left out."""
        return self.manifest.row_counts()

    def scan(self, table: str) -> pl.LazyFrame:
        """The table as readers see it: no superseded runs, and all columns even when there are no rows."""
        from dataflows.store.scanning import scan_table  # noqa: PLC0415 - SQL readers never need data frames

        return scan_table(self.root, self.manifest, table)

    def scan_parts(self, table: str) -> pl.LazyFrame:
        """The table as its parts hold it, superseded runs left out."""
        from dataflows.store.scanning import scan_parts  # noqa: PLC0415 - the same

        return scan_parts(self.root, self.manifest, table)


def catalog_stamp(root: Path) -> Path:
    """The file that says which snapshot `catalog.duckdb` shows, and where the store lay when it was written."""
    return root / "catalog.stamp"


def stamp_of(root: Path, version: int) -> str:
    """What the stamp of a catalog says that shows this snapshot from this place."""
    return f"{version}\n{root}\n"


class Store:
    """A store directory."""

    def __init__(self, path: str | Path) -> None:
        if "://" in str(path):
            raise StoreError(f"{path} is a URL; a store is a folder of this machine.", "Name a folder.")
        self.path = Path(path).absolute()

    def shows_newest(self) -> bool:
        """Whether `catalog.duckdb` shows the newest snapshot, from where the store lies now."""
        versions, stamp = self.versions(), catalog_stamp(self.path)
        if not versions:
            return True
        current = stamp_of(self.path, versions[-1])
        return (self.path / "catalog.duckdb").exists() and stamp.exists() and stamp.read_text() == current

    def exists(self) -> bool:
        """Whether a store is there, published snapshots or not."""
        return all((self.path / folder).is_dir() for folder in FOLDERS)

    def create(self) -> Self:
        """Makes the store unless it is there already.

        Raises `StoreError` when something else lies at the path, or it cannot be written.
        """
        if self.exists():
            return self
        if self.path.exists() and not self._may_become_a_store():
            raise StoreError(f"{self.path} is not a store.", "Choose a folder that is empty or does not exist yet.")
        with writing_into(self.path):
            for folder in FOLDERS:
                (self.path / folder).mkdir(parents=True, exist_ok=True)
        return self

    def versions(self) -> list[int]:
        """Published versions, oldest first. Raises `StoreError` when no store is there."""
        self._must_exist()
        return published_versions(self.path)

    def snapshot(self, version: int | None = None) -> Snapshot | None:
        """One snapshot, the newest unless a version is named; None when nothing was published yet.

        Raises `StoreError` when no store is there, the version is unknown or its manifest cannot be read.
        """
        versions = self.versions()
        if version is None and not versions:
            return None
        return Snapshot(self.path, read_manifest(self.path, versions[-1] if version is None else version))

    def _may_become_a_store(self) -> bool:
        """An empty folder, or one that was left half made."""
        return self.path.is_dir() and all(entry.name in FOLDERS for entry in self.path.iterdir())

    def _must_exist(self) -> None:
        if not self.path.exists():
            raise StoreError(f"There is no store at {self.path}.", f"Make one: afp run PATH --store {self.path}")
        if not self.exists():
            raise StoreError(f"{self.path} is not a store.", "Name the folder that `afp run --store` made.")
