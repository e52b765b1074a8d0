"""The fixed sample meets what the laws are about."""

from collections.abc import Mapping

import pytest

from tests.laws.sample import CASES, met
from tests.strategies import Object


@pytest.fixture(scope="module")
def met_cases(sample: Mapping[str, Object]) -> set[str]:
    return {case for document in sample.values() for case in met(document["recording"]["snapshot"])}


@pytest.mark.parametrize("case", CASES)
def test_the_sample_meets(case: str, met_cases: set[str]) -> None:
    assert case in met_cases
