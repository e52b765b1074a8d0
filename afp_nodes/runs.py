"""Runs: what each recording says about itself, with the size and shape of its log."""

import hashlib

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Commits, Loops, Reads, RunRecords, Runs, Scopes, States
from afp_nodes.words import Chart, StateKind


def runs(
    run_records: dy.LazyFrame[RunRecords],
    commits: dy.LazyFrame[Commits],
    reads: dy.LazyFrame[Reads],
    call_mounts: dy.LazyFrame[Scopes],
    loops: dy.LazyFrame[Loops],
    states: dy.LazyFrame[States],
) -> dy.LazyFrame[Runs]:
    """One row per run.

    A run with `sf-llm-call` mounts is `grouped`, any other with a commit is `flat`; without either there is no
    chart to speak of.
    """
    own_log = pl.col("scope") == ""
    hashes = _state_hashes(states)
    return (
        run_records.join(_count(commits.filter(own_log), "commits"), on="run_id", how="left")
        .join(_count(loops, "loops"), on="run_id", how="left")
        .join(_count(reads.filter(own_log), "own_reads"), on="run_id", how="left")
        .join(_count(call_mounts, "mounts"), on="run_id", how="left")
        .join(hashes.filter(pl.col("which") == StateKind.INITIAL), on="run_id", how="left")
        .join(hashes.filter(pl.col("which") == StateKind.SHARED), on="run_id", how="left", suffix="_shared")
        .rename({"sha256": "initial_state_sha256", "sha256_shared": "shared_state_sha256"})
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


def _state_hashes(states: pl.LazyFrame) -> pl.LazyFrame:
    """The hash of each state object, as text."""

    def sha256(texts: pl.Series) -> pl.Series:
        return pl.Series([hashlib.sha256(text.encode()).hexdigest() for text in texts], dtype=pl.String)

    hashed = pl.col("state_json").map_batches(sha256, return_dtype=pl.String, is_elementwise=True)
    return states.select("run_id", "which", sha256=hashed)


def _count(rows: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Rows of each run."""
    return rows.group_by("run_id").agg(pl.len().cast(pl.Int64).alias(name))
