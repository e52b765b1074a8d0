"""Model calls: each call of a run as its events and its log show it, and the stretch of events it was composed in.

Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import NAME, is_model_call
from afp_nodes.context.stretches import LEG_STARTS
from afp_nodes.distinct import mapped_once
from afp_nodes.schemas import Commits, Events, ModelCalls, RunRecords, Scopes, States, Writes

LLM_START = "agentfootprint.stream.llm_start"
ITERATION = "iteration"


def model_calls(
    events: dy.LazyFrame[Events],
    run_records: dy.LazyFrame[RunRecords],
    commits: dy.LazyFrame[Commits],
    call_mounts: dy.LazyFrame[Scopes],
    writes: dy.LazyFrame[Writes],
    states: dy.LazyFrame[States],
) -> dy.LazyFrame[ModelCalls]:
    """One row per model call, in the order of execution.

    Attempts of one iteration that follow each other are one call: their context was composed once. The events of a
    call's composition lie between the call before and its own start.
    """
    logged = _logged_calls(commits, call_mounts)
    started = _started_calls(events).join(_heads(events, run_records), on="run_id", how="left")
    numbers = _committed_iterations(logged, writes, states)
    return (
        started.join(logged, on=["run_id", "runtime_stage_id"], how="full", coalesce=True)
        .join(numbers, on=["run_id", "scope", "commit_idx"], how="left", nulls_equal=True)
        .sort("run_id", _execution_number(), "start_event_idx", "commit_idx", nulls_last=True)
        .with_columns(call=pl.int_range(pl.len()).over("run_id"))
        .with_columns(iteration=pl.coalesce("stated_iteration", "committed_iteration", pl.col("call") + 1))
        .with_columns(
            stands=pl.col("call") == pl.col("call").max().over("run_id", "iteration"),
            is_whole=pl.when(pl.col("after_event_idx") >= 0).then(pl.lit(value=True)).otherwise(_head_is_kept()),
        )
        .select(ModelCalls.column_names())
        .pipe(ModelCalls.cast)
    )


def _started_calls(events: pl.LazyFrame) -> pl.LazyFrame:
    """The last attempt of each call that an own event starts, and where the call before it started."""
    stated = pl.col("payload_json").map_batches(
        lambda payloads: mapped_once(payloads, _stated_iteration), return_dtype=pl.String
    )
    other = pl.col("stated_iteration").ne_missing(pl.col("stated_iteration").shift(1)).fill_null(value=True)
    first_of_run = pl.col("run_id") != pl.col("run_id").shift(1)
    begins = first_of_run.fill_null(value=True) | other | pl.col("stated_iteration").is_null()
    return (
        events.filter(pl.col("own") & (pl.col("type") == LLM_START) & pl.col("payload_json").is_not_null())
        .sort("run_id", "event_idx")
        .with_columns(stated_iteration=stated.cast(pl.Int64))
        .with_columns(attempts=begins.cum_sum())
        .group_by("run_id", "attempts", maintain_order=True)
        .agg(
            pl.col("runtime_stage_id", "stated_iteration").last(),
            start_event_idx=pl.col("event_idx").last(),
        )
        .with_columns(after_event_idx=pl.col("start_event_idx").shift(1, fill_value=-1).over("run_id"))
        .drop("attempts")
    )


def _stated_iteration(payload: str) -> str | None:
    """The iteration a payload states, as digits; None where it states no whole number from 1 on."""
    stated = javascript.parse(payload).get(ITERATION)
    return _whole(stated)


def _whole(value: object) -> str | None:
    if not javascript.is_number(value) or not isinstance(value, int | float):
        return None
    return str(int(value)) if 1 <= value < 2**53 and value == int(value) else None


def _heads(events: pl.LazyFrame, run_records: pl.LazyFrame) -> pl.LazyFrame:
    """Whether the record says that no event was dropped, and the first own event that opens a leg."""
    opened = (
        events.filter(pl.col("own") & pl.col("type").is_in(LEG_STARTS))
        .group_by("run_id")
        .agg(opened_at=pl.col("event_idx").min())
    )
    nothing_dropped = (pl.col("dropped_events") == 0) | (pl.col("first_retained_event_index") == 0)
    return run_records.select("run_id", nothing_dropped=nothing_dropped.fill_null(value=False)).join(
        opened, on="run_id", how="left"
    )


def _head_is_kept() -> pl.Expr:
    """Whether the events before the run's first start are all there."""
    opened_before = (pl.col("opened_at") < pl.col("start_event_idx")).fill_null(value=False)
    return (pl.col("nothing_dropped") | opened_before).fill_null(value=False)


def _logged_calls(commits: pl.LazyFrame, call_mounts: pl.LazyFrame) -> pl.LazyFrame:
    """The first commit of each model call's step, in the run's own log or in a mount that is a loop.

    A call in a mount stands before the mount's own first commit.
    """
    own = commits.filter(pl.col("scope") == "")
    mounted = commits.join(call_mounts.select("run_id", "scope"), on=["run_id", "scope"], how="semi")
    mount_commits = own.group_by("run_id", scope="runtime_stage_id").agg(mount_commit_idx=pl.col("commit_idx").min())
    return (
        pl.concat([own, mounted])
        .filter(is_model_call())
        .sort("run_id", "scope", "commit_idx")
        .unique(["run_id", "runtime_stage_id"], keep="first", maintain_order=True)
        .join(mount_commits, on=["run_id", "scope"], how="left")
        .select(
            "run_id",
            "scope",
            "commit_idx",
            "runtime_stage_id",
            own_commit_idx=pl.when(pl.col("scope") == "").then("commit_idx").otherwise("mount_commit_idx"),
        )
    )


def _committed_iterations(logged: pl.LazyFrame, writes: pl.LazyFrame, states: pl.LazyFrame) -> pl.LazyFrame:
    """The iteration that was committed before each logged call, else the one the leg began with."""
    key = pl.lit(ITERATION, NAME)
    committed = writes.filter(pl.col("key") == ITERATION).select("run_id", "scope", "commit_idx", "overwrite_json")
    begun = states.filter(pl.col("which") == "initial").select(
        "run_id",
        begun=pl.col("state_json").map_batches(
            lambda texts: mapped_once(texts, _iteration_of_state), return_dtype=pl.String
        ),
    )
    return (
        logged.with_columns(key=key)
        .sort("commit_idx")
        .join_asof(
            committed.sort("commit_idx"),
            on="commit_idx",
            by=["run_id", "scope"],
            strategy="backward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .join(begun, on="run_id", how="left")
        .select(
            "run_id",
            "scope",
            "commit_idx",
            committed_iteration=pl.coalesce(
                pl.col("overwrite_json").str.extract(r"^([1-9][0-9]{0,14})$"),
                pl.when(pl.col("overwrite_json").is_null() & (pl.col("scope") == "")).then("begun"),
            ).cast(pl.Int64),
        )
    )


def _iteration_of_state(state: str) -> str | None:
    return _whole(javascript.parse(state).get(ITERATION)) if f'"{ITERATION}"' in state else None


def _execution_number() -> pl.Expr:
    """The number after the last `#` of the call's step: it counts executions over all logs of a run."""
    return pl.col("runtime_stage_id").cast(pl.String).str.extract(r"#([0-9]{1,15})$").cast(pl.Int64)
