"""Variables: one line on the life of every state key. Rule: record format, sections 13 to 16."""

from itertools import product

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Coverages, Scopes, Timelines, Variables
from afp_nodes.words import Missing, MomentKind, Note, ReadsKind

NOTED = {
    Note.READS_NOT_RECORDED: "unread_log",
    Note.PRE_RUN_ORIGIN: "reads_from_before",
    Note.CONSERVATIVE_FED_EDGES: "stage_edge_seen",
    Note.TRUNCATED: "truncated",
}
"""Column that says whether a note holds, in the order in which notes stand."""


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
        .with_columns(unread_log=~pl.col("reads_recorded"))
        .join(_note_lists(), on=list(NOTED.values()), maintain_order="left")
        .with_columns(
            missing=pl.lit(None, pl.Enum(Missing)),
            keys_read_kind=pl.when("has_tree").then(pl.lit(ReadsKind.EXECUTION_TREE)).otherwise(pl.lit(ReadsKind.MAP)),
        )
        .select(Variables.column_names())
        .pipe(Variables.cast)
    )


def _note_lists() -> pl.LazyFrame:
    """The list of note codes for every combination of what can be noted."""
    holds = [dict(zip(NOTED.values(), each, strict=True)) for each in product((False, True), repeat=len(NOTED))]
    return pl.LazyFrame([{**row, "notes": [note for note, name in NOTED.items() if row[name]]} for row in holds])
