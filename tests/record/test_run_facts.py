"""What a recording says of its run as a whole, and what it cannot say."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.record.documents import bare, commit, configured, envelope, event, facts_of, run_of

TURN = [
    configured(clock=1_000.0, agentId="agent", llm={"provider": "p", "model": "m"}, reactMode="dynamic", window="w"),
    event("agent.turn_start", {"userPrompt": "why?"}),
    event("stream.llm_end", {"usage": {"input": 10, "output": 2}}),
    event("stream.llm_end", {"usage": {"input": 20.5}}),
    event("agent.turn_end", {"finalContent": "because"}),
    event("integrity.disposition"),
]
FOREIGN = [event("agent.turn_end", {"finalContent": "no"}, run="other"), event("stream.llm_end", run="other")]


def test_the_envelope_speaks_first() -> None:
    row = run_of(
        {
            **envelope(
                bare(events=TURN),
                sessionId="s",
                principal="p",
                tenant="t",
                startedAt="2026-03-29T01:30:00.5+02:00",
                endedAt="2026-03-28T23:31:00Z",
                complete=True,
                droppedEvents=4.0,
                firstRetainedEventIndex=4,
            ),
            "producer": {"agentfootprintVersion": "9.62.0", "footprintjsVersion": "9.24.0"},
            "configuration": {
                "agentId": "named",
                "manifest": {"agentId": "other", "skillGraph": {"scorer": "keyword"}},
            },
        }
    )
    assert (row["agentfootprint_version"], row["footprintjs_version"]) == ("9.62.0", "9.24.0")
    assert (row["session_id"], row["principal"], row["tenant"], row["complete"]) == ("s", "p", "t", True)
    assert (row["dropped_events"], row["first_retained_event_index"], row["odd_values"]) == (4, 4, 0)
    assert row["started_at"] == datetime(2026, 3, 28, 23, 30, 0, 500_000, tzinfo=UTC)
    assert row["ended_at"] == datetime(2026, 3, 28, 23, 31, tzinfo=UTC)
    assert (row["agent_id"], row["skill_scorer"], row["model"]) == ("named", "keyword", None)
    assert row["manifest_json"] == '{"agentId":"other","skillGraph":{"scorer":"keyword"}}'


def test_events_speak_where_the_envelope_does_not() -> None:
    row = run_of(envelope(bare(events=[*FOREIGN, *TURN, *FOREIGN])))
    assert (row["question"], row["answer"], row["answered"]) == ("why?", "because", True)
    assert (row["llm_calls"], row["events"]) == (2, 10)
    assert (row["input_tokens"], row["output_tokens"]) == (30.5, 2.0)
    assert (row["agent_id"], row["provider"], row["model"], row["window"]) == ("agent", "p", "m", "w")
    assert row["manifest_json"].startswith('{"agentId":"agent"')
    assert row["started_at"] == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert row["dropped_events"] is None


def test_the_last_turn_of_several_is_the_one_that_counts() -> None:
    turns = [("early?", "early"), ("late?", "late")]
    events = [
        each
        for asked, told in turns
        for each in (event("agent.turn_start", {"userPrompt": asked}), event("agent.turn_end", {"finalContent": told}))
    ]
    row = run_of(bare(events=events))
    assert (row["question"], row["answer"]) == ("late?", "late")


def test_missing_events_leave_everything_unknown() -> None:
    row = run_of({"snapshot": {"sharedState": {"userMessage": "why?", "finalContent": "no", "turnNumber": 2}}})
    unknown = (
        "llm_calls",
        "events",
        "token_events",
        "answered",
        "input_tokens",
        "output_tokens",
        "resumed_leg",
        "answer",
    )
    assert [row[name] for name in unknown] == [None] * len(unknown)
    assert (row["question"], row["turn_number"], row["complete"], row["manifest_json"]) == ("why?", 2.0, None, None)


def test_an_empty_list_of_events_is_a_recorded_one() -> None:
    row = run_of(bare())
    assert [row[name] for name in ("llm_calls", "events", "token_events", "input_tokens")] == [0, 0, 0, 0.0]
    assert (row["answered"], row["resumed_leg"]) == (False, False)


@pytest.mark.parametrize(
    ("run", "events", "answered"),
    [
        ({"complete": True}, [*TURN], True),
        ({"complete": True}, TURN[:3], None),
        ({"complete": False}, TURN[:3], False),
        ({}, TURN[:3], None),
        ({}, [*TURN[:3], TURN[5]], False),
        ({"droppedEvents": 9}, [], None),
        ({"complete": True}, [configured(), *FOREIGN], None),
    ],
)
def test_answered_is_unknown_where_the_end_of_the_events_may_be_missing(run: Any, events: Any, answered: Any) -> None:
    assert run_of(envelope(bare(events=events), **run))["answered"] is answered


@pytest.mark.parametrize(
    ("run", "events", "resumed"),
    [
        ({}, [configured(), event("pause.resume")], True),
        ({}, [configured(), event("agent.turn_end")], True),
        ({}, TURN, False),
        ({}, [configured(), event("pause.resume", run="consumer-scope")], False),
        ({"droppedEvents": 3}, [event("agent.turn_end")], None),
        ({"droppedEvents": 3}, [event("pause.resume")], True),
    ],
)
def test_a_resumed_leg_is_seen(run: Any, events: Any, resumed: Any) -> None:
    assert run_of(envelope(bare(events=events), **run))["resumed_leg"] is resumed


@pytest.mark.parametrize(
    ("run", "first", "known"),
    [
        ({"droppedEvents": 0}, event("x", clock=1_000.0), True),
        ({"firstRetainedEventIndex": 0}, event("x", clock=1_000.0), True),
        ({}, configured(clock=1_000.0), True),
        ({}, event("x", clock=1_000.0), False),
        ({"droppedEvents": 4, "firstRetainedEventIndex": 4}, configured(clock=1_000.0), False),
        ({"droppedEvents": 0}, event("x"), False),
        ({"droppedEvents": 0}, event("x", clock=1e300), False),
        ({"startedAt": "2026-03-29T00:30:00", "droppedEvents": 0}, event("x", clock=1_000.0), False),
        ({"startedAt": "yesterday"}, configured(clock=1_000.0), False),
        ({"startedAt": "0001-01-01T00:00:00+14:00"}, configured(clock=1_000.0), False),
    ],
)
def test_a_start_is_taken_only_where_it_is_known(run: Any, first: Any, known: bool) -> None:
    expected = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC) if known else None
    assert run_of(envelope(bare(events=[first]), **run))["started_at"] == expected


def test_calls_without_usage_leave_the_tokens_unknown() -> None:
    row = run_of(bare(events=[event("stream.llm_end", {"content": "x"})]))
    assert (row["llm_calls"], row["input_tokens"], row["output_tokens"]) == (1, None, None)


@pytest.mark.parametrize("answer", [None, 5, {"a": 1}])
def test_an_answer_that_is_no_text_is_none_and_never_taken_from_elsewhere(answer: Any) -> None:
    events = [event("agent.turn_end", {"finalContent": "early"}), event("agent.turn_end", {"finalContent": answer})]
    row = run_of(bare({"sharedState": {"finalContent": "state"}}, events))
    assert (row["answer"], row["answered"], row["odd_values"]) == (None, True, int(answer is not None))


@pytest.mark.parametrize(
    ("events", "own"),
    [
        ([configured("a"), event("x", run="a"), event("x", run="b"), event("x", run=None)], [True, True, False, False]),
        ([event("x", run="b"), event("x", run=None)], [True, True]),
        ([configured("a"), configured("b"), event("agent.turn_end", run="b")], [False, True, True]),
        ([configured("a"), configured("b"), event("agent.turn_end", run="c")], [True, True, True]),
        ([configured("a"), configured("b")], [True, True]),
        (
            [configured("a") | {"meta": {"runId": "a", "sessionId": "s"}}, event("x", run=None, sessionId="s")],
            [True, True],
        ),
        ([configured("a"), {**event("x"), "meta": None}], [True, False]),
        ([{**configured("a"), "payload": "REDACTED"}, event("x", run="b")], [True, True]),
        ([configured("a"), {**configured("b"), "payload": None}, event("x", run="b")], [True, False, False]),
        (
            [
                configured("b") | {"meta": {"runId": "b", "sessionId": "t"}},
                configured("a"),
                configured("a") | {"meta": {"runId": "a", "sessionId": "s"}},
                event("agent.turn_end", run="a"),
                event("x", run=None, sessionId="s"),
            ],
            [False, True, True, True, False],
        ),
    ],
)
def test_own_events_are_told_by_the_run_that_was_configured(events: Any, own: list[bool]) -> None:
    assert facts_of(envelope(bare(events=events)))["events"]["own"].to_list() == own


def test_tokens_are_counted_and_kept_only_when_asked_for() -> None:
    document = bare(events=[event("stream.token", {"tokenIndex": 0}), event("x"), event("stream.token")])
    for keep, indexes in ((False, [1]), (True, [0, 1, 2])):
        facts = facts_of(document, keep_tokens=keep)
        assert facts["events"]["event_idx"].to_list() == indexes
        assert facts["run_records"].select("events", "token_events").row(0) == (3, 2)


MARKER = {"id": "agentfootprint.redaction", "policy": "strict"}


def test_the_marker_of_a_redacted_record_is_kept() -> None:
    recorders = [{"id": "boundary-1", "note": "agentfootprint.redaction"}, MARKER, 5]
    states = facts_of(bare({"sharedState": {"a": 1}, "initialState": {}, "recorders": recorders}))["states"]
    assert dict(states.select("which", "state_json").rows()) == {
        "shared": '{"a":1}',
        "initial": "{}",
        "redaction": '{"id":"agentfootprint.redaction","policy":"strict"}',
    }


def test_in_a_redacted_record_a_placeholder_is_no_text() -> None:
    events = [
        event("agent.turn_start", {"userPrompt": "[REDACTED]"}),
        event("agent.turn_end", {"finalContent": "REDACTED"}),
    ]
    plain, redacted = bare({}, events), bare({"recorders": [MARKER]}, events)
    assert (run_of(plain)["question"], run_of(plain)["answer"]) == ("[REDACTED]", "REDACTED")
    assert (run_of(redacted)["question"], run_of(redacted)["answer"]) == (None, None)


@pytest.mark.parametrize(
    ("paths", "question", "answer"),
    [
        ([], "why?", "so."),
        (["userMessage"], None, "so."),
        (["turn\x1fuserPrompt"], None, "so."),
        (["finalContent"], "why?", None),
        (["apiKey", "userMessage", "finalContent"], None, None),
    ],
)
def test_what_the_state_keeps_out_is_not_told_from_an_event(
    paths: list[str], question: str | None, answer: str | None
) -> None:
    events = [event("agent.turn_start", {"userPrompt": "why?"}), event("agent.turn_end", {"finalContent": "so."})]
    row = run_of(bare({"commitLog": [commit("a#0", redactedPaths=paths)]}, events))
    assert (row["question"], row["answer"], row["answered"]) == (question, answer, True)


@pytest.mark.parametrize("key", ["userMessage", "finalContent"])
def test_a_key_that_a_redacted_record_keeps_out_of_its_state_counts_too(key: str) -> None:
    events = [event("agent.turn_start", {"userPrompt": "why?"}), event("agent.turn_end", {"finalContent": "so."})]
    row = run_of(bare({"sharedState": {key: "[REDACTED]"}, "recorders": [MARKER]}, events))
    assert (row["question"] is None, row["answer"] is None) == (key == "userMessage", key == "finalContent")


def test_in_a_redacted_record_a_payload_that_is_a_placeholder_is_still_an_event() -> None:
    kept_out = {**configured("a"), "payload": "[REDACTED]"}
    events = [kept_out, event("x", run="b"), {**event("x", run="a"), "payload": "none"}]
    plain, redacted = envelope(bare({}, events)), envelope(bare({"recorders": [MARKER]}, events))
    counts = ("foreign_events", "unread_events", "odd_values")
    assert [run_of(plain)[name] for name in counts] == [0, 2, 2]
    assert [run_of(redacted)[name] for name in counts] == [1, 1, 1]
    assert facts_of(plain)["events"]["payload_json"].to_list() == [None, "{}", None]
    assert facts_of(redacted)["events"]["payload_json"].to_list() == ["{}", "{}", None]


def test_the_marker_holds_for_every_run_of_a_document() -> None:
    events = [{**event("x", run="a"), "payload": "REDACTED"}, event("x", run="b")]
    facts = facts_of(bare({"recorders": [MARKER]}, events), split_runs=True)
    assert facts["states"].select("run_id", "which").rows() == [("a", "redaction"), ("b", "redaction")]
    assert facts["run_records"]["unread_events"].to_list() == [0, 0]


def test_it_is_told_whose_the_final_state_is() -> None:
    paused = {"snapshot": {"initialState": {"a": 1}}, "checkpoint": {"sharedState": {"b": 2}}}
    ended = {"snapshot": {"sharedState": {"c": 3}}, "checkpoint": {"sharedState": {"b": 2}}}
    told = facts_of(envelope(paused), envelope(ended, runId="run-2"))["states"]
    assert told.select("which", "state_json", "from_checkpoint").rows() == [
        ("shared", '{"b":2}', True),
        ("initial", '{"a":1}', False),
        ("shared", '{"c":3}', False),
    ]


@pytest.mark.parametrize(
    ("paths", "payload", "shows"),
    [
        (["apiKey"], {"args": {"apiKey": "k-1"}}, True),
        (["apiKey"], {"args": {"apiKey": "REDACTED"}}, False),
        (["apiKey"], {"args": {"apiKey": "[REDACTED]"}}, False),
        (["apiKey"], {"text": "apiKey"}, False),
        (["profile\x1finner.pin"], {"pin": 7}, True),
        (["userMessage"], {"userPrompt": "why?"}, True),
        ([], {"args": {"apiKey": "k-1"}}, False),
    ],
)
def test_what_is_redacted_in_state_may_still_show_in_events(paths: list[str], payload: Any, shows: bool) -> None:
    log = [commit("a#0", redactedPaths=paths), commit("b#1", redactedPaths=paths)]
    row = run_of(bare({"commitLog": log}, [event("x", payload)]))
    assert (row["redacted_paths"], row["redacted_but_in_events"]) == (len(paths), shows)


@pytest.mark.parametrize(
    ("snapshot", "shows"),
    [
        ({"commitLog": [commit("a#0", redactedPaths=["apiKey"])]}, None),
        ({"sharedState": {"apiKey": "[REDACTED]"}, "recorders": [MARKER]}, None),
        ({"sharedState": {"apiKey": "[REDACTED]"}}, False),
    ],
)
def test_without_events_it_is_not_known_whether_they_show_what_is_redacted(snapshot: Any, shows: bool | None) -> None:
    assert run_of({"snapshot": snapshot})["redacted_but_in_events"] is shows
