"""Context sources: the values each loop's model call drew on, and who committed them.

Rule: record format, sections 9, 11 and 16.
"""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import LOG_KEY, LOG_STEP, NAME
from afp_nodes.classifier import TOOL_RESULT
from afp_nodes.schemas import (
    Commits,
    ContextSources,
    FoldedValues,
    FoldPoints,
    LoopFrames,
    Reads,
    Scopes,
    SourceWriters,
    StepWrites,
    ValueIndex,
    Writes,
)

CALL = ["run_id", "loop_index", "scope", "llm_commit_idx"]
"""One model call, and where its log stands at it."""


def source_writers(
    loop_frames: dy.LazyFrame[LoopFrames],
    reads: dy.LazyFrame[Reads],
    writes: dy.LazyFrame[Writes],
    commits: dy.LazyFrame[Commits],
    call_mounts: dy.LazyFrame[Scopes],
) -> dy.LazyFrame[SourceWriters]:
    """One row per key a loop's call could draw on, with who last wrote it before the call.

    The keys are those the call's step read, in recorded order. In a flat run the tool result that stood before the
    call comes last, read or not. The position a value is folded at is the last commit of the writer's id, which
    may come after the call: so does the reference.
    """
    calls = loop_frames.filter(pl.col("llm_call_id").is_not_null())
    read = _read_keys(calls, reads)
    tool_results = _tool_result_keys(calls.join(call_mounts, on="run_id", how="anti"), read)
    last_commits = commits.group_by(LOG_STEP).agg(fold_commit_idx=pl.col("commit_idx").max())
    return (
        pl.concat([read, tool_results])
        .sort("llm_commit_idx")
        .join_asof(
            writes.select(*LOG_STEP, "key", "commit_idx").sort("commit_idx"),
            left_on="llm_commit_idx",
            right_on="commit_idx",
            by=LOG_KEY,
            strategy="backward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .filter(~pl.col("proximate") | pl.col("runtime_stage_id").is_not_null())
        .join(last_commits, on=LOG_STEP, how="left")
        .rename({"runtime_stage_id": "writer_id"})
        .sort("run_id", "loop_index", "position")
        .select(SourceWriters.column_names())
        .pipe(SourceWriters.cast)
    )


def _read_keys(calls: pl.LazyFrame, reads: pl.LazyFrame) -> pl.LazyFrame:
    """The keys that each call's step read, in the first-wins reading."""
    return calls.join(
        reads.filter(pl.col("first_position").is_not_null()),
        left_on=["run_id", "scope", "llm_call_id"],
        right_on=LOG_STEP,
    ).select(*CALL, "key", position="first_position", proximate=pl.lit(value=False))


def _tool_result_keys(calls: pl.LazyFrame, read: pl.LazyFrame) -> pl.LazyFrame:
    """The tool result before each call, placed behind the keys the call read."""
    counts = read.group_by("run_id", "loop_index").agg(position=pl.len().cast(pl.Int64))
    return calls.join(counts, on=["run_id", "loop_index"], how="left").select(
        *CALL, key=pl.lit(TOOL_RESULT, NAME), position=pl.col("position").fill_null(0), proximate=pl.lit(value=True)
    )


def fold_points(
    source_writers: dy.LazyFrame[SourceWriters], step_writes: dy.LazyFrame[StepWrites]
) -> dy.LazyFrame[FoldPoints]:
    """One row per key and position whose value some loop needs."""
    columns = FoldPoints.column_names()
    return (
        pl.concat([source_writers.drop_nulls("fold_commit_idx").select(columns), step_writes.select(columns)])
        .unique()
        .pipe(FoldPoints.cast)
    )


def context_sources(
    source_writers: dy.LazyFrame[SourceWriters], folded_values: dy.LazyFrame[FoldedValues]
) -> dy.LazyFrame[ContextSources]:
    """One row per value a loop's model call drew on.

    A key nobody wrote before the call has a row without writer and value: it came from before the run, or from
    nowhere. The proximate row is there only when a tool result stood before the call.
    """
    return (
        _valued(source_writers, folded_values)
        .with_columns(writer_commit_idx=pl.when(~pl.col("proximate")).then("fold_commit_idx"))
        .select(ContextSources.column_names())
        .pipe(ContextSources.cast)
    )


def value_index(
    source_writers: dy.LazyFrame[SourceWriters], folded_values: dy.LazyFrame[FoldedValues]
) -> dy.LazyFrame[ValueIndex]:
    """One row per key and writer that some loop drew on, with the value the first such loop saw."""
    return (
        _valued(source_writers, folded_values)
        .filter(pl.col("writer_id").is_not_null())
        .sort("run_id", "loop_index", "position")
        .unique(["run_id", "key", "writer_id"], keep="first", maintain_order=True)
        .select(ValueIndex.column_names())
        .pipe(ValueIndex.cast)
    )


def _valued(source_writers: pl.LazyFrame, folded_values: pl.LazyFrame) -> pl.LazyFrame:
    """Sources with their values; a proximate tool result that is absent is no source."""
    return source_writers.join(
        folded_values, on=["run_id", "scope", "key", "fold_commit_idx"], how="left", maintain_order="left"
    ).filter(~pl.col("proximate") | pl.col("value_json").is_not_null())
