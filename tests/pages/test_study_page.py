"""The page of `afp study`, as a browser shows it: its plot is drawn, nothing is loaded, and it fits any width."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflows import job
from dataflows.one_study import study_of
from dataflows.pages.study import study_page
from dataflows.questions import questions_to
from dataflows.store import Store
from tests.pages.devtools import Tab, browser_tab, needs_browser

pytestmark = needs_browser

STUDIES = Path(__file__).parents[2] / "data" / "sample" / "studies"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser_tab(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a comparison of arms."""
    folder = tmp_path_factory.mktemp("study")
    job.run([str(STUDIES / "arm-memory")], str(folder / "store"))
    snapshot = Store(str(folder / "store")).snapshot()
    assert snapshot
    with questions_to(snapshot) as connection:
        text = study_page(study_of(connection, "s-arm-memory"))
    target = folder / "study.html"
    target.write_text(text, encoding="utf-8")
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1000])
def test_the_plot_is_drawn_and_nothing_is_loaded(tab: Tab, shown: Path, width: int, scheme: str) -> None:
    tab.requests.clear()
    tab.complaints.clear()
    tab.show(width=width, scheme=scheme)
    tab.open(shown)
    assert [each for each in tab.requests if not each.startswith("data:image/svg+xml")] == [shown.as_uri()]
    assert tab.complaints == []
    assert tab.evaluate("document.images.length") == 1
    assert tab.evaluate("document.images[0].naturalWidth") > 300
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
