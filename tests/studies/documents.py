"""Small studies, and the tables that come of them and of a few recorded runs."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from dataflows.studies import tables_of_studies

RUN_COLUMNS = {
    "run_id": pl.String,
    "answer": pl.String,
    "dropped_events": pl.Int64,
    "llm_calls": pl.Int64,
    "input_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "manifest_json": pl.String,
}
"""What is read of recorded runs."""

Study = dict[str, Any]
Tables = dict[str, pl.DataFrame]


def probe(subject: str, seed: int, output: str | None = "same", **members: Any) -> dict[str, Any]:
    """A probe run that answered `output`; None leaves it out."""
    stated = {} if output is None else {"output": output}
    return {"run_id": f"{subject}-{seed}", "arm_or_spec_id": subject, "seed": seed} | stated | members


def probes(subject: str, *outputs: str | None, loops: Iterable[float] = ()) -> list[dict[str, Any]]:
    """Probe runs of seeds 0, 1, ... that answered these, and took so many loops."""
    runs = [probe(subject, seed, output) for seed, output in enumerate(outputs)]
    costs = [{"cost": {"loops": taken}} for taken in loops] or [{} for _ in runs]
    return [run | cost for run, cost in zip(runs, costs, strict=True)]


def ablation(*runs: dict[str, Any], study_id: str = "s", specs: Iterable[str] = ("spec",), **members: Any) -> Study:
    """An ablation of an answer `same`, whose answers are compared as texts."""
    return {
        "study_id": study_id,
        "kind": "ablation",
        "original_output": "same",
        "baseline": "baseline",
        "specs": [{"spec_id": spec} for spec in specs],
        "runs": list(runs),
        "embedder": "mock",
        "options": {"comparator": "exact"},
    } | members


def restoration(*runs: dict[str, Any], available: Iterable[str], sent: Iterable[str] = (), **members: Any) -> Study:
    """A restoration whose specs are all that was available."""
    lists = {"available": [{"id": unit} for unit in available], "sent": [{"id": unit} for unit in sent]}
    return ablation(*runs, specs=available, **lists, kind="restoration") | members


def arms(*runs: dict[str, Any], facets: Mapping[str, Any], **members: Any) -> Study:
    """A comparison of arms; the first is the baseline."""
    declared = [{"id": arm, "facets": of_arm} for arm, of_arm in facets.items()]
    unneeded = {"specs": None, "original_output": None, "baseline": None}
    return ablation(*runs, kind="arms", arms=declared) | unneeded | members


def recorded(run_id: str, answer: str | None = "same", **members: Any) -> dict[str, Any]:
    """A recorded run."""
    counts = {"dropped_events": 0, "llm_calls": 2, "input_tokens": 5, "output_tokens": 1, "manifest_json": None}
    return {"run_id": run_id, "answer": answer} | counts | members


def tables(*studies: Study, runs: Iterable[dict[str, Any]] = ()) -> Tables:
    """The tables of some studies in force."""
    documents = [{"study_id": study["study_id"], "content_json": json.dumps(study)} for study in studies]
    study_rows = pl.DataFrame(documents, schema={"study_id": pl.String, "content_json": pl.String})
    return tables_of_studies(study_rows, pl.DataFrame(list(runs), schema=RUN_COLUMNS), validate=True)


def verdict(told: Tables, subject: str, kind: str | None = None) -> dict[str, Any]:
    """The row of `verdicts` on a subject: of its answer unless a kind is named."""
    rows = [
        row
        for row in told["verdicts"].to_dicts()
        if row["subject_id"] == subject and (row["kind"] == kind if kind else row["kind"] != "cost")
    ]
    assert len(rows) == 1
    return rows[0]


def evidence(row: dict[str, Any], side: str) -> dict[str, Any]:
    """What a verdict says of one side."""
    return next(part for part in json.loads(row["evidence_json"]) if part.get("side") == side)


def ruling(row: dict[str, Any]) -> str:
    """The rule that decided a verdict."""
    return str(json.loads(row["evidence_json"])[0]["ruling"])
