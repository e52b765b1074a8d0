"""Pages: what a template shows of a recording is text, and the page allows nothing but its own style sheet."""

import base64
import hashlib
import re

import pytest

from dataflows.pages import page

HOSTILE = "<script>document.title='x'</script>\"'&\x00\x1b[31m\u202e\u2028 key=sk-FAKEFAKEFAKEFAKEFAKE1"


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return page("base.html", title=HOSTILE)


def test_markup_controls_and_secrets_of_a_recording_are_not_live(hostile_page: str) -> None:
    assert "<script" not in hostile_page
    assert "FAKE" not in hostile_page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]", hostile_page)
    assert "&lt;script&gt;" in hostile_page
    assert r"\x00\x1b[31m\u202e\u2028" in hostile_page


def test_a_page_allows_its_own_style_sheet_and_nothing_else(hostile_page: str) -> None:
    [style] = re.findall("<style>(.*?)</style>", hostile_page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in hostile_page


def test_a_page_names_no_other_place(hostile_page: str) -> None:
    assert not re.search(r"\b(?:src|href|action|style|on\w+)\s*=|url\(|@import", hostile_page)


def test_what_is_not_known_is_never_shown_as_a_blank() -> None:
    with pytest.raises(TypeError, match="not known"):
        page("base.html", title=None)
