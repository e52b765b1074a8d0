"""The shapes a document may have, and what each wrong one is refused for."""

from typing import Any

import pytest

from afp_nodes.record import RefusedError, read_document
from afp_nodes.words import QuarantineCode, SourceFormat
from tests.record.documents import FORMAT, bare, encoded, envelope, event, facts_of, recording_of, run_of

STATE = {"sharedState": {"userMessage": "why?"}}


@pytest.mark.parametrize(
    ("document", "shape"),
    [
        (envelope(bare(STATE)), SourceFormat.ENVELOPE),
        (envelope(STATE), SourceFormat.ENVELOPE),
        (envelope({"checkpoint": STATE}), SourceFormat.ENVELOPE),
        (bare(STATE), SourceFormat.BARE),
        ({"snapshot": STATE}, SourceFormat.BARE),
        (STATE, SourceFormat.SNAPSHOT),
        ({"checkpoint": STATE}, SourceFormat.CHECKPOINT),
    ],
)
def test_every_shape_gives_the_state(document: Any, shape: SourceFormat) -> None:
    assert recording_of(document).source_format == shape
    assert run_of(document)["question"] == "why?"


@pytest.mark.parametrize(
    ("document", "shape"),
    [
        ({"snapshot": None}, SourceFormat.BARE),
        ({"events": []}, SourceFormat.BARE),
        ({"events": None}, SourceFormat.BARE),
        ({"commitLog": None}, SourceFormat.SNAPSHOT),
        (envelope({"snapshot": None, "events": None}), SourceFormat.ENVELOPE),
    ],
)
def test_null_members_make_a_shape_too(document: Any, shape: SourceFormat) -> None:
    assert recording_of(document).source_format == shape


def test_events_beside_a_checkpoint_take_its_state() -> None:
    assert run_of({"events": [], "checkpoint": STATE})["question"] == "why?"
    assert run_of({"snapshot": {"sharedState": {}}, "checkpoint": STATE})["question"] is None


@pytest.mark.parametrize(
    ("document", "code", "said"),
    [
        ({}, QuarantineCode.UNKNOWN_SHAPE, "tried: an envelope"),
        ([], QuarantineCode.UNKNOWN_SHAPE, "a list"),
        (None, QuarantineCode.UNKNOWN_SHAPE, "null"),
        ("a text", QuarantineCode.UNKNOWN_SHAPE, ""),
        (7, QuarantineCode.UNKNOWN_SHAPE, "a number"),
        ({"checkpoint": 5}, QuarantineCode.UNKNOWN_SHAPE, "tried"),
        ({"format": 5, "recording": STATE}, QuarantineCode.UNKNOWN_SHAPE, "tried"),
        ({"format": "other.v9", "snapshot": STATE}, QuarantineCode.WRONG_FORMAT, "'other.v9'"),
        ({"format": "other\x07", "snapshot": 5}, QuarantineCode.WRONG_FORMAT, "'other\\x07'"),
        ({"format": FORMAT}, QuarantineCode.EMPTY_RECORDING, "holds nothing"),
        ({"format": FORMAT, "recording": None}, QuarantineCode.EMPTY_RECORDING, "holds nothing"),
        ({"format": FORMAT, "recording": {}}, QuarantineCode.EMPTY_RECORDING, "holds nothing"),
        ({"format": FORMAT, "recording": []}, QuarantineCode.WRONG_TYPE, "`recording` is a list"),
        ({"snapshot": []}, QuarantineCode.WRONG_TYPE, "`snapshot` is a list"),
        ({"snapshot": "x", "events": []}, QuarantineCode.WRONG_TYPE, "`snapshot` is a text"),
        ({"events": {}}, QuarantineCode.WRONG_TYPE, "`events` is an object"),
        (envelope({"snapshot": {}, "events": True}), QuarantineCode.WRONG_TYPE, "`events` is true"),
    ],
)
def test_each_other_document_has_a_reason_of_its_own(document: Any, code: QuarantineCode, said: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_document(encoded(document) if document != "a text" else b'"a text"', "run.json")
    assert refused.value.code == code
    assert said in refused.value.message
    assert refused.value.remedy


def test_members_that_the_shape_does_not_know_are_ignored() -> None:
    odd = {"snapshot": STATE, "commitLog": 5, "runs": 7, "run": 3, "producer": "x", "structure": [1], "unknown": None}
    row = run_of(odd)
    assert (row["odd_values"], row["question"]) == (0, "why?")
    assert run_of({**envelope(STATE), "snapshot": 5, "events": "x"})["odd_values"] == 0


def test_unknown_event_types_are_kept() -> None:
    facts = facts_of(bare(events=[event("brand.new", {"a": 1})]))
    assert facts["events"]["type"].to_list() == ["agentfootprint.brand.new"]
