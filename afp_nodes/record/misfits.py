"""Misfits: what a typed decoder found wrong in a document, as people say it."""

import re

import msgspec

LONGEST_WORD = 60
"""Of a wrong word this much is repeated."""

_TYPES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PLACED = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)
_UNEXPECTED = re.compile(r"Expected `([a-z |]+)`, got `(\w+)`")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN_WORD = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)
_OTHERWISE = {
    "Expected `str` of length >= 1": "must not be empty",
    "Expected `int` >= 0": "must not be negative",
}


def misfit(error: msgspec.ValidationError) -> str:
    """What is wrong with which member: the end of a sentence that names the document."""
    placed = _PLACED.fullmatch(str(error))
    wrong, place = placed.groups() if placed else (str(error), "")
    member = f"`{place}`" if place else "it"
    if found := _UNEXPECTED.fullmatch(wrong):
        return f"{member} must be {_types(found[1])}, not {_types(found[2])}"
    if found := _MISSING.fullmatch(wrong):
        return f"{member} has no `{found[1]}`"
    if found := _UNKNOWN_WORD.fullmatch(wrong):
        return f"{member} is {found[1][:LONGEST_WORD]!r}, which is none of the words it may be"
    return f"{member} {_OTHERWISE.get(wrong, 'is out of range')}"


def _types(names: str) -> str:
    """Types as alternatives; a whole number is no alternative to a number."""
    wanted = names.split(" | ")
    return " or ".join(_TYPES.get(name, name) for name in wanted if name != "int" or "float" not in wanted)
