"""Runs: what each recording says about itself, with the size and shape of its log."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Commits, Loops, Reads, RunRecords, Runs, Scopes
from afp_nodes.words import Chart


def runs(
    run_records: dy.LazyFrame[RunRecords],
    commits: dy.LazyFrame[Commits],
    reads: dy.LazyFrame[Reads],
    call_mounts: dy.LazyFrame[Scopes],
    loops: dy.LazyFrame[Loops],
) -> dy.LazyFrame[Runs]:
    """One row per run.

    A run with `sf-llm-call` mounts is `grouped`, any other with a commit is `flat`; without either there is no
    chart to speak of.
    """
    own_log = pl.col("scope") == ""
    return (
        run_records.join(_count(commits.filter(own_log), "commits"), on="run_id", how="left")
        .join(_count(loops, "loops"), on="run_id", how="left")
        .join(_count(reads.filter(own_log), "own_reads"), on="run_id", how="left")
        .join(_count(call_mounts, "mounts"), on="run_id", how="left")
        .with_columns(pl.col("commits", "loops", "own_reads", "mounts").fill_null(0))
        .with_columns(
            chart=pl.when(pl.col("mounts") > 0)
            .then(pl.lit(Chart.GROUPED))
            .when(pl.col("commits") > 0)
            .then(pl.lit(Chart.FLAT))
            .otherwise(pl.lit(Chart.NONE)),
            reads_recorded=pl.col("own_reads") > 0,
        )
        .select(Runs.column_names())
        .pipe(Runs.cast)
    )


def _count(rows: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Rows of each run."""
    return rows.group_by("run_id").agg(pl.len().cast(pl.Int64).alias(name))
