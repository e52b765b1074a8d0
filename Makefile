# What a newcomer, a developer and the nightly check type. Each target does its own set-up; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test mutants bench docs clean setup dot browser

BIN := .venv/bin
MEGABYTES := 300
export AFP_STORE := out/store

help:  ## list the targets
	@awk -F ':.*##' '/^[a-z]+:.*##/ {printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

FIRST_QUERY := SELECT kind, verdict, count(*) AS verdicts FROM verdicts GROUP BY ALL ORDER BY ALL
SUSPECTS := SELECT suspect_kind, suspect_id, count(DISTINCT run_id) AS runs FROM ablation_hooks \
	GROUP BY ALL ORDER BY runs DESC, suspect_id LIMIT 8
CAUSES := SELECT kind, subject_id, verdict, flips, samples FROM verdicts WHERE tier = 'causal' ORDER BY ALL
say = @printf '\n\033[1m$$ %s\033[0m\n'

demo: setup  ## derive the sample fleet, then ask a few questions of it
	$(say) 'afp run data/sample'
	@$(BIN)/afp run data/sample
	$(say) 'afp sql "$(FIRST_QUERY)"'
	@$(BIN)/afp sql "$(FIRST_QUERY)"
	$(say) 'afp sql "$(SUSPECTS)"'
	@$(BIN)/afp sql "$(SUSPECTS)"
	$(say) 'afp explain w-stock-4'
	@$(BIN)/afp explain w-stock-4
	$(say) 'afp trace s-flat-l3-triage systemPromptInjections'
	@$(BIN)/afp trace s-flat-l3-triage systemPromptInjections
	@printf '\nA toy agent that is told a wrong fact: from suspicion to cause.\n'
	@rm -rf out/toy
	@$(BIN)/python data/runners/toy_agent.py --fleet 12 --out out/toy/fleet
	$(say) 'afp run out/toy/fleet --store out/toy/store --quiet'
	@$(BIN)/afp run out/toy/fleet --store out/toy/store --quiet
	$(say) 'afp probe plan --store out/toy/store --out out/toy/plan.jsonl --budget 9'
	@$(BIN)/afp probe plan --store out/toy/store --out out/toy/plan.jsonl --budget 9
	$(say) 'afp probe run out/toy/plan.jsonl --runner "$(BIN)/python data/runners/runner.py" --out out/toy/probes --jobs 2'
	@$(BIN)/afp probe run out/toy/plan.jsonl --runner "$(BIN)/python data/runners/runner.py" --out out/toy/probes --jobs 2
	$(say) 'afp run out/toy/probes --store out/toy/store --quiet'
	@$(BIN)/afp run out/toy/probes --store out/toy/store --quiet
	$(say) "afp sql \"$(CAUSES)\" --store out/toy/store"
	@$(BIN)/afp sql "$(CAUSES)" --store out/toy/store
	@printf '\nThe whole fleet on one page.\n'
	$(say) 'afp report --out out/report.html'
	@$(BIN)/afp report --out out/report.html
	@printf '\n'; printf '%s\n' \
		'The tables are in $(AFP_STORE), the report is out/report.html. To go on:' \
		'' \
		'  export PATH="$$PWD/$(BIN):$$PATH" AFP_STORE=$(AFP_STORE)' \
		'  afp tables          what there is to ask' \
		'  afp runs --help     find a run' \
		'  afp run data/odd    what becomes of broken files' \
		'' \
		'README.md takes it from here.'

test: setup dot browser  ## style, types and every test
	$(BIN)/ruff check .
	$(BIN)/mypy
	@mkdir -p out
	$(BIN)/pytest -n logical --dist worksteal --basetemp out/pytest -m 'not deep'

mutants: setup  ## what takes too long for every day: the tests shown one faulty line at a time; half an hour
	@mkdir -p out
	$(BIN)/pytest -n logical --dist worksteal --basetemp out/mutants -m deep

bench: setup  ## print the ratios of speed and size (MEGABYTES=300)
	$(BIN)/python -m benchmarks.ratios --megabytes $(MEGABYTES)

docs: setup dot  ## write what is made from the code: pages, shown outputs, dag.png
	$(BIN)/python -m dataflows.cli.reference
	$(BIN)/python -m tests.tours
	$(BIN)/afp dag --out dag.png

clean:  ## remove everything that was made here
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

setup: .venv/installed.toml

# A copy of what was installed: while pyproject.toml stays the same, set-up is skipped.
.venv/installed.toml: pyproject.toml
	@.ci/setup environment
	@cp $< $@

dot:
	@.ci/setup dot

browser:
	@.ci/setup browser
