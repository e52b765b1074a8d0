"""Arms against manifests: every facet, memories with and without an id, and which arm a run belongs to."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.refusals import RefusedError
from afp_nodes.studies.arms import (
    PLACES,
    application,
    configuration_key,
    declared_facets,
    facets_label,
    matched_arm,
    mismatches,
    refuse_unfit,
)
from afp_nodes.studies.documents import Arm

WHOLE: dict[str, Any] = {
    "llm": {"provider": "p", "model": "m"},
    "reactMode": "dynamic",
    "window": "sliding-window",
    "skillGraph": {"scorer": "keyword", "routing": "assist", "continuity": "turn"},
    "evidenceGate": "guard",
    "memories": [
        {"id": "d", "type": "semantic", "strategy": "topK", "retrieval": "rerank", "embedderId": "e", "flavor": "rag"},
        {"id": "f", "type": "episodic"},
    ],
}
AGREEING = {
    "provider": "p",
    "model": "m",
    "reactMode": "dynamic",
    "window": "sliding-window",
    "scorer": "keyword",
    "routing": "assist",
    "continuity": "turn",
    "evidenceGate": "guard",
    "memory": {"id": "d", "type": "semantic", "strategy": "topK", "retrieval": "rerank", "embedderId": "e"},
}


def test_a_manifest_that_names_all_that_is_declared_contradicts_nothing() -> None:
    assert mismatches(Arm("x", AGREEING), WHOLE) == []


def test_each_facet_that_differs_is_told_in_the_order_of_the_facets() -> None:
    other = dict.fromkeys(AGREEING, "no") | {"memory": {"id": "d", "flavor": "no", "type": "no"}}
    told = [(m.facet, m.observed) for m in mismatches(Arm("x", dict(reversed(other.items()))), WHOLE)]
    assert told == [
        ("provider", "p"),
        ("model", "m"),
        ("reactMode", "dynamic"),
        ("window", "sliding-window"),
        ("skillGraph.scorer", "keyword"),
        ("skillGraph.routing", "assist"),
        ("skillGraph.continuity", "turn"),
        ("evidenceGate", "guard"),
        ("memory.type", "semantic"),
        ("memory.flavor", "rag"),
    ]


@pytest.mark.parametrize("manifest", [{}, {"llm": None, "skillGraph": 5, "memories": None}, {"memories": [None, 5]}])
def test_what_a_manifest_does_not_name_contradicts_with_nothing_observed(manifest: dict[str, Any]) -> None:
    told = mismatches(Arm("x", AGREEING), manifest)
    assert len(told) == len(PLACES) + 1
    assert {mismatch.observed for mismatch in told} == {None}


def test_a_memory_without_an_id_needs_one_that_agrees_with_all_that_is_declared() -> None:
    assert mismatches(Arm("x", {"memory": {"type": "episodic"}}), WHOLE) == []
    (told,) = mismatches(Arm("x", {"memory": {"type": "episodic", "flavor": "rag"}}), WHOLE)
    assert (told.facet, told.declared) == ("memory", "memory.flavor=rag,memory.type=episodic")
    assert told.observed == (
        "memory.embedderId=e,memory.flavor=rag,memory.id=d,memory.retrieval=rerank,memory.strategy=topK,"
        "memory.type=semantic | memory.id=f,memory.type=episodic"
    )


def test_a_memory_that_is_not_mounted_is_told_with_those_that_are() -> None:
    rows = [{"id": "d"}, {"type": "episodic"}, {"id": "f"}]
    assert mismatches(Arm("x", {"memory": {"id": "q"}}), {"memories": rows}) == [("memory.id", "q", "d, ?, f")]


def test_a_member_that_is_null_is_not_declared() -> None:
    arm = Arm("x", {"model": None, "memory": {"id": None, "type": None}})
    assert mismatches(arm, {}) == [("memory", "", None)]
    assert declared_facets(arm) == 0
    assert facets_label({"model": None, "window": "w"}) == "window=w"


@pytest.mark.parametrize(
    ("declared", "observed", "agree"), [(1, 1.0, True), (1, True, False), ("1", 1, False), ([1], [1], False)]
)
def test_values_agree_as_in_javascript(declared: Any, observed: Any, agree: bool) -> None:
    assert (mismatches(Arm("x", {"window": declared}), {"window": observed}) == []) == agree


def test_every_manifest_is_read_and_equal_contradictions_count_once() -> None:
    manifests = [{"window": w} for w in ("a", "b", "a", "w")]
    told = application(Arm("x", {"window": "w"}), manifests)
    assert told == (4, True, False, [("window", "w", "a"), ("window", "w", "b")])


@pytest.mark.parametrize(
    ("facets", "manifests", "said"),
    [
        ({"model": "m"}, [], (0, False, False, [])),
        (None, [WHOLE], (1, False, False, [])),
        ({"temperature": "0.2"}, [WHOLE], (1, False, False, [])),
        ({"model": "m"}, [WHOLE, WHOLE], (2, True, True, [])),
    ],
)
def test_nothing_is_checked_that_no_manifest_could_tell(
    facets: Any, manifests: list[Any], said: tuple[Any, ...]
) -> None:
    assert application(Arm("x", facets), manifests) == said


def test_a_run_belongs_to_no_arm_that_declares_no_facet() -> None:
    assert matched_arm([Arm("x"), Arm("y", {}, [{"kind": "tool"}])], WHOLE) is None


def test_each_field_of_a_memory_counts_for_how_much_an_arm_declares() -> None:
    memory = Arm("memory", {"memory": {"id": "d", "flavor": "rag"}})
    assert matched_arm([Arm("model", {"model": "m"}), memory], WHOLE) is memory
    two = Arm("two", {"model": "m", "provider": "p"})
    assert matched_arm([two, memory], WHOLE) is None
    assert matched_arm([two, memory, Arm("three", {"model": "m", "provider": "p", "window": "sliding-window"})], WHOLE)


VALUES = st.recursive(
    st.none() | st.sampled_from(["a", "b", 1, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), VALUES), st.randoms(use_true_random=False))
def test_a_key_does_not_depend_on_the_order_of_members_and_items(facets: dict[str, Any], chance: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(item) for item in chance.sample(value, len(value))]
        if isinstance(value, dict):
            return {name: shuffled(value[name]) for name in chance.sample(sorted(value), len(value))}
        return value

    assert configuration_key(Arm("x", shuffled(facets))) == configuration_key(Arm("y", facets))


def test_keys_of_different_values_differ() -> None:
    values = ["a", ["a"], {"a": "a"}, "null", 'a",b:"c', 1, True, "1", []]
    assert len({configuration_key(Arm("x", {"model": value})) for value in values}) == len(values)


def test_the_baseline_is_the_first_arm_unless_one_is_named() -> None:
    arms = [Arm("a", {"model": "m"}), Arm("b", {"model": "n"})]
    assert refuse_unfit(arms, None) == "a"
    assert refuse_unfit(arms, "b") == "b"


def test_a_refusal_says_what_to_do() -> None:
    with pytest.raises(RefusedError) as refused:
        refuse_unfit([Arm("a"), Arm("b")], "a")
    assert refused.value.message.startswith(
        "the arms cannot be compared: arm 'b' declares neither facets nor ablations"
    )
    assert refused.value.remedy.endswith("then run again")
