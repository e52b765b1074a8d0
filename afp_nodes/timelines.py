"""Timelines: every write and every recorded read of every state key, in log order.

Rule: record format, sections 13 and 16.
"""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import LOG_KEY, LOG_POSITION, LOG_STEP, NAME, first_row_of, numbered
from afp_nodes.schemas import LocatedCommits, Moments, Reads, SuspectWrites, Timelines, Writes
from afp_nodes.words import MomentKind

WRITTEN = ["verb", "read_keys", "touch"]
"""What only a write has."""
WRITE, READ = (pl.lit(kind, pl.Enum(MomentKind)) for kind in (MomentKind.WRITE, MomentKind.READ))


def timelines(
    located_commits: dy.LazyFrame[LocatedCommits], writes: dy.LazyFrame[Writes], reads: dy.LazyFrame[Reads]
) -> dy.LazyFrame[Timelines]:
    """One row per moment of a variable, in its order of life.

    A step that commits several times reads at each of its commits; reads of a step that never commits are
    invisible. At one commit the read comes before the write, so what a read saw is the last strictly earlier write.
    A life begins at a write, or at a first read from before the run; the reads that follow belong to it.
    """
    read = (
        reads.filter(pl.col("position").is_not_null())
        .select(*LOG_STEP, "key")
        .join(located_commits, on=LOG_STEP)
        .with_columns(
            verb=pl.lit(None, NAME),
            read_keys=pl.lit(None, pl.List(pl.String)),
            touch=pl.lit(None, pl.Int64),
            written=pl.lit(value=False),
        )
    )
    written = (
        writes.select(*LOG_POSITION, "key", "verb", "read_keys", touch="position")
        .join(located_commits, on=LOG_POSITION)
        .with_columns(written=pl.lit(value=True))
    )
    columns = [*LocatedCommits.column_names(), "key", "written", *WRITTEN]
    return (
        pl.concat([read.select(columns), written.select(columns)])
        .with_columns(variable=numbered(LOG_KEY))
        .sort(_place_in_chunk())
        .with_columns(first_row=first_row_of("variable"))
        .with_columns(
            position=pl.int_range(pl.len()) - pl.col("first_row"),
            life=(pl.col("written") | (pl.col("first_row") == pl.int_range(pl.len()))).cast(pl.Int64).cum_sum() - 1,
            kind=pl.when("written").then(WRITE).otherwise(READ),
            from_write_idx=pl.when(~pl.col("written")).then(_last_write_so_far()),
        )
        .select(Timelines.column_names())
        .pipe(Timelines.cast)
    )


def moments(timelines: dy.LazyFrame[Timelines], suspect_writes: dy.LazyFrame[SuspectWrites]) -> dy.LazyFrame[Moments]:
    """One row per moment of a variable, with its loop and the first suspect a write introduced."""
    first_suspects = suspect_writes.filter(pl.col("suspect_rank") == 0)
    introduced = (
        timelines.filter(pl.col("kind") == MomentKind.WRITE)
        .join(first_suspects, left_on=[*LOG_KEY, "runtime_stage_id"], right_on=[*LOG_KEY, "writer_id"])
        .select("life", "suspect_kind", "suspect_id")
    )
    is_write = pl.col("kind") == MomentKind.WRITE
    return (
        timelines.drop("variable", "read_keys", "touch")
        .join(introduced, on="life", how="left", maintain_order="left")
        .with_columns(pl.when(is_write).then(pl.col("suspect_kind", "suspect_id")))
        .select(Moments.column_names())
        .pipe(Moments.cast)
    )


def _place_in_chunk() -> pl.Expr:
    """Variable, commit, and the read before the write, as one number: quicker to sort by than three columns."""
    return pl.col("variable") * 2**32 + pl.col("commit_idx") * 2 + pl.col("written").cast(pl.Int64)


def _last_write_so_far() -> pl.Expr:
    """Commit of the last write in the same life up to this row; NULL before the first."""
    row = pl.when("written").then(pl.int_range(pl.len())).forward_fill()
    commit = pl.when("written").then("commit_idx").forward_fill()
    return pl.when(row >= pl.col("first_row")).then(commit)
