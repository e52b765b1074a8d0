"""Pooled: one subject in several studies."""

import json
from typing import Any

import pytest

from tests.studies.documents import ablation, arms, probes, restoration, tables

KEPT, CHANGED = ("same",) * 4, ("other",) * 4


def study(
    study_id: str, *outputs: str, spec: Any = None, baseline: tuple[str, ...] = KEPT, **members: Any
) -> dict[str, Any]:
    """An ablation of one spec, its runs its own."""
    runs = [
        run | {"run_id": f"{study_id}-{run['run_id']}"}
        for run in (*probes("baseline", *baseline), *probes("spec", *outputs))
    ]
    specs = [{"spec_id": "spec", "kind": "drop-tool", "spec": spec or {"kind": "drop-tool", "toolId": "t"}}]
    return ablation(*runs, study_id=study_id, **members) | {"specs": specs}


def fleet(*studies: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in tables(*studies)["verdicts"].to_dicts() if row["kind"] == "fleet"]


def test_one_study_alone_is_not_pooled() -> None:
    assert fleet(study("s", *CHANGED)) == []


def test_a_subject_of_two_studies_is_one_row_with_the_studies_and_runs_behind_it() -> None:
    [row] = fleet(study("s", *CHANGED), study("t", *CHANGED))
    assert (row["verdict"], row["tier"], row["samples"], row["flips"]) == ("differs", "causal", 8, 8)
    assert row["effect_low"] < row["effect"] < row["effect_high"]
    assert row["verdict_id"].startswith("fleet||||spec|ablation|")
    assert (row["study_id"], row["run_id"]) == (None, None)
    between, *studies = json.loads(row["evidence_json"])
    assert between["heterogeneity"]["inconsistency"] == 0
    assert [told["study_id"] for told in studies] == ["s", "t"]
    assert len({run for told in studies for run in told["run_ids"] + told["baseline_run_ids"]}) == 16


def test_subjects_that_change_nothing_show_no_difference() -> None:
    [row] = fleet(study("s", *KEPT), study("t", *KEPT))
    assert (row["verdict"], row["effect"]) == ("no-difference-seen", 0)


def test_one_name_for_two_changes_is_two_subjects() -> None:
    other = {"kind": "drop-tool", "toolId": "another"}
    assert fleet(study("s", *CHANGED), study("t", *CHANGED, spec=other)) == []
    both = [
        study(name, *CHANGED, spec=spec) for spec in (None, other) for name in (f"s{spec is None}", f"t{spec is None}")
    ]
    assert len({row["verdict_id"] for row in fleet(*both)}) == 2


def test_one_change_in_another_spelling_is_the_same() -> None:
    spelled = {"toolId": "t", "kind": "drop-tool"}
    assert len(fleet(study("s", *CHANGED), study("t", *CHANGED, spec=spelled))) == 1


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (study("t", *CHANGED, options={"comparator": "casefold"}), "the studies compare answers by different means"),
        (study("t", "other"), "fewer than two studies"),
        (study("t", *CHANGED, baseline=("same",)), "fewer than two studies"),
        (study("s", *CHANGED) | {"study_id": "t"}, "fewer than two studies"),
    ],
)
def test_studies_that_cannot_be_taken_together_are_said_to_be_so(other: dict[str, Any], reason: str) -> None:
    [row] = fleet(study("s", *CHANGED), other)
    assert (row["verdict"], row["effect"], row["q_value"]) == ("not-comparable", None, None)
    assert json.loads(row["evidence_json"])[0]["reason"].startswith(reason)


def test_chance_is_shared_out_over_the_subjects() -> None:
    [alone] = fleet(study("s", *CHANGED), study("t", *CHANGED))
    quiet = [study(name, *KEPT, spec={"kind": "drop-tool", "toolId": "quiet"}) for name in ("u", "v")]
    rows = fleet(study("s", *CHANGED), study("t", *CHANGED), *quiet)
    assert [row["q_value"] for row in rows if row["effect"] > 0] == [pytest.approx(2 * alone["q_value"])]
    assert [row["effect"] for row in rows if row["effect"] > 0] == [alone["effect"]]


def test_units_are_told_apart_by_their_content_and_arms_by_their_configuration() -> None:
    def restored(study_id: str, content: str) -> dict[str, Any]:
        runs = [
            run | {"run_id": f"{study_id}-{run['run_id']}"}
            for run in (*probes("baseline", *KEPT), *probes("u", *CHANGED))
        ]
        specs = [{"spec_id": "u", "content": content}]
        return restoration(*runs, available=["u"], study_id=study_id) | {"specs": specs}

    assert len(fleet(restored("s", "x"), restored("t", "x"))) == 1
    assert fleet(restored("s", "x"), restored("t", "y")) == []

    def compared(study_id: str, model: str) -> dict[str, Any]:
        runs = [
            run | {"run_id": f"{study_id}-{run['run_id']}"} for run in (*probes("a", *KEPT), *probes("b", *CHANGED))
        ]
        return arms(*runs, facets={"a": {"model": "m"}, "b": {"model": model}}, study_id=study_id)

    assert len(fleet(compared("s", "n"), compared("t", "n"))) == 1
    assert fleet(compared("s", "n"), compared("t", "o")) == []
