"""The random recordings reach what the laws are about; a law that never meets its case proves nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.javascript import parse
from tests.oracle.tables import tables
from tests.strategies import Object, as_bytes

Tables = dict[str, list[dict[str, Any]]]

REACHED: dict[str, Callable[[Tables], bool]] = {
    "a flat run with several loops": lambda t: len([row for row in t["loops"] if not row["scope"]]) > 2,
    "a grouped run with several loops": lambda t: len([row for row in t["loops"] if row["scope"]]) > 1,
    "a loop without a call": lambda t: any(row["llm_call_id"] is None for row in t["loops"]),
    "a loop that repeats a step": lambda t: any(len(row["body_ids"]) > len(set(row["body_ids"])) for row in t["loops"]),
    "a call with untracked inputs": lambda t: any(row["untracked_reads_present"] for row in t["loops"]),
    "a source folded after its reader": lambda t: any(
        row["writer_commit_idx"] is not None and row["writer_commit_idx"] > loop["llm_commit_idx"]
        for row in t["context_sources"]
        for loop in t["loops"]
        if loop["loop_index"] == row["loop_index"]
    ),
    "a source made of several commits": lambda t: any(len(row["basis"]) > 1 for row in t["value_index"]),
    "a source whose value is absent": lambda t: any(row["value_json"] is None for row in t["value_index"]),
    "a tool result that stood before a call": lambda t: any(row["proximate"] for row in t["context_sources"]),
    "an injection and a memory as suspects": lambda t: (
        {row["suspect_kind"] for row in t["ablation_hooks"]} >= {"injection", "memory"}
    ),
    "a tool as suspect": lambda t: any(row["suspect_kind"] == "tool" for row in t["ablation_hooks"]),
    "a suspect in a mount": lambda t: any(row["scope"] for row in t["ablation_hooks"]),
    "a variable that is exact": lambda t: any(row["coverage"] == "exact" for row in t["variables"]),
    "a log without reads beside one with": lambda t: (
        {"reads-not-recorded" in row["notes"] for row in t["variables"]} == {True, False}
    ),
    "a key read before it was written": lambda t: any(
        row["commit_idx"] is None and row["next_commit_idx"] is not None for row in t["lives"]
    ),
    "edges of both kinds": lambda t: {row["basis"] for row in t["fed_edges"]} == {"per-write", "stage"},
    "keys that only one reading of the tree has": lambda t: (
        any(row["position"] is None for row in t["reads"]) and any(row["first_position"] is None for row in t["reads"])
    ),
    "several entries of one commit for one key": lambda t: any(row["entries"] > 2 for row in t["writes"]),
    "the empty id as writer": lambda t: any(row["writer_id"] == "" for row in t["value_index"]),
}


@pytest.fixture(scope="module")
def sampled_tables(sample: dict[str, Object]) -> list[Tables]:
    return [tables(parse(as_bytes(document)), run_id) for run_id, document in sample.items()]


@pytest.mark.parametrize("case", REACHED)
def test_the_random_recordings_reach(case: str, sampled_tables: list[Tables]) -> None:
    assert any(REACHED[case](rows) for rows in sampled_tables)
