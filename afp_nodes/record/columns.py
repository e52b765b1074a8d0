"""Columns that are filled row by row and become frames at once.

Most text repeats: ids, keys, values that are committed again in every loop. So a column holds numbers into a pool
of distinct texts, and its frame shares the pool's buffers. What a row shares with the row it belongs to, a write
with its commit, a commit with its log, is not held again: it is taken over when the frame is made.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, repeat
from operator import length_hint
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from afp_nodes.addresses import NAME
from afp_nodes.record.compaction import compact_all
from afp_nodes.schemas import Frame

Series = Mapping[int, pl.Series]
"""The values of each pool, by the pool's `id`."""
NO_OWNER = pl.DataFrame()
"""What rows belong to that take nothing over."""
Places = npt.NDArray[np.int64]
"""Positions of rows."""


class Pool(dict[Any, int]):
    """Distinct values, each with its number; `size` counts the characters in them."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        self.size += self.length(value)
        return number

    def length(self, value: Any) -> int:
        """Characters of one value."""
        return len(value or ())

    def series(self) -> pl.Series:
        """The distinct values in order of their numbers."""
        return pl.Series(list(self), dtype=pl.String())


class NamePool(Pool):
    """Distinct names."""

    def series(self) -> pl.Series:
        """The distinct names in order of their numbers."""
        return pl.Series(list(self), dtype=NAME)


class ListPool(Pool):
    """Distinct lists of texts, as tuples."""

    def length(self, value: Any) -> int:
        """Characters of one list."""
        return sum(len(text or ()) for text in value or ())

    def series(self) -> pl.Series:
        """The distinct lists in order of their numbers."""
        return pl.Series(list(self), dtype=pl.List(pl.String()))


class JsonPool(Pool):
    """Distinct JSON values: bytes as they are spelled, made compact at the end, or text that is; b'' is none."""

    def series(self) -> pl.Series:
        """The distinct values as compact text, in order of their numbers."""
        compacted = compact_all([value for value in self if value and isinstance(value, bytes)])
        texts = [(next(compacted).decode() if isinstance(value, bytes) else value) if value else None for value in self]
        return pl.Series(texts, dtype=pl.String())


class Pools:
    """The pools of one chunk."""

    def __init__(self) -> None:
        self._texts, self._names, self._lists, self._json = Pool(), NamePool(), ListPool(), JsonPool()

    def of(self, name: str, dtype: pl.DataType) -> Pool | None:
        """The pool of a column; None for one that holds its values itself."""
        if dtype == pl.String():
            return self._json if name.endswith("_json") else self._texts
        if dtype == NAME:
            return self._names
        return self._lists if dtype == pl.List(pl.String()) else None

    @property
    def size(self) -> int:
        """Characters in all pools."""
        return sum(pool.size for pool in self._all())

    def series(self) -> Series:
        """The values of each pool."""
        return {id(pool): pool.series() for pool in self._all()}

    def _all(self) -> tuple[Pool, ...]:
        return self._texts, self._names, self._lists, self._json


class Columns:
    """The columns of one frame, or `only` some of them.

    They are filled in the order of the schema, without the `inherited` ones: these are taken over from the row that a
    row belongs to.
    """

    def __init__(
        self, schema: type[Frame], pools: Pools, *, inherited: Iterable[str] = (), only: Iterable[str] | None = None
    ) -> None:
        dtypes = schema.stored_dtypes() | {name: NAME for name, dtype in schema.dtypes().items() if dtype == NAME}
        self._inherited = list(inherited)
        own = (dtypes.keys() if only is None else {*only}) - {*self._inherited}
        self._names = [name for name in dtypes if name in own or name in self._inherited]
        self._owners: list[int] = []
        self._columns = [_Column(name, dtypes[name], pools.of(name, dtypes[name])) for name in dtypes if name in own]

    def __len__(self) -> int:
        return len(self._columns[0].values)

    def add(self, columns: Iterable[Iterable[Any]]) -> None:
        """Add rows that belong to nothing, column by column."""
        for column, values in zip(self._columns, columns, strict=True):
            column.extend(values)

    def add_owned(self, columns: Iterable[Iterable[Any]]) -> None:
        """Add rows column by column; the first one holds the number of the row that each belongs to."""
        owners, *others = columns
        self._owners.extend(owners)
        self.add(others)

    def add_rows(self, owner: int, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows that belong to one row."""
        columns = list(zip(*rows, strict=True))
        if columns:
            self.add_owned((repeat(owner, len(columns[0])), *columns))

    def frame(self, distinct: Series, owner: pl.DataFrame = NO_OWNER) -> pl.DataFrame:
        """The frame; `owner` is the frame of what its rows belong to."""
        own = [column.series(distinct) for column in self._columns]
        if not self._inherited:
            return pl.DataFrame(own)
        inherited = owner.select(pl.col(self._inherited).gather(_places(self._owners)))
        return inherited.with_columns(own).select(self._names)


class Groups:
    """Groups of rows that are held once and chosen by their number, each choice for another owner."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._chosen: list[int] = []
        self._rows = 0

    def __len__(self) -> int:
        """Rows of the chosen groups."""
        return self._rows

    def hold(self, size: int) -> int:
        """The number of the next group: that of the rows which follow those of the group before."""
        self._sizes.append(size)
        return len(self._sizes) - 1

    def choose(self, numbers: Sequence[int]) -> None:
        """Choose groups, one for each owner."""
        self._chosen.extend(numbers)
        self._rows += sum(map(self._sizes.__getitem__, numbers))

    def spread(self) -> tuple[Places, Places]:
        """For each row of the chosen groups in order: the place of its owner, and its own among the rows held."""
        sizes, chosen = _places(self._sizes).to_numpy(), _places(self._chosen).to_numpy()
        counts = sizes[chosen]
        skipped = (np.cumsum(sizes) - sizes)[chosen] - (np.cumsum(counts) - counts)
        return np.repeat(np.arange(len(chosen)), counts), np.arange(self._rows) + np.repeat(skipped, counts)


class _Column:
    """One column: plain values, or their numbers in a pool."""

    def __init__(self, name: str, dtype: pl.DataType, pool: Pool | None) -> None:
        self.values: list[Any] = []
        self._name = name
        self._dtype = dtype
        self._pool = pool

    def extend(self, values: Iterable[Any]) -> None:
        if self._pool is None:
            self.values.extend(values)
        elif isinstance(values, repeat):
            count = length_hint(values)
            self.values += [self._pool[value] for value in islice(values, 1)] * count
        else:
            self.values.extend(map(self._pool.__getitem__, values))

    def series(self, distinct: Series) -> pl.Series:
        if self._pool is None:
            return pl.Series(self._name, self.values, dtype=self._dtype)
        return distinct[id(self._pool)].gather(_places(self.values)).alias(self._name)


def _places(numbers: list[int]) -> pl.Series:
    return pl.Series(numbers, dtype=pl.Int64())
