"""Subjects: numbers over the good runs of each, and what the baseline vouches for. Rules: record format, sections 20,
22 and 24."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import (
    NullBands,
    ProbeRuns,
    ProbeSpreads,
    StatedStudies,
    StudyBaselines,
    StudyReferences,
)
from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, RECORDED
from afp_nodes.studies.outcomes import PROBE
from afp_nodes.studies.rates import FEWEST_RUNS
from afp_nodes.studies.spreads import median, spread
from afp_nodes.words import ReferenceFrom, StudyKind

MEASURED = ("similarity", "loops", "tokens")
NO_SPREAD = (None, None, None, None)


def probe_spreads(probe_runs: dy.LazyFrame[ProbeRuns]) -> dy.LazyFrame[ProbeSpreads]:
    """One row per study and subject with a good run: one of which it is known whether its answer changed."""
    measured = (
        probe_runs.drop_nulls("flipped")
        .sort(PROBE)
        .group_by("study_id", "subject_id", maintain_order=True)
        .agg(pl.len(), pl.col("flipped").sum(), *(pl.col(name).drop_nulls() for name in MEASURED))
        .collect()
    )
    rows = [
        (
            *(study_id, subject_id, samples, flips),
            *(spread(similarities) if similarities else NO_SPREAD),
            *(len(loops), median(loops) if loops else None, max(loops, default=None)),
            median(tokens) if tokens else None,
        )
        for study_id, subject_id, samples, flips, similarities, loops, tokens in measured.iter_rows()
    ]
    return pl.LazyFrame(rows, schema=ProbeSpreads.dtypes(), orient="row").pipe(ProbeSpreads.cast)


def study_baselines(
    stated_studies: dy.LazyFrame[StatedStudies],
    study_references: dy.LazyFrame[StudyReferences],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
) -> dy.LazyFrame[StudyBaselines]:
    """One row per study. One flip of a baseline run is one too many; fewer than two runs vouch for nothing."""
    flips, samples = pl.col("flips").fill_null(0), pl.col("samples").fill_null(0)
    compared_with_itself = (pl.col("reference_from") == ReferenceFrom.BASELINE_ARM) & (pl.col("comparator") != RECORDED)
    return (
        stated_studies.drop("samples")
        .join(study_references, on="study_id")
        .join(
            probe_spreads,
            left_on=["study_id", "baseline_id"],
            right_on=["study_id", "subject_id"],
            how="left",
        )
        .select(
            "study_id",
            baseline_samples=samples,
            baseline_stable=pl.when(flips > 0).then(pl.lit(False)).when(samples >= FEWEST_RUNS).then(pl.lit(True)),
            seed_0_is_reference=compared_with_itself.fill_null(False),
            floor="least",
            gates=pl.col("comparator") == DEFAULT_COMPARATOR,
            costed=pl.col("costed").fill_null(0),
            median_loops="median_loops",
            median_tokens="median_tokens",
        )
        .pipe(StudyBaselines.cast)
    )


def null_bands(
    stated_studies: dy.LazyFrame[StatedStudies],
    study_baselines: dy.LazyFrame[StudyBaselines],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
) -> dy.LazyFrame[NullBands]:
    """One row per comparison of arms: what rerunning the same configuration does to the answer."""
    return (
        stated_studies.filter(pl.col("kind") == StudyKind.ARMS)
        .select("study_id", "baseline_id")
        .join(study_baselines.select("study_id", "floor", "gates"), on="study_id")
        .join(
            probe_spreads.select("study_id", "subject_id", "mean", "stdev", min="least", max="greatest"),
            left_on=["study_id", "baseline_id"],
            right_on=["study_id", "subject_id"],
            how="left",
        )
        .with_columns(degenerate=pl.col("stdev") == 0)
        .select(NullBands.column_names())
        .sort("study_id")
        .pipe(NullBands.cast)
    )
