"""Observational: whether recorded runs of one arm answer otherwise than those of the baseline.

Rule: product contract, section 6, `--arms`. Runs of one question are compared, and the questions taken together, each
counting once however many runs it has. Nobody dealt the runs out to the arms: what differs may differ for another
reason, so the tier is `correlational` and no word says why.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import dataframely as dy
import polars as pl

from afp_nodes.given import GivenArms, arms_given
from afp_nodes.javascript import stringify
from afp_nodes.schemas import ArmAnswers, ArmContrasts, ArmVerdicts, Verdicts
from afp_nodes.studies.arms import declared_facets
from afp_nodes.studies.contrasts import Contrast, chance, contrast
from afp_nodes.studies.embedders import Embeddings, embedder
from afp_nodes.studies.plugins import is_known
from afp_nodes.studies.statistics import FEWEST, LEVEL, mean_interval, numbers_needed, q_values
from afp_nodes.verdict_ids import verdict_id
from afp_nodes.words import DifferenceVerdict, SubjectKind, Tier, VerdictKind

DIFFERENCES = (0.05, 0.1, 0.2)
"""Sizes of a difference of which it is said how many runs would show them."""

ANSWERS_AT_ONCE = 1_000
"""Distinct answers whose embeddings are held at a time, roughly."""


class _Side(NamedTuple):
    """The answered runs of one arm to one question, in the order of their ids."""

    run_ids: list[str]
    answers: list[str]


class _Compared(NamedTuple):
    """One question that two arms answered."""

    question: str
    arm: _Side
    baseline: _Side


def arm_contrasts(
    arm_answers: dy.LazyFrame[ArmAnswers], settings: dict[str, str], embeddings: Embeddings
) -> dy.LazyFrame[ArmContrasts]:
    """One row per arm in force but the baseline, compared with it."""
    given = arms_given(settings)
    if given is None:
        return ArmContrasts.create_empty().lazy().pipe(ArmContrasts.cast)
    answers = arm_answers.collect()
    rows = [_contrasted(arm.name, answers, given, embeddings) for arm in given.arms if arm.name != given.baseline]
    return pl.LazyFrame(rows, schema=ArmContrasts.stored_dtypes()).pipe(ArmContrasts.cast)


def arm_verdicts(arm_contrasts: dy.LazyFrame[ArmContrasts]) -> dy.LazyFrame[ArmVerdicts]:
    """One row per arm but the baseline: whether its runs answered otherwise, chance over all arms taken in.

    It rests on a list of objects: what was compared, how many more runs a difference would need, and each question
    with the runs of both sides; or on the reason why nothing can be compared.
    """
    differs = pl.when(pl.col("q_value") <= LEVEL).then(pl.lit(DifferenceVerdict.DIFFERS))
    return (
        arm_contrasts.with_columns(
            q_value=pl.col("p_value").map_batches(_adjusted, return_dtype=pl.Float64),
        )
        .select(
            kind=pl.lit(VerdictKind.OBSERVATIONAL),
            tier=pl.lit(Tier.CORRELATIONAL),
            subject_kind=pl.lit(SubjectKind.ARM),
            subject_id="arm_id",
            verdict=pl.when(pl.col("reason").is_not_null())
            .then(pl.lit(DifferenceVerdict.NOT_COMPARABLE))
            .otherwise(differs.otherwise(pl.lit(DifferenceVerdict.NO_DIFFERENCE_SEEN))),
            samples="runs",
            similarity_mean="similarity",
            effect="effect",
            effect_low="effect_low",
            effect_high="effect_high",
            q_value="q_value",
            evidence_json=pl.concat_str(pl.lit("["), pl.col("rests_on").list.join(","), pl.lit("]")),
        )
        .pipe(ArmVerdicts.cast)
    )


def fleet_verdicts(arm_verdicts: dy.LazyFrame[ArmVerdicts]) -> dy.LazyFrame[Verdicts]:
    """One row per claim about recorded runs of the whole fleet, as a row of `verdicts`."""
    told = ArmVerdicts.column_names()
    nothing = {n: pl.lit(None, t) for n, t in Verdicts.stored_dtypes().items() if n not in {*told, "verdict_id"}}
    return (
        arm_verdicts.with_columns(verdict_id=verdict_id(frozenset(told)), **nothing)
        .select(Verdicts.column_names())
        .sort("verdict_id")
        .pipe(Verdicts.cast)
    )


def _contrasted(arm_id: str, answers: pl.DataFrame, given: GivenArms, embeddings: Embeddings) -> dict[str, Any]:
    """The row of one arm."""
    compared = list(_compared(arm_id, answers, given.baseline))
    sides = {"baseline": given.baseline, "embedder": given.embedder, **_counts(answers, arm_id, given.baseline)}
    reason = _unmatchable(arm_id, given) or _obstacle(sides, compared)
    if reason is not None:
        return {"arm_id": arm_id, "reason": reason, "runs": 0, "rests_on": [stringify({"reason": reason, **sides})]}
    contrasts = _contrasts(compared, given.embedder, embeddings)
    differences = [each.difference for each in contrasts]
    effect, low, high = mean_interval(differences)
    p_value = chance(contrasts)
    summed = {"compared": "answers", **sides, "questions": len(compared), "p_value": p_value}
    return {
        "arm_id": arm_id,
        "runs": sum(len(each.arm.run_ids) for each in compared),
        "similarity": fmean(each.similarity for each in contrasts),
        "effect": effect,
        "effect_low": low,
        "effect_high": high,
        "p_value": p_value,
        "rests_on": [
            stringify(summed),
            *map(stringify, _runs_needed(compared, differences)),
            *(stringify(_told(one, of)) for one, of in zip(compared, contrasts, strict=True)),
        ],
    }


def _unmatchable(arm_id: str, given: GivenArms) -> str | None:
    """Why no run can belong to one of the two arms; None where runs can."""
    matched_by_nothing = {arm.name for arm in given.arms if not declared_facets(arm)}
    for side, name in (("arm", arm_id), ("baseline", given.baseline)):
        if name in matched_by_nothing:
            return f"the {side} declares no facet, so that no run's manifest can match it"
    return None


def _obstacle(sides: dict[str, Any], compared: Sequence[_Compared]) -> str | None:
    """Why two arms cannot be compared; None where they can."""
    if not is_known(embedder, sides["embedder"]):
        return "the embedder is not installed"
    if not sides["arm_answers"]:
        return "no answered run of the arm is recorded"
    if not sides["baseline_answers"]:
        return "no answered run of the baseline is recorded"
    if not compared:
        return "no question was answered once by the arm and twice by the baseline"
    if len(compared) < FEWEST:
        return "only one question was answered by both, which has no spread over questions"
    return None


def _counts(answers: pl.DataFrame, arm_id: str, baseline: str) -> dict[str, int]:
    """Answered runs of either side, and how many of them leave doubt; all of them, compared or not."""
    counts = {}
    for side, name in (("arm", arm_id), ("baseline", baseline)):
        runs = answers.filter(pl.col("arm_id") == name)
        counts[f"{side}_answers"] = runs.height
        counts[f"{side}_doubtful"] = int(runs["doubtful"].sum())
        counts[f"{side}_not_assessed"] = runs["doubtful"].null_count()
    return counts


def _compared(arm_id: str, answers: pl.DataFrame, baseline: str) -> Iterator[_Compared]:
    """The questions that the arm answered at least once, and the baseline at least twice."""
    rows = answers.filter(pl.col("arm_id").is_in([arm_id, baseline])).sort("question", "run_id")
    for (question,), group in rows.group_by("question", maintain_order=True):
        sides = (group.filter(pl.col("arm_id") == name) for name in (arm_id, baseline))
        arm, other = (_Side(side["run_id"].to_list(), side["answer"].to_list()) for side in sides)
        if arm.run_ids and len(other.run_ids) >= FEWEST:
            yield _Compared(str(question), arm, other)


def _contrasts(compared: Sequence[_Compared], embedder_id: str, embeddings: Embeddings) -> list[Contrast]:
    """The contrast of each question; some questions' answers are embedded at a time."""
    made: list[Contrast] = []
    for questions in _shares(compared):
        texts = {answer for each in questions for answer in (*each.arm.answers, *each.baseline.answers)}
        known = embeddings.of(embedder_id, texts)
        made += [
            contrast(each.question, [known[a] for a in each.arm.answers], [known[a] for a in each.baseline.answers])
            for each in questions
        ]
    return made


def _shares(compared: Sequence[_Compared]) -> Iterator[list[_Compared]]:
    """The questions in order, cut where their answers become many."""
    share: list[_Compared] = []
    answers = 0
    for each in compared:
        share.append(each)
        answers += len({*each.arm.answers, *each.baseline.answers})
        if answers >= ANSWERS_AT_ONCE:
            yield share
            share, answers = [], 0
    if share:
        yield share


def _runs_needed(compared: Sequence[_Compared], differences: Sequence[float]) -> Iterator[dict[str, Any]]:
    """How many more runs would show a difference of each size, at as many a question as there are now."""
    runs = sum(len(each.arm.run_ids) + len(each.baseline.run_ids) for each in compared)
    for size in DIFFERENCES:
        more = max(0, numbers_needed(differences, size) - len(compared))
        yield {
            "difference": size,
            "more_questions_needed": more,
            "more_runs_needed": math.ceil(more * runs / len(compared)),
        }


def _told(one: _Compared, of: Contrast) -> dict[str, Any]:
    return {
        "question": one.question,
        "difference": of.difference,
        "similarity": of.similarity,
        "arm_run_ids": one.arm.run_ids,
        "baseline_run_ids": one.baseline.run_ids,
    }


def _adjusted(p_values: pl.Series) -> pl.Series:
    """The q-values of the p-values that are known, in their places."""
    known = iter(q_values(p_values.drop_nulls().to_list()))
    return pl.Series([None if p_value is None else next(known) for p_value in p_values], dtype=pl.Float64)
