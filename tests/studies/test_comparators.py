"""Comparators of texts: what is another answer."""

import pytest

from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, RECORDED, comparator


@pytest.mark.parametrize(
    ("name", "reference", "answer", "differs"),
    [
        ("exact", "a", "a", False),
        ("exact", "a", "a ", True),
        ("exact", "", "", False),
        ("first-word", " Approve it", "approve\u00a0case 0", False),
        ("first-word", "approve", "reject", True),
        ("first-word", "approve", "approve.", True),
        ("first-word", "", "  ", False),
        ("first-word", "", "a", True),
        ("casefold", "STRASSE", "straße", False),
        ("casefold", "a", "b", True),
        ("casefold", "a", "a ", True),
        ("json", '{"a":1,"b":[1,2]}', ' { "b" : [1.0, 2], "a": 1e0 } ', False),
        ("json", '{"a":[1,2]}', '{"a":[2,1]}', True),
        ("json", "1", "true", True),
        ("json", "null", "", True),
        ("json", "no json", "no json", False),
        ("json", "no json", "no  json", True),
        ("json", '"no json"', "no json", True),
        ("json", "[" * 5000 + "]" * 5000, "[" * 5000 + " ]" * 5000, False),
    ],
)
def test_an_answer_is_another_one_by_what_its_comparator_looks_at(
    name: str, reference: str, answer: str, differs: bool
) -> None:
    compare = comparator(name)
    assert compare is not None
    assert compare(reference, answer) is differs


@pytest.mark.parametrize("name", [DEFAULT_COMPARATOR, RECORDED])
def test_two_comparators_look_at_no_text(name: str) -> None:
    assert comparator(name) is None
