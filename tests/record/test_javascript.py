"""JavaScript semantics: every example of the record format's sections 6, 7 and 28, and laws beside them."""

import json
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.javascript import (
    ABSENT,
    WHITE_SPACE,
    as_double,
    cut_utf16,
    in_member_order,
    is_truthy,
    merge,
    number_text,
    own_member,
    parse,
    parse_as_spelled,
    stringify,
    trimmed,
    utf16_length,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)


def test_index_like_names_come_first_in_numeric_order() -> None:
    assert stringify({"b": 1, "10": 2, "a": 3, "9": 4, "01": 5, "-1": 6}) == '{"9":4,"10":2,"b":1,"a":3,"01":5,"-1":6}'
    names = ["b", "10", "a", "2", "01", "-1", "4294967294", "4294967295"]
    assert in_member_order(names) == ["2", "10", "4294967294", "b", "a", "01", "-1", "4294967295"]


def test_a_repeated_member_keeps_its_first_place_and_its_last_value() -> None:
    assert list(parse('{"a":1,"2":1,"a":2,"1":3}').items()) == [("1", 3), ("2", 1), ("a", 2)]


@pytest.mark.parametrize("name", ["1", r"\u0031"])
def test_an_index_is_found_however_it_is_spelled(name: str) -> None:
    assert list(parse(f'{{"a":1,"{name}":2}}')) == ["1", "a"]


def test_numbers_are_spelled_as_javascript_spells_them() -> None:
    numbers = [1e21, 1e-7, 123456789012345680000, -0.0, 0.1 + 0.2, 5e-324, 1.0, 100, 1e-6, 1e20, 1.5e300, -2.5e-9]
    assert stringify(numbers) == (
        "[1e+21,1e-7,123456789012345680000,0,0.30000000000000004,5e-324,1,100,0.000001,100000000000000000000,"
        "1.5e+300,-2.5e-9]"
    )


def test_integers_beyond_the_exact_ones_are_doubles() -> None:
    assert stringify(parse("[9007199254740993,18446744073709551616]")) == "[9007199254740992,18446744073709552000]"
    assert stringify(10**400) == "null"
    assert number_text(float("nan")) == "NaN"
    assert number_text(-(10**400)) == "-Infinity"


def test_a_number_beyond_the_doubles_is_infinite_and_has_no_json() -> None:
    assert parse("1e400") == float("inf")
    assert stringify(parse("[1e400]")) == "[null]"


def test_a_number_stands_for_a_double_and_a_truth_value_for_none() -> None:
    assert [as_double(value) for value in (2**53 + 1, 1.5, 10**400)] == [2.0**53, 1.5, float("inf")]
    assert [as_double(value) for value in (True, False, None, "1", [1])] == [None] * 5


@pytest.mark.parametrize(
    "text",
    ['{"b":9007199254740993,"1":2}', "[1e400]", '"\\ud800"', '["\ud800"]', "[" * 5000 + "]" * 5000],
    ids=["integers", "infinity", "escaped half", "half", "depth"],
)
def test_a_text_taken_as_spelled_is_the_same_to_who_looks_up_names_and_takes_doubles(text: str) -> None:
    assert stringify(parse_as_spelled(text)) == stringify(parse(text))


@pytest.mark.parametrize("text", ["NaN", "[1,]", "[1] x", "", "'a'", '"\n"', "\u00a01"])
def test_what_is_not_json_is_refused_as_spelled_too(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each reader words it in its own way
        parse_as_spelled(text)


def test_white_space_is_that_of_trim() -> None:
    spaces = {character for character in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(character) == "Zs"}
    assert set(WHITE_SPACE) == spaces | set("\t\n\v\f\r\ufeff\u2028\u2029")
    assert trimmed(f"{WHITE_SPACE}a b\x1f{WHITE_SPACE}") == "a b\x1f"


def test_only_what_json_stringify_escapes_is_escaped() -> None:
    assert stringify('é\u2028\u007f\u0001"\\/\ud800😀') == '"é\u2028\u007f\\u0001\\"\\\\/\\ud800😀"'


def test_half_of_a_surrogate_pair_is_a_legal_value() -> None:
    assert parse('"\\ud800"') == "\ud800"


@pytest.mark.parametrize("text", ["NaN", "[1,]", '{"a":1,}', "[1] x", "", '"\x01"', "'a'"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each reader words it in its own way
        parse(text)


def test_lengths_and_cuts_count_code_units() -> None:
    assert utf16_length("😀é") == 3
    assert cut_utf16("a😀b", 3) == "a😀"
    assert cut_utf16("a😀b", 2) == "a\ufffd"
    assert cut_utf16("short", 99) == "short"


@pytest.mark.parametrize(
    ("dst", "src", "merged"),
    [
        ([1, 2, 2], [2, 3, "3"], '[1,2,3,"3"]'),
        ({"a": 1}, [1, 1], "[1,1]"),
        ([1], [], "[]"),
        ({"a": {"x": 1}, "t": [1]}, {"a": {"y": 2}, "t": [1, 2], "n": None}, '{"a":{"x":1,"y":2},"t":[1,2],"n":null}'),
        ([{"id": 1}], [{"id": 1}], '[{"id":1},{"id":1}]'),
        (["a", "b"], {"x": 1}, '{"0":"a","1":"b","x":1}'),
        ("text", {"now": "object"}, '{"now":"object"}'),
        ({"a": 1}, "scalar", '"scalar"'),
        ({"a": 1}, None, "null"),
        (ABSENT, {"a": {"b": [1, 1]}}, '{"a":{"b":[1,1]}}'),
        ([None, 0, -0.0, True, 1], [None, False, 1, "1"], '[null,0,true,1,false,"1"]'),
        ({"10": 1, "b": 1}, {"9": 2, "a": 1, "10": 5}, '{"9":2,"10":5,"b":1,"a":1}'),
        ([1, 1.0], [float("nan"), float("nan")], "[1,null]"),
    ],
)
def test_merge_follows_the_reference(dst: Any, src: Any, merged: str) -> None:
    assert stringify(merge(dst, src)) == merged


def test_merge_leaves_what_it_is_given_alone() -> None:
    dst, src = {"a": {"x": [1]}}, {"a": {"x": [2], "y": {"z": 1}}}
    merge(dst, src)["a"]["y"]["z"] = 2
    assert (dst, src) == ({"a": {"x": [1]}}, {"a": {"x": [2], "y": {"z": 1}}})


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (["list", "1"], 6),
        (["list", "length"], 2),
        (["list", "01"], ABSENT),
        (["list", "2"], ABSENT),
        (["text", "0"], "a"),
        (["text", "1"], "\ufffd"),
        (["text", "length"], 3),
        (["number", "x"], ABSENT),
        (["null"], None),
        (["null", "x"], ABSENT),
        (["__proto__"], ABSENT),
        (["constructor"], ABSENT),
        (["nope"], ABSENT),
    ],
)
def test_native_get_sees_own_members_only(path: list[str], found: Any) -> None:
    value = {"list": [5, 6], "text": "a😀", "number": 1, "null": None, "__proto__": 1, "constructor": 2}
    assert own_member(value, path) == found


def test_truth_is_javascripts() -> None:
    assert not any(map(is_truthy, (ABSENT, None, False, 0, -0.0, float("nan"), "")))
    assert all(map(is_truthy, (True, 1, -1.5, "0", [], {})))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"b":1,"0":', "}")])
def test_depth_does_not_matter(opening: str, closing: str) -> None:
    text = opening * 9000 + "12345678901234567890" + closing * 9000
    ordered = text.replace('"b":1,"0":', '"0":').replace("}", ',"b":1}') if opening != "[" else text
    assert stringify(parse(text)) == ordered.replace("12345678901234567890", "12345678901234567000")


@settings(deadline=None)
@given(VALUES)
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    assert stringify(parse(stringify(value))) == stringify(value)


@settings(deadline=None)
@given(VALUES)
def test_text_is_compact_json(value: Any) -> None:
    text = stringify(value)
    assert stringify(parse(json.dumps(json.loads(text), indent=2))) == text


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_spelled_number_reads_back_as_the_same_double(number: float) -> None:
    assert float(number_text(number)) == number


@settings(deadline=None)
@given(st.text(), st.integers(0, 20))
def test_a_cut_and_the_rest_make_up_the_text(text: str, units: int) -> None:
    whole = text.encode("utf-16-le")
    assert cut_utf16(text, units) == whole[: units * 2].decode("utf-16-le", "replace")
    assert utf16_length(text) * 2 == len(whole)


@settings(deadline=None)
@given(VALUES, VALUES)
def test_merging_twice_is_merging_once_but_for_lists(dst: Any, src: dict[str, Any]) -> None:
    once = merge(dst, src)
    if not _holds_list(src):
        assert stringify(merge(once, src)) == stringify(once)


@settings(deadline=None)
@given(st.lists(st.text(alphabet="019a", max_size=3), unique=True))
def test_member_order_is_that_of_a_parsed_object(names: list[str]) -> None:
    text = "{" + ",".join(f'"{name}":0' for name in names) + "}"
    assert list(parse(text)) == in_member_order(names)


def _holds_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_list, value.values()))
    return isinstance(value, list)
