"""Variables: one line on the life of every state key. Rule: record format, sections 13 to 16."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Coverages, Scopes, Timelines, Variables
from afp_nodes.words import Missing, MomentKind, Note, ReadsKind



def variables(
    timelines: dy.LazyFrame[Timelines], coverages: dy.LazyFrame[Coverages], scopes: dy.LazyFrame[Scopes]
) -> dy.LazyFrame[Variables]:
    """One row per state key that a log wrote, or that a step which commits in it read.

    `missing` is NULL for all of them: a key that was never written nor read, or an empty log, has no row.
    """
    is_write = pl.col("kind") == MomentKind.WRITE
    return (
        timelines.group_by("variable", maintain_order=True)
        .agg(
            writes=is_write.sum().cast(pl.Int64),
            reads=(~is_write).sum().cast(pl.Int64),
            reads_from_before=(~is_write & pl.col("from_write_idx").is_null()).any(),
        )
        .join(coverages, on="variable", maintain_order="left")
        .join(scopes, on=["run_id", "scope"], maintain_order="left")
        .with_columns(log_reads=pl.col("reads").sum().over("run_id", "scope"))
        .with_columns(
            missing=pl.lit(None, pl.Enum(Missing)),
            notes=_notes(),
            keys_read_kind=pl.when("has_tree").then(pl.lit(ReadsKind.EXECUTION_TREE)).otherwise(pl.lit(ReadsKind.MAP)),
        )
        .select(Variables.column_names())
        .pipe(Variables.cast)
    )


def _notes() -> pl.Expr:
    """Codes of what a reader must know, in their fixed order."""
    holds = {
        Note.READS_NOT_RECORDED: pl.col("log_reads") == 0,
        Note.PRE_RUN_ORIGIN: pl.col("reads_from_before"),
        Note.CONSERVATIVE_FED_EDGES: pl.col("stage_edge_seen"),
        Note.TRUNCATED: pl.col("truncated"),
    }
    return pl.concat_list([pl.when(holds[note]).then(pl.lit(note)) for note in Note]).list.drop_nulls()
