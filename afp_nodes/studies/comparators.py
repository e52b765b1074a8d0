"""Comparators: whether an answer is another one than the reference. Rules: record format, section 22; product
contract, section 6.

`default` compares similarities and `recorded` takes the study's own word; all others compare two texts. Packages
offer more under the entry point `afp.comparators`: a function of the reference and the answer that says whether the
answer changed. Only `default` lets a null band gate: with another one, similarity is another instrument.
"""

import re
from collections.abc import Callable, Mapping

from afp_nodes.javascript import WHITE_SPACE, parse, trimmed
from afp_nodes.studies.canonical import canonical_json
from afp_nodes.studies.plugins import named

GROUP = "afp.comparators"
DEFAULT_COMPARATOR = "default"
RECORDED = "recorded"

Comparator = Callable[[str, str], bool]
"""Whether an answer, given second, is another one than the reference."""

_SPACES = re.compile(f"[{WHITE_SPACE}]+")


def differs(reference: str, answer: str) -> bool:
    """The texts differ in any character."""
    return reference != answer


def first_word_differs(reference: str, answer: str) -> bool:
    """The first words differ, lower and upper case aside."""
    return _first_word(reference) != _first_word(answer)


def differs_beyond_case(reference: str, answer: str) -> bool:
    """The texts differ, lower and upper case aside."""
    return reference.casefold() != answer.casefold()


def json_differs(reference: str, answer: str) -> bool:
    """The JSON values differ, order of members and spelling aside; as texts where one of them is no JSON."""
    return _json_or_text(reference) != _json_or_text(answer)


TEXT_COMPARATORS: Mapping[str, Comparator] = {
    "exact": differs,
    "first-word": first_word_differs,
    "casefold": differs_beyond_case,
    "json": json_differs,
}


def comparator(name: str) -> Comparator | None:
    """The comparator of texts of that name; None for those that compare none. Raises `UnknownNameError`."""
    beside_texts = {DEFAULT_COMPARATOR: None, RECORDED: None}
    found: Comparator | None = named(GROUP, "comparator", {**TEXT_COMPARATORS, **beside_texts}, name)
    return found


def _first_word(text: str) -> str:
    return _SPACES.split(trimmed(text))[0].lower()


def _json_or_text(text: str) -> tuple[bool, str]:
    try:
        return True, canonical_json(parse(text))
    except ValueError:
        return False, text
