"""What the reference makes of texts and of the runs of studies, value by value and to the last digit."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from afp_nodes.javascript import parse
from afp_nodes.studies.arms import Mismatch, configuration_key, matched_arm, mismatches
from afp_nodes.studies.canonical import canonical_json
from afp_nodes.studies.documents import resolved_samples, study_of
from afp_nodes.studies.embedders import mock_vector
from afp_nodes.studies.similarity import Embedding, cosine
from afp_nodes.studies.spreads import median, spread
from tests.studies.documents import Tables, tables

DATA = Path(__file__).parents[1] / "data" / "studies"
NAMES = sorted(path.name.removesuffix(".golden.json") for path in DATA.glob("*.golden.json"))
MOCK = json.loads(gzip.decompress((DATA / "mock_embedder.json.gz").read_bytes()))
TEXTS = [
    b"".join(unit.to_bytes(2, "little") for unit in text["utf16"]).decode("utf-16-le", "surrogatepass")
    for text in MOCK["texts"]
]
RECORDED = [json.loads(line) for line in gzip.decompress((DATA / "runs.jsonl.gz").read_bytes()).splitlines()]
MANIFESTS = {run["run_id"]: json.loads(run["manifest_json"]) for run in RECORDED}
SIMILARITY = ("mean", "min", "max", "stdev")


@pytest.fixture(scope="module")
def told() -> Tables:
    """The tables of all studies together."""
    return tables(*map(study, NAMES), runs=RECORDED)


def study(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / f"{name}.json").read_text()))


def golden(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / f"{name}.golden.json").read_text()))


def rows(told: Tables, table: str, name: str) -> list[dict[str, Any]]:
    return told[table].filter(pl.col("study_id") == name).to_dicts()


def subjects(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Every subject that the reference judged, with what it says of it."""
    judged = golden(name)
    if "comparison" in judged:
        return [(arm["armId"], arm) for arm in judged["comparison"]["arms"]]
    listed = [*judged.get("suspects", []), *(c for c in judged.get("candidates", []) if c["verdict"])]
    return [(subject.get("spec_id") or subject["id"], subject) for subject in listed]


def word(subject: dict[str, Any]) -> str:
    said = subject["verdict"]
    return said["verdict"] if isinstance(said, dict) else said


def test_texts_are_embedded_and_compared_as_the_reference_does() -> None:
    assert [mock_vector(text) for text in TEXTS] == [text["vector"] for text in MOCK["texts"]]
    for other in MOCK["other_dimensions"]:
        assert mock_vector(TEXTS[other["text_index"]], other["dimensions"]) == other["vector"]
    embedded = [Embedding("mock", tuple(mock_vector(text))) for text in TEXTS]
    assert [cosine(embedded[a], embedded[b]) for a, b, _ in MOCK["cosine"]] == [alike for *_, alike in MOCK["cosine"]]


def test_statistics_are_those_of_the_reference() -> None:
    for case in MOCK["stats"]:
        assert spread(case["values"]) == tuple(case["similarityStats"][name] for name in SIMILARITY)
        assert median(case["values"]) == case["median"]


def test_samples_and_canonical_json_are_those_of_the_reference() -> None:
    said = {"undefined": None, "x": None, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    for asked, resolved in MOCK["resolve_samples"]:
        assert resolved_samples(said.get(asked) if isinstance(asked, str) else asked) == resolved
    for case in MOCK["canonical_json"]:
        assert canonical_json(parse(case["json"])) == case["canonical"]


@pytest.mark.parametrize("name", NAMES)
def test_every_probe_run_is_listed_as_the_study_states_it(name: str, told: Tables) -> None:
    stated = sorted(
        (run["arm_or_spec_id"], run["seed"], run["run_id"], run["output"], *run["cost"].values())
        for run in study(name)["runs"]
    )
    columns = ("subject_id", "seed", "run_id", "output", "loops", "tokens")
    assert [tuple(row[c] for c in columns) for row in rows(told, "probe_runs", name)] == stated


@pytest.mark.parametrize("name", NAMES)
def test_a_study_has_the_baseline_and_the_reference_of_its_golden(name: str, told: Tables) -> None:
    (row,) = rows(told, "studies", name)
    judged = golden(name).get("comparison", golden(name))
    assert row["baseline_stable"] == judged["baselineStable"]
    if "reference" in judged:
        said = (judged["baselineArmId"], *judged["reference"].values(), judged["runsUsed"])
        assert (row["baseline_id"], row["reference_from"], row["reference_text"], row["runs_used"]) == said


@pytest.mark.parametrize("name", NAMES)
def test_every_verdict_rests_on_the_numbers_of_its_golden(name: str, told: Tables) -> None:
    verdicts = {row["subject_id"]: row for row in rows(told, "verdicts", name) if row["kind"] != "cost"}
    judged = [(subject, said) for subject, said in subjects(name) if not said.get("isBaseline")]
    assert set(verdicts) == {subject for subject, _ in judged}
    for subject, said in judged:
        row, runs = verdicts[subject], said["runs"]
        assert (row["verdict"], row["samples"], row["flips"]) == (word(said), runs["samples"], runs["flips"])
        assert [row[f"similarity_{n}"] for n in SIMILARITY] == [runs["similarity"][n] for n in SIMILARITY]
        assert row["suspect_class"] == said.get("class")
        assert row["outside_null_band"] == said.get("outsideNullBand")
        manifests = said.get("application", {})
        seen = [manifests.get(n) for n in ("manifestsSeen", "checked", "applied")]
        assert [row[n] for n in ("manifests_seen", "manifest_checked", "manifest_applied")] == seen


@pytest.mark.parametrize("name", NAMES)
def test_every_cost_is_that_of_its_golden(name: str, told: Tables) -> None:
    costs = {row["subject_id"]: row for row in rows(told, "verdicts", name) if row["kind"] == "cost"}
    said = {subject: of["cost"] for subject, of in subjects(name) if "cost" in of}
    assert set(costs) == set(said)
    columns = ("reduced_cost_on_removal", "loops_saved", "tokens_saved", "cost_stable")
    for subject, cost in said.items():
        assert [costs[subject][column] for column in columns] == list(cost.values())
        words = {(True, True): "cost-cause", (False, True): "no-cost-effect", (False, False): "unknown"}
        assert costs[subject]["verdict"] == words[cost["reducedCostOnRemoval"], cost["stable"]]


@pytest.mark.parametrize("name", [name for name in NAMES if "comparison" in golden(name)])
def test_a_comparison_has_the_null_band_and_the_mismatches_of_its_golden(name: str, told: Tables) -> None:
    comparison = golden(name)["comparison"]
    (band,), said = rows(told, "null_bands", name), comparison["nullBand"]
    assert [band[n] for n in SIMILARITY] == [said["similarity"][n] for n in SIMILARITY]
    assert [band[n] for n in ("floor", "degenerate", "gates")] == [said[n] for n in ("floor", "degenerate", "gates")]
    found = [
        (row["arm_id"], row["facet"], row["declared"], row["observed"]) for row in rows(told, "arm_mismatches", name)
    ]
    contradicted = [
        (arm["armId"], m["facet"], m["declared"], m.get("observed"))
        for arm in comparison["arms"]
        for m in arm["application"]["mismatches"]
    ]
    assert sorted(found, key=str) == sorted(contradicted, key=str)


@pytest.mark.parametrize("name", [name for name in NAMES if "matched_arm" in golden(name)])
def test_runs_belong_to_the_arms_that_the_reference_puts_them_in(name: str) -> None:
    said, arms = golden(name), study_of((DATA / f"{name}.json").read_text()).arms or []
    assert [[arm.name, configuration_key(arm)] for arm in arms] == said["arm_config_keys"]
    for run_id, arm_id in said["matched_arm"]:
        matched = matched_arm(arms, MANIFESTS[run_id])
        assert (matched.name if matched else None) == arm_id
    of_run = {run["run_id"]: run["arm_or_spec_id"] for run in study(name)["runs"]}
    declared = {arm.name: arm for arm in arms}
    for run_id, contradicted in said["mismatches"]:
        found = mismatches(declared[of_run[run_id]], MANIFESTS[run_id])
        assert found == [Mismatch(m["facet"], m["declared"], m.get("observed")) for m in contradicted]
