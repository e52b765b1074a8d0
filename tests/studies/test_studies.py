"""What a study states, what is recorded of its runs, and what a verdict makes of both."""

import json
from typing import Any

import pytest

from tests.studies.documents import (
    ablation,
    arms,
    evidence,
    probe,
    probes,
    recorded,
    restoration,
    ruling,
    tables,
    verdict,
)

STABLE = probes("baseline", "same", "same", "same")
FLIPPED = probes("spec", "other", "other", "other")


def run_row(told: Any, run_id: str) -> dict[str, Any]:
    return next(row for row in told["probe_runs"].to_dicts() if row["run_id"] == run_id)


def test_a_verdict_names_what_it_is_about_and_what_it_rests_on() -> None:
    row = verdict(tables(ablation(*STABLE, *FLIPPED, study_id="a|b", original_run_id="o")), "spec")
    assert row["verdict_id"] == "ablation|a%7Cb|||spec"
    assert (row["tier"], row["subject_kind"], row["run_id"], row["scope"]) == ("causal", "spec", None, None)
    parts = json.loads(row["evidence_json"])
    assert parts[:2] == [{"ruling": "majority-flipped"}, {"reference": "prior-run", "run_id": "o"}]
    assert parts[2]["runs"] == [{"run_id": f"baseline-{i}", "seed": i, "flipped": False} for i in range(3)]
    assert parts[3]["runs"] == [{"run_id": f"spec-{i}", "seed": i, "flipped": True} for i in range(3)]


def test_the_rates_of_a_verdict_are_of_its_good_runs() -> None:
    row = verdict(tables(ablation(*STABLE, *FLIPPED)), "spec")
    assert (round(row["flip_rate_low"], 4), row["flip_rate_high"]) == (0.4385, 1)
    assert row["false_rate"] == 0.077460544
    compared = arms(*probes("a", *"xxx"), *probes("b", *"yyy"), facets={"a": {}, "b": {"model": "m"}})
    assert verdict(tables(compared), "b")["false_rate"] == 0.128714909


def test_runs_that_failed_are_no_flips_and_are_counted_apart() -> None:
    crashed = probe("spec", 3, None, error="crashed")
    told = tables(ablation(*STABLE, *FLIPPED[:2], probe("spec", 2, "same"), crashed))
    row = verdict(told, "spec")
    assert (row["verdict"], row["samples"], row["flips"]) == ("confirmed", 3, 2)
    assert evidence(row, "subject")["failed"] == [{"run_id": "spec-3", "seed": 3, "error": "crashed"}]
    assert [run_row(told, "spec-3")[c] for c in ("output", "similarity", "flipped", "error")] == [
        *(None, None, None, "crashed")
    ]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("x", "x"),
        ({"code": 5}, '{"code":5}'),
        (True, "true"),
        (10**30, "1e+30"),
        ("", None),
        (None, None),
        (False, None),
        (0, None),
    ],
)
def test_a_run_failed_when_it_says_why(error: Any, told: str | None) -> None:
    study = ablation(*STABLE, probe("spec", 0, "other", error=error))
    row = run_row(tables(study), "spec-0")
    assert (row["error"], row["output"]) == (told, None if told else "other")


@pytest.mark.parametrize(("good", "word"), [(0, "inconclusive"), (1, "inconclusive"), (2, "confirmed")])
def test_fewer_than_two_good_runs_of_a_subject_say_nothing(good: int, word: str) -> None:
    row = verdict(tables(ablation(*STABLE, *FLIPPED[:good])), "spec")
    assert (row["verdict"], row["samples"]) == (word, good)
    assert ruling(row) == ("too-few-runs" if good < 2 else "majority-flipped")
    assert (row["similarity_mean"] is None, row["flip_rate_low"] is None) == (good == 0, good == 0)


@pytest.mark.parametrize(
    ("outputs", "stable", "rule"),
    [
        ([], None, "baseline-too-small"),
        (["same"], None, "baseline-too-small"),
        (["other"], False, "baseline-flipped"),
        (["same", "other"], False, "baseline-flipped"),
        (["same", "same"], True, "majority-flipped"),
    ],
)
def test_a_baseline_of_fewer_than_two_good_runs_vouches_for_nothing(
    outputs: list[str], stable: bool | None, rule: str
) -> None:
    told = tables(ablation(*probes("baseline", *outputs), *FLIPPED))
    assert told["studies"]["baseline_stable"].to_list() == [stable]
    row = verdict(told, "spec")
    assert (row["baseline_stable"], ruling(row)) == (stable, rule)


def test_seeds_that_a_side_lacks_are_listed_and_not_made_up() -> None:
    study = ablation(*STABLE[:2], probe("baseline", 7), *FLIPPED[1:], options={"comparator": "exact", "samples": 4})
    row = verdict(tables(study), "spec")
    assert evidence(row, "baseline")["missing_seeds"] == [2, 3]
    assert evidence(row, "subject")["missing_seeds"] == [0, 3, 7]


def test_a_study_may_ask_for_more_seeds_than_anyone_could_list() -> None:
    study = ablation(*STABLE, *FLIPPED, options={"comparator": "exact", "samples": 2**53})
    told = tables(study)
    assert told["studies"]["samples"].to_list() == [2**53]
    assert evidence(verdict(told, "spec"), "subject")["missing_seeds"] == list(range(3, 1000))


def test_of_several_runs_of_a_seed_one_counts_and_the_others_are_told() -> None:
    again = [
        {**probe("spec", 0, "same"), "run_id": "later"},
        {**probe("spec", 0, None, error="crashed"), "run_id": "a"},
    ]
    row = verdict(tables(ablation(*again, *STABLE, {**FLIPPED[0], "run_id": "earlier"}, *FLIPPED[1:])), "spec")
    assert evidence(row, "subject")["runs"][0] == {"run_id": "earlier", "seed": 0, "flipped": True}
    assert evidence(row, "subject")["repeated"] == [{"seed": 0, "repeats": 2}]
    assert (row["samples"], row["flips"]) == (3, 3)


def test_runs_of_a_subject_that_is_not_declared_are_listed_and_get_no_verdict() -> None:
    told = tables(ablation(*STABLE, *FLIPPED, *probes("unknown", "other", "other")))
    assert set(told["probe_runs"]["subject_id"]) == {"baseline", "spec", "unknown"}
    assert set(told["verdicts"]["subject_id"]) == {"spec"}
    assert told["studies"]["runs_used"].to_list() == [8]


def test_what_a_study_does_not_state_of_a_run_is_what_was_recorded() -> None:
    study = ablation(*probes("baseline", None, None), *FLIPPED)
    told = tables(study, runs=[recorded("baseline-0"), recorded("baseline-1", llm_calls=4, input_tokens=7)])
    assert [run_row(told, "baseline-1")[c] for c in ("output", "loops", "tokens")] == ["same", 4, 8]
    assert verdict(told, "spec")["verdict"] == "confirmed"


def test_where_both_speak_the_study_counts_and_the_difference_is_listed() -> None:
    stated = [{**run, "cost": {"loops": 2}} for run in FLIPPED]
    otherwise = [
        recorded("spec-0", "same", llm_calls=3),
        recorded("baseline-2", "x" * 500),
        recorded("spec-1", "other"),
    ]
    told = tables(ablation(*STABLE, *stated), runs=otherwise)
    row = verdict(told, "spec")
    assert (row["verdict"], run_row(told, "spec-0")["loops"]) == ("confirmed", 2)
    differing = [part for part in json.loads(row["evidence_json"]) if "differs" in part]
    assert differing == [
        {"run_id": "baseline-2", "seed": 2, "differs": "output", "stated": "same", "recorded": "x" * 200},
        {"run_id": "spec-0", "seed": 0, "differs": "output", "stated": "other", "recorded": "same"},
        {"run_id": "spec-0", "seed": 0, "differs": "loops", "stated": 2, "recorded": 3},
    ]


def test_a_run_of_which_no_answer_is_known_is_neither_good_nor_failed() -> None:
    study = ablation(*STABLE, *FLIPPED[:2], probe("spec", 2, None))
    row = verdict(tables(study, runs=[recorded("spec-2", None)]), "spec")
    assert row["samples"] == 2
    assert evidence(row, "subject")["without_answer"] == [{"run_id": "spec-2", "seed": 2}]
    assert evidence(row, "subject")["failed"] == []


@pytest.mark.parametrize("placeholder", ["REDACTED", "[REDACTED]"])
def test_a_placeholder_is_no_answer(placeholder: str) -> None:
    hidden = ablation(*STABLE, *probes("spec", placeholder, placeholder))
    assert ruling(verdict(tables(hidden), "spec")) == "too-few-runs"
    hidden_reference = ablation(*STABLE, *FLIPPED, original_output=placeholder)
    assert ruling(verdict(tables(hidden_reference), "spec")) == "no-reference"


def test_an_empty_answer_is_an_answer() -> None:
    row = verdict(tables(ablation(*STABLE, *probes("spec", "", ""))), "spec")
    assert (row["verdict"], row["similarity_mean"]) == ("confirmed", 0)


def test_the_cost_of_a_recording_that_lost_its_first_events_is_not_known() -> None:
    study = ablation(*probes("baseline", None, None, None))
    runs = [recorded(f"baseline-{seed}", dropped_events=lost) for seed, lost in enumerate((0, 4, None))]
    assert tables(study, runs=runs)["probe_runs"]["loops"].to_list() == [2, None, 2]


def test_the_original_answer_is_stated_or_recorded_and_without_one_an_ablation_compares_nothing() -> None:
    study = ablation(*STABLE, *FLIPPED, original_output=None, original_run_id="o")
    unknown = tables(study)
    assert ruling(verdict(unknown, "spec")) == "no-reference"
    assert unknown["studies"].select("reference_from", "reference_text", "baseline_stable").row(0) == (None,) * 3
    known = tables(study, runs=[recorded("o", "other")])
    assert known["studies"].select("reference_from", "reference_text").row(0) == ("prior-run", "other")
    assert ruling(verdict(known, "spec")) == "baseline-flipped"


def test_arms_without_an_original_are_compared_with_the_first_answer_of_their_baseline() -> None:
    runs = [*probes("a", "x", "x", "x"), *probes("b", "y", "y", "y")]
    facets = {"a": {}, "b": {"model": "m"}}
    told = tables(arms(*runs[::-1], facets=facets))
    assert told["studies"].select("reference_from", "reference_text").row(0) == ("baseline-arm", "x")
    failed = [{**runs[0], "output": "z", "error": "crashed"}, *runs[1:]]
    told = tables(arms(*failed, facets=facets, original_run_id="not in the store"))
    assert told["studies"].select("reference_from", "reference_text").row(0) == ("baseline-arm", "x")
    prior = tables(arms(*runs, facets=facets, original_output="y"))
    assert prior["studies"].select("reference_from", "baseline_stable").row(0) == ("prior-run", False)


@pytest.mark.parametrize(
    ("outputs", "threshold", "word"),
    [
        (["abcd", "abcd"], None, "not-confirmed"),
        (["wxyz", "wxyz"], None, "confirmed"),
        (["abcx", "abcx"], 0.76, "confirmed"),
        (["abcx", "abcx"], 0.75, "not-confirmed"),
        (["abcd", "abcd"], 2, "inconclusive"),
    ],
)
def test_by_default_an_answer_changed_when_it_is_less_alike_than_the_threshold(
    outputs: list[str], threshold: float | None, word: str
) -> None:
    baseline = probes("baseline", "abcd", "abcd")
    study = ablation(*baseline, *probes("spec", *outputs), original_output="abcd")
    told = tables(study | {"options": {"flipThreshold": threshold}})
    assert verdict(told, "spec")["verdict"] == word
    assert told["studies"]["flip_threshold"].to_list() == [0.8 if threshold is None else threshold]


def test_without_a_name_wording_is_compared() -> None:
    told = tables(ablation(*STABLE, *FLIPPED, embedder=None, options=None))
    assert told["studies"].select("embedder", "comparator", "samples").row(0) == ("lexical", "default", 3)
    assert "never meaning" in told["studies"]["embedder_judges"][0]


def test_the_study_itself_may_say_what_changed() -> None:
    runs = [{**run, "changed": run["arm_or_spec_id"] == "spec"} for run in [*STABLE, *probes("spec", "same", None)]]
    study = ablation(*runs, probe("spec", 2, "other"), options={"comparator": "recorded"}, original_output=None)
    row = verdict(tables(study), "spec")
    assert (row["verdict"], row["samples"], row["flips"], row["similarity_mean"]) == ("confirmed", 2, 2, None)
    assert evidence(row, "subject")["without_answer"] == [{"run_id": "spec-2", "seed": 2}]


def test_similarity_is_measured_whatever_decides() -> None:
    row = verdict(tables(ablation(*STABLE, *FLIPPED)), "spec")
    assert 0 < row["similarity_mean"] < 1


def test_candidates_beyond_the_bound_and_units_that_were_sent_get_no_verdict() -> None:
    runs = [run for unit in ("a", "b", "c", "baseline") for run in probes(unit, "other", "other")]
    study = restoration(*runs, available=["x", "b", "a", "b", "c"], sent=["x"], original_output="other")
    unbounded = tables(study)["verdicts"]
    assert set(unbounded["subject_id"]) == {"a", "b", "c"}
    assert set(unbounded["subject_kind"].cast(str)) == {"unit"}
    bounded = tables(study | {"options": {"comparator": "exact", "maxCandidates": 2}})["verdicts"]
    assert set(bounded["subject_id"]) == {"b", "a"}
    assert tables(study | {"sent": study["available"]})["verdicts"].is_empty()
    assert set(bounded["kind"].cast(str)) == {"restoration"}


def test_a_candidate_that_was_never_probed_is_told_apart_from_one_without_effect() -> None:
    row = verdict(tables(restoration(*STABLE, available=["a"])), "a")
    assert (row["verdict"], row["samples"], ruling(row)) == ("inconclusive", 0, "too-few-runs")


def test_a_cost_that_is_not_known_saves_nothing_and_is_no_placebo() -> None:
    base = probes("baseline", "same", "same", loops=[4, 4])
    known = probes("a", "same", "same", loops=[1, 1])
    one_run = [{**probe("b", 0), "cost": {"loops": 1}}, probe("b", 1)]
    told = tables(ablation(*base, *known, *one_run, *probes("c", "same", "same"), specs="abc"))
    assert [verdict(told, s, "cost")["verdict"] for s in "abc"] == ["unknown"] * 3
    assert [verdict(told, s, "cost")["loops_saved"] for s in "abc"] == [3, 3, None]
    assert verdict(told, "a", "cost")["tier"] == "gated"
    assert verdict(told, "c")["suspect_class"] == "no-detected-effect"


def test_equal_placebos_are_told_by_the_least_name() -> None:
    taken = {"a": 1, "b": 2, "c": 2, "d": 3}
    runs = [run for spec, loops in taken.items() for run in probes(spec, "same", "same", loops=[loops, loops])]
    told = tables(ablation(*probes("baseline", "same", "same", loops=[4, 4]), *runs, specs="abcd"))
    placebos = {s: json.loads(verdict(told, s, "cost")["evidence_json"])[0] for s in "abcd"}
    assert placebos["a"] == {"placebo": "b", "loops_saved": 2}
    assert placebos["b"] == placebos["c"] == {"placebo": "a", "loops_saved": 3}
    assert [verdict(told, s, "cost")["verdict"] for s in "abcd"] == ["cost-cause", *["no-cost-effect"] * 3]


MANIFEST = json.dumps({"llm": {"model": "m"}})
OTHER_MANIFEST = json.dumps({"llm": {"model": "n"}, "window": "w"})
COMPARED = arms(
    *probes("a", "x", "x", "x"),
    *probes("b", "y", "y", "y"),
    facets={"a": {"provider": "p"}, "b": {"model": "m"}},
)


def test_one_run_of_another_configuration_takes_an_arm_its_verdict() -> None:
    runs = [recorded(f"b-{i}", manifest_json=text) for i, text in enumerate((MANIFEST, OTHER_MANIFEST, OTHER_MANIFEST))]
    told = tables(COMPARED, runs=runs)
    row = verdict(told, "b")
    assert (row["verdict"], ruling(row)) == ("inconclusive", "manifest-contradicts")
    assert [row[c] for c in ("manifests_seen", "manifest_checked", "manifest_applied")] == [3, True, False]
    assert told["arm_mismatches"].rows() == [("s", "b", 0, "model", "m", "n")]
    assert told["probe_runs"]["manifest_seen"].to_list() == [False] * 3 + [True] * 3


def test_a_manifest_of_a_run_that_failed_contradicts_too() -> None:
    failed = COMPARED | {"runs": [*COMPARED["runs"], probe("b", 3, None, error="crashed")]}
    told = tables(failed, runs=[recorded("b-0", manifest_json=MANIFEST), recorded("b-3", manifest_json=OTHER_MANIFEST)])
    assert ruling(verdict(told, "b")) == "manifest-contradicts"


@pytest.mark.parametrize("manifest", [None, "null", "[]"])
def test_without_a_manifest_nothing_is_checked(manifest: str | None) -> None:
    row = verdict(tables(COMPARED, runs=[recorded("b-0", "y", manifest_json=manifest)]), "b")
    assert [row[c] for c in ("manifests_seen", "manifest_checked", "manifest_applied")] == [0, False, False]
    assert row["verdict"] == "confirmed"


def test_manifests_are_not_read_where_the_study_says_that_none_were_reported() -> None:
    told = tables(COMPARED | {"manifests_reported": False}, runs=[recorded("b-0", "y", manifest_json=OTHER_MANIFEST)])
    assert verdict(told, "b")["verdict"] == "confirmed"
    assert not told["probe_runs"]["manifest_seen"].any()
    assert told["arm_mismatches"].is_empty()


def test_a_baseline_arm_that_its_manifest_contradicts_is_listed_and_voids_no_verdict() -> None:
    told = tables(COMPARED, runs=[recorded("a-0", "x", manifest_json=MANIFEST)])
    assert told["arm_mismatches"].rows() == [("s", "a", 0, "provider", "p", None)]
    assert verdict(told, "b")["verdict"] == "confirmed"


def test_only_similarity_lets_the_null_band_gate() -> None:
    near = arms(
        *probes("a", "abcd", "abcx", "abcd"),
        *probes("b", "abcx", "abcx", "abcx"),
        facets={"a": {}, "b": {"model": "m"}},
        original_output="abcd",
    )
    gated = tables(near | {"options": {"flipThreshold": 0.7}})
    assert gated["null_bands"].select("floor", "gates", "degenerate").row(0) == (0.75, True, False)
    assert verdict(gated, "b")["outside_null_band"] is False
    told = tables(COMPARED)
    assert told["null_bands"].select("gates", "degenerate").row(0) == (False, True)
    assert verdict(told, "b")["verdict"] == "confirmed"


def apart(letters: int) -> str:
    """A text that differs from `apart(0)` in so many of its 16 letters."""
    return "abcdefghijklmnop"[: 16 - letters] + "qrstuvwx"[:letters]


@pytest.mark.parametrize(
    ("gates", "furthest", "rule"),
    [(True, 3, "inside-null-band"), (True, 4, "majority-flipped"), (False, 3, "majority-flipped")],
)
def test_a_majority_inside_the_null_band_is_inconclusive(gates: bool, furthest: int, rule: str) -> None:
    study = arms(
        *probes("a", apart(0), apart(2), apart(0)),
        *probes("b", apart(0), apart(3), apart(furthest)),
        facets={"a": {}, "b": {"model": "m"}},
        original_output=apart(0),
        options={"flipThreshold": 0.87},
    )
    if not gates:
        by_itself = [{**run, "changed": run["run_id"] in ("b-1", "b-2")} for run in study["runs"]]
        study |= {"runs": by_itself, "options": {"comparator": "recorded"}}
    row = verdict(tables(study), "b")
    assert (row["flips"], row["outside_null_band"], ruling(row)) == (2, furthest > 3, rule)


def test_a_null_band_of_no_good_run_is_not_known() -> None:
    told = tables(arms(*probes("b", "y", "y"), facets={"a": {}, "b": {"model": "m"}}))
    assert told["null_bands"].select("mean", "min", "max", "stdev", "floor", "degenerate").row(0) == (None,) * 6
    assert verdict(told, "b")["outside_null_band"] is None


@pytest.mark.parametrize(
    ("named", "rule"),
    [({"embedder": "gone", "options": None}, "no-embedder"), ({"options": {"comparator": "gone"}}, "no-comparator")],
)
def test_a_study_whose_judge_was_removed_is_inconclusive(named: dict[str, Any], rule: str) -> None:
    told = tables(ablation(*STABLE, *FLIPPED, **named))
    row = verdict(told, "spec")
    assert (row["verdict"], row["samples"], ruling(row)) == ("inconclusive", 0, rule)
    assert (told["studies"]["embedder_judges"][0] is None) == ("embedder" in named)


def test_no_study_gives_no_row() -> None:
    assert all(frame.is_empty() for frame in tables().values())


def test_a_scenario_is_kept_as_text() -> None:
    told = tables(ablation(scenario={"a": 1}), ablation(study_id="t", scenario="x"), ablation(study_id="u"))
    assert told["studies"]["scenario"].to_list() == ['{"a":1}', "x", None]
