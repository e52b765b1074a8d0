"""One study: its rows of a snapshot, as people may read them.

Rule: product contract, sections 4 to 6. Every text is masked, and what a record of one of its runs redacts is hidden.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import msgspec

from dataflows.masking import masked_data
from dataflows.questions import answer
from dataflows.withheld import Withheld

Rows = list[dict[str, Any]]
Show = Callable[[Any], Any]
"""Makes of plain data what people may read of it."""

WORDS = frozenset(
    {"kind", "subject_kind", "verdict", "ruling", "reference_from", "suspect_class", "cost_verdict", "embedder_judges"}
)
"""Columns that hold words of our own, which stay."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a study asked, and by what it is judged."""

    study_id: str
    kind: str
    scenario: str | None
    original_run_id: str | None
    baseline_id: str
    reference_from: str | None
    reference_text: str | None
    samples: int
    flip_threshold: float | None
    comparator: str
    embedder: str
    embedder_judges: str | None
    baseline_stable: bool | None
    runs_used: int


@dataclass(frozen=True, slots=True)
class Band:
    """How far the runs of a baseline arm stray from the reference answer."""

    mean: float | None
    min: float | None
    max: float | None
    stdev: float | None
    floor: float | None
    degenerate: bool | None
    gates: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe run; `flipped` is NULL where it does not count."""

    seed: int
    run_id: str
    similarity: float | None
    flipped: bool | None
    loops: float | None
    tokens: float | None
    manifest_seen: bool
    error: str | None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One declared facet that a manifest contradicts."""

    facet: str
    declared: str
    observed: str | None


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one subject, or of the baseline."""

    subject_id: str
    probes: tuple[Probe, ...]
    mismatches: tuple[Mismatch, ...]

    @property
    def flips(self) -> int:
        """Runs that count and answered otherwise."""
        return sum(probe.flipped is True for probe in self.probes)

    @property
    def samples(self) -> int:
        """Runs that count."""
        return sum(probe.flipped is not None for probe in self.probes)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a study says of the cost of a suspect; `placebo` is the other one that it was held against."""

    verdict: str
    loops_saved: float | None
    tokens_saved: float | None
    stable: bool | None
    placebo: str | None
    placebo_saved: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rule that gave a verdict, repeated and missing runs, and what recordings say otherwise than the study."""

    ruling: str
    repeated: tuple[dict[str, Any], ...]
    missing_seeds: tuple[int, ...]
    baseline_missing_seeds: tuple[int, ...]
    differing: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject with its verdict."""

    side: Side
    subject_kind: str
    verdict: str
    samples: int
    flips: int
    similarity_mean: float | None
    similarity_min: float | None
    similarity_max: float | None
    flip_rate_low: float | None
    flip_rate_high: float | None
    false_rate: float | None
    outside_null_band: bool | None
    manifests_seen: int | None
    manifest_checked: bool | None
    manifest_applied: bool | None
    suspect_class: str | None
    cost: Cost | None
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Study:
    """One study as people read it; `band` is there where arms are compared."""

    question: Question
    baseline: Side
    band: Band | None
    subjects: tuple[Subject, ...]


def study_of(connection: duckdb.DuckDBPyConnection, study_id: str) -> Study:
    """The study of that id, which the snapshot holds."""
    rows = partial(answer, connection, study_id=study_id)
    [question], probes, mismatches = rows("one_study"), rows("study_probes"), rows("study_mismatches")
    named = {probe["run_id"] for probe in probes} | {question["original_run_id"]} - {None}
    show = partial(_shown, Withheld.of_runs(connection, sorted(named)))
    side = partial(_side, probes=probes, mismatches=mismatches, show=show)
    return Study(
        question=Question(**_row(question, show)),
        baseline=side(question["baseline_id"]),
        band=next((Band(**band) for band in rows("study_band")), None),
        subjects=tuple(_subject(row, side(row["subject_id"]), show) for row in rows("study_subjects")),
    )


def _shown(withheld: Withheld, value: Any) -> Any:
    return masked_data(withheld.hide_data(value))


def _row(row: Mapping[str, Any], show: Show) -> dict[str, Any]:
    return {name: value if name in WORDS else show(value) for name, value in row.items()}


def _side(subject_id: str, *, probes: Rows, mismatches: Rows, show: Show) -> Side:
    """One side; rows are told apart by the ids of the study, before secrets in them are masked."""
    return Side(
        subject_id=show(subject_id),
        probes=tuple(Probe(**row) for row in _of(subject_id, probes, show)),
        mismatches=tuple(Mismatch(**row) for row in _of(subject_id, mismatches, show)),
    )


def _of(subject_id: str, rows: Rows, show: Show) -> Iterable[dict[str, Any]]:
    for row in rows:
        if row["subject_id"] == subject_id:
            yield _row({name: value for name, value in row.items() if name != "subject_id"}, show)


def _subject(row: dict[str, Any], side: Side, show: Show) -> Subject:
    named = ("subject_id", "evidence_json", "cost_verdict", "loops_saved", "tokens_saved", "cost_stable")
    kept = {name: value for name, value in row.items() if name not in {*named, "cost_evidence_json"}}
    return Subject(side=side, cost=_cost(row, show), evidence=_evidence(row["evidence_json"], show), **kept)


def _cost(row: Mapping[str, Any], show: Show) -> Cost | None:
    if row["cost_verdict"] is None:
        return None
    placebo = msgspec.json.decode(row["cost_evidence_json"])[0]
    return Cost(
        verdict=row["cost_verdict"],
        loops_saved=row["loops_saved"],
        tokens_saved=row["tokens_saved"],
        stable=row["cost_stable"],
        placebo=show(placebo["placebo"]),
        placebo_saved=placebo["loops_saved"],
    )


def _evidence(text: str, show: Show) -> Evidence:
    objects: Rows = msgspec.json.decode(text)
    sides = {each["side"]: each for each in objects if "side" in each}
    subject, baseline = sides["subject"], sides["baseline"]
    return Evidence(
        ruling=next(each["ruling"] for each in objects if "ruling" in each),
        repeated=tuple(subject["repeated"]),
        missing_seeds=tuple(subject["missing_seeds"]),
        baseline_missing_seeds=tuple(baseline["missing_seeds"]),
        differing=tuple(show([each for each in objects if "differs" in each])),
    )
