"""Subjects to probe: suspects, missing units and arms over the fleet, ranked by how much a probe of them may explain.

Rule: product contract, section 7. A subject is what a study would change, once, however many runs hold it. What is
counted is an association, not a cause: how much more often the runs that it would change are in doubt than the runs
known to be without it. Doubt is an answer of standing `not-sure` or `ask`, or no answer; runs of which the record
does not say are on neither side.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas.probes import (
    FleetArms,
    FleetRuns,
    FleetSuspects,
    FleetUnits,
    ProbeChoices,
    ProbeSubjects,
    SubjectRuns,
)
from afp_nodes.words import StudyKind, SuspectKind, UnitKind

BASELINE = "baseline"
"""What the runs that nothing is changed in carry in place of a subject."""

ARM = "arm"
MARK = "|"
"""Stands between the kind and the name of a subject where the name alone would not do."""

SUBJECT = ["study_kind", "subject_kind", "subject_name", "change_json"]
KINDS = sorted({*SuspectKind, *UnitKind, ARM})
RUN = ["study_kind", "run_id"]
SHOWN_BY = {
    StudyKind.ABLATION: "shows_suspects",
    StudyKind.RESTORATION: "shows_units",
    StudyKind.ARMS: "shows_manifest",
}
"""What a record must show for a run to count as one without a subject."""


def subject_runs(
    fleet_suspects: dy.LazyFrame[FleetSuspects],
    fleet_units: dy.LazyFrame[FleetUnits],
    fleet_arms: dy.LazyFrame[FleetArms],
    fleet_runs: dy.LazyFrame[FleetRuns],
) -> dy.LazyFrame[SubjectRuns]:
    """One row per subject and run that it would change.

    Two runs that missed one id with another content missed two units. An arm would change every run of another arm;
    of a run without a manifest nobody knows.
    """
    suspects = fleet_suspects.select(
        "run_id",
        study_kind=pl.lit(StudyKind.ABLATION),
        subject_kind="suspect_kind",
        subject_name="suspect_id",
        change_json="spec_json",
    )
    units = fleet_units.select(
        "run_id",
        study_kind=pl.lit(StudyKind.RESTORATION),
        subject_kind="unit_kind",
        subject_name="unit_id",
        change_json=pl.struct(id="unit_id", content="content").struct.json_encode(),
    )
    arms = (
        fleet_arms.join(fleet_runs.filter("shows_manifest").select("run_id", own_arm="arm_id"), how="cross")
        .filter(pl.col("own_arm").ne_missing(pl.col("arm_id")))
        .select(
            "run_id",
            "change_json",
            study_kind=pl.lit(StudyKind.ARMS),
            subject_kind=pl.lit(ARM),
            subject_name="arm_id",
        )
    )
    return pl.concat([suspects, units, arms], how="diagonal").select(SubjectRuns.column_names()).pipe(SubjectRuns.cast)


def probe_subjects(
    subject_runs: dy.LazyFrame[SubjectRuns], fleet_runs: dy.LazyFrame[FleetRuns]
) -> dy.LazyFrame[ProbeSubjects]:
    """One row per subject, the most promising first.

    The score is the number of doubtful runs beyond what the share among the others would give, times the difference of
    the shares: many runs count, and so does how sharply the subject tells them from others. Equals stand by how many
    runs they would change, by the difference, by the tokens of the cheapest run, and then by kind and name.
    """
    comparable = _comparable_runs(fleet_runs)
    sides = comparable.group_by("study_kind").agg(all_judged=_judged().sum(), all_doubtful=pl.col("is_doubtful").sum())
    told = fleet_runs.select("run_id", "is_doubtful", "can_be_probed", "tokens")
    return (
        subject_runs.join(told, on="run_id")
        .join(comparable.select(*RUN, is_compared=True), on=RUN, how="left")
        .group_by(SUBJECT)
        .agg(
            runs=pl.len(),
            judged_runs=_judged().sum(),
            doubtful_runs=pl.col("is_doubtful").sum(),
            compared_judged=(_judged() & pl.col("is_compared")).sum(),
            compared_doubtful=(pl.col("is_doubtful") & pl.col("is_compared")).sum(),
            least_tokens=pl.col("tokens").filter("can_be_probed").min(),
        )
        .join(sides, on="study_kind", how="left")
        .with_columns(
            judged_others=pl.col("all_judged").fill_null(0) - pl.col("compared_judged"),
            doubtful_others=pl.col("all_doubtful").fill_null(0) - pl.col("compared_doubtful"),
            subject_id=_subject_id(),
        )
        .with_columns(difference=_share("doubtful_runs", "judged_runs") - _share("doubtful_others", "judged_others"))
        .with_columns(score=pl.col("judged_runs") * pl.col("difference").clip(lower_bound=0).pow(2))
        .sort(
            -pl.col("score").fill_null(0),
            -pl.col("runs").cast(pl.Int64),
            -pl.col("difference"),
            "least_tokens",
            *SUBJECT,
            nulls_last=True,
        )
        .with_row_index("rank")
        .select(ProbeSubjects.column_names())
        .pipe(ProbeSubjects.cast)
    )


def probe_choices(
    subject_runs: dy.LazyFrame[SubjectRuns],
    probe_subjects: dy.LazyFrame[ProbeSubjects],
    fleet_arms: dy.LazyFrame[FleetArms],
    fleet_runs: dy.LazyFrame[FleetRuns],
) -> dy.LazyFrame[ProbeChoices]:
    """One row per subject and run that it can be probed on: an arm only on a run of the baseline arm.

    A run in doubt comes before others, since it is the doubt that a probe may explain; then the run that serves most
    subjects, which share its baseline; then the cheapest, and the first by its id.
    """
    challenges = fleet_runs.join(fleet_arms, on="arm_id", how="semi").select("run_id", study_kind=_kind(StudyKind.ARMS))
    return (
        subject_runs.join(challenges, on=RUN, how="anti")
        .join(fleet_runs.filter("can_be_probed").select("run_id", "is_doubtful", "tokens"), on="run_id")
        .with_columns(
            doubt=pl.col("is_doubtful").cast(pl.Int64).replace_strict({1: 0, 0: 2}, default=1),
            served=pl.len().over(RUN),
        )
        .join(probe_subjects.select("rank", *SUBJECT), on=SUBJECT)
        .sort("rank", "doubt", -pl.col("served").cast(pl.Int64), "tokens", "run_id", nulls_last=True)
        .with_columns(position=pl.int_range(pl.len()).over("rank"))
        .select(ProbeChoices.column_names())
        .pipe(ProbeChoices.cast)
    )


def _comparable_runs(fleet_runs: dy.LazyFrame[FleetRuns]) -> pl.LazyFrame:
    """One row per kind of study and run whose record would show its subjects: there, none shown is none."""
    return pl.concat(
        fleet_runs.filter(shows).select("run_id", "is_doubtful", study_kind=_kind(kind))
        for kind, shows in SHOWN_BY.items()
    )


def _kind(kind: StudyKind) -> pl.Expr:
    return pl.lit(kind, dtype=pl.Enum(StudyKind))


def _judged() -> pl.Expr:
    """The record says whether the run is in doubt."""
    return pl.col("is_doubtful").is_not_null()


def _share(part: str, whole: str) -> pl.Expr:
    """One number over another; NULL where there is nothing to divide by."""
    return pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole))


def _subject_id() -> pl.Expr:
    """The name; with its kind where two kinds share it, or it could be taken for something else."""
    name, kind = pl.col("subject_name"), pl.col("subject_kind")
    is_taken = name.is_in(["", BASELINE]) | name.str.contains(f"^(?:{'|'.join(KINDS)})[{MARK}]")
    is_shared = kind.n_unique().over("study_kind", "subject_name") > 1
    return pl.when(is_taken | is_shared).then(pl.concat_str(kind, pl.lit(MARK), name)).otherwise(name)
