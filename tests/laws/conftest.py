"""How hard the laws are tried: briefly and repeatably by day, long and at random with `--hypothesis-profile=night`."""

from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, settings

from dataflows.derive import tables_of
from tests.laws.sample import recordings
from tests.strategies import Object, as_bytes

_COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("day", max_examples=8, derandomize=True, phases=[Phase.explicit, Phase.generate], **_COMMON)
settings.register_profile("night", max_examples=2000, **_COMMON)
settings.load_profile("day")


@pytest.fixture(scope="session")
def sample() -> Mapping[str, Object]:
    """The fixed sample of random recordings, by run id."""
    return recordings()


@pytest.fixture(scope="session")
def sampled_tables(sample: Mapping[str, Object]) -> Mapping[str, pl.DataFrame]:
    """What the product makes of the sample, with every frame held to its schema."""
    return tables_of([as_bytes(document) for document in sample.values()], validate=True)
