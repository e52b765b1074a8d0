"""Contents: how the members of recorded values read.

A member of a wrong type reads as absent. A placeholder is no content and names nothing: what a record redacts is never
called missing. Rule: product contract, sections 2 and 9.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.signs import PLACEHOLDERS

Shape = TypeVar("Shape", bound=Struct)


def object_reader(shape: type[Shape]) -> Callable[[str], Shape]:
    """How a JSON text reads as a shape whose members may be of any type; no object reads as an empty one."""
    decoder = msgspec.json.Decoder(shape)

    def read(told: str) -> Shape:
        try:
            return decoder.decode(told)
        except (msgspec.DecodeError, RecursionError):
            members = javascript.parse(told)
            return _shaped(members if isinstance(members, dict) else {}, shape)

    return read


def list_reader(shape: type[Shape]) -> Callable[[str], list[Shape] | None]:
    """How a JSON text reads as a list of shapes, what is no object left out; None for what is no list."""
    decoder = msgspec.json.Decoder(list[shape])  # type: ignore[valid-type]

    def read(told: str) -> list[Shape] | None:
        try:
            return decoder.decode(told)
        except (msgspec.DecodeError, RecursionError):
            values = javascript.parse(told)
        return [_shaped(v, shape) for v in values if isinstance(v, dict)] if isinstance(values, list) else None

    return read


def text(value: Any) -> str | None:
    """A text as it reads; any other value reads as absent."""
    return value if isinstance(value, str) else None


def name(value: Any) -> str | None:
    """A text that names something."""
    return value if isinstance(value, str) and value not in PLACEHOLDERS else None


def names(values: Iterable[Any]) -> list[str]:
    """Those of some values that name something, in order."""
    return [value for value in values if name(value) is not None]


def listed(value: Any) -> list[Any]:
    """A list as it is; any other value reads as an empty one."""
    return value if isinstance(value, list) else []


def content(*values: Any) -> str | None:
    """The first value that is recorded: a text as it reads, any other as JSON text; a placeholder is no content."""
    for value in values:
        if value is not None:
            spoken = value if isinstance(value, str) else javascript.stringify(value)
            return None if spoken in PLACEHOLDERS else spoken
    return None


def _shaped(members: dict[str, Any], shape: type[Shape]) -> Shape:
    named = zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True)
    return shape(**{field: members.get(member) for field, member in named})
