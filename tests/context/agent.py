"""A little agent that records what it does as the library would, and remembers what each of its calls was given.

It plays a turn: a memory that may keep some entries back, an engine that finds injections active, a prompt that may
leave some of them out, tools, and a window that may forget the results of the first ones.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.record.documents import Any as Json
from tests.record.documents import commit, event

Object = dict[str, Any]

SYSTEM, MESSAGES, TOOLS = "system-prompt", "messages", "tools"
KEYS = {SYSTEM: "systemPromptInjections", MESSAGES: "messagesInjections", TOOLS: "toolsInjections"}
REASONS = ("below-threshold", "over-max-entries", "too-shy")


@dataclass(frozen=True)
class Round:
    """One iteration: what is active, what of it the prompt leaves out, and which tools are called then."""

    active: tuple[str, ...]
    left_out: frozenset[str]
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """A turn to play. `chart` is `dynamic`, `classic` or `grouped`; `memory` lists entries with why they are kept back.

    `is_silent` memories tell nobody what they considered. `window` is how many results of tools are remembered.
    """

    chart: str
    rounds: tuple[Round, ...]
    memory: tuple[tuple[str, str | None], ...] | None
    is_silent: bool
    window: int | None
    pauses_after: int | None


@dataclass
class Truth:
    """What one call was given, and what it could have been given."""

    iteration: int
    available: list[str]
    sent: list[str]
    kept_back: dict[str, str | None]

    @property
    def dropped(self) -> list[str]:
        """What it could have been given and was not."""
        return [unit for unit in self.available if unit not in self.sent]


@dataclass
class Recorder:
    """What one leg leaves behind."""

    step: int
    initial: Object
    events: list[Json] = field(default_factory=list)
    log: list[Json] = field(default_factory=list)
    mounts: Object = field(default_factory=dict)

    def next_step(self, stage: str) -> str:
        self.step += 1
        return f"{stage}#{self.step}"

    def tell(self, kind: str, payload: Object, stage: str) -> None:
        self.events.append(event(kind, payload, runtimeStageId=stage))

    def document(self, state: Object) -> Object:
        snapshot = {"commitLog": self.log, "initialState": self.initial, "sharedState": deepcopy(state)}
        snapshot |= {"subflowResults": self.mounts} if self.mounts else {}
        run = {"droppedEvents": 0, "firstRetainedEventIndex": 0, "complete": True}
        return {
            "format": "agentfootprint.recording.v1",
            "run": run,
            "recording": {"snapshot": snapshot, "events": self.events},
        }


class Agent:
    """Plays a plan; afterwards `documents` holds a recording a leg, `truths` what the calls of each leg were given."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state: Object = {}
        self.recorder = Recorder(-1, {})
        self.documents: list[Object] = []
        self.truths: list[list[Truth]] = [[]]
        self.results: list[str] = []
        self._begin_turn()
        for number, each in enumerate(plan.rounds, start=1):
            self._play(number, each)
        self._end("agent.turn_end")

    def _begin_turn(self) -> None:
        self.recorder.tell("agent.run_configured", {"agentId": "a"}, "run-configured#0")
        seed = self.recorder.next_step("seed")
        self.recorder.tell("agent.turn_start", {"userPrompt": "why?"}, seed)
        begins = {"history": [{"role": "user", "content": "why?"}], "activeInjections": [], "iteration": 1}
        self._commit(self.recorder.log, seed, begins | {key: [] for key in KEYS.values()})
        if self.plan.memory is not None:
            self._remember(self.plan.memory)

    def _remember(self, memory: tuple[tuple[str, str | None], ...]) -> None:
        step = self.recorder.next_step("sf-memory-read-docs")
        self.recorder.log.append(commit(step))
        if self.plan.is_silent:
            return
        candidates = [
            {"id": entry, "admitted": reason is None} | ({} if reason is None else {"reason": reason})
            for entry, reason in memory
        ]
        inner = self.recorder.next_step("sf-memory-read-docs/load")
        self.recorder.tell("memory.retrieved", {"candidates": candidates, "candidatesComplete": True}, inner)
        for entry, reason in memory:
            if reason is None:
                self.recorder.tell("memory.attached", {"memoryId": entry}, inner)

    def _play(self, number: int, each: Round) -> None:
        log, mount = self._log_of_call()
        engine = self.recorder.next_step(f"{mount}sf-injection-engine")
        self._commit(log, engine, {"activeInjections": [{"id": name} for name in each.active]})
        inside = {"iteration": number, "activeIds": list(each.active), "skippedDetails": []}
        self.recorder.tell("context.evaluated", inside, engine)
        self._compose(log, mount, number, each)
        call = self.recorder.next_step(f"{mount}call-llm")
        self.recorder.tell("stream.llm_start", {"iteration": number}, call)
        log.append(commit(call))
        self._leave_mount()
        self._write_down(number, each)
        self._call_tools(number, each)

    def _compose(self, log: list[Json], mount: str, number: int, each: Round) -> None:
        step = self.recorder.next_step(f"{mount}context")
        slots = {MESSAGES: self._messages()}
        if self.plan.chart != "classic" or number == 1:
            slots |= {SYSTEM: self._prompt(each), TOOLS: [_record("registry", "tool")]}
        for slot in KEYS:
            if slot in slots:
                stage = f"{step}/{slot}"
                for record in slots[slot]:
                    self.recorder.tell("context.injected", {"slot": slot, **record}, stage)
                counts: Object = {}
                for record in slots[slot]:
                    counts.setdefault(record["source"], {"count": 0})["count"] += 1
                self.recorder.tell(
                    "context.slot_composed", {"slot": slot, "iteration": number, "sourceBreakdown": counts}, stage
                )
        self._commit(log, step, {KEYS[slot]: records for slot, records in slots.items()})

    def _prompt(self, each: Round) -> list[Object]:
        kept = [_record("fact", name) for name in each.active if name not in each.left_out]
        admitted = [entry for entry, reason in self.plan.memory or () if reason is None]
        return [_record("base", None), *kept, *(_record("memory", f"memory:docs#{entry}") for entry in admitted)]

    def _messages(self) -> list[Object]:
        told = {"user": ("user", None), "assistant": ("assistant", None)}
        return [
            _record(*told.get(m["role"], ("tool-result", m.get("toolCallId")))) | {"contentHash": f"hash of {at} {m}"}
            for at, m in enumerate(self.state["history"])
        ]

    def _write_down(self, number: int, each: Round) -> None:
        """What the call was given, and what it could have been given; memory is named by its bare entry."""
        prompt = self.plan.rounds[0] if self.plan.chart == "classic" else each
        entries = dict(self.plan.memory or ())
        if len(self.truths) > 1:  # what an earlier leg kept back is nowhere in the record of this one
            entries = {entry: reason for entry, reason in entries.items() if reason is None}
        kept = [name for name in prompt.active if name not in prompt.left_out]
        sent = [*kept, *(entry for entry, reason in entries.items() if reason is None), *self._held()]
        available = [*each.active, *entries, *self.results]
        self.truths[-1].append(Truth(number, list(dict.fromkeys(available)), list(dict.fromkeys(sent)), entries))

    def _held(self) -> list[str]:
        return [m["toolCallId"] for m in self.state["history"] if m["role"] == "tool"]

    def _call_tools(self, number: int, each: Round) -> None:
        if number == len(self.plan.rounds):
            return
        step = self.recorder.next_step("tool-calls")
        for call_id in each.tools:
            self.recorder.tell("stream.tool_start", {"toolCallId": call_id, "toolName": "t"}, step)
            if self.plan.pauses_after == number and call_id == each.tools[-1]:
                step = self._pause(step)
            self.recorder.tell("stream.tool_end", {"toolCallId": call_id, "result": f"result of {call_id}"}, step)
            self.results.append(call_id)
        grown = [{"role": "assistant", "content": "calls"}, *map(_tool_message, each.tools)]
        self.state["history"] = self.state["history"] + grown
        self.state["iteration"] = number + 1
        self.recorder.log.append(
            commit(step, {"history": grown, "iteration": number + 1}, ["append history", "set iteration"])
        )
        self._forget()

    def _forget(self) -> None:
        if self.plan.window is None or len(self._held()) <= self.plan.window:
            return
        kept = self._held()[len(self._held()) - self.plan.window :]
        history = [m for m in self.state["history"] if m["role"] != "tool" or m["toolCallId"] in kept]
        removed = {"strategy": "sliding-window", "removedMessageCount": len(self.state["history"]) - len(history)}
        compactions = [*self.state.get("compactions", []), removed]
        self._commit(
            self.recorder.log, self.recorder.next_step("compact"), {"history": history, "compactions": compactions}
        )

    def _pause(self, step: str) -> str:
        """The tool asks a person: this leg ends, and the next one begins in the same step."""
        self._end("pause.request")
        self.recorder = Recorder(self.recorder.step, deepcopy(self.state))
        self.truths.append([])
        self.recorder.tell("pause.resume", {}, step)
        self.recorder.tell("agent.run_configured", {"agentId": "a"}, "run-configured#0")
        return step

    def _end(self, kind: str) -> None:
        self.recorder.tell(kind, {"finalContent": "so"}, self.recorder.next_step("final"))
        self.documents.append(self.recorder.document(self.state))

    def _log_of_call(self) -> tuple[list[Json], str]:
        """The log that the call's steps commit to, and what their ids begin with."""
        if self.plan.chart != "grouped":
            return self.recorder.log, ""
        mount = self.recorder.next_step("sf-llm-call")
        inner: list[Json] = []
        self.recorder.mounts[mount] = {"treeContext": {"history": inner}}
        handed = {key: deepcopy(self.state[key]) for key in ("history", *KEYS.values())}
        self._commit(inner, self.recorder.next_step("sf-llm-call/turn-seed"), handed)
        self._mount = mount
        return inner, "sf-llm-call/"

    def _leave_mount(self) -> None:
        if self.plan.chart == "grouped":
            self.recorder.log.append(commit(self._mount))

    def _commit(self, log: list[Json], step: str, values: Object) -> None:
        self.state |= deepcopy(values)
        log.append(commit(step, deepcopy(values), [f"set {key}" for key in values]))


def _record(source: str, source_id: str | None) -> Object:
    text = {"source": source, "rawContent": f"text of {source_id or source}"}
    return text if source_id is None else text | {"sourceId": source_id}


def _tool_message(call_id: str) -> Object:
    return {"role": "tool", "toolCallId": call_id, "content": f"result of {call_id}"}


NAMES = ("one", "two", "é#1", "memory:x", "")


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """A turn of one to four rounds; every id of a tool's call is new."""
    names = st.lists(st.sampled_from(NAMES), unique=True, max_size=3)
    rounds = []
    for number in range(draw(st.integers(1, 4))):
        active = tuple(draw(names))
        left_out = frozenset(draw(st.lists(st.sampled_from(active), max_size=1))) if active else frozenset()
        rounds.append(Round(active, left_out, tuple(f"call_{number}_{n}" for n in range(draw(st.integers(0, 2))))))
    entries = st.tuples(st.sampled_from(("m1", "m2", "m 3")), st.sampled_from((None, None, *REASONS)))
    pauses = [number for number, each in enumerate(rounds[:-1], start=1) if each.tools]
    return Plan(
        chart=draw(st.sampled_from(("dynamic", "dynamic", "classic", "grouped"))),
        rounds=tuple(rounds),
        memory=draw(st.none() | st.lists(entries, unique_by=lambda e: e[0], max_size=3).map(tuple)),
        is_silent=draw(st.sampled_from((False, False, True))),
        window=draw(st.none() | st.integers(0, 2)),
        pauses_after=draw(st.sampled_from([None, None, *pauses])),
    )
