"""Probes: how alike the answer of each probe run is to the reference, and whether it is another one.

Rules: record format, sections 20 and 22. Each text is embedded once, each pair of texts compared once.
"""

from collections.abc import Iterator

import dataframely as dy
import polars as pl

from afp_nodes.schemas.studies import (
    AnswerChanges,
    AnswerSimilarities,
    ProbeOutcomes,
    ProbeRuns,
    StatedStudies,
    StudyReferences,
)
from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, RECORDED, comparator
from afp_nodes.studies.embedders import Embeddings
from afp_nodes.studies.plugins import UnknownNameError
from afp_nodes.studies.similarity import cosine

PAIR = ["reference_text", "output"]
"""An answer, and the one that it is compared with."""

MAKING = Embeddings()
"""Makes every embedding anew."""


def answer_similarities(
    probe_outcomes: dy.LazyFrame[ProbeOutcomes],
    study_references: dy.LazyFrame[StudyReferences],
    stated_studies: dy.LazyFrame[StatedStudies],
    embeddings: Embeddings = MAKING,
) -> dy.LazyFrame[AnswerSimilarities]:
    """One row per embedder, reference answer and answer: how alike the two are.

    An embedder that is no longer installed says nothing.
    """
    pairs = _pairs(probe_outcomes, study_references, stated_studies, "embedder")
    rows = [row for (name,), texts in pairs.group_by("embedder") for row in _similarities(str(name), texts, embeddings)]
    return pl.LazyFrame(rows, schema=AnswerSimilarities.stored_dtypes(), orient="row").pipe(AnswerSimilarities.cast)


def answer_changes(
    probe_outcomes: dy.LazyFrame[ProbeOutcomes],
    study_references: dy.LazyFrame[StudyReferences],
    stated_studies: dy.LazyFrame[StatedStudies],
) -> dy.LazyFrame[AnswerChanges]:
    """One row per comparator of texts, reference answer and answer: whether it is another answer."""
    pairs = _pairs(probe_outcomes, study_references, stated_studies, "comparator")
    rows = [row for (name,), texts in pairs.group_by("comparator") for row in _changes(str(name), texts)]
    return pl.LazyFrame(rows, schema=AnswerChanges.stored_dtypes(), orient="row").pipe(AnswerChanges.cast)


def probe_runs(
    probe_outcomes: dy.LazyFrame[ProbeOutcomes],
    study_references: dy.LazyFrame[StudyReferences],
    stated_studies: dy.LazyFrame[StatedStudies],
    answer_similarities: dy.LazyFrame[AnswerSimilarities],
    answer_changes: dy.LazyFrame[AnswerChanges],
) -> dy.LazyFrame[ProbeRuns]:
    """One row per probe run.

    Its answer is another one when it is less alike than the threshold, when the comparator of the study says so, or
    when the study itself does. A run that failed neither flipped nor stayed.
    """
    flipped = (
        pl.when(pl.col("comparator") == DEFAULT_COMPARATOR)
        .then(pl.col("similarity") < pl.col("flip_threshold"))
        .when(pl.col("comparator") == RECORDED)
        .then(pl.col("changed"))
        .otherwise(pl.col("differs"))
    )
    return (
        probe_outcomes.join(
            stated_studies.select("study_id", "embedder", "comparator", "flip_threshold"), on="study_id"
        )
        .join(study_references.select("study_id", "reference_text"), on="study_id")
        .join(answer_similarities, on=["embedder", *PAIR], how="left")
        .join(answer_changes, on=["comparator", *PAIR], how="left")
        .with_columns(
            flipped=pl.when(pl.col("error").is_null()).then(flipped),
            manifest_seen=pl.col("manifest_json").is_not_null(),
        )
        .select(ProbeRuns.column_names())
        .sort(ProbeRuns.primary_key())
        .pipe(ProbeRuns.cast)
    )


def _pairs(outcomes: pl.LazyFrame, references: pl.LazyFrame, studies: pl.LazyFrame, instrument: str) -> pl.DataFrame:
    """Each answer with its reference and the `instrument` that compares them, once."""
    return (
        outcomes.join(references, on="study_id")
        .join(studies.select("study_id", instrument), on="study_id")
        .select(instrument, *PAIR)
        .drop_nulls()
        .unique()
        .collect()
    )


def _similarities(name: str, pairs: pl.DataFrame, embeddings: Embeddings) -> Iterator[tuple[str, str, str, float]]:
    try:
        embedded = embeddings.of(name, {text for column in PAIR for text in pairs[column]})
    except UnknownNameError:
        return
    for reference, answer in pairs.select(PAIR).iter_rows():
        yield name, reference, answer, cosine(embedded[reference], embedded[answer])


def _changes(name: str, pairs: pl.DataFrame) -> Iterator[tuple[str, str, str, bool]]:
    try:
        changed = comparator(name)
    except UnknownNameError:
        return
    if changed is not None:
        for reference, answer in pairs.select(PAIR).iter_rows():
            yield name, reference, answer, bool(changed(reference, answer))
