"""The manifest: one published snapshot of a store, as it lies on disk.

Light on purpose: reading a store needs this module and no data frame library.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from dataflows.store.errors import StoreError
from dataflows.store.forgotten import Forgotten

FORMAT = 1
"""Version of the manifest's own layout; a newer one is refused, never half read."""

Columns = Mapping[str, str]
"""Columns of a table in their order, each with its SQL type."""

_NAME = re.compile(r"\d{10}\.json")


@dataclass(frozen=True, slots=True)
class Part:
    """One immutable Parquet file of one table.

    `file` is relative to the store; `shape` names the columns it was written with; `loaded_bytes` is what the rows
    take in memory; `dead_rows` counts rows of superseded runs, which no reader sees.
    """

    file: str
    rows: int
    bytes: int
    sha256: str
    shape: str
    loaded_bytes: int = 0
    dead_rows: int = 0

    @property
    def live_rows(self) -> int:
        """Rows a reader sees."""
        return self.rows - self.dead_rows


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of whole runs as it was just written: what a worker hands back.

    `runs` says which recording each run was read from; it stays out of the manifest. `declared` is the digest of
    what applications declare of these runs, as far as its tables were derived with it; '' = nothing.
    """

    id: str
    runs: dict[str, str]
    parts: dict[str, Part]
    declared: str = ""


@dataclass(frozen=True, slots=True)
class LiveChunk:
    """One chunk of whole runs in a snapshot.

    `runs` counts the runs that live in it; those of `superseded` live no more, though their rows are in the files.
    `declared` is the digest of what was declared of the runs in its part of `runs`; '' = nothing.
    """

    id: str
    code_version: str
    runs: int
    superseded: tuple[str, ...]
    tables: dict[str, Part]
    declared: str = ""

    @property
    def loaded_bytes(self) -> int:
        """What its rows take in memory, all tables together."""
        return sum(part.loaded_bytes for part in self.tables.values())


@dataclass(frozen=True, slots=True)
class Manifest:
    """One published snapshot: every live file of every table.

    `columns` holds every table with its columns of today, rows or none; `older_shapes` the columns of live parts
    that were written with others. `restores` is the version a rollback published again, `rollbacks` how many there
    were so far. `lists` is the digest of the unit lists whose runs are in no chunk, '' = none; what derives from them
    is in `tables`. `studies` is the digest of the studies in force and the recordings they name, '' = no study.
    `settings` is what people gave beside documents and what stays in force until it is given anew, each as JSON text
    by its name. `fleet` holds the parts of fleet tables, made off the rest of the snapshot; `made_of` is the digest of
    what they were made of, '' = none was made. `forgotten` is what must not come back, in this snapshot or a later one.
    """

    version: int
    parent: int | None
    created_at: datetime
    batch_id: str
    code_version: str
    columns: dict[str, dict[str, str]]
    chunks: tuple[LiveChunk, ...] = ()
    tables: dict[str, Part] = field(default_factory=dict)
    older_shapes: dict[str, dict[str, str]] = field(default_factory=dict)
    restores: int | None = None
    rollbacks: int = 0
    lists: str = ""
    studies: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    fleet: dict[str, Part] = field(default_factory=dict)
    made_of: str = ""
    forgotten: Forgotten = field(default_factory=Forgotten)

    def whole_parts(self) -> Iterator[tuple[str, Part]]:
        """Every part that belongs to no chunk, with its table."""
        yield from self.tables.items()
        yield from self.fleet.items()

    def parts(self) -> list[Part]:
        """Every file of the snapshot."""
        return [
            *self.tables.values(),
            *self.fleet.values(),
            *(part for chunk in self.chunks for part in chunk.tables.values()),
        ]

    def row_counts(self) -> dict[str, int]:
        """Rows of every table that readers see."""
        counts = dict.fromkeys(self.columns, 0)
        for table, part in self.whole_parts():
            counts[table] += part.live_rows
        for chunk in self.chunks:
            for table, part in chunk.tables.items():
                counts[table] += part.live_rows
        return counts

    def to_json(self) -> bytes:
        """The manifest as it lies on disk."""
        document = {"format": FORMAT} | _members(self) | {"created_at": self.created_at.isoformat()}
        return json.dumps(document, default=_as_json, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The manifest again; `ValueError`, `KeyError` or `TypeError` when `data` is not one."""
        document: dict[str, Any] = json.loads(data)
        if document.pop("format") > FORMAT:
            raise NewerFormatError
        chunks = tuple(
            LiveChunk(**chunk | {"superseded": tuple(chunk["superseded"]), "tables": _parts(chunk["tables"])})
            for chunk in document["chunks"]
        )
        return replace(
            cls(**document),
            created_at=datetime.fromisoformat(document["created_at"]),
            chunks=chunks,
            tables=_parts(document["tables"]),
            fleet=_parts(document.get("fleet", {})),
            forgotten=_forgotten(document.get("forgotten", {})),
        )


class NewerFormatError(ValueError):
    """The manifest was written by a later release."""


class SnapshotGoneError(StoreError):
    """The version was never published, or was vacuumed."""


def _as_json(value: Any) -> dict[str, Any] | list[Any]:
    return sorted(value) if isinstance(value, frozenset) else _members(value)


def _members(value: Any) -> dict[str, Any]:
    return {member.name: getattr(value, member.name) for member in fields(value)}


def _parts(tables: dict[str, dict[str, Any]]) -> dict[str, Part]:
    return {table: Part(**part) for table, part in tables.items()}


def _forgotten(marks: dict[str, Any]) -> Forgotten:
    lists = {name: frozenset(marked) for name, marked in marks.items() if name != "key"}
    return Forgotten(marks.get("key", ""), **lists)


def manifest_file(root: Path, version: int) -> Path:
    """Where the manifest of a version lies."""
    return root / "manifests" / f"{version:010d}.json"


def published_versions(root: Path) -> list[int]:
    """Versions whose manifest is there, oldest first; whatever else lies in the folder is not one."""
    return sorted(int(entry.name[:-5]) for entry in (root / "manifests").iterdir() if _NAME.fullmatch(entry.name))


def read_manifest(root: Path, version: int) -> Manifest:
    """The manifest of a published version.

    Raises `StoreError` when it is gone, damaged, or of a newer format.
    """
    path = manifest_file(root, version)
    try:
        return Manifest.from_json(path.read_bytes())
    except FileNotFoundError as error:
        raise SnapshotGoneError(
            f"{root} has no snapshot {version}.", "`afp store history` lists those it has; older ones were vacuumed."
        ) from error
    except NewerFormatError as error:
        raise StoreError(
            f"{path} was written by a newer release (this one reads format {FORMAT}).", "Upgrade afp-fleet."
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"The manifest {path} cannot be read: {error}.",
            "Restore the file from a copy, or publish an older snapshot again with `afp store rollback`.",
        ) from error


def manifests(root: Path, after: int = 0) -> Iterator[Manifest]:
    """The manifests past a version, oldest first; those that are vacuumed meanwhile are passed over."""
    for version in published_versions(root):
        if version > after:
            try:
                yield read_manifest(root, version)
            except SnapshotGoneError:
                continue
