"""Stated: what studies say of themselves, of their subjects and of their runs. Rules: product contract, section 6;
record format, section 22.

A study document was held to be fit when it was read. What it leaves out has a rule: three samples, the default
comparator at 0.8, wording for similarity, no bound on candidates.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import dataframely as dy
import polars as pl

from afp_nodes.javascript import is_truthy, stringify
from afp_nodes.schemas.base import Frame
from afp_nodes.schemas.studies import StatedProbes, StatedStudies, StudyDocuments, StudySubjects
from afp_nodes.signs import PLACEHOLDERS
from afp_nodes.studies.arms import configuration_key
from afp_nodes.studies.canonical import canonical_json
from afp_nodes.studies.comparators import DEFAULT_COMPARATOR
from afp_nodes.studies.documents import Cost, Options, Spec, Study, StudyRun, resolved_samples, study_of
from afp_nodes.studies.embedders import DEFAULT_EMBEDDER
from afp_nodes.studies.fitness import baseline_id
from afp_nodes.words import StudyKind, SubjectKind

DEFAULT_FLIP_THRESHOLD = 0.8


def study_documents(study_rows: pl.DataFrame) -> dy.LazyFrame[StudyDocuments]:
    """One row per study in force."""
    return study_rows.lazy().select(StudyDocuments.column_names()).pipe(StudyDocuments.cast)


def stated_studies(study_documents: dy.LazyFrame[StudyDocuments]) -> dy.LazyFrame[StatedStudies]:
    """One row per study, with what holds where it says nothing."""
    return _read(study_documents, StatedStudies, _study_rows).pipe(StatedStudies.cast)


def study_subjects(study_documents: dy.LazyFrame[StudyDocuments]) -> dy.LazyFrame[StudySubjects]:
    """One row per study and its baseline, arm, spec or candidate unit; a repeated spec counts once.

    The candidates of a restoration are the first `maxCandidates` units that were available and not sent; those it
    declares as specs are its subjects.
    """
    return _read(study_documents, StudySubjects, _subject_rows).pipe(StudySubjects.cast)


def stated_probes(study_documents: dy.LazyFrame[StudyDocuments]) -> dy.LazyFrame[StatedProbes]:
    """One row per study, subject and seed of its runs, those of undeclared subjects too.

    A placeholder that a record sets in place of a redacted value is no answer.
    """
    key = ["study_id", "subject_id", "seed"]
    return (
        _read(study_documents, StatedProbes, _probe_rows)
        .sort(*key, pl.col("error").is_not_null(), "run_id", "text")
        .with_columns(repeats=pl.len().over(key) - 1)
        .unique(key, keep="first", maintain_order=True)
        .select(StatedProbes.column_names())
        .pipe(StatedProbes.cast)
    )


def _read(
    study_documents: pl.LazyFrame, schema: type[Frame], rows_of: Callable[[Study], Iterator[dict[str, Any]]]
) -> pl.LazyFrame:
    """The rows that each study holds, in columns of the schema and, of some rows, the `text` that they stand for."""
    documents = study_documents.select("study_id", "content_json").collect()
    rows = [
        {"study_id": study_id, **row} for study_id, text in documents.iter_rows() for row in rows_of(study_of(text))
    ]
    return pl.LazyFrame(rows, schema={**schema.stored_dtypes(), "text": pl.String}, orient="row")


def _study_rows(study: Study) -> Iterator[dict[str, Any]]:
    options = study.options or Options()
    comparator = options.comparator or DEFAULT_COMPARATOR
    threshold = DEFAULT_FLIP_THRESHOLD if options.flip_threshold is None else options.flip_threshold
    yield {
        "kind": study.kind,
        "scenario": _text(study.scenario),
        "original_run_id": study.original_run_id,
        "original_output": _answer(study.original_output),
        "baseline_id": baseline_id(study),
        "samples": resolved_samples(options.samples),
        "flip_threshold": threshold if comparator == DEFAULT_COMPARATOR else options.flip_threshold,
        "comparator": comparator,
        "embedder": study.embedder or DEFAULT_EMBEDDER,
        "manifests_reported": study.manifests_reported is not False,
    }


def _subject_rows(study: Study) -> Iterator[dict[str, Any]]:
    baseline = baseline_id(study)
    if study.kind == StudyKind.ARMS:
        for arm in study.arms or []:
            yield {
                "subject_id": arm.name,
                "subject_kind": SubjectKind.ARM,
                "is_baseline": arm.name == baseline,
                "changes_json": configuration_key(arm),
            }
        return
    subject_kind = SubjectKind.SPEC if study.kind == StudyKind.ABLATION else SubjectKind.UNIT
    yield {"subject_id": baseline, "subject_kind": subject_kind, "is_baseline": True, "changes_json": ""}
    for spec in _specs(study):
        yield {
            "subject_id": spec.spec_id,
            "subject_kind": subject_kind,
            "is_baseline": False,
            "changes_json": _changes(spec, study.kind),
        }


def _specs(study: Study) -> list[Spec]:
    """The specs that get a verdict, each once."""
    declared = {spec.spec_id: spec for spec in reversed(study.specs or [])}
    if study.kind == StudyKind.ABLATION:
        return [declared[name] for name in dict.fromkeys(spec.spec_id for spec in study.specs or [])]
    sent = {unit.id for unit in study.sent or []}
    dropped = list(dict.fromkeys(unit.id for unit in study.available or [] if unit.id not in sent))
    most = (study.options or Options()).max_candidates
    return [declared[unit] for unit in dropped[:most] if unit in declared]


def _changes(spec: Spec, kind: StudyKind) -> str:
    """What a spec takes out, or the hash of what it gives back, in one spelling."""
    if kind == StudyKind.ABLATION:
        return canonical_json(spec.spec)
    return f"sha256:{hashlib.sha256(canonical_json(spec.content).encode('utf-8', 'surrogatepass')).hexdigest()}"


def _probe_rows(study: Study) -> Iterator[dict[str, Any]]:
    for run in study.runs:
        cost = run.cost or Cost()
        error = _failure(run)
        yield {
            "subject_id": run.arm_or_spec_id,
            "seed": run.seed,
            "run_id": run.run_id,
            "output": None if error else _answer(run.output),
            "loops": cost.loops,
            "tokens": cost.tokens,
            "error": error,
            "changed": run.changed,
            "text": repr(run),
        }


def _failure(run: StudyRun) -> str | None:
    """Why a run failed, as text; None for one that did not."""
    return _text(run.error) if is_truthy(run.error) else None


def _answer(text: str | None) -> str | None:
    return None if text in PLACEHOLDERS else text


def _text(value: Any) -> str | None:
    """A text as it is, anything else as JSON; None for nothing."""
    return value if value is None or isinstance(value, str) else stringify(value)
