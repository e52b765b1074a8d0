"""Writes: the keys that commits wrote. Rule: record format, sections 4 to 6.

A commit's trace names the same keys in every loop and in every run. So what a distinct trace says of its keys is held
once, for each commit the number of its trace, and for each of its keys the value.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, repeat
from typing import NamedTuple

import polars as pl
from msgspec import Raw, json

from afp_nodes.javascript import DENIED_NAMES
from afp_nodes.record.columns import Columns, Groups, Pools, Series
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import NOTHING, Commit, TraceRow
from afp_nodes.record.spellings import Spellings
from afp_nodes.record.values import Kept, Values
from afp_nodes.schemas import Writes
from afp_nodes.signs import PATH_SEPARATOR

OF_COMMIT = ("run_id", "scope", "commit_idx", "runtime_stage_id")
"""The columns that a commit tells of its writes."""
OF_TRACE = ("key", "position", "verb", "read_keys", "entries", "verbs")
"""The columns that a trace tells."""
OF_VALUES = ("overwrite_json", "update_json")
"""The columns that the committed values tell."""

_TRACE = json.Decoder(list[TraceRow] | None)
_NO_MEMBERS: dict[str, Raw] = {}
_PLAIN = frozenset({"set", "append"})


class Trace(NamedTuple):
    """One trace: the number of its rows, and its keys in the order of first touch.

    `channels` says for each key whether its value stands in `overwrite`, and whether in `updates`; None where all are
    members of `overwrite` by their own name, as nearly always.
    """

    number: int
    keys: tuple[str, ...]
    channels: list[tuple[bool, bool]] | None


class WriteColumns:
    """The columns of `writes`."""

    def __init__(self, pools: Pools) -> None:
        self._of_traces = Columns(Writes, pools, only=OF_TRACE)
        self._of_values = Columns(Writes, pools, only=OF_VALUES)
        self._traces = Groups()
        self._known: Spellings[Trace] = Spellings()

    def __len__(self) -> int:
        return len(self._of_values)

    def add(self, commits: Sequence[Commit], values: Values, payloads: Payloads) -> None:
        """Add a row for each key of each commit: the key's last entry, at the place of its first."""
        traces = self._known.read([commit.trace for commit in commits], self._held, payloads)
        self._traces.choose([trace.number for trace in traces])
        self._of_values.add(_committed(commits, traces, values))

    def frame(self, distinct: Series, commits: pl.DataFrame) -> pl.DataFrame:
        """The frame; `commits` has a row for each commit that was added."""
        owners, rows = self._traces.spread()
        parts = [
            commits.select(OF_COMMIT)[owners],
            self._of_traces.frame(distinct)[rows],
            self._of_values.frame(distinct),
        ]
        return pl.concat(parts, how="horizontal").select(Writes.column_names())

    def _held(self, text: bytes, payloads: Payloads) -> Trace:
        """A trace, whose rows are held from here on."""
        touched: dict[str, list[TraceRow]] = defaultdict(list)
        for entry in payloads.decoded(text, _TRACE) or ():
            if entry.path is not None:
                touched[entry.path].append(entry)
        verbs = [tuple([entry.verb or "" for entry in entries]) for entries in touched.values()]
        lists = [entries[-1].read_keys for entries in touched.values()]
        self._of_traces.add(
            (
                touched,
                range(len(touched)),
                [each[-1] for each in verbs],
                [None if names is None else tuple(names) for names in lists],
                map(len, verbs),
                verbs,
            )
        )
        is_plain = _PLAIN.issuperset(chain.from_iterable(verbs)) and not any(map(_leads_inside, touched))
        channels = None if is_plain else [_channels(each) for each in verbs]
        return Trace(self._traces.hold(len(touched)), tuple(touched), channels)


def _committed(commits: Sequence[Commit], traces: Sequence[Trace], values: Values) -> tuple[list[Kept], list[Kept]]:
    """For each key of each commit, the value that `set` and `append` read, and the delta that a merge reads."""
    stored: list[Kept] = []
    merged: list[Kept] = []
    for commit, trace in zip(commits, traces, strict=True):
        if trace.channels is None:
            tree = commit.overwrite or _NO_MEMBERS
            stored += [values.kept(tree.get(key, NOTHING)) for key in trace.keys]
            merged += repeat(b"", len(trace.keys))
        else:
            for key, (stores, merges) in zip(trace.keys, trace.channels, strict=True):
                stored.append(values.at(commit.overwrite, key) if stores else b"")
                merged.append(values.at(commit.updates, key) if merges else b"")
    return stored, merged


def _leads_inside(key: str) -> bool:
    """Whether a key is more than the name of a member, or a name that is never looked up."""
    return PATH_SEPARATOR in key or key in DENIED_NAMES


def _channels(verbs: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether some entry takes its value from `overwrite`, and some from `updates`, as every unknown verb does."""
    return "set" in verbs or "append" in verbs, any(verb not in ("set", "append", "delete") for verb in verbs)
