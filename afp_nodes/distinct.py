"""Work on a text once, however many rows hold it."""

from collections.abc import Callable

import polars as pl


def mapped_once(texts: pl.Series, image: Callable[[str], str]) -> pl.Series:
    """The image of each text, computed once per distinct text; NULL stays NULL."""
    distinct = texts.drop_nulls().unique()
    images = pl.Series(distinct.name, [image(t) for t in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, images, default=None, return_dtype=pl.String)
