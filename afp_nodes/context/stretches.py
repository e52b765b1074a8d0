"""Stretches: which rows of a record belong to which model call. Rule: product contract, section 9."""

import polars as pl

from afp_nodes.addresses import OWN_LOG
from afp_nodes.event_payloads import PAUSE_RESUME, RUN_CONFIGURED, TURN_START

LEG_STARTS = (RUN_CONFIGURED, TURN_START, PAUSE_RESUME)
"""Events that open a leg: whatever was composed in it comes after them."""
MEMORY_READ = r"(?:^|/)sf-memory-read-([^/#]*)"
"""The step that reads a memory, in the id of a stage or of a step inside it; it ends with the memory's own id."""


def of_turn(model_calls: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Rows of events with each standing `call` of the same turn that started after them."""
    return (
        model_calls.filter("stands")
        .select("run_id", "call", "start_event_idx", "turn_start")
        .join(rows.drop("call", strict=False), on="run_id")
        .filter(pl.col("event_idx").is_between("turn_start", "start_event_idx", closed="none"))
    )


def is_before_call(log: pl.Expr, commit_idx: str, number: str) -> pl.Expr:
    """Whether a commit of a log lies before the call of its row.

    Its place decides in the call's own log, and in the run's log against the call's mount; elsewhere the number that
    counts executions. The state a leg began with stands before all commits. The row brings the call's `scope`,
    `call_commit_idx`, `own_commit_idx` and `call_number`.
    """
    place, scope = pl.col(commit_idx), pl.col("scope")
    in_own = pl.col("own_commit_idx").is_null() | (place < pl.col("own_commit_idx"))
    return (
        pl.when(place < 0)
        .then(pl.lit(value=True))
        .when(log == scope)
        .then(place < pl.col("call_commit_idx"))
        .when(scope.is_not_null() & (log == OWN_LOG))
        .then(in_own)
        .otherwise(pl.col(number) < pl.col("call_number"))
        .fill_null(value=False)
    )


def kept_heads(events: pl.LazyFrame, run_records: pl.LazyFrame) -> pl.LazyFrame:
    """What is known of the beginning of each run's events, and whether the leg goes on another.

    Where the record does not say whether events were dropped, the configuration tells: a leg begins with it.
    """
    opened = (
        events.filter(pl.col("own"), pl.col("payload_json").is_not_null(), pl.col("type").is_in(LEG_STARTS))
        .group_by("run_id")
        .agg(
            opened_at=pl.col("event_idx").min(),
            is_configured=(pl.col("type") == RUN_CONFIGURED).any(),
            has_turn=(pl.col("type") == TURN_START).any(),
        )
    )
    nothing_dropped = (pl.col("dropped_events") == 0) | (pl.col("first_retained_event_index") == 0)
    not_said = pl.col("dropped_events").is_null() & pl.col("is_configured").fill_null(value=False)
    return (
        run_records.join(opened, on="run_id", how="left")
        .with_columns(nothing_dropped=nothing_dropped.fill_null(value=False))
        .with_columns(
            keeps_head=(pl.col("nothing_dropped") | not_said) & pl.col("events").is_not_null(),
            goes_on=pl.col("resumed_leg").fill_null(value=True) | ~pl.col("has_turn").fill_null(value=False),
        )
        .select("run_id", "opened_at", "nothing_dropped", "keeps_head", "goes_on")
    )


def memory_of(step: str) -> pl.Expr:
    """The memory that a step, or a step inside it, reads; NULL for any other step."""
    return pl.col(step).cast(pl.String).str.extract(MEMORY_READ)
