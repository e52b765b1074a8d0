"""How hard the laws are tried: briefly and repeatably by day, long and at random with `--hypothesis-profile=night`."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.strategies import Object, envelope, snapshots

_COMMON = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("day", max_examples=10, derandomize=True, phases=[Phase.explicit, Phase.generate], **_COMMON)
settings.register_profile("night", max_examples=2000, **_COMMON)
settings.load_profile("day")


@pytest.fixture(scope="session")
def sample() -> dict[str, Object]:
    """A hundred and fifty random recordings by run id, the same in every session."""
    drawn: list[Object] = []

    @settings(settings.get_profile("day"), max_examples=150, phases=[Phase.generate])
    @given(snapshots())
    def draw(snapshot: Object) -> None:
        drawn.append(snapshot)

    draw()
    return {f"run-{n}": envelope(snapshot, f"run-{n}") for n, snapshot in enumerate(drawn)}
