"""Tool calls, joined through their ids."""

from typing import Any

import pytest

from tests.record.documents import bare, configured, envelope, event, facts_of


def calls_of(events: list[Any], *columns: str) -> list[Any]:
    """Some columns of the calls that events tell."""
    return facts_of(envelope(bare(events=events)))["tool_calls"].select(columns).rows()


def start(call_id: Any, name: str | None = "lookup", clock: float | None = None, **payload: Any) -> Any:
    """A start of a call."""
    return event("stream.tool_start", {"toolCallId": call_id, "toolName": name, **payload}, clock=clock)


def end(call_id: Any, clock: float | None = None, **payload: Any) -> Any:
    """An end of a call."""
    return event("stream.tool_end", {"toolCallId": call_id, **payload}, clock=clock)


def test_results_go_with_their_ids_not_with_their_order() -> None:
    events = [start("c1", args={"n": 1}), start("c2", args={"n": 2}), end("c2", result="two"), end("c1", result="one")]
    assert calls_of(events, "tool_call_id", "args_json", "result_json", "start_event_idx", "end_event_idx") == [
        ("c1", '{"n":1}', '"one"', 0, 3),
        ("c2", '{"n":2}', '"two"', 1, 2),
    ]


def test_an_id_that_is_used_again_is_another_occurrence() -> None:
    events = [start("c"), end("c", result=1), start("c"), start("c"), end("c", result=2), end("c", result=3)]
    assert calls_of(events, "tool_call_id", "occurrence", "result_json") == [
        ("c", 0, "1"),
        ("c", 1, "2"),
        ("c", 2, "3"),
    ]


def test_a_name_is_never_invented() -> None:
    assert calls_of([start("c", None), end("c")], "tool_name", "status") == [(None, "returned")]
    assert calls_of([end("c", result=1)], "tool_call_id", "tool_name", "start_event_idx") == [("c", None, None)]


def test_an_event_without_an_id_is_joined_to_nothing() -> None:
    events = [start(None), end(None, result=1), start(7), start("")]
    assert calls_of(events, "tool_call_id", "occurrence", "status") == [
        ("", 0, "unknown"),
        ("", 1, "returned"),
        ("", 2, "unknown"),
        ("", 3, "unknown"),
    ]


@pytest.mark.parametrize(
    ("payload", "status", "error"),
    [
        ({"result": 1}, "returned", None),
        ({"error": True}, "error", "true"),
        ({"error": "boom"}, "error", "boom"),
        ({"error": {"code": 1}}, "error", '{"code":1}'),
        ({"error": False}, "returned", "false"),
        ({"error": None}, "returned", None),
        ({"error": ""}, "returned", ""),
        ({"status": "denied", "error": True}, "denied", "true"),
    ],
)
def test_the_status_is_the_records_own_else_how_the_call_ended(payload: Any, status: str, error: str | None) -> None:
    assert calls_of([start("c"), end("c", **payload)], "status", "error") == [(status, error)]


def test_a_call_without_an_end_is_unknown() -> None:
    assert calls_of([start("c", args=None)], "status", "result_json", "args_json", "duration_ms") == [
        ("unknown", None, "null", None)
    ]


@pytest.mark.parametrize(
    ("events", "duration"),
    [
        ([start("c", clock=10.0), end("c", clock=15.5)], 5.5),
        ([start("c", clock=10.0), end("c", clock=15.5, durationMs=4)], 4.0),
        ([start("c"), end("c", clock=15.5)], None),
    ],
)
def test_the_duration_is_recorded_or_the_time_between(events: list[Any], duration: float | None) -> None:
    assert calls_of(events, "duration_ms") == [(duration,)]


def test_the_iteration_is_that_of_the_last_own_model_call_before() -> None:
    events = [
        configured(),
        start("a"),
        event("stream.llm_start", {"iteration": 2}),
        event("stream.llm_start", {"iteration": 9}, run="other"),
        start("b"),
        end("a"),
    ]
    assert calls_of(events, "tool_call_id", "iteration") == [("a", None), ("b", 2.0)]


def test_calls_of_other_runs_are_left_out() -> None:
    foreign = event("stream.tool_start", {"toolCallId": "x"}, run="other")
    assert calls_of([configured(), foreign, start("c")], "tool_call_id") == [("c",)]
