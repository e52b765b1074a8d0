"""The catalog file: the views of the newest snapshot as a DuckDB database, for everyone who speaks SQL."""

import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

from afp_nodes.schemas import TABLES, VIEW_COLUMNS
from dataflows.store.catalog import at_once, definitions, quoted_name, quoted_text
from dataflows.store.folder import Snapshot, Store, catalog_stamp, stamp_of
from dataflows.store.parts import TEMPORARY
from dataflows.store.writers import session

CATALOG = "catalog.duckdb"


def write_catalog(root: Path, batch_id: str) -> None:
    """Renews `catalog.duckdb`: written beside and renamed, so that whoever has the old one open keeps it.

    The snapshot stands even when this fails; then stderr says so, and the next publish tries again.
    """
    try:
        _write_newest(root, root / f"{batch_id}-{CATALOG}{TEMPORARY}")
    except (OSError, duckdb.Error) as error:
        print(
            f"The snapshot is published, but {root / CATALOG} could not be renewed: {error}. "
            "`afp sql` does not need it; the next run tries again.",
            file=sys.stderr,
        )


def renew_catalog(store: Store) -> None:
    """Makes the catalog of a store anew: its last job was killed, or the store was moved."""
    with session(store.path) as batch_id:
        write_catalog(store.path, batch_id)


def _write_newest(root: Path, temporary: Path) -> None:
    """Until the file shows the newest snapshot: another writer may publish, and rename, in between.

    Whoever wrote tables of their own into the old file leaves a log beside it that would make the new one unreadable.
    """
    shown = None
    while (newest := Store(root).snapshot()) and newest.version != shown:
        _write(newest, temporary)
        (root / f"{CATALOG}.wal").unlink(missing_ok=True)
        temporary.rename(root / CATALOG)
        shown = newest.version
    if shown is not None:
        stamp = catalog_stamp(root)
        temporary.write_text(stamp_of(root, shown))
        temporary.rename(stamp)


def _write(snapshot: Snapshot, temporary: Path) -> None:
    with duckdb.connect(str(temporary)) as connection:
        connection.execute(at_once((*definitions(snapshot), *_comments())))


def _comments() -> Iterator[str]:
    """What each view and column means, from the schemas."""
    for table, schema in TABLES.items():
        yield f"COMMENT ON VIEW {quoted_name(table)} IS {quoted_text(schema.grain())}"
        columns = (VIEW_COLUMNS[table].columns() if table in VIEW_COLUMNS else {}) | schema.columns()
        for name, column in columns.items():
            meaning = quoted_text(column.description or "")
            yield f"COMMENT ON COLUMN {quoted_name(table)}.{quoted_name(name)} IS {meaning}"
