"""Verdicts: what each study says of its subjects, as rows of `verdicts`. Rules: product contract, sections 5 and 6.

An answer's verdict is of the tier `causal`, and only its word `confirmed` says what causes what; a cost's is `gated`.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Verdicts
from afp_nodes.schemas.studies import (
    ArmApplications,
    CostEffects,
    PooledVerdicts,
    ProbeSides,
    ProbeSpreads,
    StatedStudies,
    Studies,
    StudyBaselines,
    StudyInstruments,
    StudyReferences,
    StudyVerdicts,
    SubjectRulings,
)
from afp_nodes.schemas.studies import ProbeRuns as Probes
from afp_nodes.studies.rates import false_rate, wilson_interval
from afp_nodes.verdict_ids import SEPARATOR, verdict_id
from afp_nodes.words import ProbeVerdict, StudyKind, SubjectKind, Tier, VerdictKind

SUBJECT = ["study_id", "subject_id"]
KINDS = {
    StudyKind.ABLATION: VerdictKind.ABLATION,
    StudyKind.RESTORATION: VerdictKind.RESTORATION,
    StudyKind.ARMS: VerdictKind.ARM,
}
"""What the verdicts of a study of that kind are called."""

MOST_SEEDS = 1_000
"""Of the seeds that a study asks for the first so many are missed where no run has them."""

FROM_SPREAD = {
    "similarity_mean": "mean",
    "similarity_min": "least",
    "similarity_max": "greatest",
    "similarity_stdev": "stdev",
}


def answer_verdicts(
    stated_studies: dy.LazyFrame[StatedStudies],
    study_references: dy.LazyFrame[StudyReferences],
    study_baselines: dy.LazyFrame[StudyBaselines],
    subject_rulings: dy.LazyFrame[SubjectRulings],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
    arm_applications: dy.LazyFrame[ArmApplications],
    cost_effects: dy.LazyFrame[CostEffects],
    probe_sides: dy.LazyFrame[ProbeSides],
) -> dy.LazyFrame[StudyVerdicts]:
    """One row per subject of a study: whether its runs answered otherwise.

    It rests on a list of objects: the rule that decided, the reference, the baseline and the subject with their runs,
    and what recordings say otherwise.
    """
    return (
        subject_rulings.join(
            stated_studies.select("study_id", "baseline_id", kind=_kind(), asked="samples"), on="study_id"
        )
        .join(study_references, on="study_id")
        .join(
            study_baselines.select("study_id", "baseline_samples", "baseline_stable", "seed_0_is_reference"),
            on="study_id",
        )
        .join(probe_spreads.select(*SUBJECT, **FROM_SPREAD), on=SUBJECT, how="left")
        .join(arm_applications.drop("mismatches_json"), on=SUBJECT, how="left")
        .join(cost_effects.select(*SUBJECT, "suspect_class"), on=SUBJECT, how="left")
        .pipe(_with_sides, probe_sides)
        .with_columns(
            _rates(),
            baseline_missing_seeds=_missing_seeds("baseline_seeds", "subject_seeds"),
            subject_missing_seeds=_missing_seeds("subject_seeds", "baseline_seeds"),
        )
        .unnest("rates")
        .with_columns(tier=pl.lit(Tier.CAUSAL), evidence_json=_answer_evidence())
        .pipe(_study_verdicts)
    )


def cost_verdicts(
    stated_studies: dy.LazyFrame[StatedStudies],
    study_baselines: dy.LazyFrame[StudyBaselines],
    cost_effects: dy.LazyFrame[CostEffects],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
    probe_sides: dy.LazyFrame[ProbeSides],
) -> dy.LazyFrame[StudyVerdicts]:
    """One row per suspect of an ablation: whether removing it saved loops.

    It rests on the placebo, and on the runs of both sides with what they cost.
    """
    placebo = pl.struct("placebo", loops_saved="placebo_saved").struct.json_encode()
    sides = (_side(which, "costs", "failed", "without_answer") for which in ("baseline", "subject"))
    return (
        cost_effects.join(stated_studies.select("study_id", "baseline_id"), on="study_id")
        .join(study_baselines.select("study_id", "baseline_stable"), on="study_id")
        .join(probe_spreads.select(*SUBJECT, samples="costed"), on=SUBJECT, how="left")
        .rename({"stable": "cost_stable", "reduced": "reduced_cost_on_removal"})
        .pipe(_with_sides, probe_sides)
        .with_columns(
            pl.col("samples").fill_null(0),
            tier=pl.lit(Tier.GATED),
            kind=pl.lit(VerdictKind.COST),
            subject_kind=pl.lit(SubjectKind.SPEC),
            evidence_json=_listed(placebo, *sides),
        )
        .pipe(_study_verdicts)
    )


def study_verdicts(
    answer_verdicts: dy.LazyFrame[StudyVerdicts],
    cost_verdicts: dy.LazyFrame[StudyVerdicts],
    pooled_verdicts: dy.LazyFrame[PooledVerdicts],
) -> dy.LazyFrame[Verdicts]:
    """One row per claim of a study or of several, as a row of `verdicts`."""
    of_one = verdict_id(frozenset(StudyVerdicts.column_names()))
    of_several = pl.concat_str(verdict_id(frozenset(PooledVerdicts.column_names())), "subject_key", separator=SEPARATOR)
    rows = [
        answer_verdicts.with_columns(verdict_id=of_one),
        cost_verdicts.with_columns(verdict_id=of_one),
        pooled_verdicts.with_columns(verdict_id=of_several).drop("subject_key"),
        Verdicts.create_empty().cast(pl.Schema(Verdicts.stored_dtypes())).lazy(),
    ]
    return (
        pl.concat([each.cast({pl.Enum: pl.String, pl.Categorical: pl.String}) for each in rows], how="diagonal")
        .select(Verdicts.column_names())
        .sort("verdict_id")
        .pipe(Verdicts.cast)
    )


def studies(
    stated_studies: dy.LazyFrame[StatedStudies],
    study_instruments: dy.LazyFrame[StudyInstruments],
    study_references: dy.LazyFrame[StudyReferences],
    study_baselines: dy.LazyFrame[StudyBaselines],
    probe_runs: dy.LazyFrame[Probes],
) -> dy.LazyFrame[Studies]:
    """One row per study in force."""
    return (
        stated_studies.join(study_instruments, on="study_id")
        .join(study_references, on="study_id")
        .join(study_baselines.select("study_id", "baseline_stable"), on="study_id")
        .join(probe_runs.group_by("study_id").agg(runs_used=pl.len()), on="study_id", how="left")
        .with_columns(pl.col("runs_used").fill_null(0))
        .select(Studies.column_names())
        .sort("study_id")
        .pipe(Studies.cast)
    )


def _study_verdicts(rows: pl.LazyFrame) -> dy.LazyFrame[StudyVerdicts]:
    """The rows with the columns of a study's verdict; those that they lack are NULL."""
    held = rows.collect_schema().names()
    lacking = [pl.lit(None).alias(name) for name in StudyVerdicts.column_names() if name not in held]
    return rows.with_columns(lacking).select(StudyVerdicts.column_names()).pipe(StudyVerdicts.cast)


def _kind() -> pl.Expr:
    return pl.col("kind").replace_strict(KINDS, return_dtype=pl.Enum(VerdictKind))


def _with_sides(rows: pl.LazyFrame, probe_sides: pl.LazyFrame) -> pl.LazyFrame:
    """The rows with the runs of their baseline and of their subject."""
    for which in ("baseline", "subject"):
        names = {name: f"{which}_{name}" for name in ProbeSides.column_names() if name not in SUBJECT}
        named = probe_sides.rename({"subject_id": f"{which}_id", **names})
        rows = rows.join(named, on=["study_id", f"{which}_id"])
    return rows


def _rates() -> pl.Expr:
    """The bounds of the flip rate and the false rate of each row, as a struct `rates`."""
    names = ("verdict", "flips", "samples", "baseline_samples", "seed_0_is_reference")
    made = pl.Schema(dict.fromkeys(("flip_rate_low", "flip_rate_high", "false_rate"), pl.Float64()))

    def rated(rows: pl.Series) -> pl.Series:
        rates = [_rates_of(*row) for row in rows.struct.unnest().iter_rows()]
        return pl.DataFrame(rates, schema=made, orient="row").to_struct("rates")

    return pl.struct(names).map_batches(rated, return_dtype=pl.Struct(made)).alias("rates")


def _rates_of(
    word: str, flips: int, samples: int, baseline_samples: int, seed_0_is_reference: bool
) -> tuple[float | None, float | None, float]:
    low, high = wilson_interval(flips, samples) or (None, None)
    false = false_rate(ProbeVerdict(word), samples, baseline_samples, seed_0_is_reference=seed_0_is_reference)
    return low, high, false


def _side(which: str, *lists: str) -> pl.Expr:
    """One side of a comparison as an object; its columns are those of `ProbeSides`, named `{which}_...`."""
    members = [pl.col(f"{which}_{name}").alias(name) for name in lists]
    return pl.struct(
        pl.lit(which).alias("side"), pl.col(f"{which}_id").alias("subject_id"), *members
    ).struct.json_encode()


def _missing_seeds(seeds: str, other_seeds: str) -> pl.Expr:
    """The seeds that a side lacks, of those that the study asks for or the other side has, in order."""
    asked = pl.int_ranges(0, pl.min_horizontal("asked", pl.lit(MOST_SEEDS)), dtype=pl.Int64)
    return asked.list.set_union(pl.col(other_seeds)).list.set_difference(pl.col(seeds)).list.sort()


def _answer_evidence() -> pl.Expr:
    lists = ("runs", "failed", "without_answer", "repeated", "missing_seeds")
    ruling = pl.struct("ruling").struct.json_encode()
    reference = pl.struct(reference="reference_from", run_id="reference_run_id").struct.json_encode()
    differing = pl.col("baseline_differing").list.concat("subject_differing")
    return _listed(
        ruling,
        reference,
        _side("baseline", *lists),
        _side("subject", *lists),
        others=differing,
    )


def _listed(*objects: pl.Expr, others: pl.Expr | None = None) -> pl.Expr:
    """Objects as one JSON list, and more of them from a list."""
    listed = pl.concat_list(objects) if others is None else pl.concat_list(objects).list.concat(others)
    return pl.concat_str(pl.lit("["), listed.list.join(","), pl.lit("]"))
