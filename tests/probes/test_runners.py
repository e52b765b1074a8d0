"""The worked runners: the same agent in Python and in Node, and recordings that show what it did."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.record import read_recordings
from dataflows import tables_of
from tests.tours import ROOT

RUNNERS = ROOT / "data" / "runners"
QUESTION = "How many P12 pumps are in Gdansk?"
SOME = {"question": QUESTION, "original_run_id": "toy-9-of-12", "original_output": "x"}
NOTHING = {"specs": [], "restore": [], "facets": {}, "scenario": SOME, "seed": 0}
PROBES = [
    NOTHING | {"run_id": "baseline"},
    NOTHING | {"run_id": "another seed", "seed": 1},
    NOTHING | {"run_id": "no fact", "specs": [{"kind": "injection", "excludeInjectionIds": ["depot-codes"]}]},
    NOTHING | {"run_id": "no neighbour", "specs": [{"kind": "injection", "excludeInjectionIds": ["opening-hours"]}]},
    NOTHING | {"run_id": "no tool", "specs": [{"kind": "tool", "ignoredTools": ["find_stock"]}]},
    NOTHING | {"run_id": "no note", "specs": [{"kind": "memory", "excludeMemoryIds": ["memory:depot-notes#reserved"]}]},
    NOTHING | {"run_id": "before", "scenario": SOME | {"original_run_id": "toy-0-of-12"}},
    NOTHING
    | {"run_id": "put back", "scenario": SOME | {"original_run_id": "toy-0-of-12"}, "restore": [{"id": "reserved"}]},
    NOTHING | {"run_id": "careful", "facets": {"model": "toy-careful"}},
    NOTHING | {"run_id": "all notes", "facets": {"memory": {"retrieval": "all-notes"}}},
    NOTHING | {"run_id": "unknown facet", "facets": {"window": "sliding-window"}},
    NOTHING | {"run_id": "unknown question", "scenario": {"question": "Who?", "original_run_id": None}},
    NOTHING | {"run_id": "new", "scenario": SOME | {"original_run_id": None}},
]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


def answered(*command: str) -> dict[str, Any]:
    """What a runner says of each of the probes."""
    asked = "".join(f"{json.dumps(probe)}\n" for probe in PROBES)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, cwd=RUNNERS)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.pop("run_id") for answer in answers] == [probe["run_id"] for probe in PROBES]
    return {probe["run_id"]: answer for probe, answer in zip(PROBES, answers, strict=True)}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    return answered(sys.executable, "runner.py")


def test_what_stands_in_its_context_decides_the_answer(answers: dict[str, Any]) -> None:
    told = {
        name: answer["output"].removesuffix(" Anything else?") for name, answer in answers.items() if "output" in answer
    }
    wrong = "Sorry, not a single one is left: the list that I was given for it is empty."
    assert {name for name, output in told.items() if output == wrong} == {
        *("baseline", "another seed", "no neighbour", "no note", "all notes", "new"),
    }
    assert told["no fact"] == told["careful"]
    assert told["no fact"].startswith("Just 17 are free to order")
    assert told["no tool"].startswith("I have no way")
    assert told["before"].startswith("Gdansk holds 21 P12 pumps")
    assert told["put back"] == told["no fact"]


def test_the_seed_changes_how_it_is_said(answers: dict[str, Any]) -> None:
    assert answers["baseline"]["output"] != answers["another seed"]["output"]


def test_what_cannot_be_run_is_an_error(answers: dict[str, Any]) -> None:
    assert {name for name, answer in answers.items() if "error" in answer} == {"unknown facet", "unknown question"}


@needs_node
def test_both_runners_answer_alike(answers: dict[str, Any]) -> None:
    in_node = answered("node", "runner.mjs")
    for name, answer in in_node.items():
        assert ("error" in answer) == ("error" in answers[name])
        if "error" not in answer:
            assert answer == answers[name]


@needs_node
def test_both_fleets_are_alike(tmp_path: Path) -> None:
    for program, script in ((sys.executable, "toy_agent.py"), ("node", "toy_agent.mjs")):
        command = [program, str(RUNNERS / script), "--fleet", "13", "--out", str(tmp_path / script)]
        subprocess.run(command, check=True)
    one, other = (
        {path.name: json.loads(path.read_text()) for path in (tmp_path / script).iterdir()}
        for script in ("toy_agent.py", "toy_agent.mjs")
    )
    assert one == other
    assert len(one) == 13


def test_a_recording_shows_loops_suspects_and_what_was_sent(answers: dict[str, Any]) -> None:
    tables = tables_of(json.dumps(answers[name]["recording"]).encode() for name in ("baseline", "before"))
    runs = {run["run_id"]: run for run in tables["runs"].iter_rows(named=True)}
    assert {name: (run["loops"], run["odd_values"]) for name, run in runs.items()} == {
        "baseline": (2, 0),
        "before": (3, 0),
    }
    hooks = tables["ablation_hooks"].rows(named=True)
    assert {(hook["run_id"], hook["suspect_kind"], hook["suspect_id"]) for hook in hooks} == {
        *(("baseline", "injection", name) for name in ("depot-codes", "opening-hours", "one-sentence")),
        *(("baseline", "memory", f"memory:depot-notes#{name}") for name in ("roof", "reserved")),
        ("baseline", "tool", "find_stock"),
        ("before", "injection", "one-sentence"),
        ("before", "memory", "memory:depot-notes#roof"),
        *(("before", "tool", name) for name in ("find_depot", "find_stock")),
    }
    missed = tables["missing_context"].rows(named=True)
    assert {(row["run_id"], row["unit_id"], row["grade"]) for row in missed} == {("before", "reserved", "exact")}
    standings = {row["run_id"]: row["standing"] for row in tables["standings"].iter_rows(named=True)}
    assert standings == {"baseline": "not-sure", "before": "consistent"}


def test_what_a_run_cost_is_what_its_recording_says(answers: dict[str, Any]) -> None:
    for answer in (answers["baseline"], answers["before"]):
        document = json.dumps(answer["recording"]).encode()
        assert len(read_recordings(document)) == 1
        [run] = tables_of([document])["runs"].iter_rows(named=True)
        tokens = run["input_tokens"] + run["output_tokens"]
        assert answer["cost"] == {"loops": run["llm_calls"], "tokens": tokens}
