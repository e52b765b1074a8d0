"""The rule's own examples, and the traps it names."""

from typing import Any

import pytest

from tests.record.documents import commit, event
from tests.routing.events import (
    GRAPH,
    MARKER,
    call,
    checked,
    composed,
    configured,
    end,
    given,
    record,
    rejected,
    resume,
    skills,
    start,
    verdict,
)
from tests.routing.rows import LISTS, derived, document, routed

ROUTE = {"by": "intent", "to": "refunds"}
SCORES = [{"id": "refunds", "score": 2}, {"id": "orders", "score": 1}]
HISTORY: dict[str, Any] = {"history": []}


def said(row: Any, names: str) -> list[Any]:
    return [row[name] for name in names.split()]


def leg(*events: Any) -> Any:
    """A whole leg of one iteration, with some events before its model call."""
    return record(configured(), start(), *events, call(1), end())


def resumed(state: Any, paused: Any, *events: Any, **snapshot: Any) -> Any:
    """A leg that goes on after a pause, with the state it ended and the one it paused with."""
    return record(configured(), resume(), *events, call(2), end(), sharedState=state, initialState=paused, **snapshot)


# Section 18


def test_a_decided_skill_that_was_given() -> None:
    row = routed(leg(verdict("intent", "refunds"), given("refunds"), composed(1, skills(1))))
    assert said(row, "status check_state delivered_verdict delivered_skills") == [
        "recorded",
        "reachable",
        "delivered",
        ["refunds"],
    ]
    assert row["pointers"]["signal"] == []
    assert [pointer["path"] for pointer in row["pointers"]["check"]] == ["/to", "/sourceId"]


def test_a_decided_skill_that_is_proven_not_to_be_given() -> None:
    row = routed(leg(verdict("intent", "refunds"), composed(1)))
    assert said(row, "check_state delivered_verdict other_skill") == ["reachable", "not-delivered", None]
    assert [pointer["path"] for pointer in row["pointers"]["signal"]] == ["/slot"]


def test_a_missing_composition_leaves_the_delivery_unknown() -> None:
    row = routed(leg(verdict("intent", "refunds"), composed(1), call(2)))
    assert said(row, "answering_iteration check_state") == [1, "reachable"]
    row = routed(record(configured(), start(), verdict("intent", "refunds"), composed(1), call(1), call(2), end()))
    assert said(row, "answering_iteration check_state unreachable_reason delivered_verdict") == [
        2,
        "unreachable",
        "delivery/no-event",
        None,
    ]


def test_a_verdict_that_the_state_still_holds_after_a_pause() -> None:
    row = routed(resumed({"turnRoute": ROUTE}, {"turnRoute": ROUTE, "history": []}))
    assert said(row, "status held before_pause check_state unreachable_reason") == [
        "recorded",
        True,
        "held",
        "unreachable",
        "delivery/before-pause",
    ]
    assert row["pointers"]["verdict"] == [
        {"kind": "state", "key": "turnRoute", "path": "/by"},
        {"kind": "state", "key": "turnRoute", "path": "/to"},
    ]


def test_a_verdict_whose_members_stand_in_another_order_is_not_the_same() -> None:
    row = routed(resumed({"turnRoute": ROUTE}, {"turnRoute": {"to": "refunds", "by": "intent"}, "history": []}))
    assert said(row, "status before_pause unreachable_reason held") == [
        "not-recorded",
        "lost",
        "decided/before-pause",
        None,
    ]


def test_a_run_without_a_skill_graph_has_nothing_to_route() -> None:
    row = routed(record(configured([]), start(), end()))
    assert said(row, "status check_state unreachable_reason configured") == [
        "not-applicable",
        "not-applicable",
        None,
        "none",
    ]
    assert [pointer["path"] for pointer in row["pointers"]["configured"]] == ["#meta/runId"]


def test_only_the_first_verdict_event_is_asked() -> None:
    row = routed(leg(verdict(4, "refunds", decisive=True), verdict("intent", "refunds")))
    assert said(row, "unread decided_by to_skill decisive status") == [1, None, None, None, "not-recorded"]
    row = routed(leg(verdict("menu"), verdict("intent", "refunds")))
    assert said(row, "unread decided_by status") == [0, "menu", "recorded"]


# Section 12: whose events, and which state


@pytest.mark.parametrize("events", [None, [], [5, None, {"type": 1, "payload": {}}, {"type": "x", "payload": []}]])
def test_a_run_without_an_event_is_told_nothing_of(events: Any) -> None:
    row = routed({"snapshot": {"sharedState": {}}} | ({} if events is None else {"events": events}))
    assert said(row, "status check_state unreachable_reason") == ["not-recorded", "unreachable", "decided/no-event"]
    assert said(row, "configured delivered_skills held before_pause foreign_events") == [None, None, None, None, 0]
    assert row["unread"] == len(events or [])
    assert row["pointers"] == {name: [] for name in LISTS}


def test_where_all_events_are_of_another_run_nothing_is_told() -> None:
    leg_of_other = document("run", leg(verdict("intent", "refunds"), given("refunds"), composed(1, skills(1))))
    (row,) = derived([(leg_of_other, "another")]).values()
    assert said(row, "status check_state unreachable_reason") == ["not-recorded", "unreachable", "decided/no-event"]
    assert said(row, "configured delivered_skills delivered_verdict foreign_events") == [None, None, None, 7]


def test_events_of_other_runs_are_never_read() -> None:
    of_other = [{**each, "meta": {"runId": "b"}} for each in (start(), verdict("intent"), given("a"), rejected("a"))]
    row = routed(record(configured(run="b"), configured(run="a"), end(run="a"), *of_other))
    assert said(row, "decided_by delivered_skills refusals foreign_events") == [None, [], [], 5]


def test_own_tokens_are_own_events_though_they_are_not_kept() -> None:
    row = routed(record(event("stream.token")))
    assert said(row, "delivered_skills status") == [[], "not-recorded"]


def test_an_event_without_a_run_belongs_by_its_session() -> None:
    known = configured(sessionId="s")
    mine, other = ({**verdict("menu"), "meta": {"sessionId": name}} for name in ("s", "t"))
    assert routed(record(known, mine))["decided_by"] == "menu"
    row = routed(record(known, other))
    assert said(row, "decided_by foreign_events") == [None, 1]


def test_a_type_without_its_prefix_is_never_found() -> None:
    row = routed(record({**verdict("menu"), "type": "skill.turn_routed"}))
    assert said(row, "decided_by foreign_events unread") == [None, 0, 0]


@pytest.mark.parametrize(
    ("events", "before_pause"),
    [
        ([start(), end()], None),
        ([end()], "lost"),
        ([], None),
        ([start(), resume()], "lost"),
        ([start(), resume(run="consumer-scope")], None),
    ],
)
def test_a_resumed_leg_is_known_by_its_resumption_or_by_an_end_without_a_start(events: Any, before_pause: Any) -> None:
    assert routed(record(configured(), *events))["before_pause"] == before_pause


def test_a_resumed_leg_without_a_configuration_has_lost_its_verdict() -> None:
    row = routed(record(resume()))
    assert said(row, "configured before_pause unreachable_reason") == [None, "lost", "decided/before-pause"]


@pytest.mark.parametrize(
    ("calls", "iteration"),
    [
        ([call(1), call(2), end(), call(3)], 2),
        ([call(1), end(), call(2), end()], 2),
        ([call(1), call(2)], 2),
        ([end(), call(1)], None),
        ([call(1), call(True), end()], None),
        ([call(1), call("2"), end()], None),
        ([call(1), call(None), end()], None),
        ([call(1.5), end()], 1.5),
    ],
)
def test_the_answering_iteration_is_that_of_the_last_call_before_the_last_end(calls: Any, iteration: Any) -> None:
    assert routed(record(*calls))["answering_iteration"] == iteration


def test_members_of_a_wrong_type_read_as_absent() -> None:
    wrong = verdict("intent", 5, **{"from": ["home"]}, decisive=1, scorer={}, witness="words", offered={}, decider=None)
    row = routed(leg(wrong))
    names = "from_skill to_skill decisive scorer witness offered decider_model"
    assert said(row, names) == [None] * 7
    assert said(row, "decided_by status check_state") == ["intent", "recorded", "not-applicable"]


def test_everything_a_verdict_event_says() -> None:
    full = verdict(
        "decider",
        "refunds",
        **{"from": ""},
        decisive=False,
        scorer="",
        witness={"text": ""},
        offered=[None, 1],
        decider={"model": "m"},
    )
    row = routed(leg(full))
    names = "from_skill to_skill decisive scorer witness offered decider_model held"
    assert said(row, names) == ["", "refunds", False, "", "", 2, "m", False]


def test_the_empty_text_is_a_decider() -> None:
    row = routed(leg(verdict("", "refunds")))
    assert said(row, "decided_by status check_state unread") == ["", "recorded", "not-applicable", 0]


# Section 12.4: what a state holds


def test_an_event_stands_before_what_is_held_and_an_unread_one_does_not() -> None:
    states = {"turnRoute": ROUTE}, {"turnRoute": ROUTE, "history": []}
    row = routed(resumed(*states, verdict("menu")))
    assert said(row, "decided_by held before_pause unread") == ["menu", False, None, 0]
    row = routed(resumed(*states, verdict(None)))
    assert said(row, "decided_by held before_pause unread") == ["intent", True, "held", 1]


@pytest.mark.parametrize(
    ("state", "paused"),
    [
        (ROUTE, None),
        (None, ROUTE),
        ([ROUTE], [ROUTE]),
        ("intent", "intent"),
        ({}, {}),
        ({"by": 4}, {"by": 4}),
        (ROUTE, ROUTE | {"from": "home"}),
        (ROUTE | {"relevance": 1}, ROUTE | {"relevance": "1"}),
        (ROUTE | {"relevance": 1}, ROUTE | {"relevance": True}),
    ],
)
def test_a_route_that_is_not_the_very_same_is_lost(state: Any, paused: Any) -> None:
    row = routed(resumed({"turnRoute": state}, {"turnRoute": paused, "history": []}))
    assert said(row, "status before_pause decided_by") == ["not-recorded", "lost", None]


@pytest.mark.parametrize("paused", [{}, {"history": {}}, {"history": None}, None])
def test_a_state_that_no_history_shows_to_be_a_paused_one_is_none(paused: Any) -> None:
    initial = None if paused is None else {"turnRoute": ROUTE, **paused}
    assert routed(resumed({"turnRoute": ROUTE}, initial))["before_pause"] == "lost"


def test_the_state_of_a_checkpoint_is_not_the_committed_one() -> None:
    held = resumed({"turnRoute": ROUTE}, {"turnRoute": ROUTE, "history": []})
    del held["snapshot"]["sharedState"]
    row = routed({**held, "checkpoint": {"sharedState": {"turnRoute": ROUTE}}})
    assert said(row, "before_pause decided_by") == ["lost", None]


def test_a_leg_that_was_not_resumed_holds_nothing() -> None:
    states = {"sharedState": {"turnRoute": ROUTE}, "initialState": {"turnRoute": ROUTE, "history": []}}
    row = routed(record(configured(), start(), end(), **states))
    assert said(row, "status before_pause") == ["not-recorded", None]


def test_the_spelling_of_numbers_and_of_texts_does_not_count() -> None:
    ended = '{"by":"intent","to":"refunds","relevance":[7654321.0,1e2],"1":0}'
    paused = '{"1":0,"by":"intent","to":"r\\u0065funds","relevance":[7654321,100]}'
    assert said(resumed_text(ended, paused), "held to_skill") == [True, "refunds"]


def resumed_text(ended: str, paused: str, inside: str = "0") -> Any:
    """The row of a resumed leg whose two routes are spelled so, with something inside its other values."""
    states = f'"sharedState":{{"turnRoute":{ended}}},"initialState":{{"turnRoute":{paused},"history":[{inside}]}}'
    return spelled("pause.resume", f'{{"x":{inside}}}', states)


def spelled(kind: str, payload: str, states: str = "") -> Any:
    """The row of a record of one event, whose payload is spelled so."""
    told = f'{{"snapshot":{{{states}}},"events":[{{"type":"agentfootprint.{kind}","payload":{payload}}}]}}'
    (row,) = derived([told.encode()]).values()
    return row


@pytest.mark.parametrize(
    ("state", "paused", "told"),
    [
        ({"entryScores": SCORES, "entryScorer": "kw"}, {"entryScores": SCORES, "entryScorer": "kw"}, [2, "kw"]),
        ({"entryScores": SCORES}, {"entryScores": SCORES}, [2, None]),
        ({"entryScores": SCORES, "entryScorer": "kw"}, {"entryScores": SCORES, "entryScorer": "x"}, [2, None]),
        ({"entryScores": SCORES, "entryScorer": 5}, {"entryScores": SCORES, "entryScorer": 5}, [2, None]),
        ({"entryScores": SCORES, "entryScorer": "kw"}, {"entryScores": SCORES}, [2, None]),
        ({"entryScores": SCORES, "entryScorer": "kw"}, {"entryScores": SCORES[:1], "entryScorer": "kw"}, [None, None]),
        ({"entryScores": SCORES, "entryScorer": "kw"}, {"entryScorer": "kw"}, [None, None]),
        ({"entryScores": {"0": 1}, "entryScorer": "kw"}, {"entryScores": {"0": 1}, "entryScorer": "kw"}, [None, None]),
        ({"entryScorer": "kw"}, {"entryScorer": "kw"}, [None, None]),
    ],
)
def test_a_scorer_is_held_with_its_numbers_alone(state: Any, paused: Any, told: list[Any]) -> None:
    row = routed(resumed({"turnRoute": ROUTE, **state}, {"turnRoute": ROUTE, **HISTORY, **paused}))
    assert said(row, "top_score scorer") == told
    assert row["pointers"]["scores"] == [
        {"kind": "state", "key": "entryScores", "path": f"/{rank}/score"} for rank in (0, 1) if told[0]
    ]


def test_a_held_verdict_says_neither_that_it_was_decisive_nor_by_which_model() -> None:
    full = {**ROUTE, "decisive": True, "decider": {"model": "m"}, "scorer": "kw", "scores": SCORES, "offered": [1]}
    row = routed(resumed({"turnRoute": full}, {"turnRoute": full, "history": []}))
    assert said(row, "decisive decider_model scorer top_score offered") == [None, None, None, None, 1]


def test_a_route_cannot_speak_for_the_numbers_beside_it() -> None:
    full = {**ROUTE, "entryScores": SCORES, "entryScorer": "forged"}
    row = routed(resumed({"turnRoute": full}, {"turnRoute": full, "history": []}))
    assert said(row, "held top_score scorer") == [True, None, None]


# Section 13


@pytest.mark.parametrize("graph", [False, 0, "", "graph", [], None])
def test_a_graph_is_an_object(graph: Any) -> None:
    row = routed(record(event("agent.run_configured", {"skillGraph": graph}), verdict("menu")))
    assert said(row, "configured status") == ["none", "recorded"]


def test_of_a_graph_the_texts_are_told_and_the_first_configuration_counts() -> None:
    odd = configured({"routing": 5, "continuity": None, "scorer": ""}, runtimeStageId="c#0")
    row = routed(record(odd, configured()))
    assert said(row, "configured routing continuity configured_scorer") == ["graph", None, None, ""]
    assert row["pointers"]["configured"] == [
        {
            "kind": "event",
            "index": 0,
            "type": "agentfootprint.agent.run_configured",
            "path": "/skillGraph/routing",
            "runtimeStageId": "c#0",
        }
    ]


def test_skills_are_listed_once_in_the_order_of_their_first_record() -> None:
    odd = [
        given(None),
        given(5),
        given("x", slot="tools"),
        given("x", source="Skill"),
        given("x", slot=["system-prompt"]),
    ]
    row = routed(record(given("b"), *odd, given("a"), given("b"), verdict("menu"), given("")))
    assert row["delivered_skills"] == ["b", "a", ""]
    assert [pointer["index"] for pointer in row["pointers"]["delivered"]] == [0, 6, 9]


def test_twelve_skills_are_listed_and_each_is_cut_at_200_units() -> None:
    long = ["k" * 199 + "😀" + tail for tail in "ab"]
    row = routed(record(*[given(name) for name in (*long, *map(str, range(20)))]))
    assert row["delivered_skills"] == ["k" * 199 + "�"] * 2 + [str(number) for number in range(10)]
    assert len(row["pointers"]["delivered"]) == 12


def test_a_skill_past_the_twelfth_is_delivered_all_the_same() -> None:
    many = [given(f"s{number}") for number in range(13)]
    row = routed(leg(verdict("entry", "s12"), *many, composed(1, skills(13))))
    assert said(row, "delivered_verdict") == ["delivered"]


def test_a_long_name_is_compared_whole() -> None:
    long = "k" * 250
    row = routed(leg(verdict("entry", long + "a"), given(long + "b"), composed(1, skills(1))))
    assert said(row, "delivered_verdict other_skill") == ["not-delivered", long + "b"]


def test_refusals_are_told_by_who_refused() -> None:
    row = routed(
        record(
            checked("skill:faq"),
            rejected("orders"),
            checked("skill:skill:faq", "halt", "r1"),
            rejected("skill:orders"),
            checked("faq", "deny", 7),
            checked("", "deny", ""),
        )
    )
    names = ("requested_skill", "refused_by", "named", "form", "event_idx")
    assert [tuple(refusal[name] for name in names) for refusal in row["refusals"]] == [
        ("orders", "skill-graph", False, "rejected", 1),
        ("skill:orders", "skill-graph", False, "rejected", 3),
        ("faq", "permission", False, "refused-unnamed", 0),
        ("skill:faq", "r1", True, "refused", 2),
        ("faq", "permission", False, "refused-unnamed", 4),
        ("", "", True, "refused", 5),
    ]
    assert [refusal["position"] for refusal in row["refusals"]] == list(range(6))


@pytest.mark.parametrize(
    "passed",
    [
        checked("skill:faq", "allow"),
        checked("skill:faq", "gate_open"),
        checked("skill:faq", "Deny"),
        checked("skill:faq", True),
        checked("skill:faq", ["deny"]),
        checked("skill:faq", capability="tool_call"),
        checked(5),
        rejected(None),
        rejected(["faq"]),
    ],
)
def test_what_lets_a_reading_proceed_or_names_no_skill_is_no_refusal(passed: Any) -> None:
    assert routed(record(passed))["refusals"] == []


def test_more_than_twelve_refusals_are_all_kept_and_their_names_are_cut() -> None:
    row = routed(record(*[rejected("s" * 300) for _ in range(15)], checked("skill:a", rule="r" * 300)))
    assert [len(refusal["requested_skill"]) for refusal in row["refusals"]] == [200] * 15 + [1]
    assert row["refusals"][-1]["refused_by"] == "r" * 200


# Section 15


@pytest.mark.parametrize(
    ("to", "scores", "told"),
    [
        ("a", [{"id": "a", "score": 2}, {"id": "b", "score": 1}], [2, 1, "b", True]),
        ("a", [{"id": "a", "score": 1}, {"id": "b", "score": 1.0}, {"id": "c", "score": 1}], [1, 1, "b", True]),
        ("a", [{"id": "a", "score": 3}, {"id": "b", "score": 0}, {"id": "c", "score": False}], [3, 0, "b", False]),
        (
            "a",
            [{"id": "a", "score": 1}, {"id": "b", "score": 2**53}, {"id": "c", "score": 2**53 + 1}],
            [1, 2**53, "b", True],
        ),
        ("a", [{"id": "a", "score": 3}, {"id": "b", "score": 1}, {"id": "c", "score": "1"}], [3, 1, "b", False]),
        ("a", [{"id": "a", "score": 3}, {"id": "b", "score": 1}, {"id": "c"}], [3, 1, "b", False]),
        ("a", [{"id": "a", "score": 1}, {"id": "b", "score": 2}], [1, 2, "b", True]),
        ("a", [None, 5, {"id": "a", "score": 3}, [], {"id": "b", "score": 2}], [3, 2, "b", True]),
        (None, [{"score": 3}, {"id": "b", "score": 2}], [3, 2, "b", True]),
        (None, [{"id": None, "score": 3}, {"id": "b", "score": 2}], None),
        (5, [{"id": 5, "score": 3}, {"id": "b", "score": 2}], None),
        (5, [{"score": 3}, {"id": "b", "score": 2}], [3, 2, "b", True]),
        ("a", [{"score": 3}, {"id": "b", "score": 2}], None),
        ("b", [{"id": "a", "score": 3}, {"id": "b", "score": 2}], None),
        ("a", [{"id": "a", "score": True}, {"id": "b", "score": 0}], None),
        ("a", [{"id": "a", "score": 3}, {"id": "b", "score": None}], None),
        ("a", [{"id": "a", "score": 3}, {"id": 5, "score": 2}], None),
        ("a", [{"id": "a", "score": 3}], None),
        ("a", {"0": {"id": "a", "score": 3}, "1": {"id": "b", "score": 2}}, None),
        ("a", None, None),
    ],
)
def test_scores_are_told_where_the_best_is_the_decided_skills(to: Any, scores: Any, told: Any) -> None:
    row = routed(leg(verdict("intent", to, scores=scores)))
    assert said(row, "top_score next_score next_skill all_others_equal") == (told or [None] * 4)
    paths = ["/scores/0/score", "/scores/1/score"] if told else []
    assert [pointer["path"] for pointer in row["pointers"]["scores"]] == paths


def test_a_score_beyond_the_doubles_is_no_number() -> None:
    payload = '{"by":"intent","to":"a","scores":[{"id":"a","score":1e999},{"id":"b","score":1}]}'
    row = spelled("skill.turn_routed", payload)
    assert said(row, "decided_by top_score") == ["intent", None]


# Section 16


@pytest.mark.parametrize(
    ("by", "asked"),
    [
        *((word, True) for word in ("entry", "intent", "continuity", "decider")),
        *((word, False) for word in ("menu", "none", "Entry", "later-word", "")),
    ],
)
def test_only_what_the_library_decided_has_to_be_delivered(by: str, asked: bool) -> None:
    row = routed(leg(verdict(by, "refunds"), composed(1), rejected("refunds")))
    assert said(row, "check_state delivered_verdict") == (
        ["reachable", "not-delivered"] if asked else ["not-applicable", None]
    )
    assert [pointer["path"] for pointer in row["pointers"]["check"]] == ["/to"]
    assert row["refusals"][0]["of_decided_skill"] is asked


def test_a_skill_given_before_the_verdict_or_without_an_iteration_is_given() -> None:
    row = routed(record(configured(), start(), given("refunds", None), verdict("entry", "refunds"), end()))
    assert said(row, "delivered_verdict answering_iteration") == ["delivered", None]


NOT_PROVEN = "unreachable"
PROVEN = "reachable"


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ([composed(1)], PROVEN),
        ([composed(1.0, skills(0))], PROVEN),
        ([composed(1, skills(1)), given("orders")], PROVEN),
        ([composed(1, skills(2)), given("orders"), given("orders")], PROVEN),
        ([composed(1, {})], PROVEN),
        ([composed(1, skills(1), None), given("orders", None)], PROVEN),
        ([composed(1, None, "late"), composed(1, skills(1)), given("orders")], PROVEN),
        ([composed(1, skills(1)), composed(1, None, "late"), composed(2, skills(9))], PROVEN),
        ([composed(1, skills(1)), given("orders"), given("orders")], NOT_PROVEN),
        ([composed(1, skills(2)), given("orders")], NOT_PROVEN),
        ([composed(1), given("orders")], NOT_PROVEN),
        ([composed(1, skills(1)), given(5)], NOT_PROVEN),
        ([composed(1, skills(1)), given("orders", "elsewhere")], NOT_PROVEN),
        ([composed(1, skills(1)), given("orders", None)], NOT_PROVEN),
        ([composed(1), composed(1, skills(1), "late")], NOT_PROVEN),
        ([composed(1, {"skill": None})], NOT_PROVEN),
        ([composed(1, {"skill": 0})], NOT_PROVEN),
        ([composed(1, {"skill": {}})], NOT_PROVEN),
        ([composed(1, {"skill": {"count": "0"}})], NOT_PROVEN),
        ([composed(1, {"skill": {"count": False}})], NOT_PROVEN),
        ([composed(1, {"skill": {"count": None}})], NOT_PROVEN),
        ([composed(1, {"skill": {"count": 0.5}})], NOT_PROVEN),
        ([composed(1, [])], NOT_PROVEN),
        ([composed(1, 5)], NOT_PROVEN),
        ([composed(True)], NOT_PROVEN),
        ([composed("1")], NOT_PROVEN),
        ([composed(None)], NOT_PROVEN),
        ([composed(1, slot="messages")], NOT_PROVEN),
        ([composed(2)], NOT_PROVEN),
        ([], NOT_PROVEN),
    ],
)
def test_that_a_skill_was_not_given_needs_proof(told: Any, state: str) -> None:
    row = routed(leg(verdict("entry", "refunds"), *told))
    assert row["check_state"] == state
    assert row["delivered_verdict"] == ("not-delivered" if state == PROVEN else None)
    assert row["unreachable_reason"] == (None if state == PROVEN else "delivery/no-event")


@pytest.mark.parametrize(
    ("iteration", "state"),
    [
        (1.5, PROVEN),
        (2, NOT_PROVEN),
        (0, NOT_PROVEN),
        (0.5, NOT_PROVEN),
        (-1, NOT_PROVEN),
        ("1", NOT_PROVEN),
        (1e300, NOT_PROVEN),
    ],
)
def test_every_iteration_up_to_the_answering_one_has_to_be_shown(iteration: Any, state: str) -> None:
    row = routed(record(start(), verdict("entry", "refunds"), composed(1), composed(0), call(iteration), end()))
    assert row["check_state"] == state


def test_a_gap_between_iterations_proves_nothing() -> None:
    told = [verdict("entry", "refunds"), composed(1), composed(3, None, "s3"), call(3), end()]
    assert routed(record(start(), *told))["check_state"] == NOT_PROVEN
    assert routed(record(start(), composed(2, None, "s2"), *told))["check_state"] == PROVEN


def test_a_proof_points_at_every_composition_of_the_run() -> None:
    events = [composed(1), composed(None, None, "odd"), composed(9), composed(1, slot="tools")]
    row = routed(leg(verdict("entry", "refunds"), *events))
    assert [pointer["index"] for pointer in row["pointers"]["signal"]] == [3, 4, 5]


def test_an_escaped_spelling_is_the_same_word() -> None:
    injected = '{"slot":"system\\u002dprompt","source":"\\u0073kill","sourceId":"a"}'
    assert spelled("context.injected", injected)["delivered_skills"] == ["a"]


def test_of_the_rules_that_refused_the_decided_skill_three_are_told() -> None:
    refusals = [
        rejected("refunds"),
        rejected("orders"),
        rejected("refunds"),
        checked("skill:refunds", rule="permission"),
        checked("skill:refunds", rule="r1"),
        checked("skill:refunds"),
        checked("refunds", rule="r2"),
        checked("skill:refunds", rule="r1"),
    ]
    row = routed(leg(verdict("intent", "refunds"), *refusals))
    assert [(refusal["event_idx"], refusal["line"]) for refusal in row["refusals"]] == [
        (3, None),
        (4, None),
        (5, 0),
        (6, None),
        (7, None),
        (8, 1),
        (9, None),
        (10, 2),
    ]
    assert [refusal["of_decided_skill"] for refusal in row["refusals"]] == [True, False, *[True] * 6]


# Sections 1.1 and 12.1: what a redacted record keeps out


def redacted(*events: Any, **snapshot: Any) -> Any:
    return routed(record(*events, recorders=[MARKER], **snapshot))


@pytest.mark.parametrize("word", ["REDACTED", "[REDACTED]"])
def test_in_a_redacted_record_a_placeholder_reads_as_absent(word: str) -> None:
    events = [configured(), start(), verdict("entry", word, **{"from": word}, scorer=word), rejected(word), given(word)]
    names = "to_skill from_skill scorer delivered_skills"
    assert said(redacted(*events), names) == [None, None, None, []]
    assert redacted(*events)["refusals"] == []
    assert said(routed(record(*events)), names) == [word, word, word, [word]]
    assert len(routed(record(*events))["refusals"]) == 1


def test_what_is_kept_out_is_not_called_missing() -> None:
    graph = event("agent.run_configured", {"skillGraph": "[REDACTED]"})
    whole = {**event("agent.run_configured"), "payload": "[REDACTED]"}
    for kept_out in (graph, whole):
        row = redacted(kept_out, start(), end())
        assert said(row, "configured status unreachable_reason") == [None, "not-recorded", "decided/no-event"]
        assert row["pointers"]["configured"] == []
    assert said(routed(record(graph, start(), end())), "configured status") == ["none", "not-applicable"]


def test_that_a_skill_was_decided_on_is_known_where_it_is_kept_out_which() -> None:
    row = redacted(configured(), start(), verdict("entry", "REDACTED"), composed(1), call(1), end())
    assert said(row, "check_state unreachable_reason to_skill") == ["unreachable", "delivery/no-event", None]
    row = redacted(configured(), start(), verdict("menu", "REDACTED"), end())
    assert said(row, "check_state unreachable_reason") == ["not-applicable", None]


@pytest.mark.parametrize(
    "kept_out",
    [
        given("REDACTED"),
        given("a", source="REDACTED"),
        given("a", slot="[REDACTED]", source="base"),
        composed("REDACTED"),
        composed(1, "REDACTED"),
        composed(1, slot="REDACTED"),
        {**composed(1), "payload": "REDACTED"},
    ],
)
def test_nothing_is_proven_by_what_is_kept_out(kept_out: Any) -> None:
    told = [configured(), start(), verdict("entry", "refunds"), kept_out, composed(1), call(1), end()]
    assert said(redacted(*told), "check_state delivered_verdict") == ["unreachable", None]
    plain = [given("a", contentSummary="REDACTED", source="base") if each is kept_out else each for each in told]
    assert said(redacted(*plain), "check_state delivered_verdict") == ["reachable", "not-delivered"]


@pytest.mark.parametrize(
    "snapshot",
    [
        {"commitLog": [commit("a#0", redactedPaths=["userMessage"])]},
        {"commitLog": [commit("a#0", redactedPaths=["turnRoute\x1fwitness"])]},
        {"sharedState": {"userMessage": "[REDACTED]"}, "recorders": [MARKER]},
    ],
)
def test_words_that_a_record_keeps_out_are_not_quoted_from_an_event(snapshot: Any) -> None:
    quoted = verdict("entry", "refunds", witness={"text": "my card"})
    assert said(routed(record(quoted, **snapshot)), "witness decided_by to_skill") == [None, "entry", "refunds"]
    assert said(routed(record(quoted)), "witness") == ["my card"]


def test_a_placeholder_in_a_state_is_no_value_of_it() -> None:
    paused = {"turnRoute": {**ROUTE, "to": "[REDACTED]"}, "entryScores": SCORES, "entryScorer": "REDACTED"}
    record_of = resumed(paused, {**paused, "history": []})
    assert said(routed(record_of), "to_skill scorer check_state") == ["[REDACTED]", "REDACTED", "unreachable"]
    record_of["snapshot"]["recorders"] = [MARKER]
    row = routed(record_of)
    assert said(row, "decided_by to_skill scorer held") == ["intent", None, None, True]
    assert said(row, "check_state unreachable_reason") == ["unreachable", "delivery/before-pause"]


def test_states_are_read_however_deep_they_are() -> None:
    deep = "[" * 2000 + "]" * 2000
    route = f'{{"by":"intent","to":"a","relevance":{deep}}}'
    assert said(resumed_text(route, route, deep), "held to_skill") == [True, "a"]


def test_the_graph_is_told_of_a_run_that_named_one() -> None:
    row = routed(record(configured(), start()))
    assert said(row, "routing continuity configured_scorer") == [
        GRAPH[name] for name in ("routing", "continuity", "scorer")
    ]
