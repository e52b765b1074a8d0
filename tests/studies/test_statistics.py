"""Statistics: what many comparisons come to, against what can be worked out by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.studies.contrasts import DEALS, chance, contrast
from afp_nodes.studies.similarity import Embedding
from afp_nodes.studies.statistics import mean_interval, numbers_needed, pooled_difference, q_values

EAST, NORTH = Embedding("e", (2.0, 0.0)), Embedding("e", (0.0, 0.5))
NOWHERE = Embedding("e", (0.0, 0.0))


def test_a_mean_has_the_bounds_of_student() -> None:
    assert mean_interval([1.0, 2.0, 3.0]) == pytest.approx((2.0, 2 - 2.484138, 2 + 2.484138), abs=1e-5)


def test_numbers_without_spread_bound_their_mean_themselves() -> None:
    assert mean_interval([0.25, 0.25]) == (0.25, 0.25, 0.25)


def test_as_many_numbers_are_needed_as_the_tables_say() -> None:
    """A difference of half a standard deviation, at one in twenty and four in five: 34 pairs."""
    assert numbers_needed([-1.0, 0.0, 1.0], 0.5) == 34
    assert numbers_needed([0.1, 0.1], 0.5) == 2
    assert numbers_needed([0.1, 0.1000001], 0.5) == 2


def test_studies_that_agree_are_pooled_as_one_with_more_certainty() -> None:
    one = pooled_difference([(5, 5, 0, 5), (5, 5, 0, 5)])
    many = pooled_difference([(5, 5, 0, 5)] * 6)
    assert one.effect == many.effect == pytest.approx(5 / 7)
    assert one.low < many.low < many.effect
    assert (one.spread, one.inconsistency, one.mixed_p) == (0, 0, 1)


def test_studies_that_contradict_each_other_are_said_to_be_mixed() -> None:
    mixed = pooled_difference([(20, 20, 0, 20), (0, 20, 20, 20)])
    assert mixed.effect == pytest.approx(0, abs=1e-9)
    assert mixed.p_value > 0.9
    assert mixed.inconsistency > 0.9
    assert mixed.mixed_p < 0.001


def test_sides_that_are_exchanged_exchange_the_sign() -> None:
    hits = [(3, 5, 1, 4), (2, 6, 2, 3), (4, 4, 0, 7)]
    there, back = pooled_difference(hits), pooled_difference([(b, m, h, n) for h, n, b, m in hits])
    assert (back.effect, back.low, back.high) == pytest.approx((-there.effect, -there.high, -there.low))
    assert back.p_value == pytest.approx(there.p_value)


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    assert q_values([0.01, 0.04, 0.5]) == pytest.approx([0.03, 0.06, 0.5])
    assert q_values([]) == []


def test_a_contrast_is_worked_out_over_all_pairs() -> None:
    made = contrast("q", [NORTH], [EAST, EAST, NORTH])
    assert made.similarity == pytest.approx(1 / 3)
    assert made.difference == pytest.approx(1 / 3 - 1 / 3)
    assert contrast("q", [NORTH, NORTH], [EAST, EAST]).difference == pytest.approx(-1)


def test_an_answer_of_no_direction_is_like_nothing() -> None:
    assert contrast("q", [NOWHERE], [EAST, EAST]).difference == pytest.approx(-1)


def test_the_chance_of_what_only_one_dealing_gives_is_that_of_the_dealing() -> None:
    """Two of four runs can be chosen in six ways; two of them split the runs as recorded, this way or that."""
    told = chance([contrast("q", [NORTH, NORTH], [EAST, EAST])])
    assert told == pytest.approx(2 / 6, abs=4 * (2 / 9 / DEALS) ** 0.5)


@given(st.lists(st.booleans(), min_size=1, max_size=5), st.lists(st.booleans(), min_size=2, max_size=5))
def test_a_contrast_needs_no_more_dimensions_than_there_are_runs(arm: list[bool], baseline: list[bool]) -> None:
    def embedded(dimensions: int, other: bool) -> Embedding:
        return Embedding("e", tuple(float(place == other) for place in range(dimensions)))

    few, many = (
        contrast("q", [embedded(size, run) for run in arm], [embedded(size, run) for run in baseline])
        for size in (2, 40)
    )
    assert (few.difference, few.similarity) == pytest.approx((many.difference, many.similarity))


def test_subjects_that_do_nothing_seldom_differ_over_studies() -> None:
    chances = random.Random(5)
    drawn = [
        [
            (sum(chances.random() < rate for _ in range(5)), 5, sum(chances.random() < rate for _ in range(5)), 5)
            for rate in chances.choices([0.1, 0.3, 0.5], k=4)
        ]
        for _ in range(200)
    ]
    assert sum(pooled_difference(hits).p_value <= 0.05 for hits in drawn) <= 16
