"""What all schemas share: a frame that crosses a node border, and a table, which is also stored and published.

Names that stand in many rows (of runs, scopes, steps, keys) are `Categorical` inside the graph, so that joining and
sorting by them compares numbers; stored, they are plain text.
"""

import re
from functools import cache
from typing import Any

import dataframely as dy
import polars as pl


class Frame(dy.Schema):
    """A frame that crosses a node border; the first line of its docstring is its grain."""

    @classmethod
    def grain(cls) -> str:
        """What one row is."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def key_columns(cls) -> list[str]:
        """The columns that tell rows apart, coarse to fine; unlike a primary key, some may be NULL."""
        return [n for n, c in cls.columns().items() if c.primary_key or (c.metadata or {}).get("key")]

    @classmethod
    @cache
    def dtypes(cls) -> dict[str, pl.DataType]:
        """Column dtypes inside the graph."""
        return {name: column.dtype for name, column in cls.columns().items()}

    @classmethod
    @cache
    def stored_dtypes(cls) -> dict[str, pl.DataType]:
        """Column dtypes as stored: words and names become plain text, for engines without dictionaries."""
        return {n: pl.String() if isinstance(t, pl.Enum | pl.Categorical) else t for n, t in cls.dtypes().items()}


class Table(Frame):
    """A frame that is stored as Parquet and published under its own name."""

    @classmethod
    def table_name(cls) -> str:
        """The published name: the class name in snake case."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


NULLABLE_KEY: dict[str, Any] = {"key": True}
"""Column metadata: the column is part of the key although it may be NULL."""
