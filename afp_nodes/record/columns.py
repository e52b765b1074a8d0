"""Columns that are filled run by run and become frames at once.

Most text repeats: ids, keys, values that are committed again in every loop. So a column holds numbers into a pool
of distinct texts, and its frame shares the pool's buffers.
"""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from afp_nodes.schemas import Frame


class Pool(dict[Any, int]):
    """Distinct texts, or lists of texts, each with its number; `size` counts the characters in it."""

    def __init__(self, dtype: pl.DataType) -> None:
        super().__init__()
        self._dtype = dtype
        self.size = 0

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        if value is not None:
            self.size += len(value) if isinstance(value, str) else sum(len(text or "") for text in value)
        return number

    def series(self) -> pl.Series:
        """The distinct values in order of their numbers."""
        return pl.Series(list(self), dtype=self._dtype)


class Columns:
    """The columns of one frame, in the order of its schema."""

    def __init__(self, schema: type[Frame], pools: Mapping[pl.DataType, Pool]) -> None:
        self._dtypes = schema.stored_dtypes()
        self._pools = pools
        self._values: dict[str, Any] = {
            name: array("q") if dtype in pools else [] for name, dtype in self._dtypes.items()
        }

    def extend(self, columns: Mapping[str, Iterable[Any]]) -> None:
        """Add rows: every column of the schema, all of one length."""
        for name, dtype in self._dtypes.items():
            pool = self._pools.get(dtype)
            values = columns[name]
            self._values[name].extend(values if pool is None else map(pool.__getitem__, values))

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row."""
        self.extend({name: (value,) for name, value in row.items()})

    def __len__(self) -> int:
        return len(next(iter(self._values.values())))

    def frame(self, distinct: Mapping[pl.DataType, pl.Series]) -> pl.DataFrame:
        """The frame; `distinct` holds the values of each pool."""
        return pl.DataFrame(
            [
                distinct[dtype].gather(pl.Series(self._values[name], dtype=pl.Int64)).alias(name)
                if dtype in distinct
                else pl.Series(name, self._values[name], dtype=dtype)
                for name, dtype in self._dtypes.items()
            ]
        )
