"""Templates: JSON texts with gaps, filled in from columns."""

import polars as pl


def filled(template: str, *values: str | pl.Expr) -> pl.Expr:
    """A template with its gaps `{}` filled in, one value each; NULL where a value is NULL. Braces are not escaped.

    `pl.format` would do, but for a panic of Polars 2.1 where rows of a frame in several chunks were filtered out.
    """
    head, *tails = template.split("{}")
    gaps = [pl.col(value) if isinstance(value, str) else value for value in values]
    parts = [part for gap, tail in zip(gaps, tails, strict=True) for part in (gap.cast(pl.String), pl.lit(tail))]
    return pl.concat_str(pl.lit(head), *parts)
