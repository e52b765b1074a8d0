"""Model calls: each call of a run as its events and its log show it, and what is known of the beginning of its events.

Rule: product contract, section 9.
"""

from typing import Any

import dataframely as dy
import polars as pl
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.addresses import LOG_STEP, execution_number, is_model_call
from afp_nodes.context.begun import ITERATION
from afp_nodes.context.contents import object_reader
from afp_nodes.context.stretches import kept_heads
from afp_nodes.distinct import read_once
from afp_nodes.event_payloads import LLM_START, TURN_START
from afp_nodes.schemas import BegunValues, Commits, EventHeads, Events, ModelCalls, RunRecords, RunStages, Scopes

LARGEST = 2**53


class _Started(Struct):
    iteration: Any = None


def run_stages(commits: dy.LazyFrame[Commits]) -> dy.LazyFrame[RunStages]:
    """One row per run and stage that commits in one of its logs."""
    return commits.select("run_id", "stage_id").unique().pipe(RunStages.cast)


def event_heads(
    events: dy.LazyFrame[Events], run_records: dy.LazyFrame[RunRecords], run_stages: dy.LazyFrame[RunStages]
) -> dy.LazyFrame[EventHeads]:
    """One row per run: how much of the beginning of its events is known to be there.

    Where it may be lost, or lies in another leg, what the events show nowhere may still have been there; so may what
    the whole record shows nowhere, if there is no log.
    """
    logged = run_stages.select("run_id", is_logged=pl.lit(value=True)).unique()
    return (
        kept_heads(events, run_records)
        .join(logged, on="run_id", how="left")
        .with_columns(events_may_hide=~pl.col("keeps_head") | pl.col("goes_on"))
        .with_columns(may_hide=pl.col("events_may_hide") & pl.col("is_logged").is_null())
        .select(EventHeads.column_names())
        .pipe(EventHeads.cast)
    )


def model_calls(
    events: dy.LazyFrame[Events],
    event_heads: dy.LazyFrame[EventHeads],
    commits: dy.LazyFrame[Commits],
    call_mounts: dy.LazyFrame[Scopes],
    begun_values: dy.LazyFrame[BegunValues],
) -> dy.LazyFrame[ModelCalls]:
    """One row per model call, in the order of execution.

    What an event starts and a log commits are one call when they name one step; of several logs that commit a step,
    the first shows the call of the event, and each other one a call of its own.
    """
    begun = begun_values.filter(pl.col("key") == ITERATION).select("run_id", begun=_whole("value_json"))
    ordinal = pl.int_range(1, pl.len() + 1).over("run_id") + pl.col("begun").fill_null(0)
    is_whole = ~pl.col("is_first") | pl.col("nothing_dropped") | (pl.col("opened_at") < pl.col("start_event_idx"))
    return (
        _started_calls(events)
        .join(_logged_calls(commits, call_mounts), on=["run_id", "runtime_stage_id", "nth"], how="full", coalesce=True)
        .join(event_heads, on="run_id", how="left")
        .join(begun, on="run_id", how="left")
        .with_columns(number=execution_number("runtime_stage_id"))
        .sort("run_id", "number", "start_event_idx", "place", "commit_idx", nulls_last=True)
        .with_columns(
            call=pl.int_range(pl.len()),
            iteration=pl.coalesce("stated_iteration", ordinal),
            is_whole=is_whole.fill_null(value=False),
        )
        .with_columns(stands=pl.col("call") == pl.col("call").max().over("run_id", "iteration"))
        .select(ModelCalls.column_names())
        .pipe(ModelCalls.cast)
    )


def _started_calls(events: pl.LazyFrame) -> pl.LazyFrame:
    """The own events that start a call, with the start of their turn."""
    turn_start = pl.when(pl.col("type") == TURN_START).then("event_idx").forward_fill().over("run_id")
    starts = (
        events.filter(
            pl.col("own"), pl.col("payload_json").is_not_null(), pl.col("type").is_in([LLM_START, TURN_START])
        )
        .select("run_id", "runtime_stage_id", "type", "payload_json", "event_idx")
        .sort("run_id", "event_idx")
        .with_columns(turn_start=turn_start.fill_null(-1))
        .filter(pl.col("type") == LLM_START)
    )
    return read_once(starts, "payload_json", _iteration, {"stated_iteration": pl.Int64()}).select(
        "run_id",
        "runtime_stage_id",
        "turn_start",
        "stated_iteration",
        start_event_idx="event_idx",
        is_first=pl.int_range(pl.len()).over("run_id") == 0,
        nth=pl.lit(0, pl.Int64),
    )


_read = object_reader(_Started)


def _iteration(payload: str) -> list[tuple[int | None]]:
    """The iteration a payload states; None where it states no whole number from 1 on."""
    stated = javascript.as_double(_read(payload).iteration)
    return [(int(stated) if stated is not None and 1 <= stated < LARGEST and stated.is_integer() else None,)]


def _whole(column: str) -> pl.Expr:
    """The whole number from 1 on that a JSON text spells; NULL for any other text."""
    number = pl.col(column).cast(pl.Float64, strict=False)
    return pl.when((number >= 1) & (number < LARGEST) & (number == number.floor())).then(number).cast(pl.Int64)


def _logged_calls(commits: pl.LazyFrame, call_mounts: pl.LazyFrame) -> pl.LazyFrame:
    """The first commit of each model call's step, in the run's own log or in a mount that is a loop.

    A call in a mount stands before the mount's own first commit. Logs are in the order of their `place`.
    """
    mounts = call_mounts.select("run_id", "scope", place=pl.col("position"))
    of_mounts = (
        commits.filter(pl.col("scope") == "")
        .join(mounts, left_on=["run_id", "runtime_stage_id"], right_on=["run_id", "scope"], how="semi")
        .group_by("run_id", scope="runtime_stage_id")
        .agg(mount_commit_idx=pl.col("commit_idx").min())
    )
    is_own = pl.col("scope") == ""
    return (
        commits.filter(is_model_call())
        .join(mounts, on=["run_id", "scope"], how="left")
        .filter(is_own | pl.col("place").is_not_null())
        .sort("run_id", "place", "commit_idx", nulls_last=False)
        .unique(LOG_STEP, keep="first", maintain_order=True)
        .join(of_mounts, on=["run_id", "scope"], how="left", maintain_order="left")
        .select(
            *LOG_STEP,
            "commit_idx",
            place=pl.col("place").fill_null(-1),
            own_commit_idx=pl.when(is_own).then("commit_idx").otherwise("mount_commit_idx"),
            nth=pl.int_range(pl.len()).over("run_id", "runtime_stage_id"),
        )
    )
