"""Decisions and calls: read from the log where it holds them, else from the events, and named without any id."""

import json
from typing import Any

import pytest

from afp_nodes.comparison.calls import loop_calls
from afp_nodes.comparison.decisions import asked_calls, loop_answers, loop_decisions
from afp_nodes.comparison.redaction import Redactions
from afp_nodes.schemas import AskedCalls, Events, LoopAnswers, RunRecords, SeenLoops, States, ToolCalls, Writes
from tests.tables import shown, table

NOTHING = Redactions(lambda _: False)
LOOPS = """
    run_id | iteration | start_event_idx | next_event_idx | scope | commit_idx
    a      | 1         | 2               | 8              | ''    | 5
    a      | 2         | 8               |                | ''    | 9
"""
NO_EVENTS = "run_id | event_idx"
NO_WRITES = "run_id | scope | commit_idx | key"
NO_STATES = "run_id | which | state_json"
NO_CALLS = "run_id | tool_call_id | occurrence"
RECORDS = "run_id | redacted_names\n a | []"


def answers(writes: str = NO_WRITES, events: str = NO_EVENTS) -> list[dict[str, Any]]:
    frame = loop_answers(table(SeenLoops, LOOPS), table(Writes, writes), table(Events, events))
    return frame.sort("iteration").collect().to_dicts()


WRITE = "run_id | scope | commit_idx | key | verb | verbs | entries | overwrite_json\n"


def test_the_answer_of_a_call_is_what_its_log_held_with_its_commit() -> None:
    writes = """
        a | '' | 0 | llmLatestToolCalls | set    | [set]    | 1 | []
        a | '' | 0 | llmLatestContent   | set    | [set]    | 1 | ""
        a | '' | 5 | llmLatestToolCalls | append | [append] | 1 | [{"id":"c","name":"t","args":1}]
        a | '' | 5 | llmLatestContent   | set    | [set]    | 1 | "one"
        a | '' | 9 | totalInputTokens   | set    | [set]    | 1 | 7
        a | in | 9 | llmLatestContent   | set    | [set]    | 1 | "inner"
    """
    first, second = answers(WRITE + writes)
    assert (first["committed_text"], first["committed_calls"]) == ('"one"', '[{"id":"c","name":"t","args":1}]')
    assert (second["committed_text"], second["committed_calls"]) == ('"one"', '[{"id":"c","name":"t","args":1}]')


def test_a_call_whose_commit_writes_no_answer_has_none_in_the_log() -> None:
    writes = "a | '' | 5 | llmLatestContent | set | [set] | 1 | \"one\"\na | '' | 9 | iteration | set | [set] | 1 | 2"
    assert [answer["committed_text"] for answer in answers(WRITE + writes)] == ['"one"', None]


def test_a_value_that_only_grew_in_its_log_is_not_known_from_it() -> None:
    writes = 'a | \'\' | 5 | llmLatestToolCalls | append | [append] | 1 | [{"id":"c"}]'
    assert [answer["committed_calls"] for answer in answers(WRITE + writes)] == [None, None]


def test_events_tell_the_answer_of_the_loop_they_lie_in() -> None:
    events = """
        run_id | event_idx | own | type                               | payload_json
        a      | 1         | T   | agentfootprint.stream.llm_end      | {"content":"before","toolCallCount":9}
        a      | 3         | T   | agentfootprint.stream.llm_end      | {"content":"try","toolCallCount":0}
        a      | 4         | T   | agentfootprint.stream.llm_end      | {"content":"one","toolCallCount":2}
        a      | 5         | F   | agentfootprint.stream.llm_end      | {"content":"other","toolCallCount":3}
        a      | 6         | T   | agentfootprint.agent.route_decided | {"chosen":"tool-calls"}
        a      | 9         | T   | agentfootprint.stream.llm_end      | {"content":5,"toolCallCount":1.5}
    """
    first, second = answers(events=events)
    assert (first["told_text"], first["told_count"], first["event_idx"]) == ("one", 2, 4)
    assert (first["route"], first["route_event_idx"]) == ("tool-calls", 6)
    assert (second["told_text"], second["told_count"], second["event_idx"], second["route"]) == (None, None, 9, None)


def asked(answer: str, calls: str = NO_CALLS, states: str = NO_STATES, redactions: Redactions = NOTHING) -> list[Any]:
    frame = asked_calls(
        table(LoopAnswers, answer),
        table(SeenLoops, LOOPS),
        table(ToolCalls, calls),
        table(States, states),
        redactions,
    )
    return shown(frame, "iteration", "position", "tool_call_id", "name", "kept_out")


MADE = """
    run_id | tool_call_id | occurrence | tool_name | args_json     | start_event_idx | end_event_idx | status
    a      | c1           | 0          | t         | {"b":1,"a":2} | 4               | 6             | returned
    a      | c1           | 1          | t         |               | 5               |               | unknown
    a      | c0           | 0          | t         | {}            |                 | 1             | returned
    a      | c2           | 0          | u         | {}            | 9               | 10            | returned
"""


def test_the_log_lists_the_calls_of_its_loop_else_the_events_do() -> None:
    listed = '[{"id":"x","name":"t","args":{"a":2.0,"b":1}},{"id":"y"}]'
    answer = f"run_id | iteration | committed_calls\n a | 1 | {listed}\n a | 2 |"
    assert asked(answer, MADE) == [
        (1, 0, "x", '["t",{"a":2,"b":1}]', False),
        (1, 1, "y", None, False),
        (2, 0, "c2", '["u",{}]', False),
    ]


def test_an_empty_list_or_a_placeholder_of_the_log_asks_for_nothing_that_events_may_add() -> None:
    assert asked('run_id | iteration | committed_calls\n a | 1 | []\n a | 2 | "REDACTED"', MADE) == []


def test_calls_of_an_earlier_leg_stand_in_its_history() -> None:
    state = {"history": [{"role": "user"}, "odd", {"toolCalls": [{"id": "c", "name": "t", "args": 1}]}]}
    states = f"run_id | which | state_json\n a | initial | {json.dumps(state)}"
    assert asked("run_id | iteration\n a | 1", states=states) == [(0, 0, "c", '["t",1]', False)]


def test_a_call_that_holds_something_redacted_has_no_name() -> None:
    answer = 'run_id | iteration | committed_calls\n a | 1 | [{"id":"x","name":"t","args":{"pin":4711}}]'
    assert asked(answer, redactions=Redactions(lambda text: "4711" in text)) == [(1, 0, "x", None, True)]


def decided(answer: str, calls: str = "run_id | iteration | position", runs: str = RECORDS) -> tuple[Any, ...]:
    frame = loop_decisions(table(LoopAnswers, answer), table(AskedCalls, calls), table(RunRecords, runs), NOTHING)
    return frame.select("call_count", "calls_json", "text", "kept_out").collect().rows()[0]


ONE_CALL = 'run_id | iteration | position | name | kept_out\n a | 1 | 0 | ["t",1] | F'


@pytest.mark.parametrize(
    ("answer", "calls", "decision"),
    [
        ('committed_calls | told_count\n a | 1 | [{"id":"c"}] | 5', ONE_CALL, (1, '[["t",1]]', None, False)),
        ("told_count\n a | 1 | 1", ONE_CALL, (1, '[["t",1]]', None, False)),
        ("told_count\n a | 1 | 2", ONE_CALL, (2, None, None, False)),
        ("told_count\n a | 1 |", ONE_CALL, (None, None, None, False)),
        ("told_count\n a | 1 | 1", ONE_CALL.replace('["t",1]', ""), (1, None, None, False)),
        ("told_count\n a | 1 | 1", ONE_CALL.replace('["t",1] | F', " | T"), (1, None, None, True)),
        ('committed_calls\n a | 1 | "REDACTED"', "run_id | iteration | position", (None, None, None, False)),
        (
            'committed_calls | committed_text | told_text\n a | 1 | [] | "log" | event',
            "run_id | iteration | position",
            (0, "[]", "log", False),
        ),
        ("told_count | told_text\n a | 1 | 0 | event", "run_id | iteration | position", (0, "[]", "event", False)),
        ('committed_text\n a | 1 | {"b":1}', "run_id | iteration | position", (None, None, '{"b":1}', False)),
    ],
)
def test_a_decision_is_known_where_all_its_calls_are(answer: str, calls: str, decision: tuple[Any, ...]) -> None:
    assert decided("run_id | iteration | " + answer, calls) == decision


def test_a_decision_that_a_record_redacts_is_not_told() -> None:
    redacted = "run_id | redacted_names\n a | [llmLatestContent]"
    answer = "run_id | iteration | told_count | told_text\n a | 1 | 0 | words"
    assert decided(answer, runs=redacted) == (0, None, None, True)


def test_calls_of_a_loop_are_those_that_start_in_it_whatever_their_ids() -> None:
    frame = loop_calls(table(SeenLoops, LOOPS), table(ToolCalls, MADE), table(RunRecords, RECORDS), NOTHING)
    assert shown(frame, "iteration", "position", "name", "occurrence", "status") == [
        (1, 0, '["t",{"a":2,"b":1}]', 0, "returned"),
        (1, 1, None, 0, None),
        (2, 0, '["u",{}]', 0, "returned"),
    ]


def test_equal_calls_of_a_loop_are_counted() -> None:
    made = """
        run_id | tool_call_id | occurrence | tool_name | args_json | start_event_idx | status   | result_json
        a      | y            | 0          | t         | {"a":1}   | 3               | returned | {"k":1,"a":1.0}
        a      | x            | 0          | t         | {"a":1.0} | 4               | returned | "second"
    """
    frame = loop_calls(table(SeenLoops, LOOPS), table(ToolCalls, made), table(RunRecords, RECORDS), NOTHING)
    assert shown(frame, "name", "occurrence", "result_json") == [
        ('["t",{"a":1}]', 0, '{"a":1,"k":1}'),
        ('["t",{"a":1}]', 1, '"second"'),
    ]


def test_results_and_arguments_that_a_record_redacts_are_kept_out() -> None:
    redacted = "run_id | redacted_names\n a | [result args]"
    frame = loop_calls(table(SeenLoops, LOOPS), table(ToolCalls, MADE), table(RunRecords, redacted), NOTHING)
    assert set(shown(frame, "name", "result_json", "kept_out")) == {(None, None, True)}
