"""A toy agent, small enough to read at a sitting: it answers how many pumps a depot holds, and records what it did.

    python data/runners/toy_agent.py --fleet 12 --out toy/fleet      writes the recordings of twelve runs

It has no model and no network. What stands in its context decides what it does, as it would with a model: the first
fact that tells a depot's code is believed, and no code is looked up then. From the seventh run of twelve on such a fact
is there, and it is wrong. `runner.py` runs the agent again for `afp probe run`; `toy_agent.mjs` is the same in Node.
"""

import argparse
import json
import re
from pathlib import Path

PLANTED = "depot-codes"
"""The fact that is wrong."""

FACTS = {
    PLANTED: ("fact", "Since May the code of a depot is its first two letters and 9."),
    "opening-hours": ("fact", "Depots open at seven and close at four."),
    "one-sentence": ("instructions", "Answer in one sentence."),
}
TOOLS = {"find_depot": "Find the code of a depot", "find_stock": "Find the stock of a depot"}
DEPOTS = {"Bergen": "BE1", "Aarhus": "AA2", "Turku": "TU3", "Gdansk": "GD4"}
ITEMS = ("P12", "P30", "P44")
MEMORY = "depot-notes"

BASE = "You know the depots."
MODELS = ("toy", "toy-careful")
"""The careful one looks every code up, whatever it was told."""

EPOCH_MS = 1_717_200_000_000
DAY_MS = 86_400_000


def question_of(number):
    """What the run of that number is asked."""
    return f"How many {ITEMS[number % 3]} pumps are in {list(DEPOTS)[number % 4]}?"


def notes_of(question):
    """What memory holds on a question, best first: each note's id and text."""
    item, city = _asked(question)
    return {
        "roof": f"The roof in {city} is being repaired.",
        "reserved": f"4 {item} pumps in {city} are reserved for other orders.",
    }


def setup_of(number, runs):
    """What the agent was built from for the run of that number: the wrong fact came in the second half.

    Before, memory gave one note at most in two runs of three.
    """
    is_late = number >= runs // 2
    facts = [name for name in FACTS if name != PLANTED or is_late]
    admitted = {0: ["roof"], 1: ["reserved"]}.get(number % 3, ["roof", "reserved"])
    return {
        "facts": [name for name in facts if name != "opening-hours" or number >= runs // 4],
        "tools": list(TOOLS),
        "notes": ["roof", "reserved"] if is_late else admitted,
        "forgotten": [],
        "model": "toy",
        "retrieval": "top-notes",
    }


def run_agent(question, setup, run_id, seed=0, started_ms=EPOCH_MS):
    """Ask the agent: its answer, what that cost, and the recording of the run."""
    record = Recorder(run_id, question, setup, started_ms)
    code = None
    while True:
        record.compose()
        call = _next_call(question, setup, record.results, code)
        if call is None:
            break
        result = _tool(call)
        code = result["code"] if call["name"] == "find_depot" else code
        record.tool_call(call, result)
    answer = _answer(question, setup, record.results, seed)
    recording = record.finished(answer)
    return {"output": answer, "cost": record.cost(), "recording": recording}


def _next_call(question, setup, results, code):
    """The tool that the agent wants to call now; None when it is ready to answer."""
    item, city = _asked(question)
    told = _told_code(city, setup)
    trusts_it = told and setup["model"] != "toy-careful"
    if "find_depot" not in results and "find_depot" in setup["tools"] and not trusts_it:
        return {"name": "find_depot", "args": {"city": city}}
    depot = told if trusts_it else code
    if "find_stock" not in results and "find_stock" in setup["tools"] and depot:
        return {"name": "find_stock", "args": {"depot": depot, "item": item}}
    return None


def _told_code(city, setup):
    """The code of a depot as a fact tells it."""
    for name in setup["facts"]:
        told = re.search(r"first two letters and (\d)", FACTS[name][1])
        if told:
            return city[:2].upper() + told[1]
    return None


def _tool(call):
    """What a tool gives: the code of a depot, or rows of its stock."""
    args = call["args"]
    if call["name"] == "find_depot":
        return {"code": DEPOTS[args["city"]]}
    return stock_of(args["depot"], args["item"]) if args["depot"] in DEPOTS.values() else []


def stock_of(depot, item):
    """The rows of an item in a depot."""
    count = int(depot[2]) + int(item[1:])
    return [{"aisle": 2, "count": count}, {"aisle": 7, "count": 5}]


def _answer(question, setup, results, seed):
    """What the agent says; the closing words come and go with the seed."""
    item, city = _asked(question)
    closing = " Anything else?" if _hash(f"{seed}:{question}") % 2 else ""
    if "find_stock" not in results:
        return f"I have no way to look into the depot of {city}.{closing}"
    rows = results["find_stock"]
    if not rows:
        return f"Sorry, not a single one is left: the list that I was given for it is empty.{closing}"
    total = sum(row["count"] for row in rows)
    aisles = " and ".join(f"{row['count']} in aisle {row['aisle']}" for row in rows)
    if "reserved" in setup["notes"]:
        return f"Just {total - 4} are free to order, since someone else has reserved 4 of the {total}.{closing}"
    return f"{city} holds {total} {item} pumps, {aisles}.{closing}"


def _asked(question):
    """The item and the city of a question."""
    asked = re.fullmatch(r"How many (P\d+) pumps are in (\w+)\?", question)
    if asked is None or asked[2] not in DEPOTS:
        raise ValueError("the toy agent is only asked how many pumps a depot holds")
    return asked[1], asked[2]


def _hash(text):
    """FNV-1a, 32 bits: the same number in every language."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


class Recorder:
    """Writes down what a run does, as agentfootprint would: a commit log, the tree of its steps, events, the state."""

    def __init__(self, run_id, question, setup, started_ms):
        self.run_id, self.question, self.setup, self.started_ms = run_id, question, setup, started_ms
        self.state, self.commits, self.steps, self.events = {}, [], [], []
        self.results, self.iteration = {}, 1
        self.input_tokens, self.output_tokens, self.counted = 0, 0, 0
        history = [{"role": "user", "content": question}]
        self.step("seed", "Initialize", {"userMessage": question, "history": history, "iteration": 1, "turnNumber": 1})
        self.event("agent.run_configured", self.manifest(), "run-configured#0")
        self.event("agent.turn_start", {"turnIndex": 0, "userPrompt": question}, "seed#0")

    def manifest(self):
        """What the agent is configured with."""
        memory = {"id": MEMORY, "type": "semantic", "strategy": "topK", "retrieval": self.setup["retrieval"]}
        llm = {"provider": "toy", "model": self.setup["model"]}
        return {"agentId": "toy-agent", "llm": llm, "reactMode": "dynamic", "memories": [memory]}

    def compose(self):
        """Put together what the next model call is given, and make the call."""
        engine = self.step("sf-injection-engine", "Injection Engine", {"activeInjections": self.active()})
        evaluated = {"iteration": self.iteration, "activeIds": self.setup["facts"], "skippedDetails": []}
        self.event("context.evaluated", evaluated, engine)
        if self.iteration == 1:
            self.event("memory.retrieved", self.retrieved(), engine)
        slots = {
            "systemPromptInjections": [*self.prompt(), *self.notes()],
            "messagesInjections": self.messages(),
            "toolsInjections": [
                {"slot": "tools", "source": "registry", "sourceId": name, "rawContent": f"{name}: {TOOLS[name]}"}
                for name in self.setup["tools"]
            ],
        }
        step = self.step("context", "Context", slots, ["iteration", "activeInjections"])
        for slot, records in zip(("system-prompt", "messages", "tools"), slots.values(), strict=True):
            for record in records:
                self.event("context.injected", record, step)
            composed = {"slot": slot, "iteration": self.iteration, "sourceBreakdown": breakdown_of(records)}
            self.event("context.slot_composed", composed, step)
        self.call = self.step("call-llm", "CallLLM", {}, [*slots, "history", "iteration"])
        self.input_tokens += sum(len(record["rawContent"].split()) for records in slots.values() for record in records)
        started = {"iteration": self.iteration, "provider": "toy", "model": self.setup["model"]}
        self.event("stream.llm_start", started, self.call)

    def tool_call(self, call, result):
        """The model asked for a tool, and has its result now."""
        call_id = f"call-{self.iteration}"
        said = f"Let me ask {call['name']}."
        asked = {"id": call_id, **call}
        self.said(said, [asked])
        text = json.dumps(result, separators=(",", ":"))
        history = [
            *self.state["history"],
            {"role": "assistant", "content": said, "toolCalls": [asked]},
            {"role": "tool", "content": text, "toolCallId": call_id, "toolName": call["name"]},
        ]
        self.results[call["name"]] = result
        self.iteration += 1
        written = {
            "lastToolResult": {"toolName": call["name"], "result": text},
            "history": history,
            "iteration": self.iteration,
        }
        step = self.step("tool-calls", "ToolCalls", written, ["llmLatestToolCalls", "history", "iteration"])
        started = {"toolName": call["name"], "toolCallId": call_id, "args": call["args"]}
        self.event("stream.tool_start", started, step)
        self.event("stream.tool_end", {"toolCallId": call_id, "result": text, "durationMs": 1}, step)

    def finished(self, answer):
        """The recording of the whole run."""
        self.said(answer, [])
        step = self.step("final", "Final", {"finalContent": answer}, ["llmLatestContent"])
        self.event("agent.turn_end", {"turnIndex": 0, "finalContent": answer, "iterationCount": self.iteration}, step)
        return {
            "format": "agentfootprint.recording.v1",
            "producer": {"agentfootprintVersion": "toy", "footprintjsVersion": "toy"},
            "run": {"runId": self.run_id, "complete": True, "droppedEvents": 0, "firstRetainedEventIndex": 0},
            "configuration": {"agentId": "toy-agent", "manifest": self.manifest()},
            "privacy": {"mode": "full", "policyId": "agentfootprint.privacy.full.v1"},
            "recording": {"snapshot": self.snapshot(), "events": self.events, "structure": None},
        }

    def snapshot(self):
        """The log, the tree of the steps, and the state at the end."""
        tree = None
        for step in reversed(self.steps):
            tree = {**step, "next": tree} if tree else step
        return {
            "sharedState": self.state,
            "executionTree": tree,
            "initialState": {},
            "commitLog": self.commits,
            "commitValues": "full",
            "writeProvenance": "off",
            "runId": f"engine-{self.run_id}",
        }

    def cost(self):
        """What the run cost."""
        return {"loops": self.iteration, "tokens": self.input_tokens + self.output_tokens}

    def said(self, content, calls):
        """What the model answered: it stands in the commit of the call."""
        written = {"llmLatestContent": content, "llmLatestToolCalls": calls}
        self.state.update(written)
        self.commits[-1].update(overwrite=written, trace=[{"path": key, "verb": "set"} for key in written])
        words = len(content.split())
        self.output_tokens += words
        usage = {"input": self.input_tokens - self.counted, "output": words}
        self.counted = self.input_tokens
        ended = {"iteration": self.iteration, "content": content, "toolCallCount": len(calls), "usage": usage}
        self.event("stream.llm_end", ended, self.call)

    def step(self, stage, name, written, read=()):
        """One step of the run: a commit of what it wrote, a node of the tree with what it read."""
        step = f"{stage}#{len(self.steps)}"
        self.state.update(written)
        self.commits.append(
            {
                "overwrite": written,
                "updates": {},
                "redactedPaths": [],
                "trace": [{"path": key, "verb": "set"} for key in written],
                "stage": name,
                "stageId": stage,
                "runtimeStageId": step,
                "idx": len(self.commits),
            }
        )
        reads = {key: {"__readSummary": True} for key in read}
        self.steps.append({"id": stage, "runtimeStageId": step, "name": name, "stageReads": reads})
        return step

    def event(self, kind, payload, step):
        """One event of the run; its clock goes by the number of events."""
        offset = 10 * len(self.events)
        meta = {"wallClockMs": self.started_ms + offset, "runOffsetMs": offset, "runtimeStageId": step}
        meta |= {"subflowPath": [], "compositionPath": ["Agent:toy-agent"], "runId": f"turn-{self.run_id}"}
        self.events.append({"type": f"agentfootprint.{kind}", "payload": payload, "meta": meta})

    def active(self):
        """The facts and instructions of the run."""
        return [{"id": name, "flavor": FACTS[name][0]} for name in self.setup["facts"]]

    def prompt(self):
        """The system prompt, piece by piece."""
        facts = [
            {"slot": "system-prompt", "source": FACTS[name][0], "sourceId": name, "rawContent": FACTS[name][1]}
            for name in self.setup["facts"]
        ]
        return [{"slot": "system-prompt", "source": "base", "rawContent": BASE}, *facts]

    def notes(self):
        """The notes that memory gave."""
        texts = notes_of(self.question)
        return [
            {
                "slot": "system-prompt",
                "source": "memory",
                "sourceId": f"memory:{MEMORY}#{name}",
                "rawContent": texts[name],
            }
            for name in self.setup["notes"]
        ]

    def retrieved(self):
        """What memory could have given, and what it gave."""
        candidates = []
        for rank, name in enumerate(notes_of(self.question)):
            if name not in self.setup["forgotten"]:
                admitted = name in self.setup["notes"]
                candidate = {"id": name, "score": 0.9 - rank / 10, "rank": rank, "admitted": admitted}
                candidates.append(candidate if admitted else candidate | {"reason": "over-max-entries"})
        return {"strategy": "topK", "k": 2, "candidates": candidates, "candidatesComplete": True, "namespace": MEMORY}

    def messages(self):
        """The conversation so far."""
        sources = {"user": "user", "assistant": "assistant", "tool": "tool-result"}
        return [
            {"slot": "messages", "source": sources[message["role"]], "rawContent": message["content"]}
            | ({"sourceId": message["toolCallId"]} if "toolCallId" in message else {})
            for message in self.state["history"]
        ]


def breakdown_of(records):
    """How many records of a slot come from each source, and how long they are."""
    breakdown = {}
    for record in records:
        of_source = breakdown.setdefault(record["source"], {"chars": 0, "count": 0})
        of_source["chars"] += len(record["rawContent"])
        of_source["count"] += 1
    return breakdown


def fleet(runs):
    """The recordings of so many runs, one a day."""
    for number in range(runs):
        question, started_ms = question_of(number), EPOCH_MS + number * DAY_MS
        name = f"toy-{number}-of-{runs}"
        yield name, run_agent(question, setup_of(number, runs), name, number, started_ms)["recording"]


def main():
    """Write a fleet."""
    parser = argparse.ArgumentParser(description="Write the recordings of a fleet of toy agents.")
    parser.add_argument("--fleet", type=int, required=True, metavar="N", help="how many runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where they are written")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, recording in fleet(options.fleet):
        text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
        (options.out / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
