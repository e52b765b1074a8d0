"""Logs: the rows that commit logs and execution trees give. Rule: record format, sections 4, 5, 8 and 10.

Rows are tuples in the order of their schema. They begin with the number of the row they belong to, a scope or a
commit, and leave out what that one says: numbers count from the `first` one of the run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Any, NamedTuple

from msgspec import UNSET, Raw

from afp_nodes.javascript import DENIED_NAMES, in_member_order
from afp_nodes.record.shapes import NOTHING, Commit, Node, Snapshot, TraceRow, TreeContext
from afp_nodes.record.trees import TreeReads, tree_reads
from afp_nodes.record.values import Kept, Values
from afp_nodes.signs import PATH_SEPARATOR

CALL_MOUNT = re.compile(r"(?:[^#]*/)?sf-llm-call#")
MOUNT_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,18})")

Row = tuple[Any, ...]
Columns = tuple[Iterable[Any], ...]

_NO_MEMBERS: dict[str, Raw] = {}
_PLAIN = frozenset({("set",), ("append",)})


class Log(NamedTuple):
    """One log of a run with the reads of its tree; `reads` is None where no tree is recorded."""

    scope: str
    commits: Sequence[Commit]
    reads: TreeReads | None


def logs_of(snapshot: Snapshot) -> list[Log]:
    """The run's own log, then that of each subflow mount whose name holds a `#`, in member order.

    A mount stands in the record twice, with and without its number; the one without is a copy.
    """
    subflows = snapshot.subflow_results or {}
    mounts = [name for name in in_member_order(list(subflows)) if "#" in name]
    contexts = [(subflow.tree_context if subflow else None) or TreeContext() for subflow in map(subflows.get, mounts)]
    own = [] if snapshot.commit_log is UNSET else snapshot.commit_log
    return [
        _log("", own, snapshot.execution_tree),
        *(_log(n, context.history, context.stage_contexts) for n, context in zip(mounts, contexts, strict=True)),
    ]


def scope_rows(logs: Iterable[Log]) -> Iterator[Row]:
    """One row a log."""
    for position, (scope, _, reads) in enumerate(logs):
        number = MOUNT_NUMBER.match(scope.rpartition("#")[2])
        yield (
            scope,
            position,
            CALL_MOUNT.match(scope) is not None,
            int(number[1]) if number and scope else None,
            reads is not None,
            reads.steps if reads else None,
            len(reads.last) if reads else None,
        )


def commit_columns(logs: Sequence[Log], first_scope: int) -> Columns:
    """One row a commit, of a scope."""
    commits = _commits(logs)
    counts = [len(log.commits) for log in logs]
    return (
        _repeated(range(first_scope, first_scope + len(logs)), counts),
        _positions(counts),
        [commit.runtime_stage_id or "" for commit in commits],
        [commit.stage_id or "" for commit in commits],
        [commit.stage or "" for commit in commits],
        _lists([commit.untracked_sources for commit in commits]),
    )


def write_columns(logs: Sequence[Log], values: Values, first_commit: int) -> Columns:
    """One row for each key of each commit, of a commit: the key's last entry, at the place of its first."""
    commits = _commits(logs)
    touched = [_last_entries(commit.trace or ()) for commit in commits]
    counts = list(map(len, touched))
    owners = _repeated(range(len(commits)), counts)
    last = list(chain.from_iterable(touched))
    keys = [entry.path or "" for entry in last]
    verbs = _verbs(commits, owners, last)
    stored, merged = _committed(commits, owners, keys, verbs, values)
    return (
        [first_commit + owner for owner in owners],
        keys,
        _positions(counts),
        [each[-1] for each in verbs],
        _lists([entry.read_keys for entry in last]),
        list(map(len, verbs)),
        verbs,
        stored,
        merged,
    )


def _last_entries(trace: Sequence[TraceRow]) -> Sequence[TraceRow]:
    """For each key of one commit its last entry, in the order of first touch; an entry without a path is none."""
    paths = {entry.path for entry in trace}
    if len(paths) == len(trace) and None not in paths:
        return trace
    return list({entry.path: entry for entry in trace if entry.path is not None}.values())


def _verbs(commits: Sequence[Commit], owners: Sequence[int], last: Sequence[TraceRow]) -> list[tuple[str, ...]]:
    """For each key of each commit, the verbs of its entries."""
    alone = {verb: (verb or "",) for verb in {entry.verb for entry in last}}
    verbs: list[tuple[str, ...]] = [alone[entry.verb] for entry in last]
    if sum(len(commit.trace or ()) for commit in commits) > len(last):
        for place, (owner, entry) in enumerate(zip(owners, last, strict=True)):
            trace = commits[owner].trace or ()
            verbs[place] = tuple([each.verb or "" for each in trace if each.path == entry.path])
    return verbs


def _committed(
    commits: Sequence[Commit], owners: Sequence[int], keys: list[str], verbs: list[tuple[str, ...]], values: Values
) -> tuple[list[Kept], Iterable[Kept]]:
    """For each key of each commit, the value that `set` and `append` read, and the delta that a merge reads.

    Nearly all are members of `overwrite` by their own name; the others are looked up one by one.
    """
    trees = [commit.overwrite or _NO_MEMBERS for commit in commits]
    found = map(dict.get, map(trees.__getitem__, owners), keys, repeat(NOTHING))
    stored = list(map(values.kept, found))
    other_keys = {key for key in set(keys) if PATH_SEPARATOR in key or key in DENIED_NAMES}
    other_verbs = set(verbs) - _PLAIN
    if not other_keys and not other_verbs:
        return stored, repeat(b"", len(keys))
    merged: list[Kept] = [b""] * len(keys)
    for place, (key, each) in enumerate(zip(keys, verbs, strict=True)):
        if key in other_keys or each in other_verbs:
            commit = commits[owners[place]]
            stores, merges = _channels(each)
            stored[place] = values.at(commit.overwrite, key) if stores else b""
            merged[place] = values.at(commit.updates, key) if merges else b""
    return stored, merged


def read_columns(logs: Sequence[Log], first_scope: int) -> Columns:
    """One row for each key that a step read, in either reading, of a scope."""
    scopes: list[int] = []
    steps: list[str] = []
    keys: list[str] = []
    places: list[int | None] = []
    first_places: list[int | None] = []
    for scope, log in enumerate(logs, first_scope):
        if not log.reads:
            continue
        before = len(keys)
        for step, last in log.reads.last.items():
            first = log.reads.first[step]
            keys += last
            steps += repeat(step, len(last))
            places += range(len(last))
            first_places += range(len(last)) if first == last else [_place(key, first) for key in last]
        for step, first in log.reads.first.items():
            last = log.reads.last.get(step, ())
            if first == last:
                continue
            only_first = [(place, key) for place, key in enumerate(first) if key not in last]
            keys += [key for _, key in only_first]
            steps += repeat(step, len(only_first))
            places += repeat(None, len(only_first))
            first_places += [place for place, _ in only_first]
        scopes += repeat(scope, len(keys) - before)
    return scopes, steps, keys, places, first_places


def _place(key: str, keys: Sequence[str]) -> int | None:
    return keys.index(key) if key in keys else None


def _log(scope: str, commits: list[Commit] | None, tree: Node | None) -> Log:
    return Log(scope, commits or (), tree_reads(tree) if tree else None)


def _commits(logs: Iterable[Log]) -> list[Commit]:
    """The commits of all logs, one log after the other."""
    return [commit for log in logs for commit in log.commits]


def _repeated(numbers: Iterable[int], counts: Iterable[int]) -> list[int]:
    """Each number as often as its count says."""
    return list(chain.from_iterable(map(repeat, numbers, counts)))


def _positions(counts: Iterable[int]) -> list[int]:
    """For each count, the positions from 0 up to it."""
    return list(chain.from_iterable(map(range, counts)))


@cache
def _channels(verbs: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether some entry takes its value from `overwrite`, and some from `updates`, as every unknown verb does."""
    return "set" in verbs or "append" in verbs, any(verb not in ("set", "append", "delete") for verb in verbs)


def _lists(lists: Sequence[list[str] | None]) -> Iterable[tuple[str, ...] | None]:
    """Lists of texts as the pool of lists takes them; most records hold none at all."""
    if not any(each is not None for each in lists):
        return repeat(None, len(lists))
    return [None if texts is None else tuple(texts) for texts in lists]
