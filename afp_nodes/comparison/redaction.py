"""What of a text is no evidence: whatever a record redacts is not compared. Rule: product contract, section 2."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

WITHHELD_JSON = '"[redacted]"'
"""What stands in a row where a value would be shown."""


@dataclass(frozen=True, slots=True)
class Redactions:
    """What two records redact, wherever it stands: `touch` tells whether a text holds some of it."""

    touch: Callable[[str], bool]


def touched(texts: pl.Expr, redactions: Redactions) -> pl.Expr:
    """Whether each text holds something redacted; each distinct text is looked at once, and NULL holds nothing."""

    def looked_at(column: pl.Series) -> pl.Series:
        found = {text: redactions.touch(text) for text in column.drop_nulls().unique()}
        return pl.Series(column.name, [found.get(text, False) for text in column], dtype=pl.Boolean)

    return texts.map_batches(looked_at, return_dtype=pl.Boolean)


def redacted_under(names: tuple[str, ...]) -> pl.Expr:
    """Whether a record redacts values under one of these names; needs the column `redacted_names`."""
    return pl.any_horizontal(pl.col("redacted_names").list.contains(name) for name in names).fill_null(value=False)
