"""What each run tells its night: how it ended, where its answer stands, what it went without, how it was recorded."""

import hashlib

import dataframely as dy
import polars as pl

from afp_nodes.distinct import mapped_once
from afp_nodes.same_question import normalised_question
from afp_nodes.schemas import (
    Conversations,
    Costs,
    FleetFacts,
    NightCoverages,
    NightRuns,
    NightWindows,
    RunEndings,
    RunNights,
)
from afp_nodes.versions import CHECKED
from afp_nodes.words import DOUBTFUL, CallStatus, Chart, Ending, Standing, VerdictKind

CAPPED = pl.col("dropped_events") > 0
"""Whether events were lost; NULL = not known."""


def night_runs(
    fleet_facts: dy.LazyFrame[FleetFacts],
    run_nights: dy.LazyFrame[RunNights],
    night_windows: dy.LazyFrame[NightWindows],
    run_endings: dy.LazyFrame[RunEndings],
    conversations: dy.LazyFrame[Conversations],
    costs: dy.LazyFrame[Costs],
    stored: dict[str, pl.LazyFrame],
) -> dy.LazyFrame[NightRuns]:
    """One row per run of a reported night."""
    reported = run_nights.join(night_windows, on="night", how="semi").select("night", "run_id").collect()
    if reported.is_empty():
        return NightRuns.create_empty(lazy=True)
    counted = conversations.select("run_id", "answer_counted", "calls_counted", "tokens_counted")
    runs = reported.lazy().join(fleet_facts, on="run_id").join(run_endings, on="run_id").join(counted, on="run_id")
    for told in (
        _standings(stored),
        _missing_context(stored),
        _deliveries(stored),
        _tool_errors(stored),
        _spent(costs),
    ):
        runs = runs.join(told, on="run_id", how="left")
    stands = (pl.col("answered") | (pl.col("stands") == Standing.ASK)) & pl.col("answer_counted")
    is_judged = pl.col("standing") != Standing.NOT_ASSESSED
    return (
        runs.with_columns(
            is_served=~pl.col("ending").is_in([Ending.FAILED_CALL, Ending.OPEN_CALL]),
            standing=pl.when(stands).then("stands"),
            tool_error=pl.when("calls_counted").then("tool_error"),
            dials=_dials(),
            is_capped=CAPPED,
            has_events=pl.col("events").is_not_null(),
            has_log=pl.col("chart") != Chart.NONE,
            has_reads=pl.col("reads_recorded"),
            is_redacted=pl.col("redacted_paths") > 0,
            is_unchecked=_is_unchecked(),
            question_key=pl.col("question").map_batches(_question_keys, return_dtype=pl.String),
            tokens=pl.when(~CAPPED.fill_null(value=False)).then(pl.col("input_tokens") + pl.col("output_tokens")),
        )
        .with_columns(doubt=pl.when(is_judged).then(pl.col("standing").is_in([str(word) for word in DOUBTFUL])))
        .sort("night", "run_id")
        .select(NightRuns.column_names())
        .pipe(NightRuns.cast)
    )


def night_coverages(
    night_runs: dy.LazyFrame[NightRuns], stored: dict[str, pl.LazyFrame]
) -> dy.LazyFrame[NightCoverages]:
    """One row per night and word of coverage that is said of variables of its runs."""
    runs = night_runs.select("night", "run_id").collect()
    if runs.is_empty():
        return NightCoverages.create_empty(lazy=True)
    return (
        stored["variables"]
        .select("run_id", "coverage")
        .group_by("run_id", "coverage")
        .agg(variables=pl.len().cast(pl.Int64))
        .join(runs.lazy(), on="run_id")
        .group_by("night", "coverage")
        .agg(pl.col("variables").sum())
        .pipe(NightCoverages.cast)
    )


def _standings(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    return stored["standings"].select("run_id", stands="standing")


def _missing_context(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    verdicts = stored["verdicts"].select("run_id", "kind", "verdict")
    return verdicts.filter(pl.col("kind") == VerdictKind.MISSING_CONTEXT).select("run_id", missing_context="verdict")


def _deliveries(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    return stored["routing"].select("run_id", delivery=pl.coalesce("delivered_verdict", "check_state"))


def _tool_errors(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Whether a run has a failed tool call; runs without a call whose end is known have no row."""
    calls = stored["tool_calls"].select("run_id", "status", "error")
    failed = pl.col("error").is_not_null() | (pl.col("status") == CallStatus.ERROR)
    return calls.filter(pl.col("status") != CallStatus.UNKNOWN).group_by("run_id").agg(tool_error=failed.any())


def _spent(costs: dy.LazyFrame[Costs]) -> pl.LazyFrame:
    """What a run cost as far as it is known in full."""
    whole = pl.when(~pl.col("at_least").fill_null(value=False)).then(pl.col("input_cost") + pl.col("output_cost"))
    return costs.select("run_id", "currency", cost=whole)


def _dials() -> pl.Expr:
    """What of a run was recorded, as one word: two runs of other words cannot be held side by side."""
    parts = [
        pl.when(pl.col("events").is_null()).then(pl.lit("no-events")).otherwise(pl.lit("events")),
        pl.when(pl.col("chart") == Chart.NONE).then(pl.lit("no-log")).otherwise(pl.lit("log")),
        pl.when("reads_recorded").then(pl.lit("reads")).otherwise(pl.lit("no-reads")),
        pl.col("write_provenance").fill_null("no-provenance"),
        pl.when(CAPPED).then(pl.lit("capped")).otherwise(pl.lit("whole")),
    ]
    return pl.concat_str(*parts, separator=" ")


def _is_unchecked() -> pl.Expr:
    """Whether a recorded version was not checked; NULL = no version is recorded."""
    return pl.any_horizontal(
        ~pl.col(f"{library}_version").is_in(list(versions)) for library, versions in CHECKED.items()
    )


def _question_keys(questions: pl.Series) -> pl.Series:
    return mapped_once(questions, _question_key)


def _question_key(question: str) -> str:
    return hashlib.sha256(normalised_question(question).encode()).hexdigest()[:16]
