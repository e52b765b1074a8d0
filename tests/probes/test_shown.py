"""What `afp probe run` shows while it works, and what it says at the end."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_process import on_a_terminal
from tests.probes.drawn import AFP, hostile, plan_of


def words(folder: Path, mode: str, *more: str) -> tuple[str, ...]:
    plan = plan_of(folder / "plan.jsonl", 1, 2)
    return "probe", "run", plan, "--runner", hostile(mode), "--out", str(folder / "out"), *more


def run(folder: Path, mode: str, *more: str) -> "subprocess.CompletedProcess[str]":
    command = [*AFP, *words(folder, mode, *more)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "100"})


def test_a_bar_is_shown_on_a_terminal_and_never_in_a_file(tmp_path: Path) -> None:
    code, shown = on_a_terminal(words(tmp_path, "says_why"), "stderr", tmp_path / "printed")
    assert code == 1
    assert "\x1b[" in shown
    assert "the provider is busy" in shown
    assert not re.search(r"[\r\x1b]", (tmp_path / "printed").read_text())


def test_lines_are_shown_elsewhere_and_each_failure_when_it_happens(tmp_path: Path) -> None:
    done = run(tmp_path, "says_why")
    assert done.returncode == 1
    names = ("s-baseline-0", "s-baseline-1", "s-x0-0", "s-x0-1")
    assert done.stderr.splitlines() == [
        "running 4 probes",
        *(f"failed: {name}: the runner says: the provider is busy" for name in names),
    ]
    assert done.stdout.splitlines() == [
        "probes: 4 planned = 4 run now + 0 run before; 4 failed",
        *(f"  {name}: the runner says: the provider is busy" for name in names),
        "  to do: look after the runner, then run them again with --again",
        f"written: 1 study and 0 recordings, in {tmp_path / 'out'}",
        f"next: afp run {shlex.quote(str(tmp_path / 'out'))} --store DIR",
    ]


def test_started_again_it_says_what_was_done_before(tmp_path: Path) -> None:
    assert run(tmp_path, "good").returncode == 0
    done = run(tmp_path, "dies")
    assert (done.returncode, done.stderr) == (0, "running 0 probes; 4 probes had a result before\n")
    assert done.stdout.startswith("probes: 4 planned = 0 run now + 4 run before; 0 failed\n")


def test_what_became_of_the_probes_is_told_as_data(tmp_path: Path) -> None:
    done = run(tmp_path, "says_why", "--json", "--quiet")
    told = json.loads(done.stdout)
    assert done.stderr == ""
    assert (told["probes"], told["run_now"], told["run_before"], told["studies"], told["recordings"]) == (4, 4, 0, 1, 0)
    assert told["failed"]["s-x0-1"] == "the runner says: the provider is busy"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--jobs", "0"), "Invalid value for '--jobs'"),
        (("--timeout", "0"), "Invalid value for '--timeout'"),
        (("--retries", "-1"), "Invalid value for '--retries'"),
        (("--runner", "no-such-program"), "The runner cannot be started"),
    ],
)
def test_what_cannot_be_done_ends_with_2(tmp_path: Path, more: tuple[str, ...], why: str) -> None:
    done = run(tmp_path, "good", *more)
    assert done.returncode == 2
    assert why in done.stderr
