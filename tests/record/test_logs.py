"""Logs and trees as rows: scopes, commits, writes and reads."""

import json
from typing import Any

import pytest

from tests.record.documents import bare, commit, facts_of

CUT = "\x1f"


def node(step: str, reads: list[str], after: Any = None, children: list[Any] | None = None) -> dict[str, Any]:
    """One node of a tree."""
    return {"runtimeStageId": step, "stageReads": dict.fromkeys(reads, 1), "next": after, "children": children}


def reads_of(tree: Any, place: str) -> dict[str, list[str]]:
    """The keys each step read, in the order of one of the two readings."""
    frame = facts_of(bare({"executionTree": tree}))["reads"].drop_nulls(place).sort("runtime_stage_id", place)
    rows = frame.group_by("runtime_stage_id", maintain_order=True).agg("key")
    return dict(zip(rows["runtime_stage_id"], rows["key"].to_list(), strict=True))


TREE = node(
    "a#0",
    ["z1"],
    node("b#1", ["k"], node("c#2", ["m"])),
    [
        node("b#1", ["z2", "k2"]),
        node("c#2", [], node("d#3", ["n"], None, [node("a#0", ["late"])])),
        node("b#1", []),
    ],
)


def test_the_last_reading_of_a_step_wins_where_it_has_reads() -> None:
    assert reads_of(TREE, "position") == {"a#0": ["late"], "b#1": ["k"], "c#2": ["m"], "d#3": ["n"]}
    scopes = facts_of(bare({"executionTree": TREE}))["scopes"]
    assert scopes.select("has_tree", "steps", "steps_with_reads").row(0) == (True, 8, 4)


def test_the_first_reading_of_a_step_wins_even_without_reads() -> None:
    assert reads_of(TREE, "first_position") == {"a#0": ["z1"], "b#1": ["z2", "k2"], "d#3": ["n"]}


def test_a_key_of_both_readings_is_one_row_with_both_places() -> None:
    tree = node("a#0", ["x", "y"], node("a#0", ["y", "x", "z"]))
    rows = facts_of(bare({"executionTree": tree}))["reads"].select("key", "position", "first_position").rows()
    assert sorted(rows) == [("x", 1, 0), ("y", 0, 1), ("z", 2, None)]
    tree = node("a#0", ["x", "y"], node("a#0", ["y"]))
    rows = facts_of(bare({"executionTree": tree}))["reads"].select("key", "position", "first_position").rows()
    assert sorted(rows, key=str) == [("x", None, 0), ("y", 0, 1)]


def test_keys_read_stand_in_javascripts_member_order() -> None:
    names = ["b", "10", "a", "2", "01", "-1", "4294967294", "4294967295"]
    expected = ["2", "10", "4294967294", "b", "a", "01", "-1", "4294967295"]
    assert reads_of(node("x#0", names), "position") == {"x#0": expected}


def test_nodes_without_an_id_are_passed_over_and_their_descendants_are_not() -> None:
    tree = {"stageReads": {"lost": 1}, "children": [node("", ["lost"], node("a#0", ["k"]))]}
    assert reads_of(tree, "first_position") == {"a#0": ["k"]}
    assert facts_of(bare({"executionTree": tree}))["scopes"]["steps"][0] == 1


def test_a_missing_tree_is_not_an_empty_one() -> None:
    for snapshot, expected in (
        (None, (False, None, None)),
        ({}, (False, None, None)),
        ({"executionTree": {}}, (True, 0, 0)),
    ):
        scopes = facts_of({"snapshot": snapshot})["scopes"]
        assert scopes.select("has_tree", "steps", "steps_with_reads").row(0) == expected


def test_the_scopes_are_the_runs_own_and_each_mount_with_a_number() -> None:
    inner = {"treeContext": {"history": [commit("i#0", {"s": 1}, ["set s"])], "stageContexts": node("i#0", ["r"])}}
    mounts = ["sf-tools", "sf-tools#11", "sf-llm-call#2", "outer/sf-llm-call#10", "xsf-llm-call#3", "a#b/sf-llm-call#4"]
    snapshot = {
        "commitLog": [commit("seed#0", {"k": 1}, ["set k"])],
        "subflowResults": {**dict.fromkeys(mounts, inner), "sf-llm-call#x": None, "sf-llm-call-x#5": {}},
    }
    facts = facts_of(bare(snapshot))
    assert facts["scopes"].select("scope", "position", "is_call_mount", "mount_number", "steps").rows() == [
        ("", 0, False, None, None),
        ("sf-tools#11", 1, False, 11, 1),
        ("sf-llm-call#2", 2, True, 2, 1),
        ("outer/sf-llm-call#10", 3, True, 10, 1),
        ("xsf-llm-call#3", 4, False, 3, 1),
        ("a#b/sf-llm-call#4", 5, False, 4, 1),
        ("sf-llm-call#x", 6, True, None, None),
        ("sf-llm-call-x#5", 7, False, 5, None),
    ]
    assert facts["writes"].select("scope", "commit_idx", "key", "runtime_stage_id").rows()[:2] == [
        ("", 0, "k", "seed#0"),
        ("sf-tools#11", 0, "s", "i#0"),
    ]
    assert facts["commits"]["scope"].to_list() == ["", *mounts[1:]]
    assert facts["reads"]["scope"].to_list() == mounts[1:]


def test_commits_are_told_by_position_and_missing_names_are_empty() -> None:
    log = [commit("a#0", idx=7, stage="A", untrackedSources=["args", "env"]), {"runtimeStageId": None}, {}]
    commits = facts_of(bare({"commitLog": log}))["commits"]
    assert commits.drop("run_id", "scope").rows() == [
        (0, "a#0", "a", "A", ["args", "env"]),
        (1, "", "", "", None),
        (2, "", "", "", None),
    ]


def test_a_key_is_one_row_a_commit_at_its_first_place_with_its_last_entry() -> None:
    log = [
        commit("a#0", {"x": [1], "y": 2}, ["set x", "set y", "append x"], updates={"m": {"d": 1}}),
        commit("b#1", {}, ["delete x", "merge m"], updates={"m": {"d": 1}}),
        commit("c#2", None, []),
    ]
    log[0]["trace"][2]["readKeys"] = ["k", "l"]
    writes = facts_of(bare({"commitLog": log}))["writes"]
    columns = (
        "commit_idx",
        "key",
        "position",
        "verb",
        "entries",
        "verbs",
        "read_keys",
        "overwrite_json",
        "update_json",
    )
    assert writes.select(columns).rows() == [
        (0, "x", 0, "append", 2, ["set", "append"], ["k", "l"], "[1]", None),
        (0, "y", 1, "set", 1, ["set"], None, "2", None),
        (1, "x", 0, "delete", 1, ["delete"], None, None, None),
        (1, "m", 1, "merge", 1, ["merge"], None, None, '{"d":1}'),
    ]


def test_an_unknown_or_missing_verb_reads_the_delta() -> None:
    log = [commit("a#0", {"x": 1, "y": 1}, ["weird-verb x"], updates={"x": 2, "y": 3})]
    log[0]["trace"].append({"path": "y"})
    writes = facts_of(bare({"commitLog": log}))["writes"]
    assert writes.select("verb", "overwrite_json", "update_json").rows() == [("weird-verb", None, "2"), ("", None, "3")]


def test_an_entry_without_a_path_writes_nothing() -> None:
    log = [{"trace": [{"verb": "set"}, {"path": "", "verb": "set"}], "overwrite": {"": 1}}]
    assert facts_of(bare({"commitLog": log}))["writes"].select("key", "position", "overwrite_json").rows() == [
        ("", 0, "1")
    ]


def test_json_null_is_a_value_and_a_missing_one_is_none() -> None:
    log = [commit("a#0", {"x": None}, ["set x", "set gone"]), commit("b#1", None, ["set x"])]
    assert facts_of(bare({"commitLog": log}))["writes"]["overwrite_json"].to_list() == ["null", None, None]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("order", '{"total":10,"lines":[{"a":1.5},2],"text":"a😀"}'),
        ("order>total", "10"),
        ("order>lines>0>a", "1.5"),
        ("order>lines>length", "2"),
        ("order>text>length", "3"),
        ("order>text>0", '"a"'),
        ("order>lines>01", None),
        ("order>lines>2", None),
        ("order>total>x", None),
        ("order>null", None),
        ("a.b", "1"),
        ("a>b", None),
        ("__proto__", None),
        ("order>__proto__", None),
        ("constructor>name", None),
    ],
)
def test_the_value_at_a_path_is_what_native_get_finds(path: str, value: str | None) -> None:
    tree = {
        "order": {"total": 10, "lines": [{"a": 1.5}, 2], "text": "a😀"},
        "a.b": 1,
        "__proto__": 1,
        "constructor": {"name": 1},
    }
    for verb, members in (("set", {"overwrite": tree}), ("merge", {"updates": tree})):
        log = [{**commit("a#0", None, [f"{verb} {path}"]), **members}]
        row = facts_of(json.dumps(bare({"commitLog": log}), indent=2, ensure_ascii=False))["writes"].row(0, named=True)
        assert row["key"] == path.replace(">", CUT)
        assert (row["overwrite_json"], row["update_json"]) == ((value, None) if verb == "set" else (None, value))
