"""Statistics of many comparisons: means with intervals, differences of rates pooled over studies, many p-values.

scipy and statsmodels do the work; both are loaded where something is to be computed, since most stores hold nothing
that they are needed for. Numbers are rounded to `DIGITS`: those beyond differ from machine to machine.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

LEVEL = 0.05
"""A difference is called one where its q-value is at most this; intervals leave out as much."""

POWER = 0.8
"""How likely a difference is to be seen with the runs that are said to be needed."""

DIGITS = 9

FEWEST = 2
"""Fewer numbers have no spread, and so no interval."""


class PooledEffect(NamedTuple):
    """Differences of several studies as one, with its interval and how often chance alone would give one as far from
    zero; and how far the studies differ among each other beyond chance.

    `spread` is the standard deviation between the studies (the root of tau squared), `inconsistency` the part of all
    variation that is due to it (I squared), `mixed_p` how often chance alone would give as much (Cochran's Q).
    """

    effect: float
    low: float
    high: float
    p_value: float
    spread: float
    inconsistency: float
    mixed_p: float


def mean_interval(numbers: Sequence[float]) -> tuple[float, float, float]:
    """The mean of at least two numbers, each of a cluster of its own, and its bounds by Student's t.

    Where all are the same there is no spread to judge by, and the bounds are the mean itself.
    """
    mean = fmean(numbers)
    if len(set(numbers)) == 1:
        return mean, mean, mean
    from scipy import stats  # noqa: PLC0415 - see above

    low, high = stats.ttest_1samp(numbers, 0.0).confidence_interval(1 - LEVEL)
    return _rounded(mean), _rounded(low), _rounded(high)


def numbers_needed(numbers: Sequence[float], difference: float) -> int:
    """How many numbers as scattered as these would show a mean of that size, at `LEVEL` and `POWER`."""
    scatter = stdev(numbers)
    if scatter == 0:
        return FEWEST
    from statsmodels.stats.power import TTestPower  # noqa: PLC0415

    def is_enough(count: int) -> bool:
        power = TTestPower().power(difference / scatter, count, LEVEL)
        return math.isnan(power) or power >= POWER  # what is too near 1 to be computed is no number

    most = 16 + math.ceil(16 * (scatter / difference) ** 2)
    return bisect_left(range(FEWEST, most), True, key=is_enough) + FEWEST


def pooled_difference(hits: Sequence[tuple[int, int, int, int]]) -> PooledEffect:
    """The difference of two rates over at least two studies, each told as `(hits, of, baseline_hits, baseline_of)`.

    Each study's difference and its variance are taken with one hit and one miss added to either side (Agresti and
    Caffo), so that a side without a hit has a variance too; the studies are weighed as a random sample of such studies
    (Paule and Mandel).
    """
    from scipy import stats  # noqa: PLC0415
    from statsmodels.stats.meta_analysis import combine_effects  # noqa: PLC0415

    sides = [((h + 1) / (n + 2), n + 2, (bh + 1) / (bn + 2), bn + 2) for h, n, bh, bn in hits]
    differences = [rate - baseline for rate, _, baseline, _ in sides]
    variances = [p * (1 - p) / n + b * (1 - b) / m for p, n, b, m in sides]
    with np.errstate(divide="ignore"):  # of studies that agree to the last digit, a ratio is infinite
        pooled = combine_effects(np.array(differences), np.array(variances), method_re="pm")
    error = float(pooled.sd_eff_w_re)
    half = float(stats.norm.isf(LEVEL / 2)) * error
    effect = float(pooled.mean_effect_re)
    chance = 2 * float(stats.norm.sf(abs(effect) / error))
    freedom = len(hits) - 1
    inconsistency = max(0.0, 1 - freedom / pooled.q) if pooled.q > 0 else 0.0
    spread = math.sqrt(pooled.tau2)
    mixed = stats.chi2.sf(pooled.q, freedom)
    return PooledEffect(*map(_rounded, (effect, effect - half, effect + half, chance, spread, inconsistency, mixed)))


def q_values(p_values: Sequence[float]) -> list[float]:
    """Each p-value as the rate of false findings among those as small (Benjamini and Hochberg)."""
    if not p_values:
        return []
    from scipy import stats  # noqa: PLC0415

    return [_rounded(value) for value in stats.false_discovery_control(p_values)]


def _rounded(number: float) -> float:
    return round(float(number), DIGITS)
