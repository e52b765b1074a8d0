"""A run that says one thing wherever a run can say something, and every command by which people read it."""

from pathlib import Path
from typing import Any

from afp_nodes.schemas import TABLES
from tests.cli.conftest import Afp, event, sets
from tests.cli.test_trace import tree

KEY = "note"
WITHOUT_IDS = [
    ("sql", "SELECT payload_json FROM events WHERE payload_json LIKE '%rawContent%'"),
    ("sql", "SELECT min(content) FROM messages"),
    ("sql", "WITH told AS (FROM runs) SELECT tenant FROM told"),
]
QUERIES = [*(("sql", f"FROM {table}", "--limit", "0") for table in TABLES), *WITHOUT_IDS]
"""Tables of every table; other formats hand out what is recorded."""


def saying(text: str, run_id: str, **members: Any) -> dict[str, Any]:
    """A run whose every name, id and value is this text, or holds it."""
    events = [
        event("agent.run_configured", skillGraph={"routing": text, "scorer": text}, llm={"model": text}),
        event("agent.turn_start", userPrompt=text),
        event(
            "skill.turn_routed",
            by="intent",
            to=text,
            scorer=text,
            scores=[{"id": text, "score": 1}, {"id": "x", "score": 0}],
        ),
        event("skill.rejected", requestedId=text),
        event("permission.check", capability="skill_read", target=text, result="deny", policyRuleId=text),
        event("context.evaluated", iteration=1, activeIds=[text, f"{text} left out"]),
        event(
            "context.injected", slot="system-prompt", source="skill", sourceId=text, rawContent=text, contentHash="1"
        ),
        event("context.slot_composed", slot="system-prompt", iteration=1, sourceBreakdown={"skill": {"count": 1}}),
        event("stream.llm_start", iteration=1, provider=text, model=text),
        event(
            "stream.llm_end",
            iteration=1,
            content=text,
            toolCallCount=1,
            usage={"input": 1, "output": 1},
            stopReason=text,
        ),
        event("stream.tool_start", toolCallId=text, toolName=text, args={text: text, "as JSON": f'{{"x":"{text}"}}'}),
        event("stream.tool_end", toolCallId=text, result=text, status=text),
        event("stream.tool_start", toolCallId="failing", toolName="t", args={}),
        event("stream.tool_end", toolCallId="failing", error=text),
        event("error.fatal", error=text),
        event("agent.turn_end", finalContent=text),
    ]
    slot = [{"sourceId": text, "source": "instructions", "slot": "system-prompt", "rawContent": text}]
    log = [
        _commit("sf-injection-engine#0", text, sets(activeInjections=[])),
        _commit(f"stage-{text}#1", text, sets(**{KEY: text, "systemPromptInjections": slot})),
        _commit("call-llm#2", text, sets(llmLatestContent=text)),
        _commit("tool-calls#3", text, sets(lastToolResult={"toolName": text, "result": text})),
        _commit("sf-injection-engine#4", text, sets(activeInjections=[])),
        _commit("call-llm#5", text, sets(llmLatestContent=text) | members.pop("commit", {})),
    ]
    reads = {"systemPromptInjections": slot, KEY: text}
    message = {"role": "tool", "toolCallId": text, "toolName": text, "content": "[]"}
    asked = {"role": "user", "content": text}
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, "droppedEvents": 0, "sessionId": text, "tenant": text},
        "configuration": {"agentId": text, "manifest": {"llm": {"provider": text, "model": text}, "reactMode": text}},
        "recording": {
            "snapshot": {
                "sharedState": {"userMessage": text, "history": [asked, message], KEY: text}
                | members.pop("shared", {}),
                "initialState": {KEY: text},
                "commitLog": log,
                **tree(("call-llm#2", reads), ("call-llm#5", reads)),
            },
            "events": events,
        },
    }


def _commit(step: str, text: str, written: dict[str, Any]) -> dict[str, Any]:
    named = {"stage": text, "stageId": step.rpartition("#")[0], "runtimeStageId": step}
    return {"overwrite": {}, "updates": {}, "redactedPaths": [], "trace": []} | named | written


def read_by_people(afp: Afp, store: str, run_id: str, folder: Path) -> dict[str, str]:
    """What every command shows of a store and of one run in it, by the words of the command."""
    page, beside = folder / "page.html", folder / "diff.html"
    commands = [
        ("explain", run_id),
        ("explain", run_id, "--json"),
        ("explain", run_id, "--html", str(page)),
        ("diff", run_id, run_id, "--any-question"),
        ("diff", run_id, run_id, "--any-question", "--json"),
        ("diff", run_id, run_id, "--any-question", "--html", str(beside)),
        ("trace", run_id, KEY),
        ("trace", run_id, KEY, "--json"),
        ("trace", run_id, "systemPromptInjections"),
        ("probe", "plan", "--out", str(folder / "plan.jsonl")),
        ("probe", "plan", "--out", str(folder / "plan.jsonl"), "--json"),
        ("runs",),
        ("runs", "--json"),
        ("tables",),
        *QUERIES,
    ]
    shown = {}
    for words in commands:
        done = afp(*words, "--store", store)
        assert done.exit_code == 0, (words, done.output)
        shown[" ".join(words)] = done.stdout + done.stderr
    return shown | {"page": page.read_text(encoding="utf-8"), "diff page": beside.read_text(encoding="utf-8")}
