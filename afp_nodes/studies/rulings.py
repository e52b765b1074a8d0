"""Rulings: which word the runs of a subject earn, and by which rule. Rules: record format, sections 22 and 24; product
contract, section 6."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import (
    ArmApplications,
    ProbeSpreads,
    StatedStudies,
    StudyBaselines,
    StudyInstruments,
    StudyReferences,
    StudySubjects,
    SubjectRulings,
)
from afp_nodes.studies.comparators import comparator
from afp_nodes.studies.embedders import embedder
from afp_nodes.studies.plugins import UnknownNameError, is_known
from afp_nodes.studies.rules import WORDS, deciding_rule
from afp_nodes.words import ProbeVerdict, SubjectKind


def study_instruments(stated_studies: dy.LazyFrame[StatedStudies]) -> dy.LazyFrame[StudyInstruments]:
    """One row per study. What was there when the study was read may have been removed since."""
    named = stated_studies.select("study_id", "embedder", "comparator").collect()
    rows = [(study_id, _judged_by(by), is_known(comparator, how)) for study_id, by, how in named.iter_rows()]
    return pl.LazyFrame(rows, schema=StudyInstruments.dtypes(), orient="row").pipe(StudyInstruments.cast)


def subject_rulings(
    study_subjects: dy.LazyFrame[StudySubjects],
    stated_studies: dy.LazyFrame[StatedStudies],
    study_instruments: dy.LazyFrame[StudyInstruments],
    study_references: dy.LazyFrame[StudyReferences],
    study_baselines: dy.LazyFrame[StudyBaselines],
    probe_spreads: dy.LazyFrame[ProbeSpreads],
    arm_applications: dy.LazyFrame[ArmApplications],
) -> dy.LazyFrame[SubjectRulings]:
    """One row per subject that gets a verdict: each but the baseline."""
    subject = ["study_id", "subject_id"]
    is_arm = pl.col("subject_kind") == SubjectKind.ARM
    ruling = deciding_rule().alias("ruling")
    return (
        study_subjects.filter(~pl.col("is_baseline"))
        .join(stated_studies.select("study_id", "comparator"), on="study_id")
        .join(study_instruments, on="study_id")
        .join(study_references.select("study_id", "reference_text"), on="study_id")
        .join(
            study_baselines.select("study_id", "baseline_samples", "baseline_stable", "floor", "gates"), on="study_id"
        )
        .join(probe_spreads, on=subject, how="left")
        .join(arm_applications, on=subject, how="left")
        .with_columns(
            pl.col("samples", "flips").fill_null(0),
            outside_null_band=pl.when(is_arm).then(pl.col("mean") < pl.col("floor")),
            gates=pl.col("gates") & is_arm,
        )
        .with_columns(ruling)
        .with_columns(verdict=pl.col("ruling").replace_strict(WORDS, default=ProbeVerdict.INCONCLUSIVE))
        .select(SubjectRulings.column_names())
        .pipe(SubjectRulings.cast)
    )


def _judged_by(name: str) -> str | None:
    """What an embedder can judge; None where it is not there."""
    try:
        return embedder(name).judges
    except UnknownNameError:
        return None
