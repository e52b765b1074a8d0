"""The page of two runs side by side, as a browser shows it: hostile text stays text, and everything is there."""

import re
from dataclasses import replace
from typing import Any

import pytest

from dataflows.comparison import ComparedRun, Comparison, Loop, Row, Shown
from dataflows.pages.diff import VALUE_CHARACTERS, diff_page

HOSTILE = (
    "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
    "</style><style>body{display:none}</style>{{ 7*7 }}\"'&\x00\x1b[31m\u202e Bearer sk-test-FAKEFAKEFAKEFAKE1"
)
CONTEXT = Row(
    position=0,
    iteration=1,
    moment="context",
    subject_kind="injection",
    subject=HOSTILE,
    slot="messages",
    occurrence=0,
    verdict="differs",
    ground="only-a",
    a=Shown(HOSTILE, [{"event_idx": 3}]),
    b=None,
)


def compared(*rows: Row, sight_b: str = "shown") -> Comparison:
    runs = (ComparedRun(HOSTILE, HOSTILE, False), ComparedRun("b", None, True))
    placed = tuple(replace(row, position=position) for position, row in enumerate(rows))
    return Comparison(*runs, (Loop(1, "shown", sight_b),), placed)


def row(moment: str, kind: str, verdict: str = "same", ground: str = "alike", **other: Any) -> Row:
    told = {"subject": None, "slot": None, "a": None, "b": None, "moment": moment, "subject_kind": kind}
    return replace(CONTEXT, **told | {"verdict": verdict, "ground": ground} | other)


PAGE = compared(
    CONTEXT,
    row("context", "rest"),
    row("decision", "reply", "unknown", "not-shown-b", a=Shown({"calls": [[HOSTILE, {HOSTILE: HOSTILE}]]}, [])),
    row(
        "call", "call", "differs", "other-result", subject=HOSTILE, a=Shown({"status": HOSTILE}, []), b=Shown(None, [])
    ),
    row("run", "answer", "differs", "other-content", iteration=None, a=Shown("x" * 9000, []), b=Shown(None, [])),
)


def test_no_text_of_a_recording_is_markup_or_a_secret() -> None:
    page = diff_page(PAGE)
    assert page.count("<style") == 1
    assert not re.search("<script|<img|FAKE|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
    assert "&lt;script&gt;" in page
    assert "{{ 7*7 }}" in page


def test_a_side_that_shows_nothing_is_told_apart_from_one_that_is_not_recorded() -> None:
    page = diff_page(PAGE)
    assert '<span class="quiet">nothing</span>' in page
    assert '<span class="quiet">not recorded</span>' in page
    assert "no answer" in page
    assert "[redacted]" in page


def test_long_texts_are_cut_and_their_length_is_said() -> None:
    assert f"{'x' * VALUE_CHARACTERS}… (9,000 characters)" in diff_page(PAGE)


@pytest.mark.parametrize(("sight", "folded"), [("shown", False), ("ended", True), ("not-shown", True)])
def test_the_context_of_a_loop_that_one_run_made_is_folded_away(sight: str, folded: bool) -> None:
    page = diff_page(compared(CONTEXT, row("context", "rest", "differs", "only-a"), sight_b=sight))
    assert ("<summary>2 rows, only in A</summary>" in page) is folded
