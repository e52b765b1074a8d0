"""Columns as a manifest lists them: SQL type names for data frame types, and back."""

import hashlib
import json
from collections.abc import Collection, Mapping

import polars as pl
from polars.datatypes import DataTypeClass

from afp_nodes.schemas import Table
from dataflows.store.manifest import Columns

_SQL_TYPES: dict[pl.DataType | DataTypeClass, str] = {
    pl.String(): "VARCHAR",
    pl.Boolean(): "BOOLEAN",
    pl.Int64(): "BIGINT",
    pl.Int32(): "INTEGER",
    pl.Float64(): "DOUBLE",
    pl.Date(): "DATE",
    pl.Datetime("us"): "TIMESTAMP",
    pl.Datetime("us", "UTC"): "TIMESTAMP WITH TIME ZONE",
}
_DTYPES = {name: dtype for dtype, name in _SQL_TYPES.items()}


def sql_type(dtype: pl.DataType | DataTypeClass) -> str:
    """The SQL name of a type that parts may hold; `ValueError` for others (unsigned, dictionary, nested)."""
    if isinstance(dtype, pl.List):
        return sql_type(dtype.inner) + "[]"
    if dtype not in _SQL_TYPES:
        raise ValueError(f"{dtype} is not stored: parts hold plain text, signed integers, floats, times and lists")
    return _SQL_TYPES[dtype]


def dtype_of(sql_name: str) -> pl.DataType | DataTypeClass:
    """The data frame type of a stored SQL type."""
    return pl.List(dtype_of(sql_name[:-2])) if sql_name.endswith("[]") else _DTYPES[sql_name]


def stored_columns(schema: type[Table]) -> dict[str, str]:
    """The columns of a table as its parts hold them."""
    return {name: sql_type(dtype) for name, dtype in schema.stored_dtypes().items()}


def in_shape(wanted: Mapping[str, pl.DataType | DataTypeClass], held: Collection[str]) -> list[pl.Expr]:
    """The wanted columns, of a frame that may hold others: one that it lacks is NULL."""
    return [(pl.col(name) if name in held else pl.lit(None)).cast(dtype).alias(name) for name, dtype in wanted.items()]


def shape_of(columns: Columns) -> str:
    """A short name for a list of columns: equal for equal names, types and order."""
    return hashlib.sha256(json.dumps(list(columns.items())).encode()).hexdigest()[:8]


def dtypes_of(columns: Columns) -> Mapping[str, pl.DataType | DataTypeClass]:
    """The columns with their data frame types."""
    return {name: dtype_of(sql_name) for name, sql_name in columns.items()}
