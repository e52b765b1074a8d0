"""What JavaScript does with JSON values: member order, number text, UTF-16, merge. Its only home.

Rules: record format, sections 6 (native get), 7 (merge) and 28. A value is what `parse` returns: Python's None,
bool, int, float, str, list and dict, with members in JavaScript's order and every number equal to a double.
"""

import json
import math
import re
from collections.abc import Iterator
from enum import Enum
from json.encoder import encode_basestring
from typing import Any, Final

import msgspec

from afp_nodes import deep_json


class Absent(Enum):
    """JavaScript's `undefined`: no value at all, unlike JSON's `null`."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT

LAST_INDEX = 4_294_967_294
"""The greatest name that JavaScript takes for an array index."""

EXACT_INTEGERS = 2**53
"""Integers beyond lose digits when they become doubles."""

WHITE_SPACE = (
    "\t\n\v\f\r \N{NO-BREAK SPACE}\N{ZERO WIDTH NO-BREAK SPACE}\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""What `trim` takes off: tab, line ends, the byte order mark and every space, but no other control character."""

DENIED_NAMES = frozenset({"__proto__", "constructor", "prototype"})
"""Names that a path never follows."""

_INDEX = r"(?:0|[1-9][0-9]{0,9})"
_INDEX_NAME = re.compile(_INDEX)
_UNLIKE_PYTHON = re.compile(rf'[0-9]{{16}}|"{_INDEX}"\s*:|\\u003[0-9]')
_UNLIKE_MSGSPEC = re.compile(rf'[0-9]{{16}}|"{_INDEX}":|\.0(?![0-9])|[0-9]e-?[0-9]')
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: str) -> Any:
    """The value of a JSON text as `JSON.parse` sees it, however deeply nested.

    Integers beyond 2^53 become doubles; index-like names come first, in numeric order. Raises `ValueError` where
    the text is not JSON.
    """
    return _carefully_parsed(text) if _UNLIKE_PYTHON.search(text) else parse_as_spelled(text)


def parse_as_spelled(text: str) -> Any:
    """The value of a JSON text for who looks members up by name and takes numbers by `as_double`.

    Several times as fast as `parse`: members may stand as recorded, and integers as they are spelled.
    """
    try:
        return msgspec.json.decode(text)
    except (RecursionError, msgspec.DecodeError, UnicodeEncodeError):
        return _carefully_parsed(text)  # too deep, half a surrogate pair, or beyond the doubles


def stringify(value: Any) -> str:
    """The text `JSON.stringify` makes of a value."""
    try:
        text = msgspec.json.encode(value).decode()
    except (RecursionError, UnicodeEncodeError):
        return "".join(_pieces(value))
    return "".join(_pieces(value)) if _UNLIKE_MSGSPEC.search(text) else text


def number_text(number: float) -> str:
    """A number as JavaScript spells it: the shortest digits that read back as the same double."""
    double = _double(number)
    if not math.isfinite(double):
        return "NaN" if math.isnan(double) else "Infinity" if double > 0 else "-Infinity"
    if double == 0:
        return "0"
    mantissa, _, exponent = f"{abs(double)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    padded = whole + fraction.rstrip("0") if fraction.strip("0") else whole
    digits = padded.lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(padded) - len(digits))
    return ("-" if double < 0 else "") + _placed(digits.rstrip("0"), point)


def merge(dst: Any, src: Any) -> Any:
    """What a `merge` entry makes of the value `dst` and its delta `src`; neither is changed.

    `null` and scalars replace; an empty array clears, another one adds what is new; members merge one by one.
    """
    if isinstance(src, list):
        return _union(dst, src)
    if not isinstance(src, dict):
        return src
    merged = _copied_members(dst)
    work = [(merged, src)]
    while work:
        target, source = work.pop()
        for name, value in source.items():
            if isinstance(value, dict):
                target[name] = _copied_members(target.get(name))
                work.append((target[name], value))
            else:
                target[name] = _union(target.get(name), value) if isinstance(value, list) else value
        _put_in_order(target)
    return merged


def own_member(value: Any, segments: list[str]) -> Any:
    """The value at a path, or `ABSENT`: own members only, arrays and texts have an index and a length."""
    for segment in segments:
        if segment in DENIED_NAMES:
            return ABSENT
        if isinstance(value, dict):
            value = value.get(segment, ABSENT)
        elif isinstance(value, list | str):
            value = _element(value, segment)
        else:
            return ABSENT
    return value


def is_number(value: Any) -> bool:
    """A JSON number; in Python a truth value would count as one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(value: Any) -> float | None:
    """The double that a JSON number stands for; None for anything else, truth values too."""
    return _double(value) if is_number(value) else None


def is_truthy(value: Any) -> bool:
    """What JavaScript takes for true: all but `undefined`, `null`, `false`, zero, NaN and the empty text."""
    return isinstance(value, list | dict) or (bool(value) and value == value)  # noqa: PLR0124 - only NaN differs


def trimmed(text: str) -> str:
    """A text without JavaScript's white space at both ends, which is not Python's."""
    return text.strip(WHITE_SPACE)


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(_utf16(text)) // 2


def cut_utf16(text: str, units: int) -> str:
    """The first so many UTF-16 code units; half of a surrogate pair at the cut reads as U+FFFD."""
    if len(text) * 2 <= units or text.isascii():
        return text[:units]
    return _utf16(text)[: units * 2].decode("utf-16-le", "replace")


def is_index_name(name: str) -> bool:
    """A name that JavaScript takes for an array index, and so puts before all others."""
    return _INDEX_NAME.fullmatch(name) is not None and int(name) <= LAST_INDEX


def in_member_order(names: list[str]) -> list[str]:
    """Member names in JavaScript's order: index-like ones ascending, then the others as they stand."""
    if not any(map(_INDEX_NAME.match, names)):
        return names
    indexes = [name for name in names if is_index_name(name)]
    return sorted(indexes, key=int) + [name for name in names if not is_index_name(name)]


def _carefully_parsed(text: str) -> Any:
    """The value of a JSON text, or `ValueError`; for what the fast decoder does otherwise, or cannot do."""
    try:
        return json.loads(
            text, parse_int=_number, parse_float=_number, parse_constant=_refused, object_pairs_hook=_members
        )
    except RecursionError:
        return deep_json.parse(text, _number, _put_in_order)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return _put_in_order(dict(pairs))


def _put_in_order(members: dict[str, Any]) -> dict[str, Any]:
    """The same object with its members in JavaScript's order."""
    names = list(members)
    ordered = in_member_order(names)
    if ordered != names:
        values = [members[name] for name in ordered]
        members.clear()
        members.update(zip(ordered, values, strict=True))
    return members


def _number(spelling: str) -> int | float:
    """The double a spelling stands for, as an int where it is spelled and exact as one."""
    double = float(spelling)
    return int(double) if abs(double) <= EXACT_INTEGERS and spelling.lstrip("-").isdigit() else double


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _double(number: float) -> float:
    """The double of a number; integers beyond the greatest are infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _placed(digits: str, point: int) -> str:
    """Digits with the decimal point after the first `point` of them, in JavaScript's choice of notation."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"


def _pieces(value: Any) -> Iterator[str]:
    """The text of a value, piece by piece; never recursive, so depth does not matter."""
    work: list[tuple[Any, bool]] = [(value, False)]
    while work:
        item, is_piece = work.pop()
        if is_piece:
            yield item
        elif isinstance(item, dict):
            work.append(("}", True))
            for place, name in reversed(list(enumerate(in_member_order(list(item))))):
                work += ((item[name], False), (("," if place else "{") + _quoted(name) + ":", True))
            work += [] if item else [("{", True)]
        elif isinstance(item, list):
            work.append(("]", True))
            for place in range(len(item) - 1, -1, -1):
                work += ((item[place], False), ("," if place else "[", True))
            work += [] if item else [("[", True)]
        else:
            yield _scalar_text(item)


def _scalar_text(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if is_number(value):
        text = number_text(value)
        return text if text[-1].isdigit() else "null"
    return {None: "null", True: "true", False: "false"}[value]


def _quoted(text: str) -> str:
    """A text as a JSON literal; half of a surrogate pair is escaped, all else beyond ASCII stays."""
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", encode_basestring(text))


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _element(value: list[Any] | str, name: str) -> Any:
    """An own member of an array or a text: an element, or the length."""
    length = len(value) if isinstance(value, list) else utf16_length(value)
    if name == "length":
        return length
    if not is_index_name(name) or int(name) >= length:
        return ABSENT
    position = int(name)
    if isinstance(value, list):
        return value[position]
    return _utf16(value)[position * 2 : position * 2 + 2].decode("utf-16-le", "replace")


def _copied_members(value: Any) -> dict[str, Any]:
    """A copy of the members of an object or array; anything else has none that a merge keeps."""
    if isinstance(value, dict):
        return dict(value)
    return {str(position): item for position, item in enumerate(value)} if isinstance(value, list) else {}


def _union(dst: Any, src: list[Any]) -> list[Any]:
    """First occurrences of both arrays; a copy of `src` where it is empty or `dst` is no array."""
    if not src or not isinstance(dst, list):
        return list(src)
    first: dict[tuple[str, Any], Any] = {}
    for item in (*dst, *src):
        first.setdefault(_identity(item), item)
    return list(first.values())


def _identity(value: Any) -> tuple[str, Any]:
    """What SameValueZero compares: numbers by value, NaN equal to itself, containers as themselves."""
    if isinstance(value, list | dict):
        return "itself", id(value)
    if is_number(value):
        double = _double(value)
        return "number", None if math.isnan(double) else double
    return type(value).__name__, value
