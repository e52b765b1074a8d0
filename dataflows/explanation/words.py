"""Words of an explanation: what its sentences share, from names to places in the record."""

from dataflows.explanation.facts import Place
from dataflows.printable import WITHHELD, glimpse
from dataflows.shown import Value

NAME_CHARACTERS = 80
VALUE_CHARACTERS = 160
TEXT_CHARACTERS = 600
"""Of an answer or a question this much is shown on a terminal."""

NAMES_SHOWN = 8
"""Units of one kind, and loops, are named up to this many."""

NOT_RECORDED = "not recorded"


def value_text(value: Value, characters: int = VALUE_CHARACTERS) -> str:
    """A value on one line, shortened; how long it is, where it is longer."""
    if value.redacted:
        return WITHHELD
    if value.text is None:
        return NOT_RECORDED
    shown = glimpse(value.text, characters)
    return f"{shown} ({value.characters:,} characters)" if value.characters > characters else shown


def name(text: str) -> str:
    """A name as a sentence holds it."""
    return glimpse(text, NAME_CHARACTERS) if text else "''"


def named(names: list[str]) -> str:
    """Names in a row, the first of many."""
    rest = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def place_text(place: Place) -> str:
    """A place in the record, and what stands there."""
    pointer = place.pointer
    match pointer["kind"]:
        case "event":
            where = f"event {pointer['index']} {pointer['path']}"
        case "history":
            where = f"history/{pointer['index']}{pointer['path']}"
        case _:
            where = f"{pointer['key']}{pointer['path']}"
    leaf = "not there" if place.leaf is None else value_text(place.leaf, NAME_CHARACTERS)
    return f"{glimpse(where, NAME_CHARACTERS)} = {leaf}" if place.leaf else f"{glimpse(where, NAME_CHARACTERS)}, {leaf}"
