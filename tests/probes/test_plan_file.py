"""A plan as it is read back: whoever wrote it, its lines have to go together."""

import json
from pathlib import Path
from typing import Any

import pytest

from dataflows.probes.errors import ProbeError
from dataflows.probes.plan_file import read_plan
from dataflows.probes.running import RunOptions, run_probes
from tests.probes.drawn import hostile, line, write_plan


def test_a_line_is_handed_on_with_members_that_nobody_knows(tmp_path: Path) -> None:
    [probe] = read_plan(write_plan(tmp_path / "plan", line("baseline", 0, note={"n": 1.50})))
    assert json.loads(probe.text)["note"] == {"n": 1.5}
    assert "\n" not in probe.text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"[]\n", "line 1 is no probe: Expected `object`, got `array`"),
        (b"\n{}\n", "line 2 is no probe: Object missing required field `study_id`"),
        (b'{"study_id": "s"', "line 1: the document ends too early"),
        (b"\xff\n", "line 1: the text is not UTF-8"),
        (b'{"x": NaN}', "line 1: the document is not JSON: NaN is no JSON number"),
        (b"[" * 30_000, "line 1"),
    ],
)
def test_a_line_that_is_no_probe_is_named(tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / "plan").write_bytes(text)
    with pytest.raises(ProbeError, match=f"plan, {why}"):
        read_plan(str(tmp_path / "plan"))


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ({"kind": "arms"}, "`kind` is not that of the first line of its study"),
        ({"scenario": {"question": "Who?"}}, "`scenario` is not that of the first line of its study"),
        ({"embedder": "mock"}, "`embedder` is not that of the first line of its study"),
        ({"run_id": "s-x-0"}, "run_id 's-x-0' stands in an earlier line, too"),
        ({"seed": 0}, "seed 0 of its subject stands in an earlier line, too"),
        ({"specs": []}, "`specs` is not that of the first line of its subject"),
        ({"subject_id": "baseline"}, "a probe of `baseline` changes something"),
    ],
)
def test_a_line_that_does_not_go_with_the_others_is_named(tmp_path: Path, second: dict[str, Any], why: str) -> None:
    plan = write_plan(tmp_path / "plan", line("x", 0), line("x", 1) | second)
    with pytest.raises(ProbeError, match=f"line 2: {why}"):
        read_plan(plan)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([line("baseline", 0, embedder="nobody"), line("x", 0, embedder="nobody")], "there is no embedder 'nobody'"),
        ([line("baseline", 0, kind="arms")], "the arms cannot be compared"),
    ],
)
def test_a_study_that_no_verdict_could_come_of_is_not_run(tmp_path: Path, lines: list[Any], why: str) -> None:
    plan = write_plan(tmp_path / "plan", *lines)
    with pytest.raises(ProbeError, match=why):
        run_probes(plan, str(tmp_path / "out"), RunOptions(hostile("good")))
    assert not (tmp_path / "out").exists()


def test_an_empty_plan_is_done_at_once(tmp_path: Path) -> None:
    summary = run_probes(write_plan(tmp_path / "plan"), str(tmp_path / "out"), RunOptions("no-such-program"))
    assert (summary.probes, summary.studies, summary.failed) == (0, 0, {})
