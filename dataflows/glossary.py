"""The glossary: every table and column with its meaning, read off the schemas, for people and for the docs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from afp_nodes.schemas import TABLES, VIEW_COLUMNS, Frame, Table
from dataflows.store.columns import sql_type

RULE = " Rule:"
"""What stands behind a grain where a schema names the source of its rule."""


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """One column: its SQL type, whether it may be NULL, and what it means. `words` is empty where any text fits."""

    name: str
    kind: str
    nullable: bool
    words: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table: what one row is, which columns tell rows apart, and all columns in order."""

    name: str
    grain: str
    key: tuple[str, ...]
    notes: str
    columns: tuple[ColumnEntry, ...]

    def as_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return asdict(self)


def table_entries(published: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, TableEntry]:
    """Every table by name, and those that are published with columns of SQL types and that no schema here describes."""
    ours = {name: _table_entry(name, schema) for name, schema in TABLES.items()}
    others = {name: _undescribed(name, columns) for name, columns in (published or {}).items() if name not in ours}
    return ours | others


def _undescribed(name: str, columns: Mapping[str, str]) -> TableEntry:
    entries = (ColumnEntry(column, kind, nullable=True, words=(), meaning="") for column, kind in columns.items())
    return TableEntry(name, "not described here: its package is not active", (), "", tuple(entries))


def _table_entry(name: str, schema: type[Table]) -> TableEntry:
    columns = _column_entries(schema)
    if name in VIEW_COLUMNS:
        known = {column.name for column in columns}
        columns += [column for column in _column_entries(VIEW_COLUMNS[name]) if column.name not in known]
    grain, rule, where = schema.grain().partition(RULE)
    notes = " ".join(filter(None, (f"{rule}{where}".strip(), _notes(schema))))
    return TableEntry(name, grain, tuple(schema.key_columns()), notes, tuple(columns))


def _column_entries(schema: type[Frame]) -> list[ColumnEntry]:
    stored = schema.stored_dtypes()
    return [
        ColumnEntry(
            name=name,
            kind=sql_type(stored[name]),
            nullable=bool(column.nullable),
            words=tuple(column.dtype.categories) if isinstance(column.dtype, pl.Enum) else (),
            meaning=column.description or "",
        )
        for name, column in schema.columns().items()
    ]


def _notes(schema: type[Table]) -> str:
    """What the schema says beyond its grain: rules and what was decided."""
    _, _, rest = (schema.__doc__ or "").strip().partition("\n")
    return " ".join(rest.split())
