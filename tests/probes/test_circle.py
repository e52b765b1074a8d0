"""The whole circle, from a fleet with a wrong fact to the verdict on it, with the commands a user types."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.probes.drawn import AFP
from tests.tours import ROOT

RUNNERS = ROOT / "data" / "runners"
VERDICTS = "SELECT kind, tier, subject_id, verdict, samples, study_id FROM verdicts WHERE study_id IS NOT NULL"


class Circle:
    """A folder with a store, and the commands that work in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, str(folder / "store")
        script = str(RUNNERS / "toy_agent.py")
        subprocess.run([sys.executable, script, "--fleet", "12", "--out", str(folder / "fleet")], check=True)
        self.afp("run", str(folder / "fleet"), "-q")

    def afp(self, *words: str, code: int = 0) -> str:
        """What a command prints to stdout."""
        told = os.environ | {"AFP_STORE": self.store}
        done = subprocess.run([*AFP, *words], capture_output=True, text=True, env=told, check=False, cwd=self.folder)
        assert done.returncode == code, done.stderr
        return done.stdout

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows that answer a query."""
        rows: list[dict[str, Any]] = json.loads(self.afp("sql", query, "--format", "json"))
        return rows

    def plan(self, *words: str) -> list[dict[str, Any]]:
        """The lines of a plan, which is also written to `plan.jsonl`."""
        self.afp("probe", "plan", "--out", "plan.jsonl", "-q", *words)
        return [json.loads(line) for line in (self.folder / "plan.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Circle:
    """A fleet of toy agents, taken in. Tests read its store."""
    return Circle(tmp_path_factory.mktemp("circle"))


def run_of_python() -> str:
    return shlex.join([sys.executable, str(RUNNERS / "runner.py")])


def run_of_node() -> str:
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    return shlex.join(["node", str(RUNNERS / "runner.mjs")])


@pytest.mark.slow
@pytest.mark.parametrize("runner", [run_of_python, run_of_node])
def test_a_suspect_becomes_a_cause_and_its_neighbour_does_not(tmp_path: Path, runner: Callable[[], str]) -> None:
    command = runner()
    circle = Circle(tmp_path)
    suspects = "SELECT DISTINCT suspect_id FROM ablation_hooks WHERE suspect_kind = 'injection'"
    assert {row["suspect_id"] for row in circle.rows(suspects)} == {"depot-codes", "opening-hours", "one-sentence"}
    lines = circle.plan("--arms", str(RUNNERS / "arms.json"))
    circle.afp("probe", "run", "plan.jsonl", "--runner", command, "--out", "probes", "--jobs", "2", "-q")
    assert circle.afp("run", "probes").startswith(f"documents: {len(lines) + 5} found = {len(lines) + 5} loaded + 0")
    verdicts = {(row["kind"], row["subject_id"]): row["verdict"] for row in circle.rows(VERDICTS)}
    assert {key: verdict for key, verdict in verdicts.items() if key[0] != "cost"} == {
        ("ablation", "depot-codes"): "confirmed",
        ("ablation", "opening-hours"): "not-confirmed",
        ("ablation", "one-sentence"): "not-confirmed",
        ("ablation", "memory:depot-notes#roof"): "not-confirmed",
        ("ablation", "memory:depot-notes#reserved"): "not-confirmed",
        ("ablation", "find_stock"): "confirmed",
        ("ablation", "find_depot"): "confirmed",
        ("restoration", "reserved"): "confirmed",
        ("restoration", "roof"): "not-confirmed",
        ("arm", "careful"): "confirmed",
        ("arm", "all-notes"): "not-confirmed",
    }
    assert {row["tier"] for row in circle.rows(VERDICTS) if row["kind"] != "cost"} == {"causal"}
    assert {row["samples"] for row in circle.rows(VERDICTS) if row["kind"] != "cost"} == {3}
    [counted] = circle.rows("SELECT count(*) AS runs, count(study_id) AS probes FROM runs")
    assert counted == {"runs": 12 + len(lines), "probes": len(lines)}
    assert circle.plan("--arms", str(RUNNERS / "arms.json")) == lines


@pytest.mark.slow
def test_a_runner_that_fails_yields_failed_probes_and_no_verdict_of_them(tmp_path: Path) -> None:
    circle = Circle(tmp_path)
    lines = circle.plan("--budget", "6")
    told = circle.afp("probe", "run", "plan.jsonl", "--runner", "false", "--out", "probes", code=1)
    assert told.startswith(f"probes: {len(lines)} planned = 6 run now + 0 run before; 6 failed\n")
    circle.afp("run", "probes", "-q")
    assert {row["verdict"] for row in circle.rows(VERDICTS) if row["kind"] == "ablation"} == {"inconclusive"}
    runs = circle.rows("SELECT error, output, flipped FROM probe_runs")
    assert {(run["error"], run["output"], run["flipped"]) for run in runs} == {
        ("the runner ended with exit code 1 before it answered", None, None)
    }


def test_the_wrong_fact_comes_first_and_a_budget_cuts_the_rest(circle: Circle) -> None:
    lines = circle.plan("--budget", "10")
    assert [line["subject_id"] for line in lines] == [*["baseline"] * 3, *["depot-codes"] * 3, *["opening-hours"] * 3]
    spec = {"kind": "injection", "excludeInjectionIds": ["depot-codes"]}
    assert [line["specs"] for line in lines[2:4]] == [[], [spec]]
    [run] = circle.rows(f"SELECT question, answer FROM runs WHERE run_id = '{lines[0]['scenario']['original_run_id']}'")
    asked = lines[0]["scenario"]
    assert (asked["question"], asked["original_output"]) == (run["question"], run["answer"])


def test_a_condition_narrows_the_fleet(circle: Circle) -> None:
    lines = circle.plan("--where", "started_at < '2024-06-04' AND run_id IN (SELECT run_id FROM standings)")
    assert {line["scenario"]["original_run_id"] for line in lines} <= {f"toy-{number}-of-12" for number in range(3)}
    assert "depot-codes" not in {line["subject_id"] for line in lines}


@pytest.mark.parametrize(
    "where",
    [
        "true) ; COPY runs TO 'x.csv' --",
        "(SELECT count(*) FROM read_csv('/etc/passwd')) > 0",
        "(WITH x AS (COPY runs TO 'x.csv') SELECT true)",
        "no_such_column = 1",
        "model = $model",
        "SELECT",
        "",
        "getenv('HOME') = ''",
        "(SELECT count(*) FROM '/etc/passwd') > 0",
    ],
)
def test_a_condition_can_do_what_a_query_can_and_no_more(circle: Circle, where: str) -> None:
    (circle.folder / "plan.jsonl").unlink(missing_ok=True)
    circle.afp("probe", "plan", "--out", "plan.jsonl", "--where", where, code=2)
    assert not (circle.folder / "plan.jsonl").exists()
    assert not (circle.folder / "x.csv").exists()


def test_a_plan_goes_to_stdout_and_nothing_else_does(circle: Circle) -> None:
    lines = circle.plan()
    printed = circle.afp("probe", "plan", "--out", "-")
    assert [json.loads(line) for line in printed.splitlines()] == lines


def test_the_ranking_is_told_as_data_with_its_counts_and_its_tier(circle: Circle) -> None:
    told = json.loads(circle.afp("probe", "plan", "--out", "plan.jsonl", "--json"))
    first = told["subjects"][0]
    assert (first["subject_id"], first["tier"], first["difference"]) == ("depot-codes", "correlational", 1.0)
    assert [first[name] for name in ("runs", "judged_runs", "doubtful_runs", "judged_others", "doubtful_others")] == [
        *(6, 6, 6, 6, 0),
    ]
    assert told["lines"] == len((circle.folder / "plan.jsonl").read_text().splitlines())


def test_an_arms_file_that_declares_none_is_refused(circle: Circle) -> None:
    (circle.folder / "arms.json").write_text('{"arms": [{"id": "a"}]}')
    circle.afp("probe", "plan", "--out", "plan.jsonl", "--arms", "arms.json", code=2)
