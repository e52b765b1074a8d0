"""Intervals and false rates, against their definitions."""

import math
from fractions import Fraction

import pytest

from afp_nodes.studies.rates import WILSON_Z, false_rate, wilson_interval
from afp_nodes.words import ProbeVerdict

CONFIRMED = ProbeVerdict.CONFIRMED


@pytest.mark.parametrize(("flips", "samples"), [(0, 2), (1, 2), (3, 3), (4, 6), (17, 40)])
def test_the_bounds_are_where_the_rate_lies_as_far_off_as_z_deviations(flips: int, samples: int) -> None:
    interval = wilson_interval(flips, samples)
    assert interval is not None
    for bound, is_open in zip(interval, (flips > 0, flips < samples), strict=True):
        deviation = WILSON_Z * math.sqrt(bound * (1 - bound) / samples)
        assert math.isclose(abs(flips / samples - bound), deviation, abs_tol=1e-12) == is_open or not is_open
        assert 0 <= bound <= 1


def test_without_a_run_there_is_no_rate() -> None:
    assert wilson_interval(0, 0) is None


def exactly(chance: Fraction, samples: int, others: int) -> Fraction:
    """How often the other baseline runs all stay and most runs of the subject flip."""
    most = range(samples // 2 + 1, samples + 1)
    return (1 - chance) ** others * sum(math.comb(samples, k) * chance**k * (1 - chance) ** (samples - k) for k in most)


@pytest.mark.parametrize(("samples", "baseline"), [(2, 2), (3, 3), (4, 5), (5, 5), (8, 8), (9, 3)])
@pytest.mark.parametrize("own", [True, False])
def test_the_false_rate_is_the_worst_over_all_noise(samples: int, baseline: int, own: bool) -> None:
    rate = false_rate(CONFIRMED, samples, baseline, seed_0_is_reference=own)
    worst = max(float(exactly(Fraction(i, 2000), samples, baseline - own)) for i in range(2001))
    assert worst - 1e-9 <= rate <= worst + 1e-5


def test_some_noise_makes_every_other_word_certain() -> None:
    for word in (ProbeVerdict.NOT_CONFIRMED, ProbeVerdict.INCONCLUSIVE):
        assert false_rate(word, 3, 3, seed_0_is_reference=False) == 1


@pytest.mark.parametrize(("samples", "baseline"), [(1, 3), (3, 1), (0, 0)])
def test_too_few_runs_say_one_word_only(samples: int, baseline: int) -> None:
    rates = [false_rate(word, samples, baseline, seed_0_is_reference=False) for word in ProbeVerdict]
    assert dict(zip(ProbeVerdict, rates, strict=True)) == {CONFIRMED: 0, "not-confirmed": 0, "inconclusive": 1}


def test_more_runs_are_wrong_less_often() -> None:
    rates = [false_rate(CONFIRMED, n, n, seed_0_is_reference=True) for n in (3, 5, 9, 51, 2001)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0
