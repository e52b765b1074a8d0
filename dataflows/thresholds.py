"""Thresholds: what wakes the pager, as `METRIC>VALUE`. What cannot be known crosses none."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from afp_nodes.metrics import METRICS
from dataflows.printable import glimpse

CHARACTERS = 100
_FORM = re.compile(r"\s*([^<>=\s]+)\s*>\s*(\S+)\s*")


class ThresholdError(ValueError):
    """A threshold is none, or of a metric that there is not; the message says what to write."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A value that a metric of the night must not be above."""

    metric: str
    value: float

    @classmethod
    def of(cls, text: str) -> "Threshold":
        """Raises `ThresholdError`."""
        form, said = _FORM.fullmatch(text), glimpse(text, CHARACTERS)
        if form is None:
            raise ThresholdError(f'{said!r} is no threshold. Write "METRIC>VALUE", such as "doubt_rate>0.2".')
        metric, value = form.groups()
        if metric not in METRICS:
            near = get_close_matches(metric, METRICS, n=1, cutoff=0.0)[0]
            raise ThresholdError(f"There is no metric {glimpse(metric, CHARACTERS)!r}. Did you mean {near}?")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ThresholdError(f"{glimpse(value, CHARACTERS)!r} in {said!r} is no number.")
        return cls(metric, number)

    def __str__(self) -> str:
        return f"{self.metric}>{self.value:g}"


def crossed(thresholds: Iterable[Threshold], metrics: Mapping[str, float | None]) -> list[tuple[Threshold, float]]:
    """The thresholds that the metrics of a night are above, each with the metric."""
    known = [(threshold, metrics.get(threshold.metric)) for threshold in thresholds]
    return [(threshold, value) for threshold, value in known if value is not None and value > threshold.value]
