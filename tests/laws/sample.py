"""A fixed sample of random recordings, drawn once: the same on every machine, and at hand without drawing.

`python -m tests.laws.sample` draws it anew, which is needed when the strategies learn to draw something else.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from tests.oracle.javascript import parse
from tests.oracle.tables import tables
from tests.strategies import Object, as_bytes, envelope, snapshots

FILE = Path(__file__).parents[1] / "data" / "drawn.jsonl.gz"
DRAWN, KEPT, OFTEN = 1200, 150, 5

Tables = dict[str, list[dict[str, Any]]]

CASES: dict[str, Callable[[Tables], bool]] = {
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
    "a source that two loops saw": lambda t: (
        len([row for row in t["context_sources"] if row["writer_id"] is not None]) > len(t["value_index"])
    ),
    "one step id in two mounts, with two values": lambda t: any(
        a["key"] == b["key"] and a["writer_id"] == b["writer_id"] and a["value_json"] != b["value_json"]
        for a in t["context_sources"]
        for b in t["context_sources"]
    ),
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
    "a key that merges onto a list": lambda t: any(
        "merge" in row["verbs"] and isinstance(row["update_json"], list) for row in t["writes"]
    ),
}
"""What the laws are about: a law that never meets its case proves nothing."""


def recordings() -> dict[str, Object]:
    """The sample, by run id."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return {f"run-{n}": envelope(json.loads(line), f"run-{n}") for n, line in enumerate(lines)}


def met(snapshot: Object) -> set[str]:
    """The cases that a recording meets, as the oracle reads it."""
    rows = tables(parse(as_bytes(envelope(snapshot, "run"))), "run")
    return {case for case, is_met in CASES.items() if is_met(rows)}


def drawn() -> list[Object]:
    """Random snapshots, repeatably."""
    snapshots_drawn: list[Object] = []

    @settings(
        max_examples=DRAWN,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(snapshots())
    def draw(snapshot: Object) -> None:
        snapshots_drawn.append(snapshot)

    draw()
    return snapshots_drawn


def chosen(candidates: list[Object]) -> Iterator[Object]:
    """So many of them that each case is met often, filled up with the first others."""
    counts = dict.fromkeys(CASES, 0)
    others: list[Object] = []
    kept = 0
    for snapshot in candidates:
        wanted = {case for case in met(snapshot) if counts[case] < OFTEN}
        for case in met(snapshot) if wanted else ():
            counts[case] += 1
        kept += bool(wanted)
        if wanted:
            yield snapshot
        else:
            others.append(snapshot)
    yield from others[: KEPT - kept]


def main() -> None:
    """Draw the sample and write it."""
    lines = "".join(json.dumps(snapshot, separators=(",", ":")) + "\n" for snapshot in chosen(drawn()))
    FILE.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main()
