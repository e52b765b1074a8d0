"""The pages that are made from the code are those that lie in `docs/`."""

from pathlib import Path

import pytest

from dataflows.cli.reference import pages

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["cli.md", "tables.md"])
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name], "make docs writes it again"
