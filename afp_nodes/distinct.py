"""Work on a text once, however many rows hold it."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl


def mapped_once(texts: pl.Series, image: Callable[[str], str | None]) -> pl.Series:
    """The image of each text, computed once per distinct text; NULL stays NULL."""
    distinct = texts.drop_nulls().unique()
    images = pl.Series(distinct.name, [image(t) for t in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, images, default=None, return_dtype=pl.String)


def told_by(texts: pl.Expr, read: Callable[[str], tuple[Any, ...] | None], told: Mapping[str, pl.DataType]) -> pl.Expr:
    """What each text says, as a struct `told`; read once per distinct text, all fields NULL where it says nothing."""
    nothing = (None,) * len(told)

    def said(column: pl.Series) -> pl.Series:
        places: dict[str, int] = {}
        rows = np.zeros(len(column), np.uint32)
        rows[column.is_not_null().to_numpy()] = [
            places.setdefault(text, len(places) + 1) for text in column.drop_nulls()
        ]
        distinct = [nothing, *(read(text) or nothing for text in places)]
        return pl.DataFrame(distinct, schema=told, orient="row").to_struct("told").gather(pl.Series(rows))

    return texts.map_batches(said, return_dtype=pl.Struct(told)).alias("told")
