"""The page of a report as a browser shows it: anywhere, in light and dark, on paper, without scripts, for everybody."""

import json
import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dataflows import job
from dataflows.report.as_html import as_html
from dataflows.report.making import report_of
from dataflows.report.sections import NAMES
from tests.cli.conftest import write_lines
from tests.cli.leaks import saying
from tests.cli.test_nothing_leaks import HOSTILE
from tests.pages.devtools import Tab, browser_tab, needs_browser
from tests.pages.test_in_a_browser import WEAKEST_CONTRAST
from tests.report.conftest import snapshot_of

pytestmark = needs_browser

AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
"""Where `npm pack axe-core` left it; without it our own checks stand alone."""

DRAWN = "data:image/svg+xml"

Shown = Callable[..., Tab]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser_tab(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(written: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report of the sample fleet, and of a run that says hostile things wherever it can."""
    folder = tmp_path_factory.mktemp("pages")
    job.run([str(write_lines(folder / "in.jsonl", saying(HOSTILE, f"run {HOSTILE}")))], str(folder / "store"))
    texts = {"sample": written[".html"], "hostile": as_html(report_of(snapshot_of(folder / "store")))}
    paths = {name: folder / f"{name}.html" for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name], encoding="utf-8")
    return paths


@pytest.fixture
def shown(tab: Tab, pages: dict[str, Path]) -> Shown:
    """Opens a page anew, everything that is folded away unfolded."""

    def opened(name: str, **how: Any) -> Tab:
        tab.requests.clear()
        tab.complaints.clear()
        tab.show(**how)
        tab.open(pages[name])
        tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        return tab

    return opened


@pytest.mark.parametrize("name", ["sample", "hostile"])
def test_nothing_runs_and_nothing_is_loaded(shown: Shown, pages: dict[str, Path], name: str) -> None:
    tab = shown(name)
    assert [url for url in tab.requests if not url.startswith(DRAWN)] == [pages[name].as_uri()]
    assert tab.complaints == []
    assert tab.evaluate("document.title") == "The fleet"
    assert tab.evaluate("document.querySelectorAll('script, iframe, object, embed, link, base, form').length") == 0
    assert (
        tab.evaluate("[...document.querySelectorAll('a')].every(a => a.getAttribute('href').startsWith('#'))") is True
    )
    handlers = "[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => /^on/.test(a.name)))"
    assert tab.evaluate(handlers) is False


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_whole_with_scripts_blocked_and_its_plots_are_drawn(shown: Shown, scheme: str) -> None:
    tab = shown("sample", scheme=scheme)
    rows = tab.evaluate("document.querySelectorAll('tbody tr').length")
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab = shown("sample", scheme=scheme)
        assert tab.evaluate("document.querySelectorAll('tbody tr').length") == rows > 50
        assert tab.evaluate("document.images.length") == 8
        assert tab.evaluate("[...document.images].every(each => each.naturalWidth > 100)") is True
        source = tab.evaluate("document.images[0].currentSrc")
        assert (source == tab.evaluate("document.images[0].src")) is (scheme == "light")
    finally:
        tab.ask("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.parametrize("name", ["sample", "hostile"])
@pytest.mark.parametrize("width", [320, 360, 1000])
def test_it_does_not_scroll_sideways(shown: Shown, name: str, width: int) -> None:
    assert shown(name, width=width).evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(251, 250, 248)"), ("dark", "rgb(21, 24, 28)")])
def test_text_stands_out(shown: Shown, scheme: str, paper: str) -> None:
    tab = shown("sample", scheme=scheme)
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    assert tab.evaluate(WEAKEST_CONTRAST) >= 4.5


def test_paper_is_white_whatever_the_screen_is(shown: Shown) -> None:
    tab = shown("sample", scheme="dark", media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate("[...document.images].every(each => each.currentSrc === each.src)") is True
    assert tab.evaluate(WEAKEST_CONTRAST) >= 4.5


def test_headings_landmarks_and_words_tell_what_is_where(shown: Shown) -> None:
    tab = shown("sample")
    levels = tab.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(each => +each.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert tab.evaluate("[...document.body.children].map(each => each.tagName)") == ["HEADER", "MAIN", "FOOTER"]
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert tab.evaluate("document.querySelectorAll('nav[aria-label] a').length") == len(NAMES)
    texts = tab.evaluate("[...document.images].map(each => each.alt)")
    assert all(re.search(r": .*\d.* The table beside it has every number\.$", text) for text in texts)
    assert tab.evaluate("[...document.querySelectorAll('th')].every(each => each.scope)") is True
    assert tab.evaluate("[...document.querySelectorAll('.wide')].every(each => each.tabIndex === 0)") is True


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not here; AXE_CORE names its axe.min.js")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(shown: Shown, scheme: str) -> None:
    tab = shown("sample", scheme=scheme)
    tab.ask("Runtime.evaluate", expression=AXE.read_text(encoding="utf-8"))
    asked = (
        "axe.run(document).then(found => JSON.stringify(found.violations.map(each => [each.id, each.nodes[0].html])))"
    )
    told = tab.ask("Runtime.evaluate", expression=asked, awaitPromise=True, returnByValue=True)
    assert json.loads(told["result"]["value"]) == []
