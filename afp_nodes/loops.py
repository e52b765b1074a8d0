"""Loops: which commits make up each ReAct iteration, and what its model call wrote.

A run whose record holds `sf-llm-call` mounts is *grouped*: each mount is a loop, cut from its own log. Any other
run is *flat*: its own log is cut where it enters the injection engine. Rule: record format, sections 10 and 11.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import LOG_STEP, NAME, OWN_LOG, is_model_call
from afp_nodes.distinct import mapped_once
from afp_nodes.schemas import (
    Commits,
    FoldedValues,
    FrameCommits,
    LocatedCommits,
    LoopFrames,
    Loops,
    Scopes,
    StepTexts,
    StepWrites,
    WriterFrames,
    Writes,
)

ENGINE = "sf-injection-engine"
STEP_TEXT_UNITS = 2000
"""UTF-16 code units of a step's text that are kept."""


def frame_commits(commits: dy.LazyFrame[Commits], call_mounts: dy.LazyFrame[Scopes]) -> dy.LazyFrame[FrameCommits]:
    """One row per commit that lies in a loop's body.

    What a flat run commits before its first loop is prelude and has no row. A loop opens at the first commit that
    carries the id of a head, even where that commit itself is no head; each id opens at most once.
    """
    flat = (
        commits.filter(pl.col("scope") == "")
        .join(call_mounts, on="run_id", how="anti")
        .with_columns(is_head=_enters_engine())
        .with_columns(opens=_opens_a_loop())
        .with_columns(loop_index=pl.col("opens").cast(pl.Int64).cum_sum().over("run_id", order_by="commit_idx") - 1)
        .filter(pl.col("loop_index") >= 0)
    )
    grouped = commits.join(call_mounts.select("run_id", "scope", loop_index=pl.col("position")), on=["run_id", "scope"])
    columns = FrameCommits.column_names()
    return pl.concat([flat.select(columns), grouped.select(columns)]).pipe(FrameCommits.cast)


def call_mounts(scopes: dy.LazyFrame[Scopes]) -> dy.LazyFrame[Scopes]:
    """One row per loop of a grouped run: its `sf-llm-call` mount, with `position` counting the loops from 0.

    Mounts go by the number after their last `#`; equal numbers, and mounts without one, keep the recorded order.
    """
    return (
        scopes.filter(pl.col("is_call_mount"))
        .sort("run_id", "mount_number", "position", nulls_last=True)
        .with_columns(position=pl.int_range(pl.len()).over("run_id"))
        .pipe(Scopes.cast)
    )


def loop_frames(
    frame_commits: dy.LazyFrame[FrameCommits], call_mounts: dy.LazyFrame[Scopes]
) -> dy.LazyFrame[LoopFrames]:
    """One row per loop, with its head, its model call and the steps of its body.

    The call is the first commit of the body whose stage is `call-llm`; a loop may have none. A mount without a log
    is a loop with an empty body.
    """
    is_call = is_model_call()
    bodies = (
        frame_commits.sort("run_id", "loop_index", "commit_idx")
        .group_by("run_id", "loop_index", "scope", maintain_order=True)
        .agg(
            head_commit_idx=pl.col("commit_idx").first(),
            llm_call_id=pl.col("runtime_stage_id").filter(is_call).first(),
            llm_commit_idx=pl.col("commit_idx").filter(is_call).first(),
            body_ids=pl.col("runtime_stage_id").cast(pl.String),
            incomplete_sources=pl.col("untracked_sources").filter(is_call).first(),
        )
        .with_columns(
            incomplete_sources=pl.when(pl.col("incomplete_sources").list.len() > 0).then("incomplete_sources")
        )
    )
    empty = call_mounts.join(bodies, on=["run_id", "scope"], how="anti").select(
        "run_id",
        "scope",
        loop_index="position",
        head_commit_idx=pl.lit(0, pl.Int64),
        llm_call_id=pl.lit(None, NAME),
        llm_commit_idx=pl.lit(None, pl.Int64),
        body_ids=pl.lit([], pl.List(pl.String)),
        incomplete_sources=pl.lit(None, pl.List(pl.String)),
    )
    columns = LoopFrames.column_names()
    return pl.concat([bodies.select(columns), empty.select(columns)]).pipe(LoopFrames.cast)


def writer_frames(frame_commits: dy.LazyFrame[FrameCommits]) -> dy.LazyFrame[WriterFrames]:
    """One row per execution step that a loop's body holds, with the first such loop.

    In a grouped run the steps are those of the mounts' own logs.
    """
    return (
        frame_commits.group_by("run_id", "runtime_stage_id")
        .agg(frame_idx=pl.col("loop_index").min())
        .with_columns(loop_index="frame_idx")
        .pipe(WriterFrames.cast)
    )


def located_commits(
    commits: dy.LazyFrame[Commits],
    writer_frames: dy.LazyFrame[WriterFrames],
    frame_commits: dy.LazyFrame[FrameCommits],
) -> dy.LazyFrame[LocatedCommits]:
    """One row per commit, with the loop its step lies in.

    In the run's own log that is the first loop whose body holds the step, so a step that commits again later stays
    with it. In a mount that is a loop every commit lies in that loop. Other inner scopes have no loops.
    """
    own = writer_frames.select("run_id", "runtime_stage_id", "loop_index", scope=OWN_LOG)
    columns = [*LOG_STEP, "loop_index"]
    mounted = frame_commits.filter(pl.col("scope") != "").select(columns).unique()
    return (
        commits.join(pl.concat([own.select(columns), mounted]), on=LOG_STEP, how="left", maintain_order="left")
        .select(LocatedCommits.column_names())
        .pipe(LocatedCommits.cast)
    )


def step_writes(
    loop_frames: dy.LazyFrame[LoopFrames], writes: dy.LazyFrame[Writes], commits: dy.LazyFrame[Commits]
) -> dy.LazyFrame[StepWrites]:
    """One row per key that the step of a loop's model call wrote, in the order of first touch.

    All commits that carry the call's id count, also those of other loops; the value wanted is the one after the
    last of them.
    """
    calls = loop_frames.filter(pl.col("llm_call_id").is_not_null()).select(
        "run_id", "loop_index", "scope", runtime_stage_id="llm_call_id"
    )
    last = (
        commits.join(calls, on=LOG_STEP, how="semi").group_by(LOG_STEP).agg(fold_commit_idx=pl.col("commit_idx").max())
    )
    return (
        calls.join(last, on=LOG_STEP)
        .join(writes.select(*LOG_STEP, "commit_idx", "key", "position"), on=LOG_STEP)
        .sort("run_id", "loop_index", "commit_idx", "position")
        .unique(["run_id", "loop_index", "key"], keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()).over("run_id", "loop_index"))
        .select(StepWrites.column_names())
        .pipe(StepWrites.cast)
    )


def step_texts(
    step_writes: dy.LazyFrame[StepWrites], folded_values: dy.LazyFrame[FoldedValues]
) -> dy.LazyFrame[StepTexts]:
    """One row per loop whose model call wrote something: `path=JSON` a line, cut at 2,000 UTF-16 code units.

    The JSON is JavaScript's own; an absent value reads `undefined`. A cut inside a surrogate pair leaves U+FFFD.
    """
    stringified = pl.col("value_json").map_batches(
        lambda texts: mapped_once(texts, _javascript_json), return_dtype=pl.String
    )
    text = pl.col("line").str.join("\n")
    return (
        step_writes.join(folded_values, on=["run_id", "scope", "key", "fold_commit_idx"], how="left")
        .with_columns(line=pl.concat_str("key", pl.lit("="), stringified.fill_null("undefined")))
        .sort("run_id", "loop_index", "position")
        .group_by("run_id", "loop_index", maintain_order=True)
        .agg(text)
        .select(
            "run_id",
            "loop_index",
            intermediate_text=pl.col("line").map_batches(
                lambda texts: mapped_once(texts, _cut_step_text), return_dtype=pl.String
            ),
        )
        .pipe(StepTexts.cast)
    )


def loops(loop_frames: dy.LazyFrame[LoopFrames], step_texts: dy.LazyFrame[StepTexts]) -> dy.LazyFrame[Loops]:
    """One row per ReAct iteration.

    `untracked_reads_present` says that the call drew on something the record does not hold.
    """
    return (
        loop_frames.join(step_texts, on=["run_id", "loop_index"], how="left")
        .with_columns(untracked_reads_present=pl.col("incomplete_sources").is_not_null())
        .select(Loops.column_names())
        .pipe(Loops.cast)
    )


def _enters_engine() -> pl.Expr:
    """The commit is in the injection engine and the one before it in its log is not.

    In the engine: the stage's local name is the engine's, or its path starts with it.
    """
    stage = pl.col("stage_id")
    inside = (stage == ENGINE) | stage.cat.ends_with(f"/{ENGINE}") | stage.cat.starts_with(f"{ENGINE}/")
    return inside & ~inside.shift(1, fill_value=False).over("run_id", order_by="commit_idx")


def _opens_a_loop() -> pl.Expr:
    """The commit is the first of its run to carry the id of a head."""
    step = ["run_id", "runtime_stage_id"]
    return pl.col("is_head").any().over(step) & (pl.col("commit_idx") == pl.col("commit_idx").min().over(step))


def _javascript_json(text: str) -> str:
    return javascript.stringify(javascript.parse(text))


def _cut_step_text(text: str) -> str:
    return javascript.cut_utf16(text, STEP_TEXT_UNITS)
