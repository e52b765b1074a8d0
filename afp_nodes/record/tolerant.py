"""The untyped reading: for documents that hold a value of a wrong type somewhere.

A value of a wrong type reads as absent, an entry of a wrong type keeps its position in its list, and both are
counted. Well-formed documents read as the typed decoder reads them, only slower.
"""

import functools
import types
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, UnsetType

from afp_nodes.record.shapes import Count, Node

Shape = TypeVar("Shape", bound=Struct)

_CONTAINERS = {b"{": dict[str, Raw], b"[": list[Raw]}


class _Member(NamedTuple):
    """One member of a shape: its name in Python, in JSON, and what it should be."""

    attribute: str
    name: str
    hint: Any


class TolerantReader:
    """Reads shapes out of JSON texts and counts what was odd."""

    def __init__(self) -> None:
        self.odd = 0

    def shape(self, raw: Raw | bytes, kind: type[Shape]) -> Shape:
        """A shape with what is well-formed of its members; an empty one when the text is no object."""
        return self.shape_of(self._opened(raw, b"{") or {}, kind)

    def shape_of(self, members: dict[str, Raw], kind: type[Shape]) -> Shape:
        """A shape of members that were already taken apart."""
        if kind is Node:
            return self._tree(members)  # type: ignore[return-value]
        return kind(
            **{
                member.attribute: self._value(members[member.name], member.hint)
                for member in _members(kind)
                if member.name in members
            }
        )

    def nodes(self, raw: bytes) -> list[Node]:
        """The nodes of a list of trees."""
        return [self.shape(item, Node) for item in self._opened(raw, b"[") or []]

    def value(self, raw: Raw, hint: Any) -> Any:
        """A value of a type, or None where it may be null."""
        return self._value(raw, _wanted(hint))

    def _value(self, raw: Raw, hint: Any) -> Any:
        if hint is Raw:
            return raw
        if _starts_with(raw, b"null"):
            return None
        if get_origin(hint) is list:
            items = self._opened(raw, b"[")
            return None if items is None else [self._entry(item, *get_args(hint)) for item in items]
        if get_origin(hint) is dict:
            members = self._opened(raw, b"{")
            inner = _wanted(get_args(hint)[1])
            return None if members is None else {name: self._value(item, inner) for name, item in members.items()}
        if isinstance(hint, type) and issubclass(hint, Struct):
            members = self._opened(raw, b"{")
            return None if members is None else self.shape_of(members, hint)
        return self._scalar(raw, hint)

    def _entry(self, raw: Raw, hint: Any) -> Any:
        """One entry of a list; one of a wrong type leaves an empty one in its place."""
        if hint is not Raw and _starts_with(raw, b"null"):
            self.odd += 1
            read = None
        else:
            read = self._value(raw, hint)
        return hint() if read is None and isinstance(hint, type) and issubclass(hint, Struct) else read

    def _scalar(self, raw: Raw, hint: Any) -> Any:
        try:
            read = msgspec.json.decode(raw, type=float if hint is Count else hint)
            if hint is not Count:
                return read
            return msgspec.convert(int(read) if read.is_integer() else read, Count)
        except msgspec.ValidationError:
            self.odd += 1
            return None

    def _opened(self, raw: Raw | bytes, bracket: bytes) -> Any:
        """The members or items of a container; None, and counted, when the text is none of that kind."""
        if not _starts_with(raw, bracket):
            self.odd += 1
            return None
        return msgspec.json.decode(raw, type=_CONTAINERS[bracket])

    def _tree(self, members: dict[str, Raw]) -> Node:
        """A tree, read with an explicit stack: chains of steps are long."""
        root = Node()
        work = [(root, members)]
        while work:
            node, members = work.pop()
            for member in _members(Node):
                if member.name in members and member.attribute not in ("next", "children"):
                    setattr(node, member.attribute, self._value(members[member.name], member.hint))
            after = self._unless_null(members, "next", b"{")
            if after is not None:
                node.next = Node()
                work.append((node.next, after))
            children = self._unless_null(members, "children", b"[")
            if children is not None:
                node.children = [Node() for _ in children]
                work += [(n, self._opened(raw, b"{") or {}) for n, raw in zip(node.children, children, strict=True)]
        return root

    def _unless_null(self, members: dict[str, Raw], name: str, bracket: bytes) -> Any:
        raw = members.get(name)
        return None if raw is None or _starts_with(raw, b"null") else self._opened(raw, bracket)


def _starts_with(raw: Raw | bytes, word: bytes) -> bool:
    """Whether a text without white space around it begins so; tells what kind of value it is."""
    return memoryview(raw)[: len(word)] == word


@functools.cache
def _members(kind: type[Struct]) -> tuple[_Member, ...]:
    """The members of a shape."""
    return tuple(_Member(f.name, f.encode_name, _wanted(f.type)) for f in msgspec.structs.fields(kind))


def _wanted(hint: Any) -> Any:
    """What a member should be when it is neither missing nor null."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    return next(arm for arm in get_args(hint) if arm not in (types.NoneType, UnsetType))
