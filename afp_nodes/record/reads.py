"""Reads: the keys that steps read, in the two readings of their tree. Rule: record format, section 8.

A step reads the same keys in every loop, so the rows of each distinct pair of lists are held once.
"""

from itertools import repeat

import polars as pl

from afp_nodes.record.columns import Columns, Groups, Pools, Series
from afp_nodes.record.trees import Names, TreeReads
from afp_nodes.schemas import Reads

OF_SCOPE = ("run_id", "scope")
"""The columns that a scope tells of its reads."""
OF_STEP = ("runtime_stage_id",)
"""The columns that a step tells."""
OF_LISTS = ("key", "position", "first_position")
"""The columns that the two lists of a step tell."""


class ReadColumns:
    """The columns of `reads`."""

    def __init__(self, pools: Pools) -> None:
        self._of_steps = Columns(Reads, pools, inherited=OF_SCOPE, only=OF_STEP)
        self._of_lists = Columns(Reads, pools, only=OF_LISTS)
        self._steps = Groups()
        self._known: dict[tuple[Names, Names], int] = {}

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, scope: int, reads: TreeReads) -> None:
        """Add a row for each key that a step of one scope read, in either reading."""
        only_first = [step for step, names in reads.first.items() if names and step not in reads.last]
        steps = [*reads.last, *only_first]
        pairs = [(reads.last.get(step, ()), reads.first[step]) for step in steps]
        known = map(self._known.get, pairs)
        self._steps.choose(
            [self._held(*pair) if number is None else number for pair, number in zip(pairs, known, strict=True)]
        )
        self._of_steps.add_owned((repeat(scope, len(steps)), steps))

    def frame(self, distinct: Series, scopes: pl.DataFrame) -> pl.DataFrame:
        """The frame; `scopes` has a row for each scope that reads were added to."""
        owners, rows = self._steps.spread()
        parts = [self._of_steps.frame(distinct, scopes)[owners], self._of_lists.frame(distinct)[rows]]
        return pl.concat(parts, how="horizontal")

    def _held(self, last: Names, first: Names) -> int:
        """The number of the rows of two lists, which are held from here on: the last reading's come first."""
        if (last, first) not in self._known:
            only_first = [name for name in first if name not in last]
            self._of_lists.add(
                (
                    (*last, *only_first),
                    (*range(len(last)), *repeat(None, len(only_first))),
                    (*(_place(name, first) for name in last), *(first.index(name) for name in only_first)),
                )
            )
            self._known[last, first] = self._steps.hold(len(last) + len(only_first))
        return self._known[last, first]


def _place(name: str, names: Names) -> int | None:
    return names.index(name) if name in names else None
