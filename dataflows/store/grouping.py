"""How a table is put together from its parts: which files can be read alike.

Both readers, SQL and data frames, follow this one plan.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dataflows.store.manifest import Columns, Manifest, Part


@dataclass(frozen=True, slots=True)
class Group:
    """Files of one table that were written with the same columns, and the runs whose rows are left out."""

    files: tuple[str, ...]
    columns: Columns
    superseded: tuple[str, ...]


def groups_of(root: Path, manifest: Manifest, table: str) -> Iterator[Group]:
    """The table's files: those without superseded rows together, each of the others on its own."""
    whole: dict[str, list[str]] = {}
    for part, superseded in _live_parts(manifest, table):
        file = str(root / part.file)
        if part.dead_rows:
            yield Group((file,), _columns(manifest, table, part.shape), superseded)
        else:
            whole.setdefault(part.shape, []).append(file)
    for shape, files in whole.items():
        yield Group(tuple(files), _columns(manifest, table, shape), ())


def _live_parts(manifest: Manifest, table: str) -> Iterator[tuple[Part, tuple[str, ...]]]:
    """Each part that has rows to read, with the superseded runs of its chunk."""
    for whole in (manifest.tables, manifest.fleet):
        if table in whole:
            yield whole[table], ()
    for chunk in manifest.chunks:
        part = chunk.tables.get(table)
        if part and part.live_rows:
            yield part, chunk.superseded


def _columns(manifest: Manifest, table: str, shape: str) -> Columns:
    return manifest.older_shapes.get(shape) or manifest.columns[table]
