"""Values of a wrong type: absent, counted, and never a reason to lose the rest."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.record.shapes import Document
from afp_nodes.record.variants import tolerant_document
from tests.record.documents import bare, commit, envelope, event, facts_of, run_of

GOOD = [commit("a#0", {"k": 1}, ["set k"]), commit("b#1", {"k": 2}, ["set k"])]


@pytest.mark.parametrize(
    ("broken", "odd"),
    [
        ({"overwrite": 5}, 1),
        ({"overwrite": None}, 0),
        ({"trace": "set k"}, 1),
        ({"trace": [5, None]}, 2),
        ({"trace": [{"path": 5, "verb": []}]}, 2),
        ({"trace": [{"path": "k", "verb": "set", "readKeys": {}}]}, 1),
        ({"stage": 1, "stageId": [], "runtimeStageId": {}}, 3),
        ({"untrackedSources": "args", "redactedPaths": 1}, 2),
        ({"updates": [1]}, 1),
        ({"idx": "seven", "tags": 5}, 0),
    ],
)
def test_what_is_odd_in_a_commit_is_counted_and_the_other_commit_is_whole(broken: dict[str, Any], odd: int) -> None:
    facts = facts_of(bare({"commitLog": [{**GOOD[0], **broken}, GOOD[1]]}))
    assert facts["run_records"]["odd_values"][0] == odd
    assert facts["commits"].height == 2
    assert facts["writes"].row(-1, named=True)["overwrite_json"] == "2"


def test_an_entry_of_a_wrong_type_keeps_its_position() -> None:
    document = bare(
        {
            "commitLog": [5, GOOD[0], None],
            "sharedState": {"history": ["x", {"role": "user", "content": "y"}]},
        },
        ["x", event("a"), None, {**event("b"), "payload": 5, "meta": []}],
    )
    facts = facts_of(document)
    assert facts["commits"].select("commit_idx", "runtime_stage_id").rows() == [(0, ""), (1, "a#0"), (2, "")]
    assert facts["writes"]["commit_idx"].to_list() == [1]
    assert facts["messages"].select("message_idx", "role").rows() == [(0, None), (1, "user")]
    assert facts["events"].select("event_idx", "type", "payload_json").rows() == [
        (0, None, None),
        (1, "agentfootprint.a", "{}"),
        (2, None, None),
        (3, "agentfootprint.b", None),
    ]
    assert facts["run_records"].select("odd_values", "events").row(0) == (7, 4)


def test_a_read_key_of_a_wrong_type_keeps_its_place() -> None:
    log = [{"trace": [{"path": "k", "verb": "set", "readKeys": ["a", 5, "b"]}]}]
    facts = facts_of(bare({"commitLog": log}))
    assert facts["writes"]["read_keys"].to_list() == [["a", None, "b"]]
    assert facts["run_records"]["odd_values"][0] == 1


@pytest.mark.parametrize(
    ("snapshot", "odd"),
    [
        ({"commitLog": {}}, 1),
        ({"sharedState": []}, 1),
        ({"sharedState": "x", "initialState": 5}, 2),
        ({"executionTree": []}, 1),
        ({"executionTree": {"runtimeStageId": 5, "stageReads": ["k"], "children": {}, "next": "x"}}, 4),
        ({"executionTree": {"runtimeStageId": "a", "children": [1, None, {"next": 5}]}}, 3),
        ({"subflowResults": []}, 1),
        ({"subflowResults": {"a#1": 5, "b#2": None, "c#3": {"treeContext": {"history": 1}}}}, 2),
        ({"writeProvenance": 1, "runId": 2, "recorders": 3}, 3),
        ({"sharedState": {"turnNumber": True, "userMessage": [], "history": "x"}}, 3),
    ],
)
def test_what_is_odd_in_a_snapshot_is_counted(snapshot: dict[str, Any], odd: int) -> None:
    assert run_of(bare(snapshot))["odd_values"] == odd


@pytest.mark.parametrize(
    ("run", "odd"),
    [
        ({"complete": "yes"}, 1),
        ({"droppedEvents": -1}, 1),
        ({"droppedEvents": 1.5}, 1),
        ({"droppedEvents": 4.0}, 0),
        ({"droppedEvents": 2**70}, 1),
        ({"startedAt": 5, "tenant": {}}, 2),
        ({"startedAt": "no date"}, 0),
    ],
)
def test_what_is_odd_in_an_envelope_is_counted(run: dict[str, Any], odd: int) -> None:
    assert run_of(envelope(bare(), **run))["odd_values"] == odd


@pytest.mark.parametrize(
    ("kind", "payload", "odd"),
    [
        ("stream.llm_end", {"usage": {"input": "3", "output": True}}, 2),
        ("stream.llm_end", {"usage": 5}, 1),
        ("stream.tool_start", {"toolCallId": 5, "toolName": [], "args": 5}, 2),
        ("stream.tool_end", {"durationMs": "4", "status": 5}, 2),
        ("stream.llm_start", {"iteration": True}, 1),
        ("agent.turn_start", {"userPrompt": 5}, 1),
        ("agent.run_configured", {"llm": "x", "window": 5}, 2),
        ("brand.new", {"anything": 5}, 0),
    ],
)
def test_what_is_odd_in_a_payload_that_is_read_is_counted(kind: str, payload: Any, odd: int) -> None:
    facts = facts_of(bare(events=[event(kind, payload)]))
    assert facts["run_records"]["odd_values"][0] == odd
    assert json.loads(facts["events"]["payload_json"][0]) == payload


TEXTS = st.text(max_size=4)
MAYBE = st.none() | TEXTS
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda inner: st.lists(inner, max_size=2), max_leaves=4
)


def optional(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object of which any member may be missing."""
    return st.fixed_dictionaries({}, optional={**members, "unknown": ANYTHING})


ROW = optional(path=MAYBE, verb=MAYBE, readKeys=st.none() | st.lists(TEXTS, max_size=2))
COMMIT = optional(
    overwrite=st.none() | st.dictionaries(TEXTS, ANYTHING, max_size=2),
    trace=st.none() | st.lists(ROW, max_size=3),
    stage=MAYBE,
    runtimeStageId=MAYBE,
    untrackedSources=st.none() | st.lists(TEXTS, max_size=2),
)
NODE: st.SearchStrategy[Any] = st.deferred(
    lambda: optional(
        runtimeStageId=MAYBE,
        stageReads=st.none() | st.dictionaries(TEXTS, ANYTHING, max_size=2),
        children=st.none() | st.lists(NODE, max_size=2),
        next=st.none() | NODE,
    )
)
SNAPSHOT = optional(
    commitLog=st.none() | st.lists(COMMIT, max_size=3),
    executionTree=st.none() | NODE,
    subflowResults=st.none()
    | st.dictionaries(
        TEXTS,
        st.none()
        | optional(treeContext=optional(history=st.lists(COMMIT, max_size=2), stageContexts=st.none() | NODE)),
        max_size=2,
    ),
    sharedState=st.none() | st.dictionaries(TEXTS, ANYTHING, max_size=2),
    runId=MAYBE,
    recorders=st.none() | st.lists(ANYTHING, max_size=2),
)
EVENT = optional(
    type=MAYBE,
    payload=ANYTHING,
    meta=st.none() | optional(wallClockMs=st.none() | st.integers(-9, 9) | st.floats(-9, 9), runId=MAYBE),
)
RECORDING = optional(events=st.none() | st.lists(EVENT, max_size=3)).flatmap(
    lambda rest: (st.none() | SNAPSHOT).map(lambda snapshot: {**rest, "snapshot": snapshot})
)
RUN = optional(runId=MAYBE, complete=st.none() | st.booleans(), droppedEvents=st.none() | st.integers(0, 9))
DOCUMENTS = RECORDING | st.builds(
    lambda recording, run: {"format": "agentfootprint.recording.v1", "run": run, "recording": recording}, RECORDING, RUN
)


@settings(deadline=None, max_examples=150)
@given(DOCUMENTS)
def test_the_untyped_reading_agrees_with_the_typed_one_on_well_formed_documents(document: Any) -> None:
    text = json.dumps(document).encode()
    typed = msgspec.json.decode(text, type=Document)
    tolerant, odd = tolerant_document(text)
    assert odd == 0
    assert msgspec.json.encode(_seen(tolerant)) == msgspec.json.encode(_seen(typed))


@settings(deadline=None, max_examples=50)
@given(DOCUMENTS)
def test_one_odd_value_changes_no_other_row(document: Any) -> None:
    body = document.get("recording", document)
    odd = {**body, "events": [*(body.get("events") or []), 5]}
    even = {**body, "events": [*(body.get("events") or []), {}]}
    facts, expected = ({**facts_of(envelope(each))} for each in (odd, even))
    for name in facts.keys() - {"run_records"}:
        assert facts[name].equals(expected[name]), name
    counted = [each["run_records"]["odd_values"][0] for each in (facts, expected)]
    assert counted[0] == counted[1] + 1


def _seen(value: Any) -> Any:
    """A shape as plain data, UNSET left out."""
    if isinstance(value, msgspec.Struct):
        return {name: _seen(each) for name, each in msgspec.structs.asdict(value).items() if each is not msgspec.UNSET}
    if isinstance(value, dict):
        return {name: _seen(each) for name, each in value.items()}
    return [_seen(each) for each in value] if isinstance(value, list) else value
