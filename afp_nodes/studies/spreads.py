"""Spreads: how the numbers of some runs lie. Rule: record format, section 20 (statistics).

Sums go from left to right: neither Python's `sum` nor Polars does that, and the last digit decides at a threshold.
"""

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import NamedTuple


class Spread(NamedTuple):
    """Mean, least, greatest and population standard deviation of some numbers."""

    mean: float
    least: float
    greatest: float
    stdev: float


def spread(values: Sequence[float]) -> Spread:
    """How the values lie; zeros when there are none."""
    if not values:
        return Spread(0.0, 0.0, 0.0, 0.0)
    mean = _summed(values) / len(values)
    variance = _summed((value - mean) * (value - mean) for value in values) / len(values)
    return Spread(mean, min(values), max(values), math.sqrt(variance))


def median(values: Sequence[float]) -> float:
    """The middle value, of an even number the mean of both; 0 when there are none."""
    if not values:
        return 0.0
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _summed(values: Iterable[float]) -> float:
    return reduce(add, values, 0.0)
