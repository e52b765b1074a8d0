"""A plan as it is read back: its probes, and the studies that they make up.

Rule: product contract, section 7. A plan may be written by anybody, so it is looked through before anything is run.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from afp_nodes.probe_subjects import BASELINE
from afp_nodes.record.decoding import compacted
from afp_nodes.refusals import RefusedError
from afp_nodes.words import StudyKind
from dataflows.probes.errors import ProbeError

GREATEST_SEED = 2**53

Name = Annotated[str, Meta(min_length=1)]
Seed = Annotated[int, Meta(ge=-GREATEST_SEED, le=GREATEST_SEED)]

_ONE_OF_STUDY = ("kind", "scenario", "embedder", "options", "available", "sent")
_ONE_OF_SUBJECT = ("specs", "restore", "facets")
_REMEDY = "Write it with `afp probe plan`, or correct that line."


class ScenarioAsked(Struct, forbid_unknown_fields=False):
    """What is asked again."""

    question: str
    original_run_id: str | None = None
    original_output: str | None = None


class RestoredUnit(Struct):
    """A unit that a probe puts back; its content as spelled."""

    id: str
    content: Raw = Raw(b"null")


class Probe(Struct):
    """One line of a plan. What is only handed on stays as it is spelled."""

    study_id: Name
    kind: StudyKind
    subject_id: Name
    seed: Seed
    run_id: Name
    scenario: ScenarioAsked
    specs: list[dict[str, Any]] = []
    restore: list[RestoredUnit] = []
    facets: dict[str, Any] = {}
    embedder: str | None = None
    options: dict[str, Any] | None = None
    available: list[RestoredUnit] | None = None
    sent: list[RestoredUnit] | None = None

    @property
    def is_baseline(self) -> bool:
        """It changes nothing: others are compared with it."""
        return self.subject_id == BASELINE

    @property
    def changes_something(self) -> bool:
        """It takes something out, puts something back, or asks for a configuration."""
        return bool(self.specs or self.restore or self.facets)


@dataclass(frozen=True, slots=True)
class PlannedProbe:
    """One probe with the line that a runner is given, on one line."""

    probe: Probe
    text: str

    @property
    def digest(self) -> str:
        """What tells this probe from another of the same run id."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_plan(path: str) -> list[PlannedProbe]:
    """The probes of a plan, in its order.

    Raises `ProbeError` where a line is none, or two lines do not go together.
    """
    probes = [_probe(path, number, line) for number, line in _lines(path)]
    places = [number for number, _ in _lines(path)]
    for place, fault in _faults([planned.probe for planned in probes]):
        raise ProbeError(f"{path}, line {places[place]}: {fault}.", _REMEDY)
    return probes


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, each with its number."""
    for number, line in enumerate(Path(path).read_bytes().splitlines(), start=1):
        if line.strip():
            yield number, line


def _probe(path: str, number: int, line: bytes) -> PlannedProbe:
    try:
        text = compacted(line)
        return PlannedProbe(msgspec.json.decode(text, type=Probe), text)
    except RefusedError as error:
        raise ProbeError(f"{path}, line {number}: {error.message}.", _REMEDY) from error
    except (msgspec.ValidationError, RecursionError) as error:
        raise ProbeError(f"{path}, line {number} is no probe: {error}.", _REMEDY) from error


def _faults(probes: Sequence[Probe]) -> Iterator[tuple[int, str]]:
    """The position of each probe that does not go with those before it, and why."""
    studies: dict[str, Probe] = {}
    subjects: dict[tuple[str, str], Probe] = {}
    seeds: set[tuple[str, str, int]] = set()
    run_ids: set[str] = set()
    for place, probe in enumerate(probes):
        study = studies.setdefault(probe.study_id, probe)
        subject = subjects.setdefault((probe.study_id, probe.subject_id), probe)
        for first, members, whose in ((study, _ONE_OF_STUDY, "study"), (subject, _ONE_OF_SUBJECT, "subject")):
            for member in members:
                if getattr(probe, member) != getattr(first, member):
                    yield place, f"`{member}` is not that of the first line of its {whose}"
        if probe.is_baseline and probe.changes_something:
            yield place, f"a probe of `{BASELINE}` changes something; `specs`, `restore` and `facets` must be empty"
        if probe.run_id in run_ids:
            yield place, f"run_id {probe.run_id[:200]!r} stands in an earlier line, too"
        if (probe.study_id, probe.subject_id, probe.seed) in seeds:
            yield place, f"seed {probe.seed} of its subject stands in an earlier line, too"
        run_ids.add(probe.run_id)
        seeds.add((probe.study_id, probe.subject_id, probe.seed))
