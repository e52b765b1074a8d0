"""Plugins: what a study names, of ours or of an installed package. Rule: product contract, sections 6 and 12."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any


class UnknownNameError(Exception):
    """Nothing of that name is built in or installed; the message says what comes nearest."""


def named(group: str, what: str, built_in: Mapping[str, Any], name: str) -> Any:
    """What is called `name`: one of `built_in`, else what an installed package offers under the entry point `group`.

    Raises `UnknownNameError` where there is neither.
    """
    if name in built_in:
        return built_in[name]
    offered = {point.name: point for point in entry_points(group=group)}
    if name in offered:
        return _loaded(offered[name], what)
    names = sorted({*built_in, *offered})
    nearest = get_close_matches(name, names, n=1, cutoff=0.0)[0]
    raise UnknownNameError(f"there is no {what} {name[:60]!r}; did you mean {nearest!r}? Known: {', '.join(names)}")


def is_known(found: Callable[[str], Any], name: str) -> bool:
    """Whether something of that name is found."""
    try:
        found(name)
    except UnknownNameError:
        return False
    return True


def _loaded(offered: EntryPoint, what: str) -> Any:
    try:
        return offered.load()
    except (ImportError, AttributeError) as error:
        raise UnknownNameError(f"{what} {offered.name[:60]!r} is installed and cannot be loaded: {error}") from error
