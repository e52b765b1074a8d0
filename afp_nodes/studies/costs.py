"""Costs: whether removing a suspect saved loops beyond what removing others did. Rule: record format, section 23.

What removing a suspect saves is not waste: it may have been needed. So the claim is gated: it must beat a placebo, the
most that removing any other suspect saved that was not confirmed. A cost that is not known saves nothing, and is
nobody's placebo.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import CostEffects, ProbeSpreads, StatedStudies, StudyBaselines, SubjectRulings
from afp_nodes.studies.rates import FEWEST_RUNS
from afp_nodes.words import CostVerdict, ProbeVerdict, StudyKind, SuspectClass

FEWEST_LOOPS = 1
"""Loops that must be saved at least."""

CONFIRMED = pl.col("ruled") == ProbeVerdict.CONFIRMED


def cost_effects(
    stated_studies: dy.LazyFrame[StatedStudies],
    subject_rulings: dy.LazyFrame[SubjectRulings],
    study_baselines: dy.LazyFrame[StudyBaselines],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
) -> dy.LazyFrame[CostEffects]:
    """One row per suspect of an ablation."""
    ablations = stated_studies.filter(pl.col("kind") == StudyKind.ABLATION).select("study_id")
    costs = ["costed", "median_loops", "median_tokens"]
    saved = (
        subject_rulings.join(ablations, on="study_id", how="semi")
        .select("study_id", "subject_id", ruled="verdict")
        .join(
            probe_spreads.select("study_id", "subject_id", "most_loops", *costs),
            on=["study_id", "subject_id"],
            how="left",
        )
        .join(study_baselines.select("study_id", *costs), on="study_id", suffix="_before")
        .with_columns(
            loops_saved=pl.col("median_loops_before") - pl.col("median_loops"),
            tokens_saved=pl.col("median_tokens_before") - pl.col("median_tokens"),
            costed=pl.min_horizontal(pl.col("costed").fill_null(0), "costed_before"),
        )
    )
    stable = (pl.col("most_loops") <= pl.col("median_loops_before")) & pl.col("placebo").is_not_null() & _is_costed()
    reduced = (pl.col("loops_saved") >= FEWEST_LOOPS) & (pl.col("loops_saved") > pl.col("placebo_saved"))
    return (
        saved.join(_placebos(saved), on="study_id", how="left")
        .with_columns(_of_another("placebo"), _of_another("placebo_saved"))
        .with_columns(stable=stable.fill_null(False))
        .with_columns(reduced=(pl.col("stable") & reduced).fill_null(False))
        .with_columns(verdict=_verdict(), suspect_class=_suspect_class())
        .select(CostEffects.column_names())
        .pipe(CostEffects.cast)
    )


def _placebos(saved: pl.LazyFrame) -> pl.LazyFrame:
    """The two suspects of each study, not confirmed, whose removal saved most; of equal ones the least id."""
    return (
        saved.filter(~CONFIRMED, pl.col("loops_saved").is_not_null(), _is_costed())
        .sort("study_id", "loops_saved", "subject_id", descending=[False, True, False])
        .group_by("study_id", maintain_order=True)
        .agg(placebo=pl.col("subject_id").head(2), placebo_saved=pl.col("loops_saved").head(2))
    )


def _of_another(name: str) -> pl.Expr:
    """The first of the two that is not the suspect itself."""
    first_is_itself = (pl.col("placebo").list.first() == pl.col("subject_id")).cast(pl.Int64)
    return pl.col(name).list.get(first_is_itself, null_on_oob=True)


def _is_costed() -> pl.Expr:
    """Enough runs on both sides say what they cost."""
    return pl.col("costed") >= FEWEST_RUNS


def _verdict() -> pl.Expr:
    return (
        pl.when(~pl.col("stable"))
        .then(pl.lit(CostVerdict.UNKNOWN))
        .when("reduced")
        .then(pl.lit(CostVerdict.COST_CAUSE))
        .otherwise(pl.lit(CostVerdict.NO_COST_EFFECT))
    )


def _suspect_class() -> pl.Expr:
    """Answer and cost taken together."""
    return (
        pl.when(CONFIRMED & pl.col("reduced"))
        .then(pl.lit(SuspectClass.BOTH))
        .when(CONFIRMED)
        .then(pl.lit(SuspectClass.CONTENT_BUG))
        .when("reduced")
        .then(pl.lit(SuspectClass.COST_CAUSE))
        .otherwise(pl.lit(SuspectClass.NO_DETECTED_EFFECT))
    )
