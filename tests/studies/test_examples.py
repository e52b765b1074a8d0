"""The examples that go with the rules, word for word. Rules: record format, sections 20, 22 to 24 and 27."""

import math
from typing import Any

import polars as pl
import pytest

from afp_nodes.studies.arms import configuration_key, facets_label, matched_arm, mismatches
from afp_nodes.studies.canonical import canonical_json
from afp_nodes.studies.documents import Arm, resolved_samples
from afp_nodes.studies.embedders import mock_vector
from afp_nodes.studies.rules import WORDS, deciding_rule
from afp_nodes.studies.similarity import Embedding, cosine
from afp_nodes.studies.spreads import median, spread
from afp_nodes.words import ProbeVerdict
from tests.studies.documents import ablation, probes, tables, verdict


def mock(text: str) -> Embedding:
    return Embedding("mock", tuple(mock_vector(text)))


def test_the_mock_counts_code_units() -> None:
    assert mock_vector("ab a") == [1, 2, 1] + [0] * 29
    assert mock_vector("😀", 8) == [1, 0, 0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("abc", "abc", 1.0000000000000002),
        ("The quick ant", "the quick ant", 1),
        ("", "x", 0),
        ("purchase qualifies", "Your purchase qualifies: 59.90 EUR", 0.8275159265510557),
    ],
)
def test_similarity_is_right_to_the_last_digit(one: str, other: str, alike: float) -> None:
    assert cosine(mock(one), mock(other)) == alike


def test_statistics_are_right_to_the_last_digit() -> None:
    assert spread([0.1, 0.2, 0.3]) == (0.20000000000000004, 0.1, 0.3, 0.0816496580927726)
    assert spread([]) == (0, 0, 0, 0)
    assert median([3, 1, 2, 10]) == 2.5
    assert median([]) == 0


@pytest.mark.parametrize(("asked", "resolved"), [(1, 2), (2.9, 2), (math.nan, 3), (None, 3), (-4, 2), (5.5, 5)])
def test_samples_are_whole_and_two_at_least(asked: float | None, resolved: int) -> None:
    assert resolved_samples(asked) == resolved


def ruled(**said: Any) -> str:
    """The word for the runs of a subject, of which what is not said stands in no way."""
    columns = {
        "comparator": "default",
        "embedder_judges": "all",
        "has_comparator": True,
        "reference_text": "x",
        "baseline_stable": said.get("stable", True),
        "baseline_samples": 3,
        "manifest_checked": said.get("checked", False),
        "manifest_applied": said.get("applied", False),
        "samples": said["samples"],
        "flips": said["flips"],
        "gates": said.get("gates", "floor" in said),
        "outside_null_band": said["mean"] < said["floor"] if "floor" in said else True,
    }
    rule = pl.DataFrame(columns).select(deciding_rule().alias("rule")).item()
    return str(WORDS.get(rule, ProbeVerdict.INCONCLUSIVE))


@pytest.mark.parametrize(
    ("flips", "samples", "stable", "word"),
    [
        (3, 3, True, "confirmed"),
        (1, 3, True, "inconclusive"),
        (2, 4, True, "inconclusive"),
        (0, 3, True, "not-confirmed"),
        (3, 3, False, "inconclusive"),
        (2, 3, True, "confirmed"),
    ],
)
def test_most_runs_must_flip_and_no_baseline_run_may(flips: int, samples: int, stable: bool, word: str) -> None:
    assert ruled(flips=flips, samples=samples, stable=stable) == word


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"samples": 3, "flips": 3, "mean": 0.5}, "confirmed"),
        ({"samples": 3, "flips": 2, "mean": 0.95, "floor": 0.9}, "inconclusive"),
        ({"samples": 3, "flips": 2, "mean": 0.95, "floor": 0.9, "gates": False}, "confirmed"),
        ({"samples": 3, "flips": 1, "mean": 0.5}, "inconclusive"),
        ({"samples": 3, "flips": 0, "mean": 0.5}, "not-confirmed"),
        ({"samples": 3, "flips": 3, "checked": True, "applied": False}, "inconclusive"),
        ({"samples": 3, "flips": 3, "stable": False, "checked": True, "applied": False}, "inconclusive"),
    ],
)
def test_an_arm_is_also_held_to_its_manifest_and_the_null_band(said: dict[str, Any], word: str) -> None:
    assert ruled(**said) == word


def costed(base: dict[str, list[int]], suspects: dict[str, tuple[str, list[int], list[int]]]) -> list[tuple[Any, ...]]:
    """What removing each suspect saved; a suspect has a word, loops and tokens."""
    outputs = {"confirmed": "xxx", "inconclusive": "x..", "not-confirmed": "..."}
    kept = {".": "same", "x": "other"}
    runs = probes("baseline", *["same"] * len(base["loops"]))
    for run, loops, tokens in zip(runs, base["loops"], base["tokens"], strict=True):
        run["cost"] = {"loops": loops, "tokens": tokens}
    for suspect, (word, loops, tokens) in suspects.items():
        answers = [kept[sign] for sign in outputs[word][: len(loops)]]
        for run, taken, used in zip(probes(suspect, *answers), loops, tokens, strict=True):
            runs.append(run | {"cost": {"loops": taken, "tokens": used}})
    told = tables(ablation(*runs, specs=suspects))
    assert {s: verdict(told, s)["verdict"] for s in suspects} == {s: word for s, (word, _, _) in suspects.items()}
    columns = ("reduced_cost_on_removal", "loops_saved", "tokens_saved", "cost_stable", "suspect_class")
    return [(suspect, *(verdict(told, suspect, "cost")[name] for name in columns)) for suspect in suspects]


def test_an_unstable_suspect_raises_the_placebo_of_all_others() -> None:
    suspects = {
        "a": ("confirmed", [2, 2, 2], [50, 50, 50]),
        "b": ("not-confirmed", [3, 3, 3], [80, 80, 80]),
        "c": ("not-confirmed", [4, 4, 4], [99, 99, 99]),
        "d": ("inconclusive", [2, 2, 5], [1, 1, 1]),
    }
    assert costed({"loops": [4, 4, 4], "tokens": [100, 100, 100]}, suspects) == [
        ("a", False, 2, 50, True, "content-bug"),
        ("b", False, 1, 20, True, "no-detected-effect"),
        ("c", False, 0, 1, True, "no-detected-effect"),
        ("d", False, 2, 99, False, "no-detected-effect"),
    ]


def test_a_suspect_alone_has_no_placebo_to_beat() -> None:
    assert costed({"loops": [3, 3], "tokens": [9, 9]}, {"only": ("not-confirmed", [1, 1], [3, 3])}) == [
        ("only", False, 2, 6, False, "no-detected-effect")
    ]


def test_a_facet_that_the_manifest_does_not_name_is_contradicted() -> None:
    arm = Arm("x", {"window": "sliding-window", "model": "m"})
    assert mismatches(arm, {"llm": {"model": "m"}}) == [("window", "sliding-window", None)]


def test_no_memory_that_agrees_is_one_mismatch_with_all_that_are_mounted() -> None:
    arm = Arm("x", {"memory": {"retrieval": "rerank"}})
    observed = "memory.id=d,memory.retrieval=topK | memory.id=e"
    manifest = {"memories": [{"id": "d", "retrieval": "topK"}, {"id": "e"}]}
    assert mismatches(arm, manifest) == [("memory", "memory.retrieval=rerank", observed)]


def test_a_named_memory_that_is_not_mounted_is_missed_by_its_id() -> None:
    arm = Arm("x", {"memory": {"id": "q", "retrieval": "topK"}})
    assert mismatches(arm, {"memories": [{"id": "d", "retrieval": "topK"}]}) == [("memory.id", "q", "d")]


MANIFEST = {"llm": {"model": "m"}, "reactMode": "dynamic"}


def test_a_run_belongs_to_the_arm_that_declares_most() -> None:
    b = Arm("b", {"model": "m", "reactMode": "dynamic"})
    assert matched_arm([Arm("a", {"model": "m"}), b], MANIFEST) == b


def test_a_run_belongs_to_no_arm_when_two_declare_as_much() -> None:
    assert matched_arm([Arm("a", {"model": "m"}), Arm("b", {"reactMode": "dynamic"})], MANIFEST) is None


def test_a_configuration_key_does_not_depend_on_how_it_is_written() -> None:
    facets = {"model": "m", "scorer": None, "memory": {"b": 1, "a": "x"}}
    arm = Arm("x", facets, [{"kind": "tool", "ignoredTools": ["z", "a"]}])
    assert configuration_key(arm) == '{memory:{a:"x",b:1},model:"m"}::{ignoredTools:["a","z"],kind:"tool"}'


def test_a_label_lists_the_facets_by_name() -> None:
    assert facets_label({"model": "m", "memory": {"retrieval": "topK"}}) == "memory.retrieval=topK,model=m"


def test_canonical_json_sorts_members_by_code_units() -> None:
    value = {"b": 1, "a": [1, {"d": None, "c": "é"}], "10": 2, "9": 3}
    assert canonical_json(value) == '{"10":2,"9":3,"a":[1,{"c":"é","d":null}],"b":1}'
