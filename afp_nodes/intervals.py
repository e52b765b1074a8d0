"""Intervals of rates and of their differences, as expressions. Method: Wilson for a rate, Newcombe for a difference."""

import polars as pl


def wilson(hits: pl.Expr, of: pl.Expr, z: float) -> tuple[pl.Expr, pl.Expr]:
    """The bounds of the rate that `hits` out of `of` point to; NULL where there is nothing to count."""
    n = pl.when(of > 0).then(of)
    rate, width = hits / n, z * z / n
    middle = (rate + width / 2) / (1 + width)
    half = z * (rate * (1 - rate) / n + width / (4 * n)).sqrt() / (1 + width)
    low = pl.when(hits == 0).then(pl.when(of > 0).then(0.0)).otherwise(middle - half)
    high = pl.when(hits == of).then(pl.when(of > 0).then(1.0)).otherwise(middle + half)
    return low, high


def newcombe(hits: pl.Expr, of: pl.Expr, hits_before: pl.Expr, of_before: pl.Expr, z: float) -> tuple[pl.Expr, pl.Expr]:
    """The bounds of how much greater the first rate is than the second."""
    low, high = wilson(hits, of, z)
    low_before, high_before = wilson(hits_before, of_before, z)
    rate, before = hits / of, hits_before / of_before
    down = ((rate - low) ** 2 + (high_before - before) ** 2).sqrt()
    up = ((high - rate) ** 2 + (before - low_before) ** 2).sqrt()
    return rate - before - down, rate - before + up


def student(z: float, degrees: pl.Expr) -> pl.Expr:
    """Standard errors that hold as much of Student's distribution as `z` deviations hold of the normal one.

    By the first terms of its expansion in the degrees of freedom, good to a few parts in a hundred from six on.
    """
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
