"""Coverage: how exactly the record says what a variable's last value fed.

Rule: record format, sections 14 and 15. The forward slice of every variable is walked at once, breadth first, one
level a step: a root's budget of lives is a ranked cut within the level, so the horizon is the reference's own.
"""

from dataclasses import dataclass

import dataframely as dy
import numpy as np
import numpy.typing as npt
import polars as pl

from afp_nodes.addresses import LOG_KEY
from afp_nodes.schemas import Coverages, FedEdges, Lives, Timelines
from afp_nodes.words import Basis, Coverage, MomentKind

MAX_LIVES = 100
"""Lives in one forward slice, the root included."""
MAX_DEPTH = 20
"""Edges from the root at which a life is no longer followed."""

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def coverages(
    timelines: dy.LazyFrame[Timelines],
    lives: dy.LazyFrame[Lives],
    fed_edges: dy.LazyFrame[FedEdges],
    max_lives: int = MAX_LIVES,
    max_depth: int = MAX_DEPTH,
) -> dy.LazyFrame[Coverages]:
    """One row per variable: what the record can say of its last life, or of the one from before the run.

    `unknown` where nothing it fed is recorded: that is no evidence that it fed nothing. `conservative` where reads
    were not recorded at all, or where some edge within the budgets rests on the stage alone. What lies beyond the
    budgets is not seen, and may raise the word.
    """
    numbered = lives.sort(*LOG_KEY, "commit_idx", nulls_last=False).with_row_index("life").collect()
    graph = _graph(numbered, fed_edges)
    roots = numbered.group_by(LOG_KEY, maintain_order=True).last()
    slices = _slices(graph, roots["life"].to_numpy().astype(np.int64), max_lives, max_depth)
    logs_with_reads = (
        timelines.filter(pl.col("kind") == MomentKind.READ)
        .select("run_id", "scope", reads_recorded=pl.lit(value=True))
        .unique()
    )
    return (
        roots.lazy()
        .with_columns(
            pl.Series("reached_lives", slices.lives),
            pl.Series("fed", slices.fed),
            pl.Series("fed_by_stage", slices.fed_by_stage),
            pl.Series("stage_edge_seen", slices.stage_edge_seen),
            pl.Series("truncated", slices.truncated),
        )
        .join(logs_with_reads, on=["run_id", "scope"], how="left")
        .with_columns(coverage=_coverage_word(), root_commit_idx="commit_idx")
        .select(Coverages.column_names())
        .pipe(Coverages.cast)
    )


def _coverage_word() -> pl.Expr:
    return (
        pl.when(pl.col("reads_recorded").is_null())
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

    lives: Ints
    fed: Bools
    fed_by_stage: Bools
    stage_edge_seen: Bools
    truncated: Bools


def _graph(numbered: pl.DataFrame, fed_edges: pl.LazyFrame) -> _Graph:
    """Edges between numbered lives, in order of the reader and of its first touch of the written key."""
    life = numbered.lazy().select(*LOG_KEY, "commit_idx", pl.col("life").cast(pl.Int64))
    edges = (
        fed_edges.join(
            life.rename({"key": "from_key", "commit_idx": "from_commit_idx", "life": "parent"}),
            on=["run_id", "scope", "from_key", "from_commit_idx"],
            nulls_equal=True,
        )
        .join(
            life.rename({"key": "to_key", "commit_idx": "to_commit_idx", "life": "child"}),
            on=["run_id", "scope", "to_key", "to_commit_idx"],
        )
        .select("parent", "child", "to_commit_idx", "to_position", by_stage=pl.col("basis") == Basis.STAGE)
        .sort("parent", "to_commit_idx", "to_position")
        .collect()
    )
    outgoing = np.bincount(edges["parent"].to_numpy(), minlength=numbered.height)
    return _Graph(
        starts=np.concatenate([[0], np.cumsum(outgoing)]).astype(np.int64),
        children=edges["child"].to_numpy(),
        by_stage=edges["by_stage"].to_numpy(),
        was_read=(numbered["readers"].list.len() > 0).to_numpy(),
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
    known = root * width + life
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
    return np.append(known, -1)[at] == pairs


def _first_occurrences(pairs: Ints, wanted: Bools) -> Ints:
    """Positions of the wanted pairs, each distinct pair once, at its first place."""
    places = np.flatnonzero(wanted)
    _, first = np.unique(pairs[places], return_index=True)
    return places[np.sort(first)]


def _rank_within(roots: Ints) -> Ints:
    """0, 1, 2 ... within each run of equal roots."""
    begins = np.flatnonzero(np.diff(roots, prepend=-1))
    return np.arange(len(roots)) - np.repeat(begins, np.diff(begins, append=len(roots)))
