"""The printed examples, asked of the oracle."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.oracle import javascript
from tests.oracle.javascript import ABSENT, parse, stringify
from tests.oracle.lives import Slice, coverage, forward, timeline
from tests.oracle.loops import Frame, heads, trajectory
from tests.oracle.reads import steps
from tests.oracle.recording import Log, Recording, recording_of
from tests.oracle.suspects import Seed, classify, spec
from tests.oracle.trace import Joined, frames_seen, trace, value_index
from tests.oracle.values import last_writer, merge, value_at
from tests.reference import lives, loops, reads, suspects, traces, values
from tests.reference.notation import NOTHING, document, path, snapshot

Json = Any


def recorded(members: dict[str, Json]) -> Recording:
    return recording_of(parse(document(members)))


def log_of(log: Sequence[dict[str, Json]], tree: dict[str, Json] | None = None) -> Log:
    return recorded(snapshot(log, tree)).run


def value(example: Json) -> Json:
    """An example's value as the oracle holds it."""
    return ABSENT if example is NOTHING else parse(json.dumps(example))


def quoted(text: str | None) -> Json:
    return ABSENT if text is None else parse(text.replace("'", '"'))


def frames_of(members: dict[str, Json]) -> list[Frame]:
    return trajectory(recorded(members)).frames


@pytest.mark.parametrize(("log", "position", "key", "expected"), values.VALUE_AT)
def test_the_value_of_a_key_after_a_commit(log: list[Json], position: int, key: str, expected: Json) -> None:
    assert stringify(value_at(log_of(log), path(key), position)) == stringify(value(expected))


@pytest.mark.parametrize(("current", "delta", "merged"), values.MERGE)
def test_a_delta_merged_into_a_value(current: str | None, delta: str, merged: str) -> None:
    assert stringify(merge(quoted(current), quoted(delta))) == merged.replace("'", '"')


@pytest.mark.parametrize(("text", "expected"), values.STRINGIFY)
def test_a_value_written_as_text(text: str, expected: str) -> None:
    assert stringify(parse(text)) == expected


@pytest.mark.parametrize(("text", "units"), values.UTF16_LENGTH)
def test_the_length_of_a_text_in_code_units(text: str, units: int) -> None:
    assert len(javascript.code_units(text)) == units


@pytest.mark.parametrize(("text", "units", "left"), values.CUT)
def test_a_text_cut_at_code_units(text: str, units: int, left: str) -> None:
    assert javascript.cut(text, units) == left


@pytest.mark.parametrize(("tree", "step", "keys"), reads.LAST_WINS)
def test_the_reads_that_variables_see(tree: Json, step: str, keys: list[str]) -> None:
    assert log_of([], tree).last_wins.get(step, []) == keys


@pytest.mark.parametrize(("tree", "step", "keys"), reads.FIRST_WINS)
def test_the_reads_that_frames_see(tree: Json, step: str, keys: list[str]) -> None:
    assert log_of([], tree).first_wins[step] == keys


@pytest.mark.parametrize(("tree", "count", "with_reads"), reads.STEPS)
def test_the_steps_of_a_tree(tree: Json, count: int | None, with_reads: int | None) -> None:
    log = log_of([], tree)
    assert (steps(log.tree), len(log.last_wins) if log.tree else None) == (count, with_reads)


@pytest.mark.parametrize(("log", "key", "before", "writer"), loops.LAST_WRITER)
def test_the_last_writer_of_a_key(log: list[Json], key: str, before: int | None, writer: Json) -> None:
    found = last_writer(log_of(log), key, before)
    assert (NOTHING if found is None else log_of(log).commits[found].id) == writer


@pytest.mark.parametrize(("log", "expected"), loops.HEADS)
def test_the_heads_of_a_log(log: list[Json], expected: list[str]) -> None:
    assert heads(log_of(log)) == expected


@pytest.mark.parametrize(("members", "limit", "prelude", "frames", "is_cut"), loops.FRAMES)
def test_the_frames_of_a_run(
    members: dict[str, Json], limit: int | None, prelude: list[str], frames: list[Json], is_cut: bool
) -> None:
    found = trajectory(recorded(members), limit)
    shape = [(f.head, f.call_id, f.call_idx, f.body_ids, f.log.scope) for f in found.frames]
    assert (found.prelude, shape, found.truncated) == (prelude, frames, is_cut)


@pytest.mark.parametrize(("members", "expected"), loops.SOURCES)
def test_the_sources_of_each_call(members: dict[str, Json], expected: list[list[Json]]) -> None:
    found = [
        [(s.key, s.writer_id, s.writer_idx, stringify(s.folded.value), s.text) for s in f.sources]
        for f in frames_of(members)
    ]
    assert found == [[(k, w, at, stringify(value(v)), text) for k, w, at, v, text in one] for one in expected]


@pytest.mark.parametrize(("members", "expected"), loops.PROXIMATES)
def test_the_tool_result_that_stood_before_each_call(members: dict[str, Json], expected: list[Json]) -> None:
    found = [(f.proximate.writer_id, f.proximate.folded.value) for f in frames_of(members) if f.proximate]
    assert found == expected


@pytest.mark.parametrize(("members", "expected"), loops.VALUE_INDEX)
def test_the_first_loop_decides_the_value_of_a_writer(members: dict[str, Json], expected: list[Json]) -> None:
    found = value_index(frames_of(members))
    shape = [(*at, entry.frame.log.scope, stringify(entry.source.folded.value)) for at, entry in found.items()]
    assert shape == [(key, writer, scope, stringify(value(v))) for key, writer, scope, v in expected]


@pytest.mark.parametrize(("members", "expected"), loops.INTERMEDIATE_TEXTS)
def test_what_each_call_wrote(members: dict[str, Json], expected: list[str | None]) -> None:
    assert [frame.intermediate_text for frame in frames_of(members)] == expected


@pytest.mark.parametrize(("keys", "given", "untracked", "expected"), suspects.CLASSIFY)
def test_the_suspects_that_values_name(
    keys: list[str], given: Mapping[str, Json], untracked: list[str], expected: list[Json]
) -> None:
    assert classify(keys, value(given), untracked) == [Seed(*seed) for seed in expected]


@pytest.mark.parametrize(("kind", "suspect_id", "expected"), suspects.SPECS)
def test_the_kind_of_a_suspect_decides_its_spec(kind: str, suspect_id: str, expected: Json) -> None:
    assert spec(Seed(kind, suspect_id)) == expected


@pytest.mark.parametrize(("log", "tree", "key", "before", "moments", "notes", "missing"), lives.TIMELINES)
def test_the_life_of_a_key(
    log: list[Json],
    tree: Json,
    key: str,
    before: int | None,
    moments: list[str],
    notes: list[str],
    missing: str | None,
) -> None:
    found = timeline(log_of(log, tree), key, before)
    printed = [
        f"{m.verb}@{m.at}" if m.kind == "write" else f"read@{m.at}<-{_origin(m.from_write)}" for m in found.moments
    ]
    assert (printed, found.notes, found.missing) == (moments, notes, missing)


@pytest.mark.parametrize(("log", "tree", "key", "before", "nodes", "edges", "notes", "missing"), lives.SLICES)
def test_what_the_last_value_of_a_key_fed(
    log: list[Json],
    tree: Json,
    key: str,
    before: int | None,
    nodes: list[str],
    edges: list[str],
    notes: list[str],
    missing: str | None,
) -> None:
    found = forward(log_of(log, tree), key, before)
    assert (*_printed(found), found.notes, found.missing) == (nodes, edges, notes, missing)


@pytest.mark.parametrize(("log", "tree", "key", "expected"), lives.COVERAGE)
def test_how_exactly_the_record_says_what_a_key_fed(log: list[Json], tree: Json, key: str, expected: str) -> None:
    assert coverage(forward(log_of(log, tree), key)) == expected


def test_without_a_forward_slice_coverage_is_unknown() -> None:
    assert coverage(None) == "unknown"


@pytest.mark.parametrize(("members", "key", "before", "word", "moments", "hooks", "notes"), traces.TRACES)
def test_a_variable_joined_to_loops_and_sources(
    members: dict[str, Json],
    key: str,
    before: int | None,
    word: str,
    moments: list[str],
    hooks: list[str],
    notes: list[str],
) -> None:
    recording = recorded(members)
    found = trace(recording.run, key, frames_seen(recording, recording.run), before)
    printed = [f"{h.writer_id} {h.suspect.kind} {h.suspect.id}" for h in found.hooks]
    assert (found.coverage, [_joined(m) for m in found.moments], printed, found.notes) == (word, moments, hooks, notes)


def _origin(position: int | None) -> int | str:
    return "pre-run" if position is None else position


def _printed(found: Slice) -> tuple[list[str], list[str]]:
    names = {node.life: f"n{n}" for n, node in enumerate(found.nodes)}
    nodes = [
        f"{names[n.life]}:{n.life.key}@{_origin(n.life.written)} reads[{','.join(map(str, n.reads))}]"
        for n in found.nodes
    ]
    return nodes, [f"{names[e.parent]}->{names[e.child]} {e.basis}" for e in found.edges]


def _joined(joined: Joined) -> str:
    moment, suspect = joined.moment, joined.suspect
    loop = "" if joined.loop_index is None else f" loop{joined.loop_index}"
    return f"{moment.verb or 'read'}@{moment.at}{loop}" + (f" {suspect.kind}:{suspect.id}" if suspect else "")
