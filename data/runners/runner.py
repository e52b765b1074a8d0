"""A worked runner: gives the probes of a plan to the toy agent.

    afp probe run plan.jsonl --runner "python data/runners/runner.py" --out probes

For an agent of your own, keep `main` and write `built` anew: build the agent as it was for the run that the probe is
about, then take out, put back and configure what the probe says. What goes to stdout is the answer, one line for each
probe, and nothing else: log to stderr.
"""

import json
import re
import sys

from toy_agent import FACTS, MODELS, TOOLS, notes_of, run_agent, setup_of


def main():
    """Answer one probe after the other, until there are no more."""
    for line in sys.stdin:
        probe = json.loads(line)
        try:
            answer = answered(probe)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the probe is told
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"run_id": probe["run_id"], **answer}, separators=(",", ":")), flush=True)


def answered(probe):
    """The answer, the cost and the recording of one probe."""
    question = probe["scenario"]["question"]
    return run_agent(question, built(probe), probe["run_id"], probe["seed"])


def built(probe):
    """What the agent is built from for a probe."""
    setup = as_it_was(probe["scenario"]["original_run_id"])
    for spec in probe["specs"]:
        take_out(spec, setup)
    for unit in probe["restore"]:
        put_back(unit["id"], setup)
    configure(probe["facets"], setup, probe["scenario"]["question"])
    return setup


def as_it_was(run_id):
    """What the agent was built from for a run; today's build where that is not known."""
    named = re.fullmatch(r"toy-(\d+)-of-(\d+)", run_id or "")
    return setup_of(int(named[1]), int(named[2])) if named else setup_of(1, 1)


def take_out(spec, setup):
    """Build the agent without some of its parts: one AblationSpec. A memory goes by its entry."""
    facts = spec.get("excludeInjectionIds", [])
    tools = spec.get("ignoredTools", [])
    notes = [name.rpartition("#")[2] for name in spec.get("excludeMemoryIds", [])]
    setup["facts"] = [name for name in setup["facts"] if name not in facts]
    setup["tools"] = [name for name in setup["tools"] if name not in tools]
    setup["notes"] = [name for name in setup["notes"] if name not in notes]
    setup["forgotten"] = [*setup["forgotten"], *notes]


def put_back(unit, setup):
    """Give the agent a unit that it went without."""
    place = "facts" if unit in FACTS else "tools" if unit in TOOLS else "notes"
    if unit not in setup[place]:
        setup[place].append(unit)


def configure(facets, setup, question):
    """Configure the agent as an arm asks for. What it does not know is an error: the answer would be another arm's."""
    for facet, value in facets.items():
        if facet == "model" and value in MODELS:
            setup["model"] = value
        elif facet == "memory" and value == {"retrieval": "all-notes"}:
            setup.update(retrieval="all-notes", notes=list(notes_of(question)))
        else:
            raise ValueError(f"the toy agent cannot be configured with {facet} = {json.dumps(value)}")


if __name__ == "__main__":
    main()
