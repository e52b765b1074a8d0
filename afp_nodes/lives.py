"""Lives: what each written value was read by, and what it fed. Rule: record format, section 14."""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import LOG_POSITION
from afp_nodes.schemas import FedEdges, FedLives, LifeSpans, Lives, Timelines
from afp_nodes.words import Basis, MomentKind


def life_spans(timelines: dy.LazyFrame[Timelines]) -> dy.LazyFrame[LifeSpans]:
    """One row per life of a variable: from a write to the next, and from before the run where that was read.

    A read at the commit that begins a life belongs to the life before; one at the commit that ends it still sees
    this one.
    """
    is_read = pl.col("kind") == MomentKind.READ
    follows = pl.col("variable") == pl.col("variable").shift(-1)
    return (
        timelines.group_by("life", maintain_order=True)
        .agg(
            pl.col("variable", "run_id", "scope", "key").first(),
            commit_idx=pl.when(~is_read).then("commit_idx").first(),
            readers=pl.col("commit_idx").filter(is_read),
        )
        .with_columns(next_commit_idx=pl.when(follows).then(pl.col("commit_idx").shift(-1)))
        .select(LifeSpans.column_names())
        .pipe(LifeSpans.cast)
    )


def lives(life_spans: dy.LazyFrame[LifeSpans]) -> dy.LazyFrame[Lives]:
    """One row per life of a variable."""
    return life_spans.select(Lives.column_names()).pipe(Lives.cast)


def fed_lives(timelines: dy.LazyFrame[Timelines]) -> dy.LazyFrame[FedLives]:
    """One row per pair of lives of which one fed the other: some commit read the first and wrote the second.

    Where the write lists what was read before it, the list decides and the edge is `per-write`; a write without a
    list may rest on anything its step read: `stage`.
    """
    is_read = pl.col("kind") == MomentKind.READ
    unlisted = pl.col("read_keys").is_null()
    return (
        timelines.filter(is_read)
        .select(*LOG_POSITION, "key", from_life="life")
        .join(
            timelines.filter(~is_read).select(*LOG_POSITION, "read_keys", "touch", to_life="life"),
            on=LOG_POSITION,
            maintain_order="left",
        )
        .filter(unlisted | pl.col("read_keys").list.contains(pl.col("key").cast(pl.String)))
        .with_columns(
            to_commit_idx="commit_idx",
            basis=pl.when(unlisted).then(pl.lit(Basis.STAGE)).otherwise(pl.lit(Basis.PER_WRITE)),
        )
        .select(FedLives.column_names())
        .pipe(FedLives.cast)
    )


def fed_edges(fed_lives: dy.LazyFrame[FedLives], life_spans: dy.LazyFrame[LifeSpans]) -> dy.LazyFrame[FedEdges]:
    """One row per pair of lives of which one fed the other, by name and place."""
    spans = life_spans.select("life", "run_id", "scope", "key", "commit_idx")
    return (
        fed_lives.join(
            spans.rename({"life": "from_life", "key": "from_key", "commit_idx": "from_commit_idx"}),
            on="from_life",
            maintain_order="left",
        )
        .join(spans.select(to_life="life", to_key="key"), on="to_life", maintain_order="left")
        .select(FedEdges.column_names())
        .pipe(FedEdges.cast)
    )
