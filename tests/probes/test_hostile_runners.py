"""Whatever a runner does, its probe has an answer or a reason, never a verdict, and nothing is left running."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from dataflows.probes import runner
from dataflows.probes.errors import ProbeError
from dataflows.probes.running import ProbeSummary, RunOptions, run_probes
from tests.probes.drawn import hostile, plan_of, running_for


def run(folder: Path, command: str, subjects: int = 1, samples: int = 2, **options: Any) -> ProbeSummary:
    """Run a plan of one study with a command."""
    plan = plan_of(folder / "plan.jsonl", subjects, samples)
    return run_probes(plan, str(folder / "out"), RunOptions(command, **{"seconds": 20.0} | options))


def runs_of(folder: Path) -> list[dict[str, Any]]:
    """The runs of the one study."""
    runs: list[dict[str, Any]] = json.loads((folder / "out" / "s.study.json").read_text())["runs"]
    return runs


def reason(folder: Path, mode: str, *words: object, **options: Any) -> str:
    """Why every probe of a runner of that mode failed."""
    summary = run(folder, hostile(mode, *words), **options)
    assert len(summary.failed) == summary.probes == 4
    assert {each["error"] for each in runs_of(folder)} == set(summary.failed.values())
    assert not any("output" in each for each in runs_of(folder))
    return next(iter(summary.failed.values()))


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("dies", "the runner ended with exit code 3 before it answered; it wrote to stderr: KeyError: token=[masked]"),
        ("closes", "the runner closed its output before it answered"),
        ("rubbish", "the runner wrote what is no JSON"),
        ("blank", "the runner wrote what is no JSON (the document is empty)"),
        ("null", "the runner wrote what is no answer: Expected `object`, got `null`"),
        ("list", "the runner wrote what is no answer: Expected `object`, got `array`"),
        ("nan", "the runner wrote what is no JSON (the document is not JSON: NaN is no JSON number"),
        ("negative", "the runner wrote what is no answer: Expected"),
        ("number", "the runner wrote what is no answer: Expected `str | null`, got `int` - at `$.output`"),
        ("deep", "the runner wrote what is no JSON"),
        ("nothing", "the answer has neither output nor error"),
        ("says_why", "the runner says: the provider is busy"),
        ("says_why_oddly", 'the runner says: {"code":503}'),
        ("out_of_turn", "the runner answered out of turn"),
        ("late", "the runner answered another probe: another"),
        ("floods_lines", "the runner answered out of turn"),
        ("no_file", "recording_path names no file"),
        ("folder", "recording_path names no file"),
        ("zero", "recording_path names no file"),
        ("nul", "recording_path names no file"),
        ("passwd", "the recording cannot be read: the document is not JSON"),
        ("bad_recording", "the recording cannot be read: the envelope's `recording` holds nothing"),
        ("foreign_recording", "the recording cannot be read: the document's format is 'other'"),
    ],
)
def test_a_probe_without_an_answer_fails_for_a_reason(tmp_path: Path, mode: str, why: str) -> None:
    assert reason(tmp_path, mode).startswith(why)
    assert list((tmp_path / "out" / "recordings").iterdir()) == []


def test_no_secret_that_a_runner_writes_is_repeated(tmp_path: Path) -> None:
    assert "sk-abcdef" not in reason(tmp_path, "rubbish")
    assert "sk-abcdef" not in (tmp_path / "out" / "results.log").read_text()


def test_a_runner_that_hangs_is_ended_in_time_with_what_it_started(tmp_path: Path) -> None:
    began = time.monotonic()
    assert reason(tmp_path, "hangs_with_a_child", tmp_path / "counter", seconds=0.3, jobs=4).startswith(
        "the runner gave no answer within 0.3 s; it wrote to stderr: working on s-"
    )
    assert time.monotonic() - began < 10
    assert running_for(tmp_path) == []


def test_an_answer_that_does_not_end_is_not_read_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_BYTES", 3_000_000)
    assert reason(tmp_path, "floods") == "the runner answered with more than 2 MB on a line"


@pytest.mark.parametrize("mode", ["good", "chatters_on_stderr", "one_at_a_time", "no_newline", "leaves_a_child"])
def test_what_does_no_harm_is_no_failure(tmp_path: Path, mode: str) -> None:
    summary = run(tmp_path, hostile(mode, tmp_path / "counter"))
    assert (summary.run_now, summary.failed) == (4, {})
    assert len(runs_of(tmp_path)) == 4
    assert running_for(tmp_path) == []


def test_an_answer_is_kept_as_it_was_given(tmp_path: Path) -> None:
    run(tmp_path, hostile("good"))
    cost = {"loops": 2, "tokens": 7.5}
    assert runs_of(tmp_path)[0] == {
        "run_id": "s-baseline-0",
        "arm_or_spec_id": "baseline",
        "seed": 0,
        "output": "answer baseline",
        "cost": cost,
    }


def test_half_a_pair_reads_as_in_recordings(tmp_path: Path) -> None:
    run(tmp_path, hostile("half_a_pair"))
    assert runs_of(tmp_path)[0]["output"] == "x�"


def test_a_runner_that_dies_is_followed_by_another(tmp_path: Path) -> None:
    summary = run(tmp_path, hostile("dies_at_times"), subjects=2)
    assert list(summary.failed) == ["s-baseline-1", "s-x0-1", "s-x1-1"]


def test_a_failed_probe_is_tried_again_and_tells_of_each_attempt(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    summary = run(tmp_path, hostile("fails_first", counter), retries=1)
    assert summary.failed == {}
    assert sorted(counter.read_text().split()) == sorted(["s-baseline-0", "s-baseline-1", "s-x0-0", "s-x0-1"] * 2)
    first = json.loads((tmp_path / "out" / "results.log").read_text().splitlines()[0])
    assert first["failures"] == ["the runner says: the provider is busy"]


def test_the_reason_of_the_last_attempt_stands_with_their_number(tmp_path: Path) -> None:
    assert reason(tmp_path, "nothing", retries=2) == (
        "the answer has neither output nor error (the last of 3 attempts)"
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program --x", "The runner cannot be started"),
        ("/etc/passwd", "The runner cannot be started"),
        ("'unclosed", "--runner is no command"),
        ("  ", "--runner is empty"),
    ],
)
def test_a_command_that_is_none_fails_no_probe(tmp_path: Path, command: str, why: str) -> None:
    with pytest.raises(ProbeError, match=why):
        run(tmp_path, command)
    assert not (tmp_path / "out" / "s.study.json").exists()
