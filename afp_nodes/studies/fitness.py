"""Fitness: whether a study that can be read can be judged. Rules: product contract, section 6; record format, section
24 (refusals)."""

from typing import Any

from afp_nodes.refusals import RefusedError
from afp_nodes.studies.arms import MEMORY, refuse_unfit
from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, comparator
from afp_nodes.studies.documents import Arm, Options, Study
from afp_nodes.studies.embedders import DEFAULT_EMBEDDER, embedder
from afp_nodes.studies.plugins import UnknownNameError
from afp_nodes.words import QuarantineCode, StudyKind

BASELINE = "baseline"
"""The id that baseline runs carry where a study of no arms names none."""


def refuse_unfit_study(study: Study) -> None:
    """Raises `RefusedError` for a study that no verdict can come of.

    `bad-study` where it lacks what its kind needs, or names an embedder or comparator that is not there; else what an
    arm comparison is refused for.
    """
    lacking = _lacking(study)
    if lacking:
        names = " and ".join(f"`{name}`" for name in lacking)
        raise _bad(f"its kind is {study.kind}, without {names}")
    try:
        embedder(study.embedder or DEFAULT_EMBEDDER)
        comparator((study.options or Options()).comparator or DEFAULT_COMPARATOR)
    except UnknownNameError as unknown:
        raise _bad(str(unknown)) from None
    if study.kind == StudyKind.ARMS:
        _refuse_unfit_arms(study.arms or [], study.baseline)
    elif any(spec.spec_id == baseline_id(study) for spec in study.specs or []):
        raise _bad(f"{baseline_id(study)[:60]!r} is the id of both the baseline and a spec")


def baseline_id(study: Study) -> str:
    """The id that the baseline runs of a fit study carry."""
    if study.baseline is not None:
        return study.baseline
    return study.arms[0].name if study.arms and study.kind == StudyKind.ARMS else BASELINE


def _lacking(study: Study) -> list[str]:
    """What the kind of the study needs and it does not have."""
    needed: dict[str, Any] = {"specs": study.specs, "available": study.available, "sent": study.sent}
    if study.kind == StudyKind.ABLATION:
        needed = {"specs": study.specs}
    elif study.kind == StudyKind.ARMS:
        needed = {"arms": study.arms}
    return [name for name, member in needed.items() if member is None]


def _refuse_unfit_arms(arms: list[Arm], baseline: str | None) -> None:
    for place, arm in enumerate(arms):
        if not isinstance((arm.facets or {}).get(MEMORY), dict | None):
            raise _bad(f"`arms[{place}].facets.{MEMORY}` must be an object")
    refuse_unfit(arms, baseline)


def _bad(message: str) -> RefusedError:
    return RefusedError(
        QuarantineCode.BAD_STUDY,
        f"the study cannot be judged: {message}",
        "correct the study, or install the package that offers what it names, then run again",
    )
