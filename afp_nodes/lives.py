"""Lives: what each written value was read by, and what it fed. Rule: record format, section 14."""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import LOG_KEY
from afp_nodes.schemas import FedEdges, Lives, Timelines, Writes
from afp_nodes.words import Basis, MomentKind



def lives(timelines: dy.LazyFrame[Timelines]) -> dy.LazyFrame[Lives]:
    """One row per life of a variable: from a write to the next, and from before the run where that was read.

    A read at the commit that begins a life belongs to the life before; one at the commit that ends it still sees
    this one.
    """
    is_write = pl.col("kind") == MomentKind.WRITE
    written = (
        timelines.filter(is_write)
        .sort(*LOG_KEY, "commit_idx")
        .select(*LOG_KEY, "commit_idx", next_commit_idx=pl.col("commit_idx").shift(-1).over(LOG_KEY))
    )
    readers = (
        timelines.filter(~is_write)
        .group_by(*LOG_KEY, commit_idx="from_write_idx")
        .agg(readers=pl.col("commit_idx").sort())
    )
    first_writes = written.group_by(LOG_KEY).agg(next_commit_idx=pl.col("commit_idx").min())
    from_before = readers.filter(pl.col("commit_idx").is_null()).join(first_writes, on=LOG_KEY, how="left")
    begun = written.join(readers, on=[*LOG_KEY, "commit_idx"], how="left").with_columns(
        pl.col("readers").fill_null(pl.lit([], pl.List(pl.Int64)))
    )
    columns = Lives.column_names()
    return pl.concat([from_before.select(columns), begun.select(columns)]).pipe(Lives.cast)


def fed_edges(timelines: dy.LazyFrame[Timelines], writes: dy.LazyFrame[Writes]) -> dy.LazyFrame[FedEdges]:
    """One row per pair of lives of which one fed the other: some commit read the first and wrote the second.

    Where the write lists what was read before it, the list decides and the edge is `per-write`; a write without a
    list may rest on anything its step read: `stage`.
    """
    lists_key = pl.col("read_keys").list.contains(pl.col("from_key"))
    return (
        timelines.filter(pl.col("kind") == MomentKind.READ)
        .select(
            "run_id", "scope", "commit_idx", from_key="key", from_commit_idx="from_write_idx"
        )
        .join(
            writes.select("run_id", "scope", "commit_idx", "read_keys", to_key="key", to_position="position"),
            on=["run_id", "scope", "commit_idx"],
        )
        .filter(pl.col("read_keys").is_null() | lists_key)
        .with_columns(
            basis=pl.when(pl.col("read_keys").is_null()).then(pl.lit(Basis.STAGE)).otherwise(pl.lit(Basis.PER_WRITE)),
        )
        .rename({"commit_idx": "to_commit_idx"})
        .select(FedEdges.column_names())
        .pipe(FedEdges.cast)
    )
