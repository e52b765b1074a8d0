"""Coverage: how exactly the record says what a variable's last value fed.

Rule: record format, sections 14 and 15. The forward slice of every variable is walked at once, breadth first, one
level a step: a root's budget of lives is a ranked cut within the level, so the horizon is the reference's own.
"""

from dataclasses import asdict, dataclass

import dataframely as dy
import numpy as np
import numpy.typing as npt
import polars as pl

from afp_nodes.schemas import Coverages, FedLives, LifeSpans
from afp_nodes.words import Basis, Coverage

MAX_LIVES = 100
"""Lives in one forward slice, the root included."""
MAX_DEPTH = 20
"""Edges from the root at which a life is no longer followed."""

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def coverages(
    life_spans: dy.LazyFrame[LifeSpans],
    fed_lives: dy.LazyFrame[FedLives],
    max_lives: int = MAX_LIVES,
    max_depth: int = MAX_DEPTH,
) -> dy.LazyFrame[Coverages]:
    """One row per variable: what the record can say of its last life, or of the one from before the run.

    `unknown` where nothing it fed is recorded: that is no evidence that it fed nothing. `conservative` where its
    log records no read at all, or where some edge within the budgets rests on the stage alone. What lies beyond
    the budgets is not seen, and may raise the word.
    """
    spans = life_spans.collect()
    roots = spans.group_by("variable", maintain_order=True).last()
    slices = _slices(_graph(spans, fed_lives), roots["life"].to_numpy(), max_lives, max_depth)
    read_logs = (
        life_spans.filter(pl.col("readers").list.len() > 0)
        .select("run_id", "scope", reads_recorded=pl.lit(value=True))
        .unique()
    )
    return (
        roots.lazy()
        .with_columns(pl.Series(name, found) for name, found in asdict(slices).items())
        .join(read_logs, on=["run_id", "scope"], how="left", maintain_order="left")
        .with_columns(pl.col("reads_recorded").fill_null(value=False))
        .with_columns(coverage=_coverage_word(), root_commit_idx="commit_idx", root_readers="readers")
        .select(Coverages.column_names())
        .pipe(Coverages.cast)
    )


def _coverage_word() -> pl.Expr:
    return (
        pl.when(~pl.col("reads_recorded"))
        .then(pl.lit(Coverage.CONSERVATIVE))
        .when(~pl.col("fed"))
        .then(pl.lit(Coverage.UNKNOWN))
        .when("fed_by_stage")
        .then(pl.lit(Coverage.CONSERVATIVE))
        .otherwise(pl.lit(Coverage.EXACT))
    )


@dataclass(frozen=True, slots=True)
class _Graph:
    """Which life fed which: edges of life `n` are `starts[n]` to `starts[n + 1]`, in the order they are followed."""

    starts: Ints
    children: Ints
    by_stage: Bools
    was_read: Bools


@dataclass(frozen=True, slots=True)
class _Slices:
    """What the walk from each root found."""

    reached_lives: Ints
    fed: Bools
    fed_by_stage: Bools
    stage_edge_seen: Bools
    truncated: Bools


def _graph(spans: pl.DataFrame, fed_lives: pl.LazyFrame) -> _Graph:
    """Edges between lives, in order of the reader and of its first touch of the written key."""
    edges = fed_lives.sort("from_life", "to_commit_idx", "touch").collect()
    outgoing = np.bincount(edges["from_life"].to_numpy(), minlength=spans.height)
    return _Graph(
        starts=np.concatenate([[0], np.cumsum(outgoing)]).astype(np.int64),
        children=edges["to_life"].to_numpy(),
        by_stage=(edges["basis"] == Basis.STAGE).to_numpy(),
        was_read=(spans["readers"].list.len() > 0).to_numpy(),
    )


def _slices(graph: _Graph, root_lives: Ints, max_lives: int, max_depth: int) -> _Slices:
    """Walk the forward slice of every root, level by level.

    A pair (root, life) is one number, `root * lives + life`; the pairs of a level stand in the order in which the
    reference would create them, so cutting each root's new ones to what its budget leaves keeps the same set.
    """
    count, width = len(root_lives), len(graph.was_read)
    created = np.ones(count, dtype=np.int64)
    fed, fed_by_stage, stage_edge_seen, truncated = (np.zeros(count, dtype=np.bool_) for _ in range(4))
    root, life = np.arange(count), root_lives
    known = (root * width + life)[graph.starts[life + 1] > graph.starts[life]]
    for _ in range(max_depth):
        root, edge = _outgoing(graph, root, life)
        if not len(edge):
            return _Slices(created, fed, fed_by_stage, stage_edge_seen, truncated)
        stage_edge_seen[root[graph.by_stage[edge]]] = True
        pair = root * width + graph.children[edge]
        fresh = _first_occurrences(pair, ~_among(pair, known))
        fits = _rank_within(root[fresh]) < (max_lives - created)[root[fresh]]
        truncated[root[fresh[~fits]]] = True
        kept = fresh[fits]
        created += np.bincount(root[kept], minlength=count)
        known = np.sort(np.concatenate([known, pair[kept]]))
        drawn = _among(pair, known)
        fed[root[drawn]] = True
        fed_by_stage[root[drawn & graph.by_stage[edge]]] = True
        root, life = root[kept], graph.children[edge[kept]]
    truncated[root[graph.was_read[life]]] = True
    return _Slices(created, fed, fed_by_stage, stage_edge_seen, truncated)


def _outgoing(graph: _Graph, root: Ints, life: Ints) -> tuple[Ints, Ints]:
    """Each root of the level beside each edge that leaves its lives, in order."""
    first, counts = graph.starts[life], graph.starts[life + 1] - graph.starts[life]
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(root, counts), np.repeat(first, counts) + offsets


def _among(pairs: Ints, known: Ints) -> Bools:
    """Which pairs are in the sorted array of known ones."""
    at = np.searchsorted(known, pairs)
    found: Bools = np.append(known, -1)[at] == pairs
    return found


def _first_occurrences(pairs: Ints, wanted: Bools) -> Ints:
    """Positions of the wanted pairs, each distinct pair once, at its first place."""
    places = np.flatnonzero(wanted)
    _, first = np.unique(pairs[places], return_index=True)
    return places[np.sort(first)]


def _rank_within(roots: Ints) -> Ints:
    """0, 1, 2 ... within each run of equal roots."""
    begins = np.flatnonzero(np.diff(roots, prepend=-1))
    return np.arange(len(roots)) - np.repeat(begins, np.diff(begins, append=len(roots)))
