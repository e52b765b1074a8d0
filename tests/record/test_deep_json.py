"""The reader that never recurses agrees with the standard one, on what is JSON and on where a text stops being it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes import deep_json
from tests.record.test_javascript import VALUES


def read(text: str) -> Any:
    return deep_json.parse(text, float, dict)


@settings(deadline=None)
@given(VALUES, st.sampled_from([None, 1]))
def test_it_reads_what_the_standard_reader_reads(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read(text) == json.loads(text, parse_int=float)


@settings(deadline=None)
@given(VALUES, st.integers(0, 200))
def test_it_refuses_every_cut_text_that_the_standard_reader_refuses(value: Any, end: int) -> None:
    text = json.dumps(value)[:end]
    try:
        expected = json.loads(text, parse_int=float)
    except json.JSONDecodeError:
        with pytest.raises(json.JSONDecodeError):
            read(text)
    else:
        assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("[1,", 3),
        ("[1 2]", 3),
        ("[1,]", 3),
        ("[}", 1),
        ('{"a":1]', 6),
        ('{"a" 1}', 5),
        ("{1:2}", 1),
        ("1 2", 2),
        ("]", 0),
        (":", 0),
        ("[NaN]", 1),
        ('["\\x"]', 2),
        ('["open', 1),
        ("[\n  01]", 5),
    ],
)
def test_it_names_the_place(text: str, position: int) -> None:
    with pytest.raises(json.JSONDecodeError) as error:
        read(text)
    assert error.value.pos == position


def test_of_repeated_members_the_last_wins_at_the_place_of_the_first() -> None:
    assert list(read('{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]


def test_it_reads_a_hundred_thousand_levels() -> None:
    value, levels = read("[" * 100_000 + "]" * 100_000), 0
    while value:
        value, levels = value[0], levels + 1
    assert levels == 99_999
