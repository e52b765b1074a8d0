// A worked runner in JavaScript: gives the probes of a plan to the toy agent, as runner.py does.
//
//     afp probe run plan.jsonl --runner "node data/runners/runner.mjs" --out probes
//
// What goes to stdout is the answer, one line for each probe, and nothing else: log with console.error.

import { createInterface } from "node:readline";

import { FACTS, MODELS, TOOLS, notesOf, runAgent, setupOf } from "./toy_agent.mjs";

// The answer, the cost and the recording of one probe.
function answered(probe) {
  return runAgent(probe.scenario.question, built(probe), probe.run_id, probe.seed);
}

// What the agent is built from for a probe.
function built(probe) {
  const setup = asItWas(probe.scenario.original_run_id);
  for (const spec of probe.specs) takeOut(spec, setup);
  for (const unit of probe.restore) putBack(unit.id, setup);
  configure(probe.facets, setup, probe.scenario.question);
  return setup;
}

// What the agent was built from for a run; today's build where that is not known.
function asItWas(runId) {
  const named = /^toy-(\d+)-of-(\d+)$/.exec(runId ?? "");
  return named ? setupOf(Number(named[1]), Number(named[2])) : setupOf(1, 1);
}

// Build the agent without some of its parts: one AblationSpec. A memory goes by its entry.
function takeOut({ excludeInjectionIds = [], ignoredTools = [], excludeMemoryIds = [] }, setup) {
  const notes = excludeMemoryIds.map((name) => name.slice(name.lastIndexOf("#") + 1));
  setup.facts = setup.facts.filter((name) => !excludeInjectionIds.includes(name));
  setup.tools = setup.tools.filter((name) => !ignoredTools.includes(name));
  setup.notes = setup.notes.filter((name) => !notes.includes(name));
  setup.forgotten = [...setup.forgotten, ...notes];
}

// Give the agent a unit that it went without.
function putBack(unit, setup) {
  const place = unit in FACTS ? "facts" : unit in TOOLS ? "tools" : "notes";
  if (!setup[place].includes(unit)) setup[place].push(unit);
}

// Configure the agent as an arm asks for. What it does not know is an error: the answer would be another arm's.
function configure(facets, setup, question) {
  for (const [facet, value] of Object.entries(facets)) {
    if (facet === "model" && MODELS.includes(value)) {
      setup.model = value;
    } else if (facet === "memory" && JSON.stringify(value) === '{"retrieval":"all-notes"}') {
      Object.assign(setup, { retrieval: "all-notes", notes: Object.keys(notesOf(question)) });
    } else {
      throw new Error(`the toy agent cannot be configured with ${facet} = ${JSON.stringify(value)}`);
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const probe = JSON.parse(line);
  let answer;
  try {
    answer = answered(probe);
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify({ run_id: probe.run_id, ...answer })}\n`);
}
