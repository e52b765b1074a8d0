"""Arms: the configurations under which recorded runs are grouped, by what each run's own manifest says.

Rule: product contract, section 6, `--arms`. Without arms in force there is nothing to group.
"""

import dataframely as dy
import msgspec
import polars as pl

from afp_nodes.distinct import mapped_once
from afp_nodes.given import arms_given
from afp_nodes.same_question import normalised_question
from afp_nodes.schemas import ArmAnswers, ArmRuns
from afp_nodes.studies.arms import matched_arm
from afp_nodes.studies.documents import Arm
from afp_nodes.words import DOUBTFUL, Standing


def arm_runs(stored: dict[str, pl.LazyFrame], settings: dict[str, str]) -> dy.LazyFrame[ArmRuns]:
    """One row per production run whose manifest matches an arm in force."""
    given = arms_given(settings)
    if given is None:
        return ArmRuns.create_empty().lazy().pipe(ArmRuns.cast)
    arms = given.arms
    arm_id = pl.col("manifest_json").map_batches(
        lambda manifests: mapped_once(manifests, lambda manifest: _arm_of(arms, manifest)), return_dtype=pl.String
    )
    return (
        stored["runs"]
        .filter(pl.col("study_id").is_null(), pl.col("manifest_json").is_not_null())
        .select("run_id", arm_id=arm_id)
        .drop_nulls("arm_id")
        .sort("run_id")
        .pipe(ArmRuns.cast)
    )


def arm_answers(arm_runs: dy.LazyFrame[ArmRuns], stored: dict[str, pl.LazyFrame]) -> dy.LazyFrame[ArmAnswers]:
    """One row per run of an arm of which question and answer are recorded."""
    matched = arm_runs.collect()
    if matched.is_empty():
        return ArmAnswers.create_empty().lazy().pipe(ArmAnswers.cast)
    question = pl.col("question").map_batches(
        lambda questions: mapped_once(questions, normalised_question), return_dtype=pl.String
    )
    standing = pl.col("standing").cast(pl.String)
    doubtful = pl.when(standing != Standing.NOT_ASSESSED).then(standing.is_in(DOUBTFUL))
    return (
        stored["runs"]
        .select("run_id", "answer", question=question)
        .drop_nulls()
        .join(matched.lazy(), on="run_id")
        .join(stored["standings"].select("run_id", doubtful=doubtful), on="run_id", how="left")
        .select(ArmAnswers.column_names())
        .sort("run_id")
        .pipe(ArmAnswers.cast)
    )


def _arm_of(arms: list[Arm], manifest_json: str) -> str | None:
    """The arm of a manifest; one that is no object matches none."""
    manifest = msgspec.json.decode(manifest_json)
    arm = matched_arm(arms, manifest) if isinstance(manifest, dict) else None
    return arm.name if arm else None
