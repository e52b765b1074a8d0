"""Logs: the rows that commit logs and execution trees give. Rule: record format, sections 4, 5, 8 and 10.

Rows are tuples in the order of their schema. They begin with the number of the row they belong to, a scope or a
commit, and leave out what that one says: numbers count from the `first` one of the run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple

from msgspec import UNSET

from afp_nodes.javascript import in_member_order
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import Commit, Snapshot, TreeContext
from afp_nodes.record.spellings import Spellings
from afp_nodes.record.trees import Names, TreeReads, tree_reads

CALL_MOUNT = re.compile(r"(?:[^#]*/)?sf-llm-call#")
MOUNT_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,18})")

Row = tuple[Any, ...]
Columns = tuple[Iterable[Any], ...]


class Log(NamedTuple):
    """One log of a run with the reads of its tree; `reads` is None where no tree is recorded."""

    scope: str
    commits: Sequence[Commit]
    reads: TreeReads | None


def logs_of(snapshot: Snapshot, known_reads: Spellings[Names], payloads: Payloads) -> list[Log]:
    """The run's own log, then that of each subflow mount whose name holds a `#`, in member order.

    A mount stands in the record twice, with and without its number; the one without is a copy.
    """
    subflows = snapshot.subflow_results or {}
    mounts = [name for name in in_member_order(list(subflows)) if "#" in name]
    contexts = [(subflow.tree_context if subflow else None) or TreeContext() for subflow in map(subflows.get, mounts)]
    own = [] if snapshot.commit_log is UNSET else snapshot.commit_log
    recorded = [
        ("", own, snapshot.execution_tree),
        *((name, context.history, context.stage_contexts) for name, context in zip(mounts, contexts, strict=True)),
    ]
    return [
        Log(scope, commits or (), tree_reads(tree, known_reads, payloads) if tree else None)
        for scope, commits, tree in recorded
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
    commits = commits_of(logs)
    counts = [len(log.commits) for log in logs]
    return (
        _repeated(range(first_scope, first_scope + len(logs)), counts),
        _positions(counts),
        [commit.runtime_stage_id or "" for commit in commits],
        [commit.stage_id or "" for commit in commits],
        [commit.stage or "" for commit in commits],
        _lists([commit.untracked_sources for commit in commits]),
    )


def commits_of(logs: Iterable[Log]) -> list[Commit]:
    """The commits of all logs, one log after the other."""
    return [commit for log in logs for commit in log.commits]


def _repeated(numbers: Iterable[int], counts: Iterable[int]) -> list[int]:
    """Each number as often as its count says."""
    return list(chain.from_iterable(map(repeat, numbers, counts)))


def _positions(counts: Iterable[int]) -> list[int]:
    """For each count, the positions from 0 up to it."""
    return list(chain.from_iterable(map(range, counts)))


def _lists(lists: Sequence[list[str] | None]) -> Iterable[tuple[str, ...] | None]:
    """Lists of texts as the pool of lists takes them; most records hold none at all."""
    if not any(each is not None for each in lists):
        return repeat(None, len(lists))
    return [None if texts is None else tuple(texts) for texts in lists]
