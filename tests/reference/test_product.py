"""The printed examples, asked of the product.

Questions that the product has no table for (a bound, a limit of frames, a text as evidence) are asked of the oracle
alone. The value of a key at a commit is asked by letting a model call read it there.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import polars as pl
import pytest

from afp_nodes import javascript
from afp_nodes.classifier import DEFAULT_CLASSIFIER, Seed
from afp_nodes.words import SuspectKind
from dataflows.derive import tables_of
from tests.reference import lives, loops, reads, suspects, traces, values
from tests.reference.notation import NOTHING, chain, commit, document, path, snapshot

Json = Any
Object = dict[str, Json]
Rows = list[dict[str, Json]]

NOT_ASKED = {"unknown-key"}
ORDER = {"loops": ["loop_index"], "context_sources": ["loop_index", "position"], "moments": ["key", "position"]}
ORDER["ablation_hooks"] = ORDER["moments"]


@cache
def _tables(recording: bytes) -> dict[str, pl.DataFrame]:
    return tables_of([recording], validate=True)


def rows(members: Object, table: str, **where: Json) -> Rows:
    """Rows of one table of one example, those where some columns hold some values, in the order they tell."""
    published = _tables(document(members))[table]
    found = published.sort(ORDER.get(table, [])).to_dicts()
    return [row for row in found if all(row[name] == cell for name, cell in where.items())]


def text(example: Json) -> str | None:
    """An example's value as a value column spells it, numbers as JavaScript does."""
    return None if example is NOTHING else javascript.stringify(javascript.parse(json.dumps(example)))


def spelled(value_json: str | None) -> str | None:
    """A value column's text with the numbers as JavaScript spells them."""
    return None if value_json is None else javascript.stringify(javascript.parse(value_json))


def read_at(log: Sequence[Object], position: int, key: str) -> dict[str, Json]:
    """The source row of a model call that reads a key right after a commit."""
    asked = [*log[: max(position + 1, 0)], commit("sf-injection-engine#90"), commit("call-llm#91")]
    tree = chain("sf-injection-engine#90", ("call-llm#91", [key]))
    return rows(snapshot(asked, tree), "context_sources", proximate=False)[0]


@pytest.mark.parametrize(("log", "position", "key", "expected"), values.VALUE_AT)
def test_the_value_of_a_key_after_a_commit(log: list[Object], position: int, key: str, expected: Json) -> None:
    assert spelled(read_at(log, position, path(key))["value_json"]) == text(expected)


@pytest.mark.parametrize(("log", "key", "before", "writer"), loops.LAST_WRITER)
def test_the_last_writer_of_a_key(log: list[Object], key: str, before: int | None, writer: Json) -> None:
    found = read_at(log, (len(log) if before is None else before) - 1, key)["writer_id"]
    assert found == (None if writer is NOTHING else writer)


@pytest.mark.parametrize(("current", "delta", "merged"), values.MERGE)
def test_a_delta_merged_into_a_value(current: str | None, delta: str, merged: str) -> None:
    given = javascript.ABSENT if current is None else javascript.parse(current.replace("'", '"'))
    found = javascript.merge(given, javascript.parse(delta.replace("'", '"')))
    assert javascript.stringify(found) == merged.replace("'", '"')


@pytest.mark.parametrize(("given", "expected"), values.STRINGIFY)
def test_a_value_written_as_text(given: str, expected: str) -> None:
    assert javascript.stringify(javascript.parse(given)) == expected


@pytest.mark.parametrize(("given", "units"), values.UTF16_LENGTH)
def test_the_length_of_a_text_in_code_units(given: str, units: int) -> None:
    assert javascript.utf16_length(given) == units


@pytest.mark.parametrize(("given", "units", "left"), values.CUT)
def test_a_text_cut_at_code_units_with_halves_replaced(given: str, units: int, left: str) -> None:
    assert javascript.cut_utf16(given, units) == left.replace("\ud83d", "\ufffd")


@pytest.mark.parametrize(("tree", "step", "keys"), reads.LAST_WINS)
def test_the_reads_that_variables_see(tree: Object, step: str, keys: list[str]) -> None:
    found = rows(snapshot([], tree), "reads", runtime_stage_id=step)
    assert _in_order(found, "position") == keys


@pytest.mark.parametrize(("tree", "step", "keys"), reads.FIRST_WINS)
def test_the_reads_that_frames_see(tree: Object, step: str, keys: list[str]) -> None:
    found = rows(snapshot([], tree), "reads", runtime_stage_id=step)
    assert _in_order(found, "first_position") == keys


@pytest.mark.parametrize(("tree", "count", "with_reads"), reads.STEPS)
def test_the_steps_of_a_tree(tree: Object | None, count: int | None, with_reads: int | None) -> None:
    (scope,) = rows(snapshot([], tree), "scopes")
    assert (scope["steps"], scope["steps_with_reads"]) == (count, with_reads)


@pytest.mark.parametrize(
    ("members", "expected"), [(members, frames) for members, limit, _, frames, _ in loops.FRAMES if limit is None]
)
def test_the_loops_of_a_run(members: Object, expected: list[Json]) -> None:
    columns = ("head_commit_idx", "llm_call_id", "llm_commit_idx", "body_ids", "scope")
    assert [tuple(row[c] for c in columns) for row in rows(members, "loops")] == expected


@pytest.mark.parametrize(("members", "expected"), loops.SOURCES)
def test_the_sources_of_each_call(members: Object, expected: list[list[Json]]) -> None:
    found: list[list[Json]] = [[] for _ in expected]
    for row in rows(members, "context_sources", proximate=False):
        shape = (row["key"], row["writer_id"], row["writer_commit_idx"], spelled(row["value_json"]))
        found[row["loop_index"]].append(shape)
    assert found == [[(k, w, at, text(v)) for k, w, at, v, _ in sources] for sources in expected]


@pytest.mark.parametrize(("members", "expected"), loops.PROXIMATES)
def test_the_tool_result_that_stood_before_each_call(members: Object, expected: list[Json]) -> None:
    found = rows(members, "context_sources", proximate=True)
    assert [(row["writer_id"], row["value_json"], row["writer_commit_idx"]) for row in found] == [
        (writer, text(value), None) for writer, value in expected
    ]


@pytest.mark.parametrize(("members", "expected"), loops.VALUE_INDEX)
def test_the_first_loop_decides_the_value_of_a_writer(members: Object, expected: list[Json]) -> None:
    found = rows(members, "value_index")
    shape = [(row["key"], row["writer_id"], row["scope"], spelled(row["value_json"])) for row in found]
    assert shape == [(key, writer, scope, text(value)) for key, writer, scope, value in expected]


@pytest.mark.parametrize(("members", "expected"), loops.INTERMEDIATE_TEXTS)
def test_what_each_call_wrote(members: Object, expected: list[str | None]) -> None:
    assert [row["intermediate_text"] for row in rows(members, "loops")] == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (key, value, [seed for seed in expected if seed[1] is not None])
        for keys, given, _, expected in suspects.CLASSIFY
        if len(keys) == 1
        for key, value in given.items()
    ],
)
def test_the_suspects_that_one_value_names(key: str, value: Json, expected: list[Json]) -> None:
    keys = DEFAULT_CLASSIFIER.keys
    named = DEFAULT_CLASSIFIER.seeds(key, json.dumps(value)) if keys is None or key in keys else []
    assert [(seed.kind, seed.suspect_id) for seed in named] == [(kind, name) for kind, name, _ in expected]


@pytest.mark.parametrize(("kind", "suspect_id", "expected"), suspects.SPECS)
def test_the_kind_of_a_suspect_decides_its_spec(kind: str, suspect_id: str, expected: Json) -> None:
    assert json.loads(Seed(SuspectKind(kind), suspect_id).ablation_spec()) == expected


@pytest.mark.parametrize(
    ("log", "tree", "key", "moments", "notes"),
    [
        (log, tree, key, moments, notes)
        for log, tree, key, before, moments, notes, missing in lives.TIMELINES
        if before is None and missing is None and not NOT_ASKED & {*notes}
    ],
)
def test_the_life_of_a_key(
    log: list[Object], tree: Object | None, key: str, moments: list[str], notes: list[str]
) -> None:
    found = rows(snapshot(log, tree), "moments", key=key)
    printed = [
        f"{m['verb']}@{m['commit_idx']}"
        if m["kind"] == "write"
        else f"read@{m['commit_idx']}<-{_origin(m['from_write_idx'])}"
        for m in found
    ]
    (variable,) = rows(snapshot(log, tree), "variables", key=key)
    assert printed == moments
    assert [note for note in variable["notes"] if note in ("reads-not-recorded", "pre-run-origin")] == notes


@pytest.mark.parametrize(
    ("log", "tree", "key"),
    [(log, tree, key) for log, tree, key, _, _, notes, _ in lives.TIMELINES if "unknown-key" in notes or not log],
)
def test_a_key_without_a_life_has_no_row(log: list[Object], tree: Object, key: str) -> None:
    assert rows(snapshot(log, tree), "variables", key=key) == []


@pytest.mark.parametrize(
    ("log", "tree", "nodes", "edges"),
    [(log, tree, nodes, edges) for log, tree, _, _, nodes, edges, notes, _ in lives.SLICES if not NOT_ASKED & {*notes}],
)
def test_the_lives_of_a_slice_and_what_each_fed(
    log: list[Object], tree: Object, nodes: list[str], edges: list[str]
) -> None:
    names = {node.split(" ")[0].partition(":")[2]: node.partition(":")[0] for node in nodes}
    found = {}
    for life in rows(snapshot(log, tree), "lives"):
        name = f"{life['key']}@{_origin(life['commit_idx'])}"
        if name in names:
            found[name] = f"{names[name]}:{name} reads[{','.join(map(str, life['readers']))}]"
    fed = [
        (
            names.get(f"{e['from_key']}@{_origin(e['from_commit_idx'])}"),
            f"{e['to_key']}@{e['to_commit_idx']}",
            e["basis"],
        )
        for e in rows(snapshot(log, tree), "fed_edges")
    ]
    assert sorted(found.values()) == sorted(nodes)
    assert sorted(f"{parent}->{names[child]} {basis}" for parent, child, basis in fed if parent) == sorted(edges)


@pytest.mark.parametrize(("log", "tree", "key", "expected"), [example for example in lives.COVERAGE if example[0]])
def test_how_exactly_the_record_says_what_a_key_fed(
    log: list[Object], tree: Object | None, key: str, expected: str
) -> None:
    (variable,) = rows(snapshot(log, tree), "variables", key=key)
    assert variable["coverage"] == expected


@pytest.mark.parametrize(
    ("members", "key", "word", "moments", "hooks", "notes"),
    [
        (members, key, word, moments, hooks, notes)
        for members, key, before, word, moments, hooks, notes in traces.TRACES
        if before is None
    ],
)
def test_a_variable_joined_to_loops_and_sources(
    members: Object, key: str, word: str, moments: list[str], hooks: list[str], notes: list[str]
) -> None:
    (variable,) = rows(members, "variables", key=key)
    printed = [
        f"{h['writer_id']} {h['suspect_kind']} {h['suspect_id']}" for h in rows(members, "ablation_hooks", key=key)
    ]
    assert [_joined(moment) for moment in rows(members, "moments", key=key)] == moments
    assert (variable["coverage"], printed, variable["notes"]) == (word, hooks, notes)


def _in_order(found: Rows, column: str) -> list[str]:
    placed = [row for row in found if row[column] is not None]
    return [row["key"] for row in sorted(placed, key=lambda row: row[column])]


def _origin(position: int | None) -> int | str:
    return "pre-run" if position is None else position


def _joined(moment: dict[str, Json]) -> str:
    loop = "" if moment["loop_index"] is None else f" loop{moment['loop_index']}"
    suspect = "" if moment["suspect_id"] is None else f" {moment['suspect_kind']}:{moment['suspect_id']}"
    return f"{moment['verb'] or 'read'}@{moment['commit_idx']}{loop}{suspect}"
