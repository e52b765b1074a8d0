"""What the recorder's language does with values: presence, member order, numbers and texts."""

import decimal
import json
from enum import Enum
from typing import Any, Final

Value = Any
"""A JSON value as parsed here: None, bool, float, str, list or dict, or ABSENT."""

TEXT_LIMIT: Final = 2000
"""Where evidence and output texts are cut, in UTF-16 code units."""


class _Absence(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absence.ABSENT
"""No value at all; JSON null is a value."""


def parse(text: str | bytes) -> Value:
    """Parse JSON; every number is a double, and of repeated members the last wins at the place of the first."""
    return json.loads(text, parse_int=float)


def is_index(name: str) -> bool:
    """Whether a member name is a canonical array index, 0 to 4294967294 without leading zeros."""
    digits = name.isascii() and name.isdigit() and len(name) <= 10
    return digits and str(int(name)) == name and int(name) <= 4294967294


def member_names(value: dict[str, Value]) -> list[str]:
    """Names in member order: array indices first, ascending, then the others as inserted."""
    return sorted(filter(is_index, value), key=int) + [name for name in value if not is_index(name)]


def own_member(value: Value, name: str) -> Value:
    """The own member of that name, or ABSENT; texts and lists have indices and a length, other scalars nothing."""
    if isinstance(value, dict):
        return value.get(name, ABSENT)
    if isinstance(value, str | list):
        items = code_units(value) if isinstance(value, str) else value
        if name == "length":
            return float(len(items))
        if is_index(name) and int(name) < len(items):
            return items[int(name)]
    return ABSENT


def is_truthy(value: Value) -> bool:
    """Whether the value counts as true: not absent, null, false, zero or the empty text."""
    if isinstance(value, list | dict):
        return True
    return value is not ABSENT and bool(value)


def same_value_zero(left: Value, right: Value) -> bool:
    """Whether two values are one member of a union: scalars by type and value.

    Lists and objects are one only by identity, and every committed value is read afresh: so never.
    """
    return not isinstance(left, list | dict) and type(left) is type(right) and left == right


def code_units(text: str) -> list[str]:
    """The UTF-16 code units of a text, one text each."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return [chr(int.from_bytes(raw[at : at + 2], "little")) for at in range(0, len(raw), 2)]


def joined(units: list[str]) -> str:
    """The text of some code units; a pair becomes one character, a lone surrogate stays."""
    return "".join(units).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def scrubbed(value: Value) -> Value:
    """The value with every half of a surrogate pair, in texts and names, as U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [scrubbed(item) for item in value]
    return {scrubbed(name): scrubbed(item) for name, item in value.items()} if isinstance(value, dict) else value


def cut(text: str, limit: int = TEXT_LIMIT) -> str:
    """The first `limit` code units of a text; a cut may fall inside a pair."""
    return joined(code_units(text)[:limit])


def number_text(number: float) -> str:
    """The shortest text that reads back as this double, written as the recorder's language does."""
    if number != number or number in (float("inf"), float("-inf")):
        return "null"
    if number == 0:
        return "0"
    shortest = repr(number)
    if 1e-6 <= abs(number) < 1e21:
        plain = format(decimal.Decimal(shortest), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, exponent = shortest.split("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"


def string_text(text: str) -> str:
    """A text as a JSON string: control characters, quotes, backslashes and lone surrogates escaped, no others."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    lone = {chr(c) for c in range(0xD800, 0xE000)}
    whole = joined(code_units(text))
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " or c in lone else c) for c in whole) + '"'


def stringify(value: Value) -> str:
    """A value as compact JSON text in member order; `undefined` where there is none."""
    if value is ABSENT:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return "[" + ",".join(map(stringify, value)) + "]"
    return "{" + ",".join(f"{string_text(name)}:{stringify(value[name])}" for name in member_names(value)) + "}"


def leading_integer(text: str) -> int | None:
    """The integer a text begins with, as `parseInt` reads it; None where it begins with none."""
    stripped = text.lstrip()
    sign, digits = (stripped[:1], stripped[1:]) if stripped[:1] in ("+", "-") else ("", stripped)
    count = next((at for at, c in enumerate(digits) if c not in "0123456789"), len(digits))
    return int(sign + digits[:count]) if count else None
