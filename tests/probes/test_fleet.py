"""From which runs is planned, what of them may be asked again, and what is never printed."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dataflows import job
from dataflows.cli.program import program

SECRET = "sk-abcdefABCDEF1234567890abcd"
NOT_LISTED = "No such thing is listed."


def recording(
    run_id: str, question: str | None = "Where is it?", answer: str | None = NOT_LISTED, **told: Any
) -> dict[str, Any]:
    """A run that held the fact `fact-of-NAME`, asked and answered as told, and in doubt: its search came back empty."""
    record = {"source": "fact", "sourceId": told.get("fact", f"fact-of-{run_id}"), "rawContent": "a fact"}
    history = [{"role": "user", "content": question or ""}, {"role": "tool", "content": "[]", "toolCallId": "c"}]
    written = {"systemPromptInjections": [record], "history": history} | told.get("state", {})
    steps = ("sf-injection-engine#0", {}), ("context#1", written), ("call-llm#2", {"llmLatestContent": answer})
    tree: dict[str, Any] | None = None
    for step, _ in reversed(steps):
        reads = {"systemPromptInjections": {}} if step.startswith("call-llm") else {}
        tree = {"id": step, "runtimeStageId": step, "name": step, "stageReads": reads} | (
            {"next": tree} if tree else {}
        )
    events = [event("agent.turn_start", userPrompt=question)] if question is not None else []
    events += [event("agent.turn_end", finalContent=answer)] if answer is not None else []
    log = [
        {
            "overwrite": values,
            "updates": {},
            "redactedPaths": told.get("redacted", []) if values else [],
            "trace": [{"path": key, "verb": "set"} for key in values],
            **{"stage": step, "stageId": step.partition("#")[0], "runtimeStageId": step},
        }
        for step, values in steps
    ]
    snapshot = {"sharedState": written, "commitLog": log, "executionTree": tree, "initialState": {}}
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, "droppedEvents": 0},
        "recording": {"snapshot": snapshot, "events": events + told.get("events", [])},
    }


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"wallClockMs": 1, "runId": "r"}}


@pytest.fixture
def plan_from(tmp_path: Path) -> Callable[..., tuple[Result, list[dict[str, Any]]]]:
    """Takes documents in, and plans: what the command says, and the lines of the plan."""

    def made(*documents: dict[str, Any], words: tuple[str, ...] = ()) -> tuple[Result, list[dict[str, Any]]]:
        (tmp_path / "inbox").mkdir(exist_ok=True)
        for number, document in enumerate(documents):
            name = "s.study.json" if "study_id" in document else f"{number}.json"
            (tmp_path / "inbox" / name).write_text(json.dumps(document))
        job.run([str(tmp_path / "inbox")], str(tmp_path / "store"))
        plan = tmp_path / "plan.jsonl"
        command = ["probe", "plan", "--store", str(tmp_path / "store"), "--out", str(plan), *words]
        done = CliRunner().invoke(program, command)
        assert done.exit_code == 0, done.output
        return done, [json.loads(line) for line in plan.read_text().splitlines()]

    return made


Plan = Callable[..., tuple[Result, list[dict[str, Any]]]]


def originals(lines: list[dict[str, Any]]) -> set[str]:
    return {line["scenario"]["original_run_id"] for line in lines}


def test_a_run_is_asked_what_it_was_asked(plan_from: Plan) -> None:
    _, lines = plan_from(recording("a", 'Where is 東京, "x"?\n'))
    assert {json.dumps(line["scenario"]) for line in lines} == {
        json.dumps({"question": 'Where is 東京, "x"?\n', "original_run_id": "a", "original_output": NOT_LISTED})
    }
    assert [line["subject_id"] for line in lines] == ["baseline"] * 3 + ["fact-of-a"] * 3


def test_a_run_without_a_question_or_an_answer_is_not_probed_and_counted(plan_from: Plan) -> None:
    done, lines = plan_from(recording("a"), recording("no-question", None), recording("no-answer", answer=None))
    assert originals(lines) == {"a"}
    assert "cannot be probed: 1 run, since no question is recorded\n" in done.stdout
    assert "cannot be probed: 1 run, since no answer is recorded that a probe could be compared with\n" in done.stdout
    assert "not planned, for no run that they would change can be probed: 2 subjects\n" in done.stdout


def test_a_question_that_the_record_redacts_is_not_told_from_an_event(plan_from: Plan) -> None:
    hidden = recording("hidden", "Where is Mira?", state={"userMessage": "REDACTED"}, redacted=["userMessage"])
    done, lines = plan_from(recording("a"), hidden)
    assert originals(lines) == {"a"}
    assert "cannot be probed: 1 run, since the record redacts their question\n" in done.stdout


@pytest.mark.parametrize("where", ["question", "answer"])
def test_what_is_redacted_under_another_name_is_not_asked_either(plan_from: Plan, where: str) -> None:
    name = "Mira Okafor of Oslo"
    told = {"question": f"Where is {name}?"} if where == "question" else {"answer": f"{name} is gone."}
    hidden = recording(
        "hidden",
        **told,
        state={"customer": "REDACTED"},
        redacted=["customer"],
        events=[event("stream.tool_start", toolName="t", toolCallId="c", args={"customer": name})],
    )
    done, lines = plan_from(recording("a"), hidden)
    assert originals(lines) == {"a"}
    assert name not in json.dumps(lines) + done.output
    assert "cannot be probed: 1 run" in done.stdout


def test_a_subject_goes_by_no_name_that_its_record_redacts(plan_from: Plan) -> None:
    name = "Mira Okafor of Oslo"
    told = event("stream.tool_start", toolName="t", toolCallId="c", args={"customer": name})
    redacting = {"state": {"customer": "REDACTED"}, "redacted": ["customer"], "events": [told]}
    done, lines = plan_from(recording("a", fact=name, **redacting), words=("--json",))
    assert lines == []
    assert name not in done.output
    assert json.loads(done.stdout)["not_placed"] == 1


def test_a_subject_of_a_hidden_run_is_probed_on_another(plan_from: Plan) -> None:
    hidden = recording("a-hidden", "Where?", fact="shared", state={"userMessage": "REDACTED"}, redacted=["userMessage"])
    _, lines = plan_from(hidden, recording("b", fact="shared"))
    assert originals(lines) == {"b"}


def test_probe_runs_are_not_planned_from(plan_from: Plan) -> None:
    study = {"study_id": "s", "kind": "ablation", "specs": [], "runs": []}
    study["runs"] = [{"run_id": "probe", "arm_or_spec_id": "baseline", "seed": 0}]
    done, lines = plan_from(recording("a"), recording("probe"), study)
    assert originals(lines) == {"a"}
    assert "from 1 run\n" in done.stdout


def test_the_plan_carries_secrets_and_nothing_prints_them(plan_from: Plan) -> None:
    for words in ((), ("--json",)):
        done, lines = plan_from(recording("a", f"Is {SECRET} valid?", f"{SECRET} is."), words=words)
        assert SECRET in json.dumps(lines)
        assert SECRET not in done.output


def test_names_are_data(plan_from: Plan) -> None:
    done, lines = plan_from(recording("x'; DROP TABLE runs; --\x1b[31m", fact="../\x1b[2J\n<b>"))
    assert {line["subject_id"] for line in lines} == {"baseline", "../\x1b[2J\n<b>"}
    assert all(line["run_id"].isascii() and "/" not in line["run_id"] for line in lines)
    assert "\x1b" not in done.output


@pytest.mark.parametrize(
    ("documents", "words", "why"),
    [
        ([recording("a", None)], (), "no run that a subject would change can be probed"),
        ([recording("a")], ("--budget", "5"), "the budget is too small for any subject with its baseline"),
        ([recording("a")], ("--where", "false"), "these runs name no suspects"),
    ],
)
def test_an_empty_plan_says_why(plan_from: Plan, documents: list[Any], words: tuple[str, ...], why: str) -> None:
    done, lines = plan_from(*documents, words=words)
    assert lines == []
    assert why in done.stdout


def test_a_plan_takes_its_name_when_it_is_whole(
    plan_from: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_from(recording("a"))
    before = (tmp_path / "plan.jsonl").read_text()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    command = ["probe", "plan", "--store", str(tmp_path / "store"), "--out", str(tmp_path / "plan.jsonl")]
    assert CliRunner().invoke(program, [*command, "--samples", "5"]).exit_code == 2
    assert (tmp_path / "plan.jsonl").read_text() == before
    assert {path.name for path in tmp_path.iterdir()} == {"plan.jsonl", "inbox", "store"}
