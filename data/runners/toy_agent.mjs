// The toy agent of toy_agent.py in JavaScript: the same answers, the same recordings.
//
//     node data/runners/toy_agent.mjs --fleet 12 --out toy/fleet      writes the recordings of twelve runs

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const PLANTED = "depot-codes"; // the fact that is wrong
export const FACTS = {
  [PLANTED]: ["fact", "Since May the code of a depot is its first two letters and 9."],
  "opening-hours": ["fact", "Depots open at seven and close at four."],
  "one-sentence": ["instructions", "Answer in one sentence."],
};
export const TOOLS = { find_depot: "Find the code of a depot", find_stock: "Find the stock of a depot" };
export const MODELS = ["toy", "toy-careful"]; // the careful one looks every code up, whatever it was told

const DEPOTS = { Bergen: "BE1", Aarhus: "AA2", Turku: "TU3", Gdansk: "GD4" };
const ITEMS = ["P12", "P30", "P44"];
const MEMORY = "depot-notes";
const BASE = "You know the depots.";
const EPOCH_MS = 1_717_200_000_000;
const DAY_MS = 86_400_000;

// What the run of that number is asked.
export const questionOf = (number) => `How many ${ITEMS[number % 3]} pumps are in ${Object.keys(DEPOTS)[number % 4]}?`;

// What memory holds on a question, best first: each note's id and text.
export function notesOf(question) {
  const [item, city] = asked(question);
  return {
    roof: `The roof in ${city} is being repaired.`,
    reserved: `4 ${item} pumps in ${city} are reserved for other orders.`,
  };
}

// What the agent was built from for the run of that number: the wrong fact came in the second half.
// Before, memory gave one note at most in two runs of three.
export function setupOf(number, runs) {
  const isLate = number >= Math.floor(runs / 2);
  const facts = Object.keys(FACTS).filter((name) => name !== PLANTED || isLate);
  const admitted = { 0: ["roof"], 1: ["reserved"] }[number % 3] ?? ["roof", "reserved"];
  return {
    facts: facts.filter((name) => name !== "opening-hours" || number >= Math.floor(runs / 4)),
    tools: Object.keys(TOOLS),
    notes: isLate ? ["roof", "reserved"] : admitted,
    forgotten: [],
    model: "toy",
    retrieval: "top-notes",
  };
}

// Ask the agent: its answer, what that cost, and the recording of the run.
export function runAgent(question, setup, runId, seed = 0, startedMs = EPOCH_MS) {
  const record = new Recorder(runId, question, setup, startedMs);
  let code = null;
  for (;;) {
    record.compose();
    const call = nextCall(question, setup, record.results, code);
    if (call === null) break;
    const result = tool(call);
    if (call.name === "find_depot") code = result.code;
    record.toolCall(call, result);
  }
  const output = answer(question, setup, record.results, seed);
  const recording = record.finished(output);
  return { output, cost: record.cost(), recording };
}

// The tool that the agent wants to call now; null when it is ready to answer.
function nextCall(question, setup, results, code) {
  const [item, city] = asked(question);
  const told = toldCode(city, setup);
  const trustsIt = told !== null && setup.model !== "toy-careful";
  if (!("find_depot" in results) && setup.tools.includes("find_depot") && !trustsIt) {
    return { name: "find_depot", args: { city } };
  }
  const depot = trustsIt ? told : code;
  if (!("find_stock" in results) && setup.tools.includes("find_stock") && depot) {
    return { name: "find_stock", args: { depot, item } };
  }
  return null;
}

// The code of a depot as a fact tells it.
function toldCode(city, setup) {
  for (const name of setup.facts) {
    const told = /first two letters and (\d)/.exec(FACTS[name][1]);
    if (told) return city.slice(0, 2).toUpperCase() + told[1];
  }
  return null;
}

// What a tool gives: the code of a depot, or rows of its stock.
function tool({ name, args }) {
  if (name === "find_depot") return { code: DEPOTS[args.city] };
  return Object.values(DEPOTS).includes(args.depot) ? stockOf(args.depot, args.item) : [];
}

// The rows of an item in a depot.
function stockOf(depot, item) {
  return [
    { aisle: 2, count: Number(depot[2]) + Number(item.slice(1)) },
    { aisle: 7, count: 5 },
  ];
}

// What the agent says; the closing words come and go with the seed.
function answer(question, setup, results, seed) {
  const [item, city] = asked(question);
  const closing = hash(`${seed}:${question}`) % 2 ? " Anything else?" : "";
  if (!("find_stock" in results)) return `I have no way to look into the depot of ${city}.${closing}`;
  const rows = results.find_stock;
  if (rows.length === 0) {
    return `Sorry, not a single one is left: the list that I was given for it is empty.${closing}`;
  }
  const total = rows.reduce((sum, row) => sum + row.count, 0);
  const aisles = rows.map((row) => `${row.count} in aisle ${row.aisle}`).join(" and ");
  if (setup.notes.includes("reserved")) {
    return `Just ${total - 4} are free to order, since someone else has reserved 4 of the ${total}.${closing}`;
  }
  return `${city} holds ${total} ${item} pumps, ${aisles}.${closing}`;
}

// The item and the city of a question.
function asked(question) {
  const found = /^How many (P\d+) pumps are in (\w+)\?$/.exec(question);
  if (found === null || !(found[2] in DEPOTS)) {
    throw new Error("the toy agent is only asked how many pumps a depot holds");
  }
  return [found[1], found[2]];
}

// FNV-1a, 32 bits: the same number in every language.
function hash(text) {
  let value = 2166136261;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 16777619) >>> 0;
  return value;
}

const wordsOf = (text) => text.trim().split(/\s+/).length;

// Writes down what a run does, as agentfootprint would: a commit log, the tree of its steps, events, the state.
class Recorder {
  constructor(runId, question, setup, startedMs) {
    Object.assign(this, { runId, question, setup, startedMs });
    Object.assign(this, { state: {}, commits: [], steps: [], events: [], results: {} });
    Object.assign(this, { iteration: 1, inputTokens: 0, outputTokens: 0, counted: 0 });
    const history = [{ role: "user", content: question }];
    this.step("seed", "Initialize", { userMessage: question, history, iteration: 1, turnNumber: 1 });
    this.event("agent.run_configured", this.manifest(), "run-configured#0");
    this.event("agent.turn_start", { turnIndex: 0, userPrompt: question }, "seed#0");
  }

  // What the agent is configured with.
  manifest() {
    const memory = { id: MEMORY, type: "semantic", strategy: "topK", retrieval: this.setup.retrieval };
    const llm = { provider: "toy", model: this.setup.model };
    return { agentId: "toy-agent", llm, reactMode: "dynamic", memories: [memory] };
  }

  // Put together what the next model call is given, and make the call.
  compose() {
    const { facts, tools, model } = this.setup;
    const active = facts.map((name) => ({ id: name, flavor: FACTS[name][0] }));
    const engine = this.step("sf-injection-engine", "Injection Engine", { activeInjections: active });
    const evaluated = { iteration: this.iteration, activeIds: facts, skippedDetails: [] };
    this.event("context.evaluated", evaluated, engine);
    if (this.iteration === 1) this.event("memory.retrieved", this.retrieved(), engine);
    const slots = {
      systemPromptInjections: [...this.prompt(), ...this.notes()],
      messagesInjections: this.messages(),
      toolsInjections: tools.map((name) => ({
        slot: "tools",
        source: "registry",
        sourceId: name,
        rawContent: `${name}: ${TOOLS[name]}`,
      })),
    };
    const step = this.step("context", "Context", slots, ["iteration", "activeInjections"]);
    const names = ["system-prompt", "messages", "tools"];
    for (const [place, records] of Object.values(slots).entries()) {
      for (const record of records) this.event("context.injected", record, step);
      const composed = { slot: names[place], iteration: this.iteration, sourceBreakdown: breakdownOf(records) };
      this.event("context.slot_composed", composed, step);
      for (const record of records) this.inputTokens += wordsOf(record.rawContent);
    }
    this.call = this.step("call-llm", "CallLLM", {}, [...Object.keys(slots), "history", "iteration"]);
    this.event("stream.llm_start", { iteration: this.iteration, provider: "toy", model }, this.call);
  }

  // The model asked for a tool, and has its result now.
  toolCall(call, result) {
    const id = `call-${this.iteration}`;
    const content = `Let me ask ${call.name}.`;
    const request = { id, ...call };
    this.said(content, [request]);
    const text = JSON.stringify(result);
    const history = [
      ...this.state.history,
      { role: "assistant", content, toolCalls: [request] },
      { role: "tool", content: text, toolCallId: id, toolName: call.name },
    ];
    this.results[call.name] = result;
    this.iteration += 1;
    const written = { lastToolResult: { toolName: call.name, result: text }, history, iteration: this.iteration };
    const step = this.step("tool-calls", "ToolCalls", written, ["llmLatestToolCalls", "history", "iteration"]);
    this.event("stream.tool_start", { toolName: call.name, toolCallId: id, args: call.args }, step);
    this.event("stream.tool_end", { toolCallId: id, result: text, durationMs: 1 }, step);
  }

  // The recording of the whole run.
  finished(output) {
    this.said(output, []);
    const step = this.step("final", "Final", { finalContent: output }, ["llmLatestContent"]);
    const ended = { turnIndex: 0, finalContent: output, iterationCount: this.iteration };
    this.event("agent.turn_end", ended, step);
    return {
      format: "agentfootprint.recording.v1",
      producer: { agentfootprintVersion: "toy", footprintjsVersion: "toy" },
      run: { runId: this.runId, complete: true, droppedEvents: 0, firstRetainedEventIndex: 0 },
      configuration: { agentId: "toy-agent", manifest: this.manifest() },
      privacy: { mode: "full", policyId: "agentfootprint.privacy.full.v1" },
      recording: { snapshot: this.snapshot(), events: this.events, structure: null },
    };
  }

  // The log, the tree of the steps, and the state at the end.
  snapshot() {
    return {
      sharedState: this.state,
      executionTree: this.steps.reduceRight((next, step) => (next ? { ...step, next } : step), null),
      initialState: {},
      commitLog: this.commits,
      commitValues: "full",
      writeProvenance: "off",
      runId: `engine-${this.runId}`,
    };
  }

  // What the run cost.
  cost() {
    return { loops: this.iteration, tokens: this.inputTokens + this.outputTokens };
  }

  // What the model answered: it stands in the commit of the call.
  said(content, calls) {
    const written = { llmLatestContent: content, llmLatestToolCalls: calls };
    Object.assign(this.state, written);
    Object.assign(this.commits.at(-1), { overwrite: written, trace: traceOf(written) });
    const output = wordsOf(content);
    this.outputTokens += output;
    const usage = { input: this.inputTokens - this.counted, output };
    this.counted = this.inputTokens;
    const ended = { iteration: this.iteration, content, toolCallCount: calls.length, usage };
    this.event("stream.llm_end", ended, this.call);
  }

  // One step of the run: a commit of what it wrote, a node of the tree with what it read.
  step(stage, name, written, read = []) {
    const step = `${stage}#${this.steps.length}`;
    Object.assign(this.state, written);
    this.commits.push({
      overwrite: written,
      updates: {},
      redactedPaths: [],
      trace: traceOf(written),
      stage: name,
      stageId: stage,
      runtimeStageId: step,
      idx: this.commits.length,
    });
    const stageReads = Object.fromEntries(read.map((key) => [key, { __readSummary: true }]));
    this.steps.push({ id: stage, runtimeStageId: step, name, stageReads });
    return step;
  }

  // One event of the run; its clock goes by the number of events.
  event(kind, payload, step) {
    const runOffsetMs = 10 * this.events.length;
    const meta = { wallClockMs: this.startedMs + runOffsetMs, runOffsetMs, runtimeStageId: step };
    Object.assign(meta, { subflowPath: [], compositionPath: ["Agent:toy-agent"], runId: `turn-${this.runId}` });
    this.events.push({ type: `agentfootprint.${kind}`, payload, meta });
  }

  // The system prompt, piece by piece.
  prompt() {
    const facts = this.setup.facts.map((name) => {
      const [source, rawContent] = FACTS[name];
      return { slot: "system-prompt", source, sourceId: name, rawContent };
    });
    return [{ slot: "system-prompt", source: "base", rawContent: BASE }, ...facts];
  }

  // The notes that memory gave.
  notes() {
    const texts = notesOf(this.question);
    return this.setup.notes.map((name) => ({
      slot: "system-prompt",
      source: "memory",
      sourceId: `memory:${MEMORY}#${name}`,
      rawContent: texts[name],
    }));
  }

  // What memory could have given, and what it gave.
  retrieved() {
    const candidates = Object.keys(notesOf(this.question)).flatMap((name, rank) => {
      if (this.setup.forgotten.includes(name)) return [];
      const admitted = this.setup.notes.includes(name);
      const candidate = { id: name, score: 0.9 - rank / 10, rank, admitted };
      return [admitted ? candidate : { ...candidate, reason: "over-max-entries" }];
    });
    return { strategy: "topK", k: 2, candidates, candidatesComplete: true, namespace: MEMORY };
  }

  // The conversation so far.
  messages() {
    const sources = { user: "user", assistant: "assistant", tool: "tool-result" };
    return this.state.history.map(({ role, content, toolCallId }) => ({
      slot: "messages",
      source: sources[role],
      rawContent: content,
      ...(toolCallId === undefined ? {} : { sourceId: toolCallId }),
    }));
  }
}

const traceOf = (written) => Object.keys(written).map((path) => ({ path, verb: "set" }));

// How many records of a slot come from each source, and how long they are.
function breakdownOf(records) {
  const breakdown = {};
  for (const { source, rawContent } of records) {
    breakdown[source] ??= { chars: 0, count: 0 };
    breakdown[source].chars += rawContent.length;
    breakdown[source].count += 1;
  }
  return breakdown;
}

// The recordings of so many runs, one a day.
export function* fleet(runs) {
  for (let number = 0; number < runs; number += 1) {
    const name = `toy-${number}-of-${runs}`;
    const startedMs = EPOCH_MS + number * DAY_MS;
    yield [name, runAgent(questionOf(number), setupOf(number, runs), name, number, startedMs).recording];
  }
}

function main(words) {
  const option = (name) => words[words.indexOf(name) + 1];
  const runs = Number(option("--fleet"));
  const folder = option("--out");
  mkdirSync(folder, { recursive: true });
  for (const [name, recording] of fleet(runs)) {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recording)}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
