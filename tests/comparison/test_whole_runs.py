"""Two runs as a whole: question and configuration, and what came out."""

from typing import Any

import pytest

from afp_nodes.comparison.redaction import Redactions
from afp_nodes.comparison.whole_runs import run_facets, run_rows
from afp_nodes.same_question import normalised_question
from afp_nodes.schemas import Events, Routing, RunFacets, RunRecords, SeenLoops, Standings
from afp_nodes.words import Facet
from tests.tables import table

WHOLE = {
    "run_id": "a",
    "question": "Why?",
    "answered": "T",
    "answer": "So.",
    "complete": "T",
    "dropped_events": "0",
    "events": "9",
    "resumed_leg": "F",
    "input_tokens": "7",
    "output_tokens": "5",
    "redacted_names": "[]",
    "manifest_json": '{"b":1,"a":2}',
}
ROUTED = {"run_id": "a", "status": "recorded", "check_state": "reachable", "delivered_verdict": "delivered"}
STANDING = {"run_id": "a", "assessment": "unknown", "standing": "not-sure", "turn_from": "person"}


def facets(
    record: dict[str, str] | None = None,
    routing: dict[str, str] | None = None,
    standing: dict[str, str] | None = None,
    redactions: Redactions = Redactions(lambda _: False),  # noqa: B008 - it holds no state
) -> dict[str, Any]:
    """What a run's record shows of each facet, as JSON."""
    frame = run_facets(
        table(RunRecords, _drawn(WHOLE | (record or {}))),
        table(Events, "run_id | event_idx"),
        table(SeenLoops, "run_id | iteration\n a | 1\n a | 2"),
        table(Routing, _drawn(ROUTED | (routing or {}))),
        table(Standings, _drawn(STANDING | (standing or {}))),
        redactions,
    )
    return {row["facet"]: row["json"] for row in frame.collect().to_dicts()}


def _drawn(row: dict[str, str]) -> str:
    return " | ".join(row) + "\n" + " | ".join(row.values())


def test_a_whole_record_shows_every_facet() -> None:
    assert facets(routing={"decided_by": "rule", "to_skill": "refund"}) == {
        Facet.QUESTION: '"Why?"',
        Facet.CONFIGURATION: '{"a":2,"b":1}',
        Facet.ROUTING: '{"by":"rule","to":"refund"}',
        Facet.DELIVERY: '"delivered"',
        Facet.ANSWER: '"So."',
        Facet.STANDING: '"not-sure"',
        Facet.MODEL_CALLS: "2",
        Facet.TOKENS: '{"input":7,"output":5}',
    }


def test_what_a_record_does_not_show_is_not_known() -> None:
    bare = {"question": "", "manifest_json": "", "answered": "", "events": "", "input_tokens": "", "output_tokens": ""}
    unrouted = {"status": "not-recorded", "check_state": "unreachable", "delivered_verdict": ""}
    assert set(facets(bare, unrouted).values()) == {None}


@pytest.mark.parametrize(
    ("record", "known"),
    [
        ({"dropped_events": "3"}, False),
        ({"complete": "F"}, False),
        ({"answered": "F"}, False),
        ({"complete": ""}, True),
    ],
)
def test_totals_are_known_only_of_a_record_that_is_whole(record: dict[str, str], known: bool) -> None:
    shown = facets(record)
    assert (shown[Facet.TOKENS] is not None, shown[Facet.MODEL_CALLS] is not None) == (known, known)


@pytest.mark.parametrize(
    ("record", "answer"),
    [
        ({"answered": "F", "answer": ""}, "null"),
        ({"answered": "F", "answer": "", "complete": "F"}, None),
        ({"answered": "F", "answer": "", "complete": ""}, None),
        ({"answered": "F", "answer": "", "events": "0"}, None),
        ({"answered": "T", "answer": ""}, None),
    ],
)
def test_no_answer_is_told_only_of_a_run_that_is_known_to_have_ended(
    record: dict[str, str], answer: str | None
) -> None:
    assert facets(record)[Facet.ANSWER] == answer
    if answer == "null":
        assert facets(record, standing={"standing": "not-assessed"})[Facet.STANDING] == "null"


def test_where_nothing_was_assessed_nobody_knows_how_the_answer_stands() -> None:
    assert facets(standing={"standing": "not-assessed"})[Facet.STANDING] is None
    assert facets({"answered": "F", "complete": "F"}, standing={"standing": "ask"})[Facet.STANDING] == '"ask"'


def test_no_skill_graph_is_something_that_a_record_tells() -> None:
    none = facets(routing={"status": "not-applicable", "check_state": "not-applicable", "delivered_verdict": ""})
    assert (none[Facet.ROUTING], none[Facet.DELIVERY]) == ("null", "null")


def test_what_is_redacted_is_neither_shown_nor_compared() -> None:
    assert facets({"redacted_names": "[finalContent]"})[Facet.ANSWER] == '"[redacted]"'
    assert facets(redactions=Redactions(lambda text: "Why" in text))[Facet.QUESTION] == '"[redacted]"'


def verdicts(drawn: str) -> list[tuple[object, ...]]:
    frame = table(RunFacets, f"run_id | facet | value | json | kept_out\n{drawn}")
    return run_rows(frame, "a", "b").select("subject_kind", "verdict", "ground", "a_json", "b_json").collect().rows()


def test_facets_are_compared_by_their_value_and_shown_as_they_are() -> None:
    assert verdicts(
        """
        a | question | why? | "Why?"       | F
        b | question | why? | "WHY?"       | F
        a | answer   | "x"  | "x"          | F
        b | answer   | "y"  | "y"          | F
        a | standing |      |              | F
        b | standing | "k"  | "k"          | F
        a | tokens   |      | "[redacted]" | T
        b | tokens   | 1    | 1            | F
        """
    ) == [
        ("question", "same", "alike", '"Why?"', '"WHY?"'),
        ("answer", "differs", "other-content", '"x"', '"y"'),
        ("standing", "unknown", "not-shown-a", None, '"k"'),
        ("tokens", "unknown", "redacted", '"[redacted]"', "1"),
    ]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Why?", "  why?\n", True),
        ("Straße  7", "STRASSE 7", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("\u1e9b\u0323", "\u1e9b\u0323".upper(), True),
        ("Why?", "Why", False),
        ("a b", "ab", False),
    ],
)
def test_questions_are_one_without_capitals_white_space_and_composition(a: str, b: str, same: bool) -> None:
    assert (normalised_question(a) == normalised_question(b)) is same
    assert normalised_question(normalised_question(a)) == normalised_question(a)
