"""Canonical text: one spelling for equal values. Rules: record format, sections 24 (configuration key) and 27."""

from collections.abc import Callable
from typing import Any

from afp_nodes.javascript import stringify


def by_code_units(text: str) -> bytes:
    """What puts texts in the order of their UTF-16 code units, as JavaScript sorts them."""
    return text.encode("utf-16-be", "surrogatepass")


def canonical_json(value: Any) -> str:
    """The canonical JSON of a value: members by code units, no white space, numbers as JavaScript spells them."""
    return _rendered(value, _all_members, ",".join)


def canonical_set(value: Any) -> str:
    """The key of a value in which lists are sets and a member that is null counts as left out; names stand bare."""
    return _rendered(value, _stated_members, lambda items: ",".join(sorted(items, key=by_code_units)))


def _all_members(members: dict[str, str]) -> str:
    return ",".join(f"{stringify(name)}:{members[name]}" for name in sorted(members, key=by_code_units))


def _stated_members(members: dict[str, str]) -> str:
    stated = (name for name in sorted(members, key=by_code_units) if members[name] != "null")
    return ",".join(f"{name}:{members[name]}" for name in stated)


def _rendered(value: Any, members: Callable[[dict[str, str]], str], items: Callable[[list[str]], str]) -> str:
    """The text of a value, made of those of its parts, innermost first; never recursive, so depth does not matter."""
    made: list[str] = []
    work: list[tuple[Any, bool]] = [(value, False)]
    while work:
        part, is_ready = work.pop()
        inner = list(part.values()) if isinstance(part, dict) else part
        if not isinstance(inner, list):
            made.append(stringify(inner))
        elif not is_ready:
            work += [(part, True), *((item, False) for item in reversed(inner))]
        else:
            first = len(made) - len(inner)
            texts = made[first:]
            del made[first:]
            named = isinstance(part, dict)
            made.append(f"{{{members(dict(zip(part, texts, strict=True)))}}}" if named else f"[{items(texts)}]")
    return made[0]
