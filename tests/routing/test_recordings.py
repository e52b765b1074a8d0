"""Stored recordings: legs of a paused run, and what is left when a recording is capped. Less is told, never a "no"."""

import json
from typing import Any

import pytest

from tests.routing.rows import Object, derived, recording

LEG_1, LEG_2 = "s-graph-intent-leg1-tax", "s-graph-intent-leg2-tax"
TOLD = ("status", "before_pause", "check_state", "delivered_verdict", "unreachable_reason")


def row_of(document: Any) -> Object:
    (row,) = derived([document if isinstance(document, bytes) else json.dumps(document).encode()]).values()
    return row


def told(row: Object) -> list[Any]:
    return [row[name] for name in TOLD]


def test_the_leg_before_a_pause_has_its_verdict_in_an_event() -> None:
    row = row_of(recording(LEG_1))
    assert told(row) == ["recorded", None, "reachable", "delivered", None]
    assert (row["decided_by"], row["to_skill"], row["held"], row["scorer"]) == ("intent", "deadlines", False, "keyword")
    assert row["pointers"]["verdict"][0]["kind"] == "event"


@pytest.mark.parametrize(
    ("name", "by", "to"), [(LEG_2, "intent", "deadlines"), ("s-graph-rule-leg2-tax", "entry", "deduct")]
)
def test_the_leg_after_a_pause_still_holds_the_verdict(name: str, by: str, to: str) -> None:
    row = row_of(recording(name))
    assert told(row) == ["recorded", "held", "reachable", "delivered", None]
    assert (row["decided_by"], row["to_skill"], row["decisive"]) == (by, to, None)
    assert row["pointers"]["verdict"][0] == {"kind": "state", "key": "turnRoute", "path": "/by"}
    assert row["foreign_events"] == 1


@pytest.mark.parametrize(
    "lose",
    [
        lambda snapshot: snapshot["initialState"].pop("turnRoute"),
        lambda snapshot: snapshot["initialState"].pop("history"),
        lambda snapshot: snapshot["initialState"]["turnRoute"].update(relevance=None),
        lambda snapshot: snapshot["sharedState"].pop("turnRoute"),
        lambda snapshot: snapshot.pop("initialState"),
    ],
)
def test_a_leg_that_no_longer_holds_the_verdict_has_lost_it(lose: Any) -> None:
    document = json.loads(recording(LEG_2))
    lose(document["recording"]["snapshot"])
    row = row_of(document)
    assert told(row) == ["not-recorded", "lost", "unreachable", None, "decided/before-pause"]
    assert row["delivered_skills"] == ["deadlines"]


def test_a_capped_recording_does_not_say_that_nothing_was_routed() -> None:
    row = row_of(recording("s-dropped-hr"))
    assert told(row) == ["not-recorded", "lost", "unreachable", None, "decided/before-pause"]
    assert (row["configured"], row["answering_iteration"]) == (None, 4)


def test_a_recording_without_events_tells_nothing() -> None:
    row = row_of(recording("s-noevents-refunds"))
    assert told(row) == ["not-recorded", None, "unreachable", None, "decided/no-event"]
    assert (row["configured"], row["delivered_skills"], row["held"]) == (None, None, None)


def test_a_recording_without_a_snapshot_is_read_by_its_events() -> None:
    row = row_of(recording("s-nosnap-refunds"))
    assert (row["status"], row["configured"]) == ("not-applicable", "none")


def without_delivery(document: Object) -> Object:
    """The recording as if the skill had never been put into the prompt, and the prompts said so."""
    for event in document["recording"]["events"]:
        if event["type"].endswith("slot_composed"):
            event["payload"]["sourceBreakdown"].pop("skill", None)
    kept = [event for event in document["recording"]["events"] if event["payload"].get("source") != "skill"]
    document["recording"]["events"] = kept
    return document


def test_however_much_of_the_head_is_lost_what_was_given_is_never_said_not_to_be() -> None:
    document = json.loads(recording(LEG_1))
    events = document["recording"]["events"]
    seen = set()
    for lost in range(len(events) + 1):
        document["recording"]["events"] = events[lost:]
        row = row_of(document)
        seen.add((row["check_state"], row["delivered_verdict"]))
        assert row["status"] == ("recorded" if row["decided_by"] else "not-recorded")
    assert seen == {("reachable", "delivered"), ("unreachable", None)}


def test_a_proof_is_gone_with_the_first_of_its_events() -> None:
    document = without_delivery(json.loads(recording(LEG_1)))
    events = document["recording"]["events"]
    assert row_of(document)["delivered_verdict"] == "not-delivered"
    composed = [at for at, event in enumerate(events) if event["payload"].get("slot") == "system-prompt"]
    composed = [at for at in composed if events[at]["type"].endswith("slot_composed")]
    assert len(composed) == 2
    for lost in composed:
        document["recording"]["events"] = events[:lost] + events[lost + 1 :]
        assert told(row_of(document)) == ["recorded", None, "unreachable", None, "delivery/no-event"]
