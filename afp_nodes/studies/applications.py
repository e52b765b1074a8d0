"""Applications: whether the runs of an arm were configured as it declares. Rule: record format, section 24."""

from collections.abc import Iterator
from typing import Any

import dataframely as dy
import msgspec
import polars as pl

from afp_nodes.javascript import parse
from afp_nodes.schemas.studies import ArmApplications, ArmMismatches, ProbeOutcomes, StudyDocuments
from afp_nodes.studies.arms import Mismatch, application
from afp_nodes.studies.documents import study_of
from afp_nodes.studies.outcomes import PROBE
from afp_nodes.words import StudyKind


def arm_applications(
    study_documents: dy.LazyFrame[StudyDocuments], probe_outcomes: dy.LazyFrame[ProbeOutcomes]
) -> dy.LazyFrame[ArmApplications]:
    """One row per arm of a comparison. Every manifest of its runs is read, those of runs that failed too."""
    seen = (
        probe_outcomes.drop_nulls("manifest_json")
        .sort(PROBE)
        .group_by("study_id", "subject_id", maintain_order=True)
        .agg("manifest_json")
        .collect()
    )
    manifests = {(study_id, arm_id): texts for study_id, arm_id, texts in seen.iter_rows()}
    documents = study_documents.select("study_id", "content_json").collect()
    rows = [row for study_id, text in documents.iter_rows() for row in _applied(study_id, text, manifests)]
    return pl.LazyFrame(rows, schema=ArmApplications.dtypes(), orient="row").pipe(ArmApplications.cast)


def arm_mismatches(arm_applications: dy.LazyFrame[ArmApplications]) -> dy.LazyFrame[ArmMismatches]:
    """One row per declared facet that a manifest contradicts, each contradiction once an arm."""
    contradicted = arm_applications.sort("study_id", "subject_id").select("study_id", "subject_id", "mismatches_json")
    rows = [
        (study_id, arm_id, position, *mismatch)
        for study_id, arm_id, text in contradicted.collect().iter_rows()
        for position, mismatch in enumerate(msgspec.json.decode(text, type=list[Mismatch]))
    ]
    return pl.LazyFrame(rows, schema=ArmMismatches.dtypes(), orient="row").pipe(ArmMismatches.cast)


def _applied(
    study_id: str, content_json: str, manifests: dict[tuple[str, str], list[str]]
) -> Iterator[tuple[Any, ...]]:
    """What became of each arm of a study."""
    study = study_of(content_json)
    for arm in (study.arms or []) if study.kind == StudyKind.ARMS else []:
        distinct = {text: parse(text) for text in manifests.get((study_id, arm.name), [])}
        seen = [distinct[text] for text in manifests.get((study_id, arm.name), [])]
        found = application(arm, seen)
        mismatches_json = msgspec.json.encode(found.mismatches).decode()
        yield study_id, arm.name, found.manifests_seen, found.checked, found.applied, mismatches_json
