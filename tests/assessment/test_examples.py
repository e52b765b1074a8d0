"""The examples of the rule, section by section, and what follows from its sentences."""

import json
from typing import Any

import pytest

from afp_nodes.assessment import (
    Door,
    assess,
    declared_by_value,
    read_emptiness,
    read_state,
    rows_at_fault,
    said_by_person,
)
from afp_nodes.assessment.outcomes import CHECK_LAYERS
from afp_nodes.assessment.person import NOTICES
from afp_nodes.assessment.reasons import REASONS
from afp_nodes.words import Reason, StandingCheck
from tests.assessment.cases import reading_object, state_assessed

ASKS = {"role": "user", "content": "q"}
ABSENCE = {"af_absent": True, "checked": ["shelf"]}


def result(content: Any, call: str | None = "c1", tool: str | None = "t", **members: Any) -> Any:
    """A tool result of the history."""
    named = {"toolCallId": call, "toolName": tool}
    return {"role": "tool", "content": content, **{n: v for n, v in named.items() if v is not None}, **members}


def state(*results: Any, **members: Any) -> Any:
    """A state whose turn began with a person's message."""
    return {"history": [ASKS, *results], **members}


def argument(name: str = "w", call: str = "c1", **members: Any) -> Any:
    """An argument row of turn 1."""
    return {"kind": "argument", "turn": 1, "toolCallId": call, "toolName": "s", "argument": name, **members}


def period(verdict: str, **members: Any) -> Any:
    """A period row of turn 1."""
    return {"kind": "period", "turn": 1, "toolCallId": "c1", "verdict": verdict, **members}


def ledger(*rows: Any, turn: Any = 1, **members: Any) -> Any:
    """What the fold makes of some rows of the ledger."""
    return state_assessed({"turnNumber": turn, "findingsLedger": [*rows], **members})


def fired(told: Any) -> list[str]:
    """The reasons given."""
    return [given["reason"] for given in told["reasons"]]


def places(told: Any, reason: str) -> list[str]:
    """The paths of the places one reason rests on; of results their positions."""
    (witness,) = [given["witness"] for given in told["reasons"] if given["reason"] == reason]
    return [place["path"] if place["kind"] == "state" else str(place["index"]) for place in witness]


def ran(told: Any) -> dict[str, tuple[int, int]]:
    """How often each check ran, out of how often."""
    return {check["check"]: (check["ran"], check["of"]) for check in told["checked"]}


def source(told: Any, reason: str) -> Any:
    """What one reason rests on."""
    (found,) = [given["source"] for given in told["reasons"] if given["reason"] == reason]
    return found


# 1. Input


@pytest.mark.parametrize(
    ("rows_at", "fault"),
    [
        *((value, "rowsAt-empty") for value in ("", None, 5, [], True)),
        *((value, "rowsAt-nested") for value in ("a/b", "a.b", "/", ".")),
        ("rows", None),
    ],
)
def test_rows_at_names_one_member(rows_at: Any, fault: str | None) -> None:
    assert rows_at_fault(rows_at) == fault


@pytest.mark.parametrize("key", ["history", "turnNumber", "argumentAsk", "pausedToolCallId"])
@pytest.mark.parametrize("placeholder", ["REDACTED", "[REDACTED]"])
def test_a_member_that_is_asked_for_and_kept_out_makes_the_fold_refuse(key: str, placeholder: str) -> None:
    hidden = state(result("[]"), **{key: placeholder}) | {key: placeholder}
    told = assess(hidden, {}, redacted=True)
    assert (told.assessment, told.standing, told.reasons, told.checked) == ("not-applicable", "not-assessed", (), ())
    assert told.kept_out == (key,)
    assert told.turn_from == ("whole-history" if key == "history" else "person")


def test_without_the_marker_a_placeholder_is_a_value_like_any_other() -> None:
    told = assess({"pausedToolCallId": "REDACTED"}, {}, redacted=False)
    assert [given.reason for given in told.reasons] == ["asked"]


def test_members_nobody_asks_for_may_be_kept_out_and_all_others_are_named_in_order() -> None:
    assert assess({"finalContent": "REDACTED", "stoppedEarly": {}}, {}, redacted=True).kept_out == ()
    hidden = dict.fromkeys(("turnNumber", "middlewareDecisions", "history", "coverageDeclared"), "[REDACTED]")
    assert assess(hidden, {}, redacted=True).kept_out == ("coverageDeclared", "history", "turnNumber")


def test_rewrites_are_asked_for_only_beside_an_argument_row() -> None:
    hidden = {"turnNumber": 1, "middlewareDecisions": "REDACTED"}
    assert assess(hidden, {}, redacted=True).kept_out == ()
    asked = hidden | {"findingsLedger": [argument()]}
    assert assess(asked, {}, redacted=True).kept_out == ("middlewareDecisions",)
    anothers = hidden | {"findingsLedger": [argument() | {"turn": 2}]}
    assert assess(anothers, {}, redacted=True).kept_out == ()


def test_a_placeholder_inside_a_row_is_a_value() -> None:
    told = assess({"findingsLedger": [argument(source="REDACTED")]}, {}, redacted=True)
    assert (told.standing, told.kept_out) == ("consistent", ())


# 2. Which results are this turn's


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_of_the_library_is_no_persons(notice: str) -> None:
    assert said_by_person({"role": "user", "content": f"{notice} and more"}) is False


@pytest.mark.parametrize("content", [" [dropped history", "[Dropped history", "[dropped", ""])
def test_what_only_looks_like_a_notice_is_a_persons(content: str) -> None:
    assert said_by_person({"role": "user", "content": content}) is True


@pytest.mark.parametrize(
    "message",
    [None, "x", [], {}, {"role": "user"}, {"role": "user", "content": ["x"]}, {"role": ["user"], "content": ""}],
)
def test_what_is_no_message_nobody_said(message: Any) -> None:
    assert said_by_person(message) is False


def test_only_results_after_the_last_person_count() -> None:
    history = [result("[]", "old"), ASKS, {"role": "user", "content": ["list"]}, result("[]", "new"), {"role": "tool"}]
    told = state_assessed({"history": history})
    assert told["turnFrom"] == "person"
    assert places(told, "empty-undeclared") == ["3"]
    assert ran(told)["result-shape"] == (1, 2)


def test_where_no_person_speaks_every_result_counts() -> None:
    told = state_assessed(
        {"history": [result("[]", "a"), {"role": "user", "content": "[steps unrun]"}, result("[]", "b")]}
    )
    assert (told["turnFrom"], places(told, "empty-undeclared")) == ("whole-history", ["0", "2"])


@pytest.mark.parametrize(
    ("length", "reads"),
    [
        (2, True),
        (2.0, True),
        (10, False),
        (0, False),
        (99, False),
        (-1, False),
        (1.5, False),
        ("2", False),
        (True, False),
    ],
)
def test_a_result_is_cut_to_the_tools_own_bytes(length: Any, reads: bool) -> None:
    told = state_assessed(state(result("[]\n\n[note]", toolChars=length)))
    assert (fired(told) == ["empty-undeclared"]) is reads


# 3. Coverage rows


@pytest.mark.parametrize(("listed", "gap"), [([None], True), ([], False), ("x", False), ({}, False), (None, False)])
@pytest.mark.parametrize("member", ["notChecked", "cannotCover"])
def test_a_gap_is_a_list_with_an_entry(member: str, listed: Any, gap: bool) -> None:
    told = state_assessed({"coverageDeclared": [{"kind": "ledger", "toolCallId": "c1", member: listed}]})
    assert (fired(told) == ["coverage-gap"]) is gap


# 4. The envelope recognizers


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        (ABSENCE, (True, False, False)),
        (ABSENCE | {"checked": []}, None),
        (ABSENCE | {"af_absent": 1}, None),
        (ABSENCE | {"not_checked": [0]}, (True, False, True)),
        ({"af_coverage": {}, "result": None}, (False, True, False)),
        ({"af_coverage": {}}, None),
        ({"af_coverage": [], "result": 1}, None),
        ({"af_coverage": {"cannot_cover": [1]}, "result": 1}, (False, True, True)),
        ({"af_coverage": {}, "result": ABSENCE}, (True, True, False)),
        ({"af_coverage": {}, "result": {"af_coverage": {}, "result": ABSENCE}}, (False, True, False)),
        ({"af_coverage": {}, "result": json.dumps(ABSENCE)}, (False, True, False)),
        (json.dumps(ABSENCE), (True, False, False)),
        ("text", None),
    ],
)
def test_an_envelope_declares_absence_boundary_and_gap(value: Any, declared: Any) -> None:
    assert declared_by_value(value) == declared


# 5. The emptiness reader


def reading(value: Any, rows_at: str | None = None, door: Door | None = None) -> Any:
    return reading_object(read_emptiness(value, rows_at, door))


def test_the_routes_of_the_reader_in_their_order() -> None:
    empty = {"emptiness": "undeclared-empty", "rows": 0, "source": "library", "undeclaredShape": False}
    assert reading("[]") == empty
    assert reading([1, 2]) == empty | {"emptiness": "non-empty", "rows": 2}
    assert reading({"rows": []}, "rows") == empty | {"source": "app", "rowsAt": "rows"}
    assert reading({"rows": {}}, "rows") == {"emptiness": "unknown", "undeclaredShape": True}
    for scalar in ("text", 4, None, True):
        assert reading(scalar) == {"emptiness": "unknown", "undeclaredShape": False}


def test_a_given_door_decides_and_bytes_it_does_not_vouch_for_are_data() -> None:
    assert reading(ABSENCE) == {"emptiness": "declared-absent", "undeclaredShape": False}
    assert reading(ABSENCE, door=Door(absent=False, bounded=False)) == {"emptiness": "unknown", "undeclaredShape": True}
    through = {"emptiness": "declared-absent", "bounded": True, "undeclaredShape": False}
    assert reading("text", door=Door(absent=True, bounded=True)) == through


def test_a_described_result_counts_by_kind_or_hands_back_a_question() -> None:
    described = {"facts": [1, 2], "series": [], "edges": [3]}
    told = reading("[]", door=Door(absent=False, bounded=False, described=described))
    assert (told["emptiness"], told["described"]) == ("non-empty", {"facts": 2, "edges": 1})
    asks = Door(absent=False, bounded=False, described={"facts": [], "clarify": {}})
    assert reading("[]", door=asks)["emptiness"] == "clarify"


def test_eight_boundaries_are_read_through_and_a_ninth_is_not() -> None:
    value: Any = []
    for depth in range(1, 10):
        value = {"af_coverage": {}, "result": value}
        told = reading(value)
        expected = "declared-absent" if depth <= 8 else "unknown"
        assert (told["emptiness"], told["bounded"], told["undeclaredShape"]) == (expected, True, False)


def test_a_text_inside_a_boundary_is_not_parsed() -> None:
    assert reading({"af_coverage": {}, "result": "[]"})["emptiness"] == "unknown"


# 6.2 Argument rows


def test_an_argument_that_no_rule_asks_about_is_checked_and_fires_nothing() -> None:
    told = ledger(argument(source="model"))
    assert (told["assessment"], told["standing"]) == ("unrefuted", "consistent")
    assert ran(told) == {"argument-rules": (1, 1)}


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"source": "default"}, "argument-assumed"),
        ({"source": "default", "failed": "x"}, "argument-assumed"),
        ({"source": "model", "rule": None}, "argument-unverified"),
        ({"source": "model", "period": True}, "argument-unverified"),
        ({"source": "model", "period": 1}, None),
        ({"source": "said", "rule": "r"}, None),
        ({"failed": False}, "argument-unverified"),
        ({"source": "said", "reading": True}, "argument-read"),
        ({"source": "said", "reading": "true"}, None),
        ({"source": "result", "reading": True}, None),
        ({"source": "result", "setAside": ""}, "value-contingent"),
        ({"source": "result", "setAside": True}, None),
        ({"source": "said", "setAside": "x"}, None),
    ],
)
def test_the_first_verdict_of_an_argument_that_holds(members: Any, reason: str | None) -> None:
    assert fired(ledger(argument(**members))) == ([reason] if reason else [])


def test_the_last_row_of_an_argument_counts_at_the_place_of_its_first() -> None:
    rows = [argument("a", "c1"), argument("b", "c2"), argument("z", "c1"), argument("a", "c1", source="default")]
    told = ledger(*rows)
    assert told["checked"][0]["witness"] == [
        {"kind": "state", "key": "findingsLedger", "path": f"/{index}/argument"} for index in (3, 2, 1)
    ]
    assert places(told, "argument-assumed") == ["/3/argument"]


def test_claimed_sources_are_checked_unless_they_could_not_be() -> None:
    rows = [argument(claimed="said", failed="uncheckable"), argument("x", claimed="said"), argument("y", claimed=1)]
    told = ledger(*rows)
    assert ran(told) == {"argument-rules": (3, 3), "argument-sources": (1, 2)}
    assert told["checked"][1]["witness"][0]["path"] == "/1/claimed"


def test_an_ask_for_arguments_names_the_rows_it_still_waits_for() -> None:
    rows = [argument("a", asked="?"), argument("b", asked="?", source="said"), argument("c", asked=1)]
    told = ledger(*rows, argumentAsk={"waiting": {}})
    assert places(told, "argument-asked") == ["/waiting/requestId", "/0/asked"]
    assert told["standing"] == "ask"
    assert fired(ledger(*rows, argumentAsk={"waiting": []})) == []


# 6.3 Middleware rewrites


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        ({}, "/0/changedKeys"),
        ({"from": {"w": "default"}}, "/0/changedKeys"),
        ({"from": {"w": "person"}}, None),
        ({"from": {"w": "app"}}, None),
        ({"from": {"w": ["app"]}}, "/0/changedKeys"),
        ({"at": "model"}, "/0/argument"),
        ({"toolCallId": "c2"}, "/0/argument"),
        ({"changedKeys": "w"}, "/0/argument"),
        ({"changedKeys": ["v"]}, "/0/argument"),
    ],
)
def test_a_rewrite_is_what_ran_and_stands_before_the_row(decision: Any, place: str | None) -> None:
    decisions = [{"at": "tool", "toolCallId": "c1", "changedKeys": ["w"]} | decision]
    told = ledger(argument(source="default"), middlewareDecisions=decisions)
    assert [path for given in told["reasons"] for path in [p["path"] for p in given["witness"]]] == (
        [place] if place else []
    )


def test_the_last_rewrite_of_an_argument_counts() -> None:
    decisions = [
        {"at": "tool", "toolCallId": "c1", "changedKeys": ["w", 5]},
        {"at": "tool", "toolCallId": "c1", "changedKeys": ["w"], "from": {"w": "app"}},
    ]
    assert fired(ledger(argument(source="default"), middlewareDecisions=decisions)) == []


# 6.5 Calls


def test_what_names_no_call_counts_as_a_call_of_its_own() -> None:
    rows = [{"kind": "absence"}, {"kind": "ledger", "toolCallId": "c9"}, {"kind": "ledger", "toolCallId": ""}]
    told = state_assessed(state(result("x", "c1"), result("x", None), result(ABSENCE, None), coverageDeclared=rows))
    assert ran(told)["tool-coverage"] == (1 + 1 + 1, 3 + 1 + 2)


def test_an_envelope_declares_for_a_call_without_coverage_rows_only() -> None:
    rows = [{"kind": "ledger", "toolCallId": "c1"}]
    told = state_assessed(state(result(ABSENCE, "c1"), result(ABSENCE, "c2"), coverageDeclared=rows))
    assert [place.get("index") for place in told["checked"][0]["witness"]] == [None, 2]


# 6.6 Contingent rows


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        ({"turn": 2}, True),
        ({"turn": 1, "declaredOn": "answer"}, False),
        ({"declaredOn": {"toolCallId": "c1"}}, True),
        ({"declaredOn": {"toolCallId": "old"}}, False),
        ({}, False),
        ({"declaredOn": "answer"}, False),
        ({"declaredOn": "answer", "carriers": [{"toolCallId": "c1"}]}, True),
        ({"declaredOn": "answer", "toolCallId": "c1"}, True),
        ({"declaredOn": "answer", "turn": True}, False),
    ],
)
def test_which_contingent_rows_are_a_later_turns(row: Any, counts: bool) -> None:
    told = state_assessed(state(result("[1]"), turnNumber=2, findingsLedger=[{"kind": "contingent", **row}]))
    assert (fired(told) == ["value-contingent"]) is counts


@pytest.mark.parametrize("turn", [0, 1, None, "2", True])
def test_on_a_first_turn_every_unstamped_row_of_the_answer_counts(turn: Any) -> None:
    assert places(ledger({"kind": "contingent", "declaredOn": "answer"}, turn=turn), "value-contingent") == ["/0/value"]


def test_on_a_later_turn_rows_of_the_answer_count_from_the_first_that_shows_the_turn() -> None:
    answer = {"kind": "contingent", "declaredOn": "answer"}
    rows = [answer, {"turn": 1, "toolCallId": "c1"}, {"witnesses": [7, {"toolCallId": "c1"}]}, answer]
    told = state_assessed(state(result("[1]"), turnNumber=2, findingsLedger=rows))
    assert places(told, "value-contingent") == ["/3/value"]
    shown = state_assessed(state(result("[1]"), turnNumber=1.5, findingsLedger=[answer, {"turn": 1.5}, answer]))
    assert places(shown, "value-contingent") == ["/2/value"]


# 6.7 Results


def test_a_bare_empty_list_under_a_ledger_row_fires_nothing() -> None:
    told = state_assessed(state(result("[]"), coverageDeclared=[{"kind": "ledger", "toolCallId": "c1"}]))
    assert (told["standing"], ran(told)) == ("consistent", {"tool-coverage": (1, 1), "result-shape": (1, 1)})


def test_an_empty_boundary_under_a_ledger_row_is_a_declared_absence() -> None:
    rows = [{"kind": "ledger", "toolCallId": "c1"}]
    told = state_assessed(state(result({"af_coverage": {}, "result": []}), coverageDeclared=rows))
    assert places(told, "declared-absent") == ["1"]


def test_a_declared_absence_stands_once_where_its_row_says_it() -> None:
    rows = [{"kind": "absence", "toolCallId": "c1", "notChecked": ["x"]}]
    told = state_assessed(state(result(ABSENCE | {"not_checked": [1]}), coverageDeclared=rows))
    assert (places(told, "declared-absent"), places(told, "coverage-gap")) == (["/0/kind"], ["/0/kind"])


def test_rows_are_where_the_application_says_its_tool_puts_them() -> None:
    kept = state(result({"vms": []}), result({"vms": []}, "c2", "other"), result({"vms": []}, "c3", None))
    told = state_assessed(kept, {"t": "vms", "": "vms"})
    assert places(told, "empty-undeclared") == ["1"]
    assert ran(told)["result-shape"] == (1, 3)


# 6.8 Period rows


def test_every_period_row_counts_and_each_reason_is_joined_to_who_chose_the_period() -> None:
    rows = [
        argument("start", source="model"),
        period("not-held", argument="start", differs={}, beyondRetention=True),
        period("covered", argument="end"),
        period("not-held"),
        period("constructor"),
    ]
    told = ledger(*rows)
    assert fired(told) == ["period-not-held", "period-differs-from-asked", "period-beyond-retention"]
    assert places(told, "period-not-held") == ["/1/verdict", "/0/argument", "/3/verdict"]
    assert places(told, "period-differs-from-asked") == ["/1/differs", "/0/argument"]
    assert places(told, "period-beyond-retention") == ["/1/beyondRetention", "/0/argument"]
    assert ran(told)["result-period"] == (4, 4)


@pytest.mark.parametrize("verdict", ["not-held", "partly-held", "unknown", "undeclared"])
def test_a_period_that_is_not_wholly_held_is_a_reason(verdict: str) -> None:
    assert fired(ledger(period(verdict))) == [f"period-{verdict}"]


@pytest.mark.parametrize("members", [{"toolCallId": 5}, {"verdict": None}, {"turn": 2}, {"turn": "1"}])
def test_a_period_row_of_a_wrong_type_or_another_turn_is_not_read(members: Any) -> None:
    assert ledger(period("not-held") | members)["checked"] == []


# 6.9 Conflict rows


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        ({"witnesses": [{"toolCallId": "old"}, {"toolCallId": "c1"}]}, True),
        ({"witnesses": [{"toolCallId": "old"}]}, False),
        ({"witnesses": {"0": {"toolCallId": "c1"}}}, False),
        ({"witnesses": [{"toolCallId": "c1"}], "turn": 1}, False),
        ({"witnesses": [{"toolCallId": "c1"}], "turn": 2}, True),
        ({"witnesses": [{"toolCallId": "c1"}], "turn": "1"}, True),
        ({"witnesses": [*[None] * 999, {"toolCallId": "c1"}]}, True),
        ({"witnesses": [*[None] * 1000, {"toolCallId": "c1"}]}, False),
    ],
)
def test_a_conflict_counts_when_a_call_of_the_turn_takes_part(row: Any, counts: bool) -> None:
    told = state_assessed(state(result("[1]"), turnNumber=2, findingsLedger=[{"kind": "conflict", **row}]))
    assert (fired(told) == ["sources-conflict"]) is counts


# 6.10 Answer rows


def test_unsupported_values_stand_before_a_clean_pass() -> None:
    grounded = {"kind": "grounded", "turn": 1, "lookedUp": 3}
    assert ran(ledger(grounded)) == {"names-and-numbers": (1, 1)}
    told = ledger(grounded, unsupportedValues={"revised": "true"})
    assert (fired(told), places(told, "value-unsupported")) == (["value-unsupported"], ["/candidates"])
    assert fired(ledger(unsupportedValues={"revised": True})) == ["value-survived-revision"]


@pytest.mark.parametrize("looked_up", [0, -1, True, "3", None])
def test_a_last_pass_that_looked_nothing_up_is_no_check(looked_up: Any) -> None:
    rows = [{"kind": "grounded", "turn": 1, "lookedUp": 3}, {"kind": "grounded", "turn": 1, "lookedUp": looked_up}]
    assert ledger(*rows)["checked"] == []


def test_how_a_turn_ended_and_what_was_worked_out_from_a_reading() -> None:
    rows = [{"kind": "steps-unfinished", "turn": 1}, {"kind": "time-derived", "turn": 1}, {"kind": "time-derived"}]
    told = ledger(*rows, stoppedEarly={})
    assert fired(told) == ["derived-from-reading", "stopped-early", "steps-unfinished"]
    assert [places(told, reason) for reason in fired(told)] == [["/1/values"], ["/iteration"], ["/0/kind"]]


@pytest.mark.parametrize(
    ("report", "standing", "reasons"),
    [
        ({"status": "failed"}, "not-sure", ["answer-check-failed"]),
        ({"status": "unverified"}, "not-sure", ["check-unreachable"]),
        ({"status": "skipped"}, "consistent", []),
        ({"status": None}, "not-assessed", []),
        ({"status": "passed", "mode": "enforce", "candidateDigest": "d"}, "known", []),
        ({"status": "passed", "mode": "enforce", "candidateDigest": ""}, "known", []),
        ({"status": "passed", "mode": "enforce", "candidateDigest": 5}, "consistent", []),
        ({"status": "passed", "mode": "observe", "candidateDigest": "d"}, "consistent", []),
        ({"status": "skipped", "mode": "enforce", "candidateDigest": "d"}, "consistent", []),
    ],
)
def test_the_applications_own_report(report: Any, standing: str, reasons: list[str]) -> None:
    told = state_assessed({"answerValidation": report})
    assert (told["standing"], fired(told)) == (standing, reasons)
    assert told.get("support", {}).get("reportDigest") == (report["candidateDigest"] if standing == "known" else None)


# 7 and 8. Value, standing and the table of reasons


def test_a_reason_weighs_more_than_support() -> None:
    passed = {"status": "passed", "mode": "enforce", "candidateDigest": "d"}
    told = state_assessed({"answerValidation": passed, "stoppedEarly": {}})
    assert (told["standing"], "support" in told) == ("not-sure", False)


def test_an_ask_among_other_reasons_makes_the_standing_ask() -> None:
    told = state_assessed(state(result("[]"), pausedToolCallId="p", stoppedEarly={}))
    assert (told["standing"], fired(told)) == ("ask", ["asked", "empty-undeclared", "stopped-early"])


def test_reasons_are_given_in_the_order_of_their_words_and_every_word_has_an_entry() -> None:
    assert list(REASONS) == list(Reason)
    assert set(CHECK_LAYERS) == set(StandingCheck)


# 10. Sources of a reason


def test_a_conflict_rests_on_every_reading_whether_it_is_named_or_not() -> None:
    row = {"kind": "conflict", "witnesses": [{"toolCallId": "c1"}, {}, {"toolCallId": "zz"}, {"toolCallId": "zz"}]}
    told = state_assessed(state(result("[1]", "c1", "list_hosts"), findingsLedger=[row]))
    calls = [{"toolCallId": "c1", "toolName": "list_hosts"}]
    assert source(told, "sources-conflict") == {"kind": "calls", "calls": calls, "unnamed": 2}


def test_entries_beyond_those_that_are_read_are_counted() -> None:
    row = {"kind": "conflict", "witnesses": [{"toolCallId": "c1"}] * 1005}
    told = state_assessed(state(result("[1]"), findingsLedger=[row]))
    assert source(told, "sources-conflict")["unnamed"] == 5


def test_a_result_names_a_call_before_any_request_and_the_last_result_last() -> None:
    asks = {"role": "assistant", "toolCalls": [{"id": "c1", "name": "asked"}, {"id": "c2", "name": "first"}]}
    again = {"role": "assistant", "toolCalls": [{"id": "c2", "name": "second"}]}
    row = {"kind": "conflict", "witnesses": [{"toolCallId": "c1"}, {"toolCallId": "c2"}]}
    results = [result("[1]", "c1", "one"), result("[1]", "c1", "two")]
    told = state_assessed(state(asks, *results, again, findingsLedger=[row]))
    names = [call["toolName"] for call in source(told, "sources-conflict")["calls"]]
    assert names == ["two", "first"]


def test_a_call_that_was_met_without_a_name_stays_nameless() -> None:
    rows = [{"kind": "absence", "toolCallId": "k"}, {"kind": "absence", "toolCallId": "k", "toolName": "t"}]
    told = state_assessed({"coverageDeclared": rows})
    assert source(told, "declared-absent") == {"kind": "calls", "calls": [], "unnamed": 1}


# 11. Small worked examples


def test_an_empty_result_that_says_nothing() -> None:
    pointer = {"kind": "history", "index": 1, "path": "/toolCallId", "toolCallId": "c1"}
    assert state_assessed(state(result("[]"))) == {
        "assessment": "unknown",
        "standing": "not-sure",
        "reasons": [
            {
                "reason": "empty-undeclared",
                "layer": 3,
                "witness": [pointer],
                "source": {"kind": "calls", "calls": [{"toolCallId": "c1", "toolName": "t"}]},
            }
        ],
        "checked": [
            {"layer": 3, "check": "tool-coverage", "ran": 0, "of": 1, "witness": []},
            {"layer": 3, "check": "result-shape", "ran": 1, "of": 1, "witness": [pointer]},
        ],
        "turnFrom": "person",
    }


def test_a_pause_and_nothing_else() -> None:
    assert state_assessed({"pausedToolCallId": "p1"}) == {
        "assessment": "unknown",
        "standing": "ask",
        "reasons": [
            {
                "reason": "asked",
                "witness": [{"kind": "state", "key": "pausedToolCallId", "path": ""}],
                "source": {"kind": "run"},
            }
        ],
        "checked": [],
        "turnFrom": "whole-history",
    }


def test_a_result_that_is_text_and_a_state_that_is_empty() -> None:
    told = state_assessed(state(result("text")))
    assert (told["assessment"], ran(told)) == ("not-applicable", {"tool-coverage": (0, 1), "result-shape": (0, 1)})
    nothing = {"assessment": "not-applicable", "standing": "not-assessed", "reasons": [], "checked": []}
    assert state_assessed({}) == nothing | {"turnFrom": "whole-history"}


def test_nothing_but_what_is_asked_for_is_taken_apart() -> None:
    text = '{"pausedToolCallId":"p","other":' + "[" * 5000 + "]" * 5000 + ',"turnNumber":1}'
    assert read_state('{"pausedToolCallId":"p","other":[1]}') == {"pausedToolCallId": "p"}
    assert read_state(text)["pausedToolCallId"] == "p"
