"""Studies of probe runs: what `afp run` takes in, and which document stands for a study."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.record import read_document
from afp_nodes.record.inputs import ReadInput
from dataflows.probes.errors import ProbeError
from dataflows.probes.plan_file import PlannedProbe, read_plan
from dataflows.probes.results import Cost, Result
from dataflows.probes.study_files import study_of, write_study
from tests.probes.drawn import line, write_plan

RESTORED = {"kind": "restoration", "specs": [], "sent": [{"id": "s"}], "available": [{"id": "s"}, {"id": "u"}]}
ARM = {"kind": "arms", "specs": [{"kind": "tool", "ignoredTools": ["t"]}], "facets": {"model": "m"}}


def planned(folder: Path, *lines: dict[str, Any]) -> list[PlannedProbe]:
    return read_plan(write_plan(folder / "plan.jsonl", *lines))


def result(probe: PlannedProbe, **told: Any) -> Result:
    told = told or {"output": "answer"}
    each = probe.probe
    return Result(each.run_id, each.study_id, each.subject_id, each.seed, probe.digest, **told)


def lines_of(kind: str) -> list[dict[str, Any]]:
    match kind:
        case "ablation":
            return [line("baseline", 0), line("x", 0)]
        case "restoration":
            back = {"restore": [{"id": "u", "content": "text"}]}
            return [line("baseline", 0, **RESTORED), line("u", 0, **RESTORED | back)]
        case _:
            return [line("baseline", 0, kind="arms"), line("a", 0, **ARM)]


@pytest.mark.parametrize("kind", ["ablation", "restoration", "arms"])
def test_a_study_of_each_kind_is_taken_in(tmp_path: Path, kind: str) -> None:
    probes = planned(tmp_path, *lines_of(kind))
    write_study(tmp_path, probes, {p.probe.run_id: result(p) for p in probes})
    document = (tmp_path / "s.study.json").read_bytes()
    assert isinstance(read_document(document, "s.study.json"), ReadInput)
    study = json.loads(document)
    assert (study["study_id"], study["kind"], study["baseline"]) == ("s", kind, "baseline")
    assert (study["original_run_id"], study["original_output"]) == ("o", "answer")
    assert study["scenario"] == "Where is it?"
    assert [run["arm_or_spec_id"] for run in study["runs"]] == [
        "baseline",
        {"ablation": "x", "restoration": "u"}.get(kind, "a"),
    ]


def test_each_kind_declares_its_subjects(tmp_path: Path) -> None:
    ablation, restoration, arms = (
        study_of(planned(tmp_path, *lines_of(kind)), []) for kind in ("ablation", "restoration", "arms")
    )
    spec = {"kind": "injection", "excludeInjectionIds": ["x"]}
    assert ablation["specs"] == [{"spec_id": "x", "kind": "injection", "spec": spec}]
    assert restoration["specs"] == [{"spec_id": "u", "content": "text"}]
    assert (restoration["available"], restoration["sent"]) == ([{"id": "s"}, {"id": "u"}], [{"id": "s"}])
    assert arms["arms"] == [
        {"id": "baseline", "facets": {}, "ablations": []},
        {"id": "a", "facets": ARM["facets"], "ablations": ARM["specs"]},
    ]


def test_a_unit_whose_id_would_not_do_goes_by_the_name_of_its_subject(tmp_path: Path) -> None:
    units = {"available": [{"id": "s"}, {"id": "baseline"}]}
    back = {"restore": [{"id": "baseline", "content": None}]}
    lines = [line("baseline", 0, **RESTORED | units), line("memory|baseline", 0, **RESTORED | units | back)]
    study = study_of(planned(tmp_path, *lines), [])
    assert study["available"] == [{"id": "s"}, {"id": "memory|baseline"}]
    assert study["specs"] == [{"spec_id": "memory|baseline", "content": None}]


def test_a_failed_probe_is_a_run_with_an_error_and_nothing_else(tmp_path: Path) -> None:
    probes = planned(tmp_path, line("baseline", 0), line("baseline", 1))
    told = [result(probes[0], error="it hung"), result(probes[1], output="", cost=Cost(loops=2))]
    assert study_of(probes, told)["runs"] == [
        {"run_id": "s-baseline-0", "arm_or_spec_id": "baseline", "seed": 0, "error": "it hung"},
        {"run_id": "s-baseline-1", "arm_or_spec_id": "baseline", "seed": 1, "output": "", "cost": {"loops": 2}},
    ]


@given(st.lists(st.text(max_size=3), min_size=2, max_size=6))
def test_each_document_of_as_many_runs_replaces_the_one_before(tmp_path_factory: Any, outputs: list[str]) -> None:
    folder = tmp_path_factory.mktemp("studies")
    probes = planned(folder, line("baseline", 0))
    greatest = ""
    for before, output in zip([None, *outputs], outputs, strict=False):
        write_study(folder, probes, {"s-baseline-0": result(probes[0], output=output)})
        document = (folder / "s.study.json").read_bytes()
        digest = hashlib.sha256(document).hexdigest()
        assert json.loads(document)["runs"][0]["output"] == output
        assert digest == greatest if before == output else digest > greatest
        greatest = digest


def test_what_is_written_twice_stays_as_it_is(tmp_path: Path) -> None:
    probes = planned(tmp_path, line("baseline", 0))
    results = {"s-baseline-0": result(probes[0])}
    write_study(tmp_path, probes, results)
    before = (tmp_path / "s.study.json").stat()
    write_study(tmp_path, probes, results)
    assert (tmp_path / "s.study.json").stat().st_ino == before.st_ino


def test_something_else_in_its_place_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "s.study.json").write_text("mine")
    probes = planned(tmp_path, line("baseline", 0))
    with pytest.raises(ProbeError, match="is no study"):
        write_study(tmp_path, probes, {})
    assert (tmp_path / "s.study.json").read_text() == "mine"


def test_a_study_id_that_is_a_path_is_none(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    probes = planned(tmp_path, line("baseline", 0, study_id="../../escaped"))
    write_study(tmp_path / "out", probes, {probes[0].probe.run_id: result(probes[0])})
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["%2E.%2F..%2Fescaped.study.json"]
