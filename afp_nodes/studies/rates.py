"""Rates: how far a flip rate may be off, and how often the rule would say a word if nothing differed.

Rule: product contract, section 5 (`flip_rate_low`, `flip_rate_high`, `false_rate`).
"""

import math
from functools import cache

from afp_nodes.words import ProbeVerdict

WILSON_Z = 1.959963984540054
"""Standard deviations that 95 of 100 values of a normal distribution lie within."""

FEWEST_RUNS = 2
"""A side with fewer good runs supports no word but `inconclusive`."""

STEPS = 80
"""Steps of the search for the worst noise; each leaves two thirds of where it can be."""

DIGITS = 9
"""Digits of a rate: those beyond differ from machine to machine."""


def wilson_interval(flips: int, samples: int) -> tuple[float, float] | None:
    """The bounds of the rate that `flips` of `samples` runs point to, by Wilson; None without a run."""
    if samples == 0:
        return None
    rate, width = flips / samples, WILSON_Z * WILSON_Z / samples
    middle = (rate + width / 2) / (1 + width)
    half = WILSON_Z * math.sqrt(rate * (1 - rate) / samples + width / (4 * samples)) / (1 + width)
    return (0.0 if flips == 0 else middle - half), (1.0 if flips == samples else middle + half)


@cache
def false_rate(word: ProbeVerdict, samples: int, baseline_samples: int, *, seed_0_is_reference: bool) -> float:
    """How often the rule says `word` of a subject that differs in nothing, at the worst noise of the baseline.

    The model: every run flips on its own with one chance p, those of the baseline and those of the subject alike. A
    baseline run whose answer is the reference never does. The rule says `confirmed` when none of the other baseline
    runs flips and most of the subject's do,

        (1 - p) ** others * P(2 * flips > samples),  flips ~ Binomial(samples, p),

    and the rate is the greatest of that over all p. Both factors are log-concave in p, so it has one peak. The other
    two words have p that make them certain: no run flips at p = 0, which gives `not-confirmed`, and at p = 1 a
    baseline flips, which gives `inconclusive`. With too few runs on a side, every p gives `inconclusive`.

    What a null band or a manifest takes from `confirmed` is left out. No greater rate is possible with a band: in the
    worst case each flip lies outside of it. Of the baseline there must be a run that could flip for a rate below 1.
    """
    others = baseline_samples - seed_0_is_reference
    if samples < FEWEST_RUNS or baseline_samples < FEWEST_RUNS:
        return float(word == ProbeVerdict.INCONCLUSIVE)
    if word != ProbeVerdict.CONFIRMED:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        third = (high - low) / 3
        if _confirmed(low + third, samples, others) < _confirmed(high - third, samples, others):
            low += third
        else:
            high -= third
    return round(_confirmed((low + high) / 2, samples, others), DIGITS)


def _confirmed(chance: float, samples: int, others: int) -> float:
    """How often no baseline run and most runs of the subject flip, each at this chance."""
    if not 0 < chance < 1:
        return float(chance == 1 and others == 0)
    flips, stays = math.log(chance), math.log1p(-chance)
    return math.fsum(
        math.exp(_log_choices(samples, k) + k * flips + (samples - k + others) * stays)
        for k in range(samples // 2 + 1, samples + 1)
    )


def _log_choices(samples: int, chosen: int) -> float:
    """The logarithm of how many ways there are to choose some of the samples."""
    return math.lgamma(samples + 1) - math.lgamma(chosen + 1) - math.lgamma(samples - chosen + 1)
