"""The collector: frames as their schemas say, whatever the batching."""

import json

import polars as pl
from hypothesis import given, settings
from polars.testing import assert_frame_equal

from afp_nodes.record import FactCollector, read_document
from afp_nodes.record.shred import SCHEMAS
from tests.record.documents import bare, commit, configured, encoded, envelope, event, facts_of
from tests.record.test_logs import TREE
from tests.record.test_odd_values import RECORDING

RICH = bare(
    {
        "commitLog": [commit("a#0", {"k": {"x": [1, 2.50]}}, ["set k", "set k>x"]), commit("a#0", {"k": 1}, ["set k"])],
        "executionTree": TREE,
        "sharedState": {"history": [{"role": "user", "content": "why?"}], "k": 1},
        "subflowResults": {"sf-llm-call#3": {"treeContext": {"history": [commit("", {"s": 1}, ["set s"])]}}},
    },
    [configured(clock=1.0), event("stream.tool_start", {"toolCallId": "c", "args": {"n": 1}}), event("stream.token")],
)


def test_the_frames_follow_their_schemas() -> None:
    for frames in (facts_of(), facts_of(RICH)):
        assert list(frames) == list(SCHEMAS)
        for name, schema in SCHEMAS.items():
            names = {n: t for n, t in schema.dtypes().items() if t == pl.Categorical()}
            assert dict(frames[name].schema) == schema.stored_dtypes() | names, name
            schema.validate(frames[name], cast=True)


def test_both_spellings_of_a_document_give_the_same_rows() -> None:
    indented, one_line = json.dumps(RICH, indent=2), json.dumps(RICH, separators=(",", ":"))
    spelled = [facts_of(text) for text in (indented, one_line)]
    for name in SCHEMAS:
        assert_frame_equal(*[frames[name].select(pl.exclude("run_id", "recording_sha256")) for frames in spelled])


def test_runs_count_and_sizes_grow() -> None:
    collector = FactCollector()
    sizes = []
    for number in range(3):
        data = encoded(envelope(RICH, runId=str(number)))
        read = read_document(data, "run.json")
        collector.add(read, "0" * 64)  # type: ignore[arg-type]
        sizes.append(collector.size_bytes)
    assert collector.runs == 3
    assert sizes == sorted(set(sizes))


@settings(deadline=None, max_examples=25)
@given(RECORDING, RECORDING)
def test_runs_never_influence_each_other(one: dict[str, object], other: dict[str, object]) -> None:
    documents = [envelope(each, runId=run_id) for run_id, each in (("a", one), ("b", other))]
    together, apart = facts_of(*documents), [facts_of(document) for document in documents]
    for name in SCHEMAS:
        assert_frame_equal(together[name], pl.concat([frames[name] for frames in apart]))
