"""Killed at any moment and started again: no probe with a result runs twice, and the folder can always be taken in."""

import hashlib
import json
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.record import read_document
from dataflows.probes.errors import ProbeError
from dataflows.probes.results import LOG, result_log
from dataflows.probes.running import RunOptions, run_probes
from tests.probes.drawn import AFP, hostile, plan_of, running_for, write_plan
from tests.probes.drawn import line as plan_line

SUBJECTS, SAMPLES = 15, 2
PROBES = (SUBJECTS + 1) * SAMPLES


def words(folder: Path, mode: str, *more: str) -> list[str]:
    """`afp probe run` of the plan of a folder."""
    command = hostile(mode, folder / "counter")
    plan = str(folder / "plan.jsonl")
    return [*AFP, "probe", "run", plan, "--runner", command, "--out", str(folder / "out"), *more]


def finished(folder: Path) -> set[str]:
    """The probes whose result is synced."""
    log = folder / "out" / LOG
    lines = log.read_bytes().rpartition(b"\n")[0].splitlines() if log.exists() else []
    return {json.loads(line)["run_id"] for line in lines}


def started(folder: Path) -> "Counter[str]":
    """How often each probe was given to a runner."""
    counter = folder / "counter"
    return Counter(counter.read_text().split() if counter.exists() else ())


def listed(folder: Path) -> set[str]:
    """The runs that the studies of a folder list."""
    return {
        run["run_id"]
        for study in (folder / "out").glob("*.study.json")
        for run in json.loads(study.read_text())["runs"]
    }


def taken_in(folder: Path) -> dict[str, Any]:
    """What `afp run` would find: each document by its name, by the endings it takes in."""
    return {
        path.name: read_document(path.read_bytes(), path.name)
        for path in (folder / "out").rglob("*")
        if path.suffix in (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".zip", ".tar")
    }


def recorded(folder: Path) -> set[str]:
    """The probes whose recordings can be seen."""
    return {name.removesuffix(".json") for name in taken_in(folder) if not name.endswith(".study.json")}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_whatever_moment_a_kill_finds_no_finished_probe_runs_twice(tmp_path: Path, seed: int) -> None:
    plan_of(tmp_path / "plan.jsonl", SUBJECTS, SAMPLES)
    dice = random.Random(seed)
    before: set[str] = set()
    for attempt in range(8):
        with subprocess.Popen(words(tmp_path, "slow", "--jobs", "2", "-q"), stdout=subprocess.DEVNULL) as process:
            _wait_for(lambda: (tmp_path / "out" / LOG).exists() or process.poll() is not None)
            time.sleep(dice.uniform(0, 0.6))
            process.kill()
        starts, done = started(tmp_path), finished(tmp_path)
        assert all(starts[run_id] == count for run_id, count in _starts_of(before, tmp_path).items())
        assert recorded(tmp_path) <= listed(tmp_path) <= done
        assert attempt or len(done) < PROBES
        before = done
        _remember(done, starts, tmp_path)
    subprocess.run(words(tmp_path, "slow", "-q"), check=True, stdout=subprocess.DEVNULL)
    assert finished(tmp_path) == listed(tmp_path) == recorded(tmp_path)
    assert len(finished(tmp_path)) == PROBES
    assert all(started(tmp_path)[run_id] == count for run_id, count in _starts_of(before, tmp_path).items())
    assert not list((tmp_path / "out").rglob("*.part"))
    assert not list((tmp_path / "out").rglob("*.tmp"))


def _remember(done: set[str], starts: "Counter[str]", folder: Path) -> None:
    (folder / "starts").write_text(json.dumps({run_id: starts[run_id] for run_id in done}))


def _starts_of(done: set[str], folder: Path) -> dict[str, int]:
    """How often each finished probe had been started when it was seen finished."""
    return json.loads((folder / "starts").read_text()) if done else {}


@pytest.mark.parametrize("cut", range(0, 120, 7))
def test_a_log_torn_anywhere_costs_the_torn_result_alone(tmp_path: Path, cut: int) -> None:
    plan = plan_of(tmp_path / "plan.jsonl", 1, 2)
    out, counter = str(tmp_path / "out"), tmp_path / "counter"
    run_probes(plan, out, RunOptions(hostile("recorded", counter)))
    log = tmp_path / "out" / LOG
    whole = log.read_bytes()
    start = len(whole) - len(whole.splitlines(keepends=True)[-1])
    log.write_bytes(whole[: start + cut])
    summary = run_probes(plan, out, RunOptions(hostile("recorded", counter)))
    assert (summary.run_now, summary.run_before, summary.unreadable_results) == (1, 3, 0)
    assert log.read_bytes() == whole
    assert sorted(started(tmp_path).values()) == [1, 1, 1, 2]


def test_a_line_that_is_no_result_is_counted_and_its_probe_runs_again(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "plan.jsonl", 0, 2)
    run_probes(plan, str(tmp_path / "out"), RunOptions(hostile("good")))
    log = tmp_path / "out" / LOG
    log.write_bytes(b"rubbish\n" + b"".join(log.read_bytes().splitlines(keepends=True)[1:]))
    summary = run_probes(plan, str(tmp_path / "out"), RunOptions(hostile("good")))
    assert (summary.run_now, summary.run_before, summary.unreadable_results) == (1, 1, 1)


@pytest.mark.parametrize("missing", ["study", "shown"])
def test_what_a_crash_left_between_two_steps_is_finished(tmp_path: Path, missing: str) -> None:
    plan = plan_of(tmp_path / "plan.jsonl", 1, 2)
    out = tmp_path / "out"
    run_probes(plan, str(out), RunOptions(hostile("recorded")))
    expected = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    seen = out / "recordings" / "s-x0-1.json"
    seen.rename(seen.with_name("s-x0-1.json.part"))
    if missing == "study":
        study = json.loads((out / "s.study.json").read_text())
        (out / "s.study.json").write_text(json.dumps(study | {"runs": study["runs"][:-1]}))
    (out / ".s.study.json.1.tmp").write_text("half a stu")
    (out / "recordings" / "s-nobody-0.json.part").write_text("half a rec")
    run_probes(plan, str(out), RunOptions("no-such-program"))
    assert {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()} == expected


def test_failed_probes_run_again_only_when_asked_and_their_study_replaces_the_one_before(tmp_path: Path) -> None:
    plan, out = plan_of(tmp_path / "plan.jsonl", 1, 2), tmp_path / "out"
    assert len(run_probes(plan, str(out), RunOptions(hostile("nothing"))).failed) == 4
    assert run_probes(plan, str(out), RunOptions(hostile("good"))).run_now == 0
    before = (out / "s.study.json").read_bytes()
    summary = run_probes(plan, str(out), RunOptions(hostile("good"), again=True))
    assert (summary.run_now, summary.failed) == (4, {})
    after = (out / "s.study.json").read_bytes()
    assert len(json.loads(after)["runs"]) == len(json.loads(before)["runs"])
    assert _digest(after) > _digest(before)


def test_a_plan_that_grew_runs_what_is_new_and_one_that_shrank_forgets_nothing(tmp_path: Path) -> None:
    out, counter = str(tmp_path / "out"), tmp_path / "counter"
    small, large = (plan_of(tmp_path / f"{number}.jsonl", number, 2) for number in (1, 2))
    for plan, now in ((small, 4), (large, 2), (small, 0)):
        assert run_probes(plan, out, RunOptions(hostile("good", counter))).run_now == now
        study = json.loads((tmp_path / "out" / "s.study.json").read_text())
    assert len(study["runs"]) == 6
    assert [spec["spec_id"] for spec in study["specs"]] == ["x0", "x1"]
    assert set(started(tmp_path).values()) == {1}


def test_results_of_other_probes_under_the_same_ids_are_not_taken_for_these(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "plan.jsonl", 0, 2)
    run_probes(plan, str(tmp_path / "out"), RunOptions(hostile("good")))
    scenario = {"question": "Another one?", "original_run_id": "o", "original_output": "answer"}
    other = write_plan(tmp_path / "other.jsonl", *(plan_line("baseline", seed, scenario=scenario) for seed in range(2)))
    with pytest.raises(ProbeError, match="holds the result of another probe"):
        run_probes(other, str(tmp_path / "out"), RunOptions(hostile("good")))


def test_two_jobs_at_once_are_told_so(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "plan.jsonl", 0, 2)
    (tmp_path / "out").mkdir()
    with result_log(tmp_path / "out"), pytest.raises(ProbeError, match="Another `afp probe run` is at work"):
        run_probes(plan, str(tmp_path / "out"), RunOptions(hostile("good")))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("mode", ["hangs_with_a_child", "slow"])
def test_a_signal_ends_all_within_seconds_and_leaves_no_child_and_no_file(
    tmp_path: Path, mode: str, number: int, code: int
) -> None:
    plan_of(tmp_path / "plan.jsonl", 60, SAMPLES)
    with subprocess.Popen(words(tmp_path, mode, "--jobs", "3"), stderr=subprocess.PIPE) as process:
        _wait_for(lambda: len(started(tmp_path)) >= 3)
        process.send_signal(number)
        began = time.monotonic()
        _, said = process.communicate(timeout=10)
    assert process.returncode == code
    assert time.monotonic() - began < 5
    assert b"interrupted" in said
    assert running_for(tmp_path) == []
    assert not list((tmp_path / "out").rglob("*.tmp"))
    assert recorded(tmp_path) <= listed(tmp_path)


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def _digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()
