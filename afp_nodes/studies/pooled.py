"""Pooled: what several studies say of one subject, taken together. Rule: product contract, section 5 (`fleet` rows).

A subject is the same where its id is and what the study changes: the ablation, the restored content, the configuration.
The effect is how much more often its runs answer otherwise than those of the baseline do, over all studies. Nobody drew
the studies at random: the word says whether there is a difference, and the row claims no more than its weakest part.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import dataframely as dy
import polars as pl

from afp_nodes.javascript import stringify
from afp_nodes.schemas.studies import (
    PooledVerdicts,
    ProbeSides,
    StatedStudies,
    StudyBaselines,
    StudySubjects,
    StudyVerdicts,
    SubjectEffects,
)
from afp_nodes.studies.rates import FEWEST_RUNS
from afp_nodes.studies.statistics import FEWEST, LEVEL, pooled_difference, q_values
from afp_nodes.words import DifferenceVerdict, SubjectKind, Tier, VerdictKind

SUBJECT = ["study_id", "subject_id"]
SAME = ["kind", "subject_kind", "subject_id", "changes_json"]
"""What makes the subjects of several studies one."""

WEAKEST_FIRST = tuple(Tier)


def subject_effects(
    answer_verdicts: dy.LazyFrame[StudyVerdicts],
    stated_studies: dy.LazyFrame[StatedStudies],
    study_subjects: dy.LazyFrame[StudySubjects],
    study_baselines: dy.LazyFrame[StudyBaselines],
    probe_sides: dy.LazyFrame[ProbeSides],
) -> dy.LazyFrame[SubjectEffects]:
    """One row per subject of a study that another study has too, with how often the answers of either side changed.

    A baseline run that is compared with itself cannot change, and does not count.
    """
    judged_by = pl.struct("comparator", "flip_threshold", "embedder").struct.json_encode()
    of_baseline = probe_sides.select("study_id", baseline_id="subject_id", baseline_runs="runs")
    return (
        answer_verdicts.select("kind", "tier", "subject_kind", *SUBJECT, "samples", "flips")
        .join(study_subjects.select(*SUBJECT, "changes_json"), on=SUBJECT)
        .filter(pl.len().over(SAME) > 1)
        .join(stated_studies.select("study_id", "baseline_id", judged_by=judged_by), on="study_id")
        .join(study_baselines.select("study_id", "baseline_samples", "seed_0_is_reference"), on="study_id")
        .join(of_baseline, on=["study_id", "baseline_id"])
        .join(probe_sides.select(*SUBJECT, "runs"), on=SUBJECT)
        .with_columns(
            baseline_samples=pl.col("baseline_samples") - pl.col("seed_0_is_reference").cast(pl.Int64),
            baseline_flips=pl.col("baseline_runs")
            .list.eval(pl.element().struct.field("flipped").cast(pl.Int64))
            .list.sum(),
            run_ids=_run_ids("runs"),
            baseline_run_ids=_run_ids("baseline_runs"),
        )
        .sort(*SAME, "study_id")
        .pipe(SubjectEffects.cast)
    )


def pooled_verdicts(subject_effects: dy.LazyFrame[SubjectEffects]) -> dy.LazyFrame[PooledVerdicts]:
    """One row per subject of at least two studies: whether its answers change more often, chance over all taken in.

    It rests on a list of objects: how far the studies differ among each other, or why they cannot be taken together,
    and each study with its counts and the runs of both sides.
    """
    groups = subject_effects.collect().group_by(SAME, maintain_order=True)
    rows = [_pooled(group.to_dicts()) for _, group in groups]
    chances = iter(q_values([row["p_value"] for row in rows if row["p_value"] is not None]))
    adjusted = [row | {"q_value": None if row["p_value"] is None else next(chances)} for row in rows]
    word = (
        pl.when(pl.col("q_value").is_null())
        .then(pl.lit(DifferenceVerdict.NOT_COMPARABLE))
        .when(pl.col("q_value") <= LEVEL)
        .then(pl.lit(DifferenceVerdict.DIFFERS))
        .otherwise(pl.lit(DifferenceVerdict.NO_DIFFERENCE_SEEN))
    )
    return (
        pl.LazyFrame(adjusted, schema={**PooledVerdicts.stored_dtypes(), "p_value": pl.Float64}, orient="row")
        .with_columns(verdict=word)
        .pipe(PooledVerdicts.cast)
    )


def _run_ids(runs: str) -> pl.Expr:
    return pl.col(runs).list.eval(pl.element().struct.field("run_id"))


def _pooled(studies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One subject, of the studies that it has runs of its own in."""
    used, set_aside = _apart(studies)
    instruments = {study["judged_by"] for study in used}
    first = studies[0]
    subject = {"of_kind": first["kind"], "changes": first["changes_json"]}
    row = {
        "kind": VerdictKind.FLEET,
        "tier": min((Tier(study["tier"]) for study in studies), key=WEAKEST_FIRST.index),
        "subject_kind": SubjectKind(first["subject_kind"]),
        "subject_id": first["subject_id"],
        "subject_key": _key(first),
        "samples": sum(study["samples"] for study in used),
        "flips": sum(study["flips"] for study in used),
        "effect": None,
        "effect_low": None,
        "effect_high": None,
        "p_value": None,
    }
    if len(used) < FEWEST or len(instruments) > 1:
        few = "fewer than two studies have two good runs on either side, none of them another's"
        reason = few if len(used) < FEWEST else "the studies compare answers by different means"
        return row | {"evidence_json": _listed([subject | {"reason": reason}, *map(_told, used), *set_aside])}
    pooled = pooled_difference([(s["flips"], s["samples"], s["baseline_flips"], s["baseline_samples"]) for s in used])
    between = subject | {
        "studies": len(used),
        "p_value": pooled.p_value,
        "heterogeneity": {"spread": pooled.spread, "inconsistency": pooled.inconsistency, "p_value": pooled.mixed_p},
    }
    return row | {
        "effect": pooled.effect,
        "effect_low": pooled.low,
        "effect_high": pooled.high,
        "p_value": pooled.p_value,
        "evidence_json": _listed([between, *map(_told, used), *set_aside]),
    }


def _key(subject: dict[str, Any]) -> str:
    """What tells subjects of one id apart: what they are of, and the hash of what they change."""
    return f"{subject['kind']}|{hashlib.sha256(subject['changes_json'].encode()).hexdigest()[:8]}"


def _apart(studies: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The studies that can be counted, and what is said of the others: too few runs, or runs of an earlier study."""
    used: list[dict[str, Any]] = []
    set_aside: list[dict[str, Any]] = []
    seen: set[str] = set()
    for study in studies:
        if min(study["samples"], study["baseline_samples"]) < FEWEST_RUNS:
            set_aside.append({"study_id": study["study_id"], "left_out": "fewer than two good runs on a side"})
        elif seen & {*study["run_ids"]}:
            set_aside.append({"study_id": study["study_id"], "left_out": "its runs are those of an earlier study"})
        else:
            used.append(study)
            seen |= {*study["run_ids"]}
    return used, set_aside


def _told(study: dict[str, Any]) -> dict[str, Any]:
    names = ("study_id", "samples", "flips", "baseline_samples", "baseline_flips", "run_ids", "baseline_run_ids")
    return {name: study[name] for name in names}


def _listed(objects: list[dict[str, Any]]) -> str:
    return f"[{','.join(map(stringify, objects))}]"
