"""Pages as a browser shows them: readable anywhere, and nothing of a recording is live in them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dataflows import job
from dataflows.explanation import explanation_of
from dataflows.pages.diff import diff_page
from dataflows.pages.explain import explain_page
from dataflows.questions import questions_to
from dataflows.store import Store
from tests.cli.conftest import write_lines
from tests.cli.leaks import saying
from tests.cli.test_nothing_leaks import HOSTILE
from tests.explained import explained_store
from tests.pages.devtools import Tab, browser_tab, needs_browser
from tests.pages.test_diff_page import PAGE as COMPARED

pytestmark = needs_browser

SECTIONS = [
    *("Question and answer", "Standing", "Routing", "Loops", "Not sent", "Suspects", "What the record cannot tell"),
]
WEAKEST_CONTRAST = """(() => {
    const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const parts = color => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const paper = element => {
        for (; element; element = element.parentElement) {
            const color = parts(getComputedStyle(element).backgroundColor);
            if (color.length === 3 || color[3] > 0) return color;
        }
        return [255, 255, 255];
    };
    const ratios = [...document.querySelectorAll("body *")]
        .filter(element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
        .map(element => [light(parts(getComputedStyle(element).color)), light(paper(element))])
        .map(([ink, paper]) => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
    return Math.min(...ratios);
})()"""

Opened = Callable[[str, str], Tab]


def page_of(store: str, run_id: str, target: Path) -> Path:
    snapshot = Store(store).snapshot()
    assert snapshot
    with questions_to(snapshot) as connection:
        target.write_text(explain_page(explanation_of(connection, run_id)), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser_tab(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of sample runs, of a run that says hostile things wherever it can, and of two such runs side by side."""
    folder = tmp_path_factory.mktemp("pages")
    job.run([str(write_lines(folder / "in.jsonl", saying(HOSTILE, "hostile")))], str(folder / "hostile"))
    store = explained_store(folder / "store")
    runs = {"plain": (store, "w-stock-4"), "long": (store, "s-win-slide-refunds")}
    runs |= {"hostile": (str(folder / "hostile"), "hostile")}
    written = {name: page_of(*run, folder / f"{name}.html") for name, run in runs.items()}
    written["diff"] = folder / "diff.html"
    written["diff"].write_text(diff_page(COMPARED), encoding="utf-8")
    return written


@pytest.fixture
def shown(tab: Tab, pages: dict[str, Path]) -> Callable[..., Tab]:
    """Opens a page anew."""

    def opened(name: str, **how: Any) -> Tab:
        tab.requests.clear()
        tab.complaints.clear()
        tab.show(**how)
        tab.open(pages[name])
        return tab

    return opened


@pytest.mark.parametrize("name", ["plain", "long", "hostile", "diff"])
def test_nothing_runs_and_nothing_is_loaded(shown: Callable[..., Tab], pages: dict[str, Path], name: str) -> None:
    tab = shown(name)
    assert tab.requests == [pages[name].as_uri()]
    assert tab.complaints == []
    assert tab.evaluate("document.title").startswith("Two runs" if name == "diff" else "Run ")
    assert tab.evaluate("document.querySelectorAll('script, img, iframe, object, embed, link, base, form').length") == 0
    assert (
        tab.evaluate("[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => /^on/.test(a.name)))")
        is False
    )


def test_the_page_would_notice_a_script_that_ran(shown: Callable[..., Tab], pages: dict[str, Path]) -> None:
    """Without its policy and its escapes the same page is owned; a tab that is asked has to say so."""
    live = pages["hostile"].with_name("live.html")
    body = pages["hostile"].read_text(encoding="utf-8")
    for escape, sign in (("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("alert(1)", "1")):
        body = body.replace(escape, sign)
    policy, _, rest = body.partition('<meta http-equiv="Content-Security-Policy"')
    pages["live"] = live
    live.write_text(policy + rest.partition(">")[2], encoding="utf-8")
    assert shown("live").evaluate("document.title") == "owned"
    live.write_text(body, encoding="utf-8")
    tab = shown("live")
    assert tab.evaluate("document.title") != "owned"
    assert any("Content Security Policy" in said for said in tab.complaints)


@pytest.mark.parametrize("name", ["plain", "long", "hostile", "diff"])
@pytest.mark.parametrize("width", [320, 360, 1000])
def test_no_page_scrolls_sideways(shown: Callable[..., Tab], name: str, width: int) -> None:
    tab = shown(name, width=width)
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_headings_and_landmarks_tell_what_is_where(shown: Callable[..., Tab]) -> None:
    tab = shown("plain")
    told = tab.evaluate("[...document.querySelectorAll('h2')].map(each => each.firstChild.data.trim())")
    assert told == SECTIONS
    assert tab.evaluate("[...document.querySelectorAll('h1')].map(each => each.innerText)") == ["Run w-stock-4"]
    assert tab.evaluate("[...document.body.children].map(each => each.tagName)") == ["HEADER", "MAIN", "FOOTER"]
    named = "document.getElementById(each.getAttribute('aria-labelledby')).tagName === 'H2'"
    assert tab.evaluate(f"[...document.querySelectorAll('section')].every(each => {named})") is True
    assert tab.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("name", ["plain", "long", "diff"])
@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(251, 250, 248)"), ("dark", "rgb(21, 24, 28)")])
def test_text_stands_out_in_light_and_in_dark(shown: Callable[..., Tab], name: str, scheme: str, paper: str) -> None:
    tab = shown(name, scheme=scheme)
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == paper
    assert tab.evaluate(WEAKEST_CONTRAST) >= 4.5


def test_routing_says_where_it_stands_in_the_record(tab: Tab, tmp_path: Path) -> None:
    routed = Path(__file__).parents[1] / "data" / "routing" / "recordings" / "s-graph-intent-leg1-tax.json.gz"
    job.run([str(routed)], str(tmp_path / "store"))
    tab.open(page_of(str(tmp_path / "store"), "s-graph-intent-leg1-tax", tmp_path / "routed.html"))
    places = tab.evaluate("[...document.querySelectorAll('details code')].map(each => each.textContent)")
    assert [place for place in places if "/by = " in place] == ['event 3 /by = "intent"']


def test_what_is_folded_away_is_printed(shown: Callable[..., Tab]) -> None:
    seen = "document.querySelector('details:not([open]) dl').checkVisibility()"
    assert shown("long").evaluate(seen) is False
    assert shown("long", media="print").evaluate(seen) is True
