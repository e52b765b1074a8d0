"""What value a key had: reading committed trees, folding a log, merging deltas (record format, sections 5 to 7, 9)."""

from typing import NamedTuple

from tests.oracle.javascript import ABSENT, Value, member_names, own_member, same_value_zero
from tests.oracle.recording import Log

SEPARATOR = "\x1f"
DENIED = {"__proto__", "constructor", "prototype"}


class Folded(NamedTuple):
    """A value with the commit positions it was made from."""

    value: Value
    basis: list[int]


def native_get(tree: Value, path: str) -> Value:
    """The value at a path of a committed tree; ABSENT where the way ends, or leads through a denied name."""
    value = tree
    for segment in path.split(SEPARATOR):
        if value is None or value is ABSENT or segment in DENIED:
            return ABSENT
        value = own_member(value, segment)
    return value


def fold(log: Log, key: str, position: int) -> Folded:
    """The value of a key after a commit position, inclusive; a negative position sees nothing.

    Every row counts, several a commit too. The fold begins at the last `set` or `delete`. The basis begins there,
    or at the last `append` that replaced what stood before.
    """
    rows = [
        (at, commit, row.verb)
        for at, commit in enumerate(log.commits[: max(position + 1, 0)])
        for row in commit.rows
        if row.path == key
    ]
    starts = [n for n, (_, _, verb) in enumerate(rows) if verb in ("set", "delete")]
    value, basis = ABSENT, []
    for at, commit, verb in rows[starts[-1] if starts else 0 :]:
        stored = native_get(commit.overwrite, key)
        if verb == "set":
            value, basis = stored, [at]
        elif verb == "delete":
            value, basis = ABSENT, [at]
        elif verb == "append" and isinstance(value, list) and isinstance(stored, list):
            value, basis = value + stored, [*basis, at]
        elif verb == "append":
            value, basis = stored, [at]
        else:
            value, basis = merge(value, native_get(commit.updates, key)), [*basis, at]
    return Folded(value, sorted(set(basis)))


def value_at(log: Log, key: str, position: int) -> Value:
    """The value of a key after a commit position."""
    return fold(log, key, position).value


def merge(current: Value, delta: Value) -> Value:
    """A delta merged into a value: objects member by member, lists as a union, everything else replaces.

    A union keeps first occurrences; an empty list clears, and null replaces.
    """
    if isinstance(delta, list):
        return _union([*current, *delta]) if delta and isinstance(current, list) else list(delta)
    if not isinstance(delta, dict):
        return delta
    merged = _members_of(current)
    for name in member_names(delta):
        merged[name] = merge(merged.get(name, ABSENT), delta[name])
    return merged


def _members_of(value: Value) -> dict[str, Value]:
    if isinstance(value, list):
        return {str(at): item for at, item in enumerate(value)}
    return {name: value[name] for name in member_names(value)} if isinstance(value, dict) else {}


def _union(items: list[Value]) -> list[Value]:
    kept: list[Value] = []
    for item in items:
        if not any(same_value_zero(item, other) for other in kept):
            kept.append(item)
    return kept


def last_writer(log: Log, key: str, before: int | None = None) -> int | None:
    """The position of the last commit that wrote a key strictly before a position, or at all."""
    limit = len(log.commits) if before is None else before
    return max((at for at in log.writes.get(key, []) if at < limit), default=None)
