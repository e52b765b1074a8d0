"""The page about nights names every metric, doubt and way a night can end."""

import re
from pathlib import Path

import pytest

from afp_nodes.metrics import COMPARED_MEANS, COMPARED_RATES, COUNTS, RATES, VERDICT_RATES
from afp_nodes.words import NightDoubt, NightOutcome

PAGE = (Path(__file__).parents[2] / "docs" / "nightly.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*NightDoubt, *NightOutcome, *VERDICT_RATES, *COMPARED_RATES, *COMPARED_MEANS])
def test_every_word_stands_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_every_metric_stands_there_with_its_meaning() -> None:
    stated = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE))
    assert {**COUNTS, **RATES}.items() <= stated.items()
