"""Studies of probe runs, as files that `afp run` takes in.

Rules: product contract, sections 6 and 7. A study lists the probes that have a result, and is written anew with each
new one, so that whoever looks meanwhile finds no recording that it does not list. The document of a study that lists
more runs replaces the one with fewer, and among equals the one with the greater digest: where a failed probe was run
again, a number is put into the document that makes its digest greater.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from afp_nodes.probe_subjects import BASELINE
from afp_nodes.words import StudyKind
from dataflows.probes.errors import ProbeError
from dataflows.probes.names import file_name
from dataflows.probes.plan_file import PlannedProbe
from dataflows.probes.results import Result
from dataflows.store.parts import sync_folder
from dataflows.whole_files import replacing

ENDING = ".study.json"
REVISION = "revision"
"""The number that puts a document before the one it replaces."""

Study = dict[str, Any]
Line = dict[str, Any]

_KEYS = {"runs": "run_id", "specs": "spec_id", "arms": "id", "available": "id"}
"""What tells the items of each list apart."""


def write_study(folder: Path, planned: Sequence[PlannedProbe], results: Mapping[str, Result]) -> None:
    """Write the study of these probes with the results that they have by now; what it listed before stays listed.

    Raises `ProbeError` where something else lies in its place.
    """
    place = folder / f"{file_name(planned[0].probe.study_id)}{ENDING}"
    study = study_of(planned, [results[p.probe.run_id] for p in planned if p.probe.run_id in results])
    before = place.read_bytes() if place.exists() else b""
    document = _document(_joined(_listed(place, before), study), before) if before else spelled(study)
    if document != before:
        with replacing(place) as file:
            file.write(document)
        sync_folder(folder)


def study_of(planned: Sequence[PlannedProbe], results: Iterable[Result]) -> Study:
    """The study of some probes: what they declare, and the runs that have a result."""
    lines = [json.loads(each.text) for each in planned]
    subjects = {line["subject_id"]: line for line in lines if line["subject_id"] != BASELINE}
    scenario = lines[0]["scenario"]
    return {
        "study_id": lines[0]["study_id"],
        "kind": lines[0]["kind"],
        "scenario": scenario["question"],
        "original_run_id": scenario.get("original_run_id"),
        "original_output": scenario.get("original_output"),
        "baseline": BASELINE,
        **_DECLARED[lines[0]["kind"]](lines[0], subjects),
        "embedder": lines[0].get("embedder"),
        "options": lines[0].get("options"),
        "runs": [_run(result) for result in results],
    }


def _ablation(_first: Line, subjects: dict[str, Line]) -> Study:
    """What each subject takes out; one that takes out several things at once has them all as its spec."""
    specs = {subject: line.get("specs") or [{}] for subject, line in subjects.items()}
    return {
        "specs": [
            {"spec_id": subject, "kind": taken[0].get("kind"), "spec": taken[0] if len(taken) == 1 else taken}
            for subject, taken in specs.items()
        ]
    }


def _restoration(first: Line, subjects: dict[str, Line]) -> Study:
    """What each subject puts back, and what there was to choose from; a unit goes by the name of its subject."""
    restored = {subject: line.get("restore") or [] for subject, line in subjects.items()}
    names = {units[0]["id"]: subject for subject, units in restored.items() if len(units) == 1}
    available = [names.get(unit["id"], unit["id"]) for unit in first.get("available") or []]
    sent = [unit["id"] for unit in first.get("sent") or []]
    return {
        "available": [{"id": name} for name in dict.fromkeys([*available, *subjects])],
        "sent": [{"id": name} for name in sent],
        "specs": [
            {"spec_id": subject, "content": units[0].get("content") if len(units) == 1 else None}
            for subject, units in restored.items()
        ],
    }


def _arms(_first: Line, subjects: dict[str, Line]) -> Study:
    """What each arm is configured with; the baseline is the configuration as it stands."""
    arms = [
        {"id": subject, "facets": line.get("facets") or {}, "ablations": line.get("specs") or []}
        for subject, line in subjects.items()
    ]
    return {"arms": [{"id": BASELINE, "facets": {}, "ablations": []}, *arms], "manifests_reported": True}


_DECLARED = {StudyKind.ABLATION: _ablation, StudyKind.RESTORATION: _restoration, StudyKind.ARMS: _arms}


def _run(result: Result) -> dict[str, Any]:
    """A probe run as a study lists it."""
    cost = msgspec.to_builtins(result.cost) if result.cost else None
    told = {"output": result.output, "cost": cost, "error": result.error}
    return {
        "run_id": result.run_id,
        "arm_or_spec_id": result.subject_id,
        "seed": result.seed,
        **{name: value for name, value in told.items() if value is not None},
    }


def _listed(place: Path, document: bytes) -> Study:
    """The study that was written before."""
    try:
        study = json.loads(document)
        _ = study["study_id"], study["runs"]
    except (ValueError, KeyError, TypeError) as error:
        raise ProbeError(f"{place} is no study.", "Move it away, or choose another --out.") from error
    return dict(study)


def _joined(before: Study, study: Study) -> Study:
    """The study with what it listed before, and does not list any more."""
    kept = {
        name: [item for item in before.get(name, []) if item.get(key) not in {each.get(key) for each in study[name]}]
        for name, key in _KEYS.items()
        if name in study
    }
    return study | {name: [*study[name], *items] for name, items in kept.items()}


def _document(study: Study, before: bytes) -> bytes:
    """The text of a study, such that it replaces the one before by the rule for documents of one study."""
    listed = json.loads(before)
    if spelled(study) == spelled({name: value for name, value in listed.items() if name != REVISION}):
        return before
    if len(study["runs"]) != len(listed["runs"]):
        return spelled(study)
    candidates = (spelled(study | {REVISION: revision}) for revision in count(listed.get(REVISION, 0) + 1))
    return next(document for document in candidates if _digest(document) > _digest(before))


def _digest(document: bytes) -> bytes:
    return hashlib.sha256(document).digest()


def spelled(study: Study) -> bytes:
    """The document of a study."""
    return f"{json.dumps(study, ensure_ascii=False, indent=2)}\n".encode()
