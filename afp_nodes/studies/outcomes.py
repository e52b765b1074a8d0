"""Outcomes: what came of each probe run, and what its answer is compared with. Rule: product contract, section 6.

What a study states counts; what it does not state comes from the recording. Where both speak and differ, the
difference is kept.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import (
    ProbeOutcomes,
    ProbeRecordings,
    StatedProbes,
    StatedStudies,
    StudyReferences,
)
from afp_nodes.words import ReferenceFrom, StudyKind

PROBE = ["study_id", "subject_id", "seed"]
"""One probe run."""


def probe_recordings(run_rows: pl.DataFrame) -> dy.LazyFrame[ProbeRecordings]:
    """One row per recorded run that a study names.

    Where the first events of a run were dropped, its counts say "at least", and are no cost.
    """
    whole = pl.col("dropped_events").fill_null(0) == 0
    return (
        run_rows.lazy()
        .select(
            "run_id",
            "answer",
            "manifest_json",
            loops=pl.when(whole).then("llm_calls"),
            tokens=pl.when(whole).then(pl.col("input_tokens") + pl.col("output_tokens")),
        )
        .select(ProbeRecordings.column_names())
        .pipe(ProbeRecordings.cast)
    )


def probe_outcomes(
    stated_probes: dy.LazyFrame[StatedProbes],
    stated_studies: dy.LazyFrame[StatedStudies],
    probe_recordings: dy.LazyFrame[ProbeRecordings],
) -> dy.LazyFrame[ProbeOutcomes]:
    """One row per probe run, its outcome as stated, else as recorded; a run that failed has no answer."""
    recorded = probe_recordings.rename({"answer": "output"}).rename(lambda name: f"recorded_{name}")
    good = pl.col("error").is_null()
    is_object = pl.col("recorded_manifest_json").str.starts_with("{")
    return (
        stated_probes.join(stated_studies.select("study_id", "manifests_reported"), on="study_id")
        .join(recorded, left_on="run_id", right_on="recorded_run_id", how="left")
        .with_columns(
            recorded_output=pl.when(good).then("recorded_output"),
            manifest_json=pl.when(pl.col("manifests_reported") & is_object).then("recorded_manifest_json"),
        )
        .with_columns(
            *(pl.coalesce(name, f"recorded_{name}") for name in ("output", "loops", "tokens")),
            *(_otherwise(name) for name in ("output", "loops", "tokens")),
        )
        .select(ProbeOutcomes.column_names())
        .pipe(ProbeOutcomes.cast)
    )


def study_references(
    stated_studies: dy.LazyFrame[StatedStudies],
    probe_outcomes: dy.LazyFrame[ProbeOutcomes],
    probe_recordings: dy.LazyFrame[ProbeRecordings],
) -> dy.LazyFrame[StudyReferences]:
    """One row per study with the answer that those of its runs are compared with.

    It is that of the original run, stated else recorded. A comparison of arms without one takes the answer that the
    baseline gave to the least seed; other studies are then compared with nothing.
    """
    first = (
        probe_outcomes.drop_nulls("output")
        .sort(PROBE)
        .group_by("study_id", "subject_id", maintain_order=True)
        .agg(first_output=pl.col("output").first(), first_run_id=pl.col("run_id").first())
    )
    originals = probe_recordings.select(original_run_id="run_id", recorded_output="answer")
    prior = pl.coalesce("original_output", "recorded_output")
    own = pl.when(pl.col("kind") == StudyKind.ARMS).then("first_output")
    is_prior, is_own = prior.is_not_null(), own.is_not_null()
    return (
        stated_studies.join(originals, on="original_run_id", how="left")
        .join(first, left_on=["study_id", "baseline_id"], right_on=["study_id", "subject_id"], how="left")
        .select(
            "study_id",
            reference_from=pl.when(is_prior)
            .then(pl.lit(ReferenceFrom.PRIOR_RUN))
            .when(is_own)
            .then(pl.lit(ReferenceFrom.BASELINE_ARM)),
            reference_text=pl.coalesce(prior, own),
            reference_run_id=pl.when(is_prior).then("original_run_id").when(is_own).then("first_run_id"),
        )
        .pipe(StudyReferences.cast)
    )


def _otherwise(name: str) -> pl.Expr:
    """What is recorded of an outcome, where the study states another."""
    stated, recorded = pl.col(name), pl.col(f"recorded_{name}")
    return pl.when(stated != recorded).then(recorded).alias(f"recorded_{name}")
