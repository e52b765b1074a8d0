"""Of any state the product says what the oracle says, and some things hold whatever the rules say."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.assessment import Door, declared_by_value, read_emptiness, read_state, reason_source, said_by_person
from afp_nodes.assessment.state import ALWAYS_ASKED, REWRITES_KEY
from afp_nodes.assessment.turn import turn_results
from afp_nodes.words import Reason
from dataflows.derive import tables_of
from tests.assessment.cases import assessed, pointers, reading_object, source_object, text_of, told_of
from tests.assessment.strategies import DECLARED, MESSAGES, ODD, STATES, WITNESSES, contents
from tests.oracle import assessment as oracle
from tests.record.documents import encoded, envelope

OFTEN = settings(max_examples=max(200, settings.default.max_examples))
MARKED = {"recorders": [{"id": "agentfootprint.redaction"}]}
DOORS = st.none() | st.builds(Door, st.booleans(), st.booleans(), ODD)


def record_of(state: Any, *, redacted: bool) -> Any:
    return {"snapshot": {"sharedState": state} | (MARKED if redacted else {})}


def recorded(state: Any, redacted: bool, door: str) -> Any:
    """A record whose state lies in its snapshot or in a checkpoint."""
    record: Any = {"snapshot": MARKED if redacted else {}, "events": []}
    return record | {door: record.get(door, {}) | {"sharedState": state}}


def declaring(tools: dict[str, str]) -> Any:
    return {"tools": {name: {"rowsAt": member} for name, member in tools.items()}}


@OFTEN
@given(STATES, DECLARED, st.booleans())
def test_a_state_is_folded_as_the_oracle_folds_it(state: Any, tools: dict[str, str], redacted: bool) -> None:
    record = record_of(state, redacted=redacted)
    assert assessed(record, declaring(tools)) == oracle.assess(record, declaring(tools))


@given(st.lists(st.tuples(STATES, st.booleans(), st.sampled_from(["snapshot", "checkpoint"])), max_size=4))
def test_the_tables_say_of_a_batch_what_the_oracle_says_of_each(drawn: list[Any]) -> None:
    records = {f"run-{n}": recorded(*of_run) for n, of_run in enumerate(drawn)}
    tables = tables_of([encoded(envelope(record, runId=run_id)) for run_id, record in records.items()])
    for run_id, record in records.items():
        assert told_of(run_id, tables) == oracle.assess(record)


@OFTEN
@given(contents(), st.none() | st.just("rows"), DOORS)
def test_a_result_is_read_as_the_oracle_reads_it(value: Any, rows_at: str | None, door: Door | None) -> None:
    context = {"rowsAt": rows_at} | ({} if door is None else {"door": door._asdict()})
    assert reading_object(read_emptiness(value, rows_at, door)) == oracle.read_emptiness(value, context)
    declared = declared_by_value(value)
    assert (declared and declared._asdict()) == oracle.declared_by_value(value)


@OFTEN
@given(STATES, WITNESSES, st.sampled_from([*Reason, "declaration-overclaimed"]), st.sampled_from(["calls", "answer"]))
def test_a_reason_rests_on_the_calls_the_oracle_says(state: Any, witness: Any, reason: str, kind: str) -> None:
    held = read_state(text_of(state))
    results, _ = turn_results(held)
    source = source_object(reason_source(reason, kind, pointers(witness), held, results))
    oracles, _ = oracle.turn_of(state["history"] if isinstance(state.get("history"), list) else [])
    assert source == oracle.source_of(reason, kind, witness, state, oracles)


@given(st.one_of(MESSAGES, ODD))
def test_a_person_is_heard_where_the_oracle_hears_one(message: Any) -> None:
    assert said_by_person(message) is oracle.said_by_person(message)


@given(STATES, st.booleans(), st.dictionaries(st.text(max_size=3), ODD, max_size=3))
def test_what_is_never_asked_for_changes_nothing(state: Any, redacted: bool, others: Any) -> None:
    asked = {name: value for name, value in state.items() if name in ALWAYS_ASKED | {REWRITES_KEY}}
    more = others | state
    assert assessed(record_of(asked, redacted=redacted)) == assessed(record_of(more, redacted=redacted))


@given(STATES)
def test_a_reason_is_given_only_with_a_place_that_shows_it_and_calls_stand_once(state: Any) -> None:
    told = assessed(record_of(state, redacted=False))
    for given_reason in told["reasons"]:
        assert given_reason["witness"]
        calls = [call["toolCallId"] for call in given_reason["source"].get("calls", [])]
        assert len(calls) == len(set(calls))
    assert (told["assessment"] == "unknown") is bool(told["reasons"])


@given(STATES)
def test_checks_never_run_more_often_than_they_could(state: Any) -> None:
    for check in assessed(record_of(state, redacted=False))["checked"]:
        assert check["of"] > 0
        assert check["ran"] <= check["of"]


@pytest.mark.parametrize("key", sorted(ALWAYS_ASKED))
@given(STATES)
def test_a_record_that_keeps_out_what_is_needed_is_not_assessed(key: str, state: Any) -> None:
    told = assessed(record_of(json.loads(json.dumps(state)) | {key: "REDACTED"}, redacted=True))
    assert (told["standing"], key in told["keptOut"], told["reasons"]) == ("not-assessed", True, [])
