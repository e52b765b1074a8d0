"""Printable text: nothing of a recording steers a terminal, and no half of a secret is left."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflows.printable import (
    SHOWN_SEPARATOR,
    glimpse,
    printable,
    printable_json,
    printable_lines,
    recorded_key,
    shown_key,
)

ANY_TEXT = st.text(alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from("\x00\x07\x1b\r\n\x9b\u202e\x7f")))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x07", r"a\x00b\x07"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("two\nlines\tand\rback", r"two\nlines\tand\rback"),
        ("\x7f\x9b", r"\x7f\x9b"),
        ("abc\u202edef\u2066", r"abc\u202edef\u2066"),
        ("Zoë 東京 👩‍👩‍👧", "Zoë 東京 👩‍👩‍👧"),
    ],
)
def test_controls_are_shown_and_letters_stay(text: str, shown: str) -> None:
    assert printable(text) == shown


@settings(deadline=None)
@given(ANY_TEXT)
def test_no_control_character_is_left(text: str) -> None:
    assert not [c for c in printable(text) if unicodedata.category(c) == "Cc"]
    assert not [c for c in printable_lines(text) if unicodedata.category(c) == "Cc" and c not in "\n\t"]


@settings(deadline=None)
@given(ANY_TEXT)
def test_json_holds_the_same_value(text: str) -> None:
    shown = printable_json(json.dumps({"text": text}, ensure_ascii=False, indent=1))
    assert json.loads(shown) == {"text": text}
    assert printable_lines(shown) == shown


def test_a_secret_is_masked_before_a_text_is_cut() -> None:
    text = "x" * 50 + " Bearer FAKE1" + "FAKE" * 20
    assert glimpse(text, 70) == "x" * 50 + " Bearer [masked]"
    assert "FAKE" not in glimpse(text, 60)


@settings(deadline=None)
@given(ANY_TEXT, st.integers(2, 50))
def test_a_glimpse_is_no_longer_than_asked(text: str, characters: int) -> None:
    assert len(glimpse(text, characters)) <= characters


def test_the_segments_of_a_key_are_set_apart_for_people() -> None:
    assert shown_key("cart\x1fitems") == f"cart{SHOWN_SEPARATOR}items"
    assert recorded_key(shown_key("cart\x1fitems")) == "cart\x1fitems"
