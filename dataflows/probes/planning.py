"""Planning: which probes to run, as the lines of a plan.

Rule: product contract, section 7. Subjects come in the order of their rank, each on one run that it would change. A
study holds the subjects of one kind that are probed on one run: they share its baseline runs. Its id tells all that it
could hold, the order too, so that a plan of a smaller budget holds the beginning of the same study, and any other
study has another id.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from afp_nodes.probe_subjects import BASELINE, probe_choices, probe_subjects, subject_runs
from afp_nodes.words import StudyKind
from dataflows.probes.fleet import Fleet, NotProbed, Scenario
from dataflows.probes.names import run_id_of, study_id_of

Line = dict[str, Any]
"""One probe, as the plan spells it."""

NO_CHANGE: Line = {"specs": [], "restore": [], "facets": {}}


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How much is planned, and how its answers are to be compared; `budget` counts lines, None = all."""

    budget: int | None
    samples: int
    embedder: str
    comparator: str
    flip_threshold: float | None


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject, ranked: a row of `ProbeSubjects`."""

    rank: int
    study_kind: StudyKind
    subject_kind: str
    subject_name: str
    change: Any
    subject_id: str
    runs: int
    judged_runs: int
    doubtful_runs: int
    judged_others: int
    doubtful_others: int
    difference: float | None
    score: float | None
    least_tokens: float | None


@dataclass
class PlannedStudy:
    """One study: every subject that it could hold, by rank, and those of them that the budget lets in.

    `units` are those of the original run of a restoration, each with whether some call missed it.
    """

    kind: StudyKind
    original_run_id: str
    scenario: Scenario
    options: PlanOptions
    units: list[tuple[str, bool]] = field(default_factory=list)
    subjects: dict[str, Subject] = field(default_factory=dict)
    planned: dict[str, Subject] = field(default_factory=dict)

    @cached_property
    def question(self) -> Line:
        """What is asked again, and what came of it."""
        return {
            "question": self.scenario.question,
            "original_run_id": self.original_run_id,
            "original_output": self.scenario.answer,
        }

    @cached_property
    def comparison(self) -> Line:
        """How the answers are to be compared, and what a restoration can choose from."""
        asked = {"samples": self.options.samples, "flipThreshold": self.options.flip_threshold}
        compared = {"comparator": self.options.comparator}
        if self.kind != StudyKind.RESTORATION:
            return {"embedder": self.options.embedder, "options": asked | compared}
        missed = sum(is_missed for _, is_missed in self.units)
        return {
            "embedder": self.options.embedder,
            "options": asked | compared | {"maxCandidates": missed},
            "available": [{"id": unit_id} for unit_id, _ in self.units],
            "sent": [{"id": unit_id} for unit_id, is_missed in self.units if not is_missed],
        }

    @cached_property
    def study_id(self) -> str:
        """Its id, made of all that it could hold."""
        held = [[subject.subject_id, subject.change] for subject in self.subjects.values()]
        content = json.dumps([self.kind, self.question, self.comparison, held])
        return study_id_of(self.kind, self.original_run_id, content)

    def lines_of(self, subject: Subject | None) -> Iterator[Line]:
        """One line for each seed of a subject; None stands for the baseline."""
        subject_id = subject.subject_id if subject else BASELINE
        for seed in range(self.options.samples):
            yield {
                "study_id": self.study_id,
                "kind": self.kind,
                "subject_id": subject_id,
                "seed": seed,
                "run_id": run_id_of(self.study_id, subject_id, seed),
                "scenario": self.question,
                **NO_CHANGE,
                **(_changes(subject) if subject else {}),
                **self.comparison,
            }


@dataclass(frozen=True, slots=True)
class Placed:
    """One subject with the study that holds it; None where it can be probed on no run."""

    subject: Subject
    study: PlannedStudy | None

    @property
    def is_planned(self) -> bool:
        """The budget lets it in."""
        return self.study is not None and self.subject.subject_id in self.study.planned


@dataclass(frozen=True, slots=True)
class Plan:
    """What was planned, with every subject by rank, those too that were left out."""

    subjects: list[Placed]
    not_probed: NotProbed
    runs: int

    @property
    def studies(self) -> list[PlannedStudy]:
        """The studies that the budget lets in, in the order of their first subjects."""
        planned = (placed.study for placed in self.subjects if placed.study and placed.is_planned)
        return list({id(study): study for study in planned}.values())

    def lines(self) -> Iterator[Line]:
        """The probes by rank, the baseline of a study before the first subject that it serves."""
        begun: set[int] = set()
        for placed in self.subjects:
            if placed.study and placed.is_planned:
                if id(placed.study) not in begun:
                    begun.add(id(placed.study))
                    yield from placed.study.lines_of(None)
                yield from placed.study.lines_of(placed.subject)


def planned(fleet: Fleet, options: PlanOptions) -> Plan:
    """The plan for a fleet: every subject is placed on a run, then as many as the budget lets in are planned."""
    touched = subject_runs(fleet.suspects, fleet.units, fleet.arms, fleet.runs).collect().lazy()
    ranked = probe_subjects(touched, fleet.runs).collect()
    choices = probe_choices(touched, ranked.lazy(), fleet.arms, fleet.runs).collect()
    subjects = _placed(ranked, choices, fleet, options)
    _let_in(subjects, options)
    return Plan(subjects, fleet.not_probed(), len(fleet))


def _placed(ranked: pl.DataFrame, choices: pl.DataFrame, fleet: Fleet, options: PlanOptions) -> list[Placed]:
    """Every subject, by rank, with its study."""
    studies: dict[tuple[StudyKind, str], PlannedStudy] = {}
    by_rank = {rank: list(zip(runs, doubts, strict=True)) for rank, runs, doubts in _listed(choices).iter_rows()}
    placed = []
    for row in ranked.iter_rows(named=True):
        kind, change = StudyKind(row.pop("study_kind")), json.loads(row.pop("change_json"))
        subject = Subject(study_kind=kind, change=change, **row)
        run_id = _original(subject, by_rank.get(subject.rank, []), fleet, studies)
        if run_id is None:
            placed.append(Placed(subject, None))
            continue
        if kind == StudyKind.RESTORATION:
            change["content"] = fleet.told(run_id, change["content"])
        study = studies.setdefault((kind, run_id), PlannedStudy(kind, run_id, fleet.scenario(run_id), options))
        study.subjects[subject.subject_id] = subject
        placed.append(Placed(subject, study))
    restorations = [run_id for kind, run_id in studies if kind == StudyKind.RESTORATION]
    for run_id, units in fleet.units_of(restorations).items():
        studies[StudyKind.RESTORATION, run_id].units = units
    return placed


def _listed(choices: pl.DataFrame) -> pl.DataFrame:
    """The choices of each subject, as lists in the order in which they are preferred."""
    return choices.sort("rank", "position").group_by("rank", maintain_order=True).agg("run_id", "doubt")


def _original(
    subject: Subject,
    choices: list[tuple[str, int]],
    fleet: Fleet,
    studies: dict[tuple[StudyKind, str], PlannedStudy],
) -> str | None:
    """The run that a subject is probed on: the first choice, or one as much in doubt that others are probed on.

    It is asked nothing that its record redacts, and not for the subject by such a name.
    """

    def fits(run_id: str) -> bool:
        study = studies.get((subject.study_kind, run_id))
        is_free = study is None or subject.subject_id not in study.subjects
        return is_free and fleet.scenario(run_id).is_whole and fleet.told(run_id, subject.subject_name) is not None

    first = next((choice for choice in choices if fits(choice[0])), None)
    if first is None:
        return None
    shared = (run for run, doubt in choices if doubt == first[1] and (subject.study_kind, run) in studies)
    return next(filter(fits, shared), first[0])


def _let_in(subjects: list[Placed], options: PlanOptions) -> None:
    """Plan what the budget holds, by rank: a subject in whole, with the baseline if its study has none yet, or not."""
    left = options.budget
    for placed in subjects:
        if placed.study is None:
            continue
        lines = options.samples * (1 if placed.study.planned else 2)
        if left is None or lines <= left:
            placed.study.planned[placed.subject.subject_id] = placed.subject
            left = left and left - lines


def _changes(subject: Subject) -> Line:
    """What the probes of a subject change."""
    match subject.study_kind:
        case StudyKind.ABLATION:
            return {"specs": [subject.change]}
        case StudyKind.RESTORATION:
            return {"restore": [subject.change]}
        case StudyKind.ARMS:
            return {"specs": subject.change["ablations"], "facets": subject.change["facets"]}
