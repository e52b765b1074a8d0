"""A month of a small fleet, drawn: bare runs of one agent, with one thing wrong on some of the nights.

Each night has fifteen runs of four questions. On night 9 the provider is down; on night 12 nothing runs; from night 17
to 18 the agent gives up more often than not; from night 21 on a newer library records. Night 25 is as good as all
others, and two of its files come two days late.
"""

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

FIRST = date(2026, 3, 1)
NIGHTS = 30
RUNS = 15
OUTAGE, EMPTY, REGRESSION, UPGRADE, LATE = 9, 12, 17, 21, 25
OLD, NEW = "9.62.0", "9.63.0"


def day(number: int) -> date:
    """The day of a night; 1 is the first."""
    return FIRST + timedelta(days=number - 1)


def folder_of(root: Path, number: int) -> Path:
    """Where the files of a night arrive."""
    return root / f"{day(number)}"


def write_month(root: Path, nights: range = range(1, NIGHTS + 1)) -> None:
    """Writes a file a night, late ones apart as `late.jsonl`."""
    for number in nights:
        runs = [drawn(number, each) for each in range(runs_of(number))]
        late = 2 if number == LATE else 0
        folder_of(root, number).mkdir(parents=True, exist_ok=True)
        if runs:
            write(folder_of(root, number) / "night.jsonl", runs[: len(runs) - late])
        if late:
            write(folder_of(root, number) / "late.jsonl", runs[-late:])


def write(path: Path, documents: list[dict[str, Any]]) -> None:
    """One document a line."""
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")


def runs_of(number: int) -> int:
    """How many runs a night has."""
    return 0 if number == EMPTY else RUNS


def drawn(number: int, each: int) -> dict[str, Any]:
    """One run of a night, always the same."""
    chance = random.Random(number * 1_000 + each)
    gives_up = each % 5 != 0 if number in (REGRESSION, REGRESSION + 1) else each == number % RUNS
    return run(
        f"n{number:02}-{each:02}",
        datetime(*day(number).timetuple()[:3], 1, 0, each, tzinfo=UTC) + timedelta(hours=each),
        question=f"Question {each % 4}?",
        ends="down" if number == OUTAGE and each < RUNS - 2 else "gives-up" if gives_up else "answer",
        version=NEW if number >= UPGRADE else OLD,
        tokens=chance.randint(90, 110),
    )


def run(
    run_id: str,
    began: datetime | None,
    *,
    question: str = "Why?",
    ends: str = "answer",
    version: str = OLD,
    tokens: int = 100,
    **members: Any,
) -> dict[str, Any]:
    """One run: `ends` is `answer`, `gives-up` (the tool fails, no answer), `down` (the model call fails) or `open`."""
    clock = int((began or datetime(2020, 1, 1, tzinfo=UTC)).timestamp() * 1_000)
    model = {"iteration": 1, "provider": "acme", "model": "m1"}
    told: list[tuple[str, dict[str, Any]]] = [
        ("agent.turn_start", {"turnIndex": 0, "userPrompt": question}),
        ("stream.llm_start", model),
    ]
    if ends in ("answer", "gives-up"):
        failed = {"error": "no route"} if ends == "gives-up" else {}
        told += [
            ("stream.llm_end", {"iteration": 1, "content": "", "usage": {"input": tokens, "output": 10}}),
            ("stream.tool_start", {"toolName": "find", "toolCallId": "c1", "args": {}}),
            ("stream.tool_end", {"toolCallId": "c1", "result": "7", **failed}),
        ]
    if ends == "answer":
        told.append(("agent.turn_end", {"turnIndex": 0, "finalContent": "It is 7."}))
    if ends == "down":
        told.append(("error.fatal", {"error": "The AI call failed", "stage": "__root__", "scope": "run"}))
    events = [
        {
            "type": f"agentfootprint.{name}",
            "payload": payload,
            "meta": {
                "wallClockMs": clock + place,
                "runOffsetMs": place,
                "runtimeStageId": f"s#{place}",
                "runId": run_id,
            },
        }
        for place, (name, payload) in enumerate(told)
    ]
    stated = {} if began is None else {"startedAt": began.isoformat().replace("+00:00", "Z")}
    commit = {"overwrite": {"k": 1}, "updates": {}, "redactedPaths": [], "trace": [{"path": "k", "verb": "set"}]}
    return {
        "format": "agentfootprint.recording.v1",
        "producer": {"agentfootprintVersion": version, "footprintjsVersion": "9.24.0"},
        "run": {"runId": run_id, "complete": ends in ("answer", "down"), "droppedEvents": 0, **stated, **members},
        "configuration": {"manifest": {"llm": {"provider": "acme", "model": "m1"}}},
        "recording": {
            "snapshot": {
                "sharedState": {"k": 1},
                "commitLog": [commit | {"stage": "Seed", "stageId": "seed", "runtimeStageId": "seed#0"}],
            },
            "events": events,
        },
    }
