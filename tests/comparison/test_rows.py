"""The rows of a comparison: when two runs are the same in something, differ in it, or nobody knows."""

import polars as pl
import pytest

from afp_nodes.comparison.rows import call_rows, context_rows, decision_rows, loop_rows, route_rows
from afp_nodes.schemas import AlignedLoops, ContextPieces, DiffRows, LoopCalls, LoopDecisions, SeenLoops, ShownSlots
from tests.tables import table

BOTH = "iteration | sight_a | sight_b\n 1 | shown | shown"
ONLY_A = "iteration | sight_a | sight_b\n 1 | shown | ended"
A_IS_SHOWN = "iteration | sight_a | sight_b\n 1 | shown | not-shown"
ALL_SLOTS = "".join(f"{run} | 1 | {slot} | T\n" for run in "ab" for slot in ("system-prompt", "messages", "tools"))

Verdicts = list[tuple[object, ...]]


def verdicts(rows: pl.LazyFrame, *columns: str) -> Verdicts:
    """What a frame of rows says, in its order."""
    return DiffRows.validate(rows.collect()).select(*columns, "verdict", "ground").rows()


def contexts(pieces: str, shown: str = ALL_SLOTS, loops: str = BOTH) -> Verdicts:
    head = "run_id | iteration | position | slot | kind | name | content | kept_out\n"
    rows = context_rows(
        table(AlignedLoops, loops),
        table(ContextPieces, head + pieces),
        table(ShownSlots, f"run_id | iteration | slot | shows_entries\n{shown}"),
        "a",
        "b",
    )
    return verdicts(rows, "subject_kind", "subject")


def decisions(*told: str, loops: str = BOTH) -> Verdicts:
    head = "run_id | iteration | call_count | calls_json | text | kept_out\n"
    rows = decision_rows(table(AlignedLoops, loops), table(LoopDecisions, head + "\n".join(told)), "a", "b")
    return verdicts(rows)


def calls(made: str, closed: str = "TT", loops: str = BOTH) -> Verdicts:
    head = "run_id | iteration | position | name | occurrence | status | result_json | error | kept_out\n"
    seen = "run_id | iteration | is_closed\n" + "\n".join(f"{r} | 1 | {c}" for r, c in zip("ab", closed, strict=True))
    rows = call_rows(table(AlignedLoops, loops), table(SeenLoops, seen), table(LoopCalls, head + made), "a", "b")
    return verdicts(rows, "subject_kind", "subject", "occurrence")


def test_units_match_by_kind_and_id_and_are_compared_by_content() -> None:
    assert contexts(
        """
        a | 1 | 0 | system-prompt | injection | tone | be kind | F
        a | 1 | 1 | system-prompt | injection | rule | never   | F
        a | 1 | 2 | messages      | memory    | tone | be kind | F
        b | 1 | 0 | system-prompt | injection | tone | be kind | F
        b | 1 | 1 | system-prompt | injection | rule | always  | F
        b | 1 | 2 | tools         | tool      | seek | seek: x | F
        """
    ) == [
        ("injection", "tone", "same", "alike"),
        ("injection", "rule", "differs", "other-content"),
        ("memory", "tone", "differs", "only-a"),
        ("tool", "seek", "differs", "only-b"),
        ("rest", None, "same", "alike"),
    ]


def test_pieces_of_one_name_are_compared_in_any_order_and_counted() -> None:
    assert contexts(
        """
        a | 1 | 0 | messages | user message  | '' | one | F
        a | 1 | 1 | messages | user message  | '' | two | F
        a | 1 | 2 | messages | model message | '' | ha  | F
        a | 1 | 3 | messages | model message | '' | ha  | F
        b | 1 | 0 | messages | user message  | '' | two | F
        b | 1 | 1 | messages | user message  | '' | one | F
        b | 1 | 2 | messages | model message | '' | ha  | F
        """
    ) == [
        ("user message", None, "same", "alike"),
        ("model message", None, "differs", "other-content"),
        ("rest", None, "same", "alike"),
    ]


def test_a_slot_that_is_not_shown_whole_makes_what_is_missing_there_unknown() -> None:
    b_without_messages = ALL_SLOTS.replace("b | 1 | messages | T\n", "")
    assert contexts(
        """
        a | 1 | 0 | messages | injection | x | text | F
        a | 1 | 1 | messages | injection | y | text | F
        a | 1 | 2 | tools    | tool      | t | text | F
        b | 1 | 0 | messages | injection | y | text | F
        b | 1 | 1 | messages | injection | z | text | F
        """,
        shown=b_without_messages,
    ) == [
        ("injection", "x", "unknown", "not-shown-b"),
        ("injection", "y", "unknown", "not-shown-b"),
        ("injection", "z", "differs", "only-b"),
        ("tool", "t", "differs", "only-a"),
        ("rest", None, "unknown", "not-shown-b"),
    ]


def test_what_one_record_shows_may_differ_from_all_that_the_other_shows_whole() -> None:
    neither = "".join(f"{run} | 1 | tools | T\n" for run in "ab")
    pieces = "a | 1 | 0 | messages | injection | x | one | F\nb | 1 | 0 | messages | injection | x | two | F"
    assert contexts(pieces, shown=ALL_SLOTS.replace("b | 1 | messages | T\n", ""))[0][2] == "differs"
    assert contexts(pieces, shown=neither)[0][2:] == ("unknown", "not-shown")


def test_entries_of_a_memory_are_known_only_where_it_tells_what_it_holds() -> None:
    some = ALL_SLOTS.replace("b | 1 | messages | T", "b | 1 | messages | F")
    assert contexts(
        """
        a | 1 | 0 | messages | memory    | entry | text | F
        a | 1 | 1 | messages | injection | fact  | text | F
        """,
        shown=some,
    ) == [
        ("memory", "entry", "unknown", "not-shown-b"),
        ("injection", "fact", "differs", "only-a"),
        ("rest", None, "unknown", "not-shown-b"),
    ]


def test_a_result_of_a_call_that_nothing_names_may_be_the_result_of_any() -> None:
    assert contexts(
        """
        a | 1 | 0 | messages | tool result | ["t",1] | x | F
        a | 1 | 1 | messages | user message | ''     | q | F
        b | 1 | 0 | messages | tool result |         | x | F
        b | 1 | 1 | messages | user message | ''     | q | F
        """
    ) == [
        ("tool result", '["t",1]', "unknown", "not-shown-b"),
        ("tool result", None, "unknown", "unnamed-call"),
        ("user message", None, "same", "alike"),
        ("rest", None, "same", "alike"),
    ]


def test_what_is_redacted_or_has_no_text_is_not_compared_but_counted() -> None:
    assert contexts(
        """
        a | 1 | 0 | messages | injection | pin  |     | T
        a | 1 | 1 | messages | injection | bare |     | F
        a | 1 | 2 | messages | injection | two  |     | T
        a | 1 | 3 | messages | injection | two  | x   | F
        b | 1 | 0 | messages | injection | pin  | 1   | F
        b | 1 | 1 | messages | injection | bare | 1   | F
        b | 1 | 2 | messages | injection | two  | x   | F
        """
    ) == [
        ("injection", "pin", "unknown", "redacted"),
        ("injection", "bare", "unknown", "no-text"),
        ("injection", "two", "differs", "other-content"),
        ("rest", None, "same", "alike"),
    ]


def test_a_loop_that_only_one_run_made_differs_in_all_it_was_given() -> None:
    pieces = "a | 1 | 0 | messages | injection | x | text | F"
    only_a_is_whole = "".join(line + "\n" for line in ALL_SLOTS.splitlines() if line.startswith("a"))
    assert contexts(pieces, only_a_is_whole, ONLY_A) == [
        ("injection", "x", "differs", "only-a"),
        ("rest", None, "differs", "only-a"),
    ]
    assert contexts(pieces, only_a_is_whole, A_IS_SHOWN) == [
        ("injection", "x", "unknown", "not-shown-b"),
        ("rest", None, "unknown", "not-shown-b"),
    ]


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ('1 | [["t",1]] | one | F', '1 | [["t",1]] | other | F', ("same", "alike")),
        ('1 | [["t",1]] | | F', '1 | [["t",2]] | | F', ("differs", "other-calls")),
        ("1 | | | F", "2 | | | F", ("differs", "other-calls")),
        ("1 | | | F", '1 | [["t",1]] | | F', ("unknown", "not-shown-a")),
        ("1 | | | F", "0 | | | F", ("differs", "calls-or-words")),
        ("0 | [] | yes | F", "0 | [] | yes | F", ("same", "alike")),
        ("0 | [] | yes | F", "0 | [] | no | F", ("differs", "other-words")),
        ("0 | [] | yes | F", "0 | [] | | F", ("unknown", "not-shown-b")),
        ("0 | [] | yes | F", "0 | [] | | T", ("unknown", "redacted")),
        ("0 | [] | | T", '1 | [["t",1]] | | F', ("differs", "calls-or-words")),
        (" | | yes | F", "0 | [] | no | F", ("unknown", "not-shown-a")),
        (" | | | F", " | | | F", ("unknown", "not-shown")),
    ],
)
def test_decisions_are_the_calls_asked_for_or_else_the_words(a: str, b: str, verdict: tuple[str, str]) -> None:
    assert decisions(f"a | 1 | {a}", f"b | 1 | {b}") == [verdict]


def test_a_decision_that_only_one_run_came_to_differs_if_it_is_told() -> None:
    assert decisions("a | 1 | 0 | [] | yes | F", loops=ONLY_A) == [("differs", "only-a")]
    assert decisions("a | 1 | | | | F", loops=ONLY_A) == [("unknown", "not-shown-a")]
    assert decisions("a | 1 | 0 | [] | yes | F", loops=A_IS_SHOWN) == [("unknown", "not-shown-b")]


@pytest.mark.parametrize(
    ("routes", "loops", "verdict"),
    [
        (("final", "final"), BOTH, ("same", "alike")),
        (("final", "output-retry"), BOTH, ("differs", "other-route")),
        (("final", ""), BOTH, ("unknown", "not-shown-b")),
        (("", ""), BOTH, ("unknown", "not-shown")),
        (("final",), ONLY_A, ("differs", "only-a")),
        (("",), ONLY_A, ("unknown", "not-shown-a")),
    ],
)
def test_routes_are_compared_by_the_word_of_the_record(
    routes: tuple[str, ...], loops: str, verdict: tuple[str, str]
) -> None:
    drawn = "run_id | iteration | route\n" + "\n".join(f"{run} | 1 | {r}" for run, r in zip("ab", routes, strict=False))
    assert verdicts(route_rows(table(AlignedLoops, loops), table(LoopDecisions, drawn), "a", "b")) == [verdict]


def test_calls_match_by_tool_arguments_and_occurrence() -> None:
    assert calls(
        """
        a | 1 | 0 | ["t",1] | 0 | returned | 1 | | F
        a | 1 | 1 | ["t",1] | 1 | returned | 2 | | F
        a | 1 | 2 | ["t",2] | 0 | returned | 3 | | F
        b | 1 | 0 | ["t",2] | 0 | returned | 3 | | F
        b | 1 | 1 | ["t",1] | 0 | returned | 1 | | F
        """
    ) == [
        ("call", '["t",1]', 0, "same", "alike"),
        ("call", '["t",2]', 0, "same", "alike"),
        ("call", '["t",1]', 1, "differs", "only-a"),
        ("rest", None, 0, "same", "alike"),
    ]


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ("returned | 1 | | F", "returned | 1 | | F", ("same", "alike")),
        ("returned | 1 | | F", "returned | 2 | | F", ("differs", "other-result")),
        ("returned | 1 | | F", "error | 1 | | F", ("differs", "other-status")),
        (" | | | F", "returned | 1 | | F", ("unknown", "no-end")),
        ("returned | | | F", "returned | 1 | | F", ("unknown", "no-text")),
        ("returned | | | F", "returned | | | F", ("unknown", "no-text")),
        ("returned | | | T", "returned | 1 | | F", ("unknown", "redacted")),
        ("error | | | T", "returned | 1 | | F", ("differs", "other-status")),
        ("error | | no | F", "error | | never | F", ("differs", "other-result")),
        ("error | 1 | no | F", "error | 1 | no | F", ("same", "alike")),
        ("error | 1 | no | F", "error | 1 | | F", ("unknown", "no-text")),
    ],
)
def test_a_call_is_compared_by_how_it_ended_and_what_it_gave(a: str, b: str, verdict: tuple[str, str]) -> None:
    assert calls(f'a | 1 | 0 | ["t",1] | 0 | {a}\nb | 1 | 0 | ["t",1] | 0 | {b}')[0][3:] == verdict


def test_a_call_that_is_missing_is_unknown_until_the_events_go_on_beyond_the_loop() -> None:
    made = 'a | 1 | 0 | ["t",1] | 0 | returned | 1 | | F'
    assert calls(made) == [
        ("call", '["t",1]', 0, "differs", "only-a"),
        ("rest", None, 0, "same", "alike"),
    ]
    assert calls(made, closed="TF") == [
        ("call", '["t",1]', 0, "unknown", "not-shown-b"),
        ("rest", None, 0, "unknown", "not-shown-b"),
    ]


def test_a_call_without_a_name_may_be_any_call_that_is_missing() -> None:
    assert calls(
        """
        a | 1 | 0 | ["t",1] | 0 | returned | 1 | | F
        a | 1 | 1 | ["t",2] | 0 | returned | 1 | | F
        b | 1 | 0 |         | 0 | returned | 1 | | F
        b | 1 | 1 | ["t",2] | 0 | returned | 1 | | F
        """
    ) == [
        ("call", '["t",1]', 0, "unknown", "unnamed-call"),
        ("call", None, 0, "unknown", "unnamed-call"),
        ("call", '["t",2]', 0, "same", "alike"),
        ("rest", None, 0, "same", "alike"),
    ]


def test_what_neither_record_names_stands_in_one_row() -> None:
    made = "| 1 | 0 | | 0 | returned | 1 | | F"
    assert calls(f"a {made}\nb {made}") == [
        ("call", None, 0, "unknown", "unnamed-call"),
        ("rest", None, 0, "same", "alike"),
    ]
    piece = "| 1 | 0 | messages | tool result | | x | F"
    assert contexts(f"a {piece}\nb {piece}")[0] == ("tool result", None, "unknown", "unnamed-call")
    assert len(contexts(f"a {piece}\nb {piece}")) == 2


def test_rows_stand_in_the_order_in_which_things_happen() -> None:
    head = "position | iteration | moment | subject_kind | verdict | ground\n"
    context = table(DiffRows, head + "0 | 1 | context | c1 | same | alike\n1 | 2 | context | c2 | same | alike")
    decision = table(DiffRows, head + "0 | 1 | decision | d1 | same | alike\n1 | 2 | decision | d2 | same | alike")
    route = table(DiffRows, head + "0 | 1 | decision | r1 | same | alike\n1 | 2 | decision | r2 | same | alike")
    call = table(DiffRows, head + "0 | 1 | call | t1 | same | alike")
    rows = loop_rows(context, decision, route, call).collect()
    assert rows["subject_kind"].to_list() == ["c1", "d1", "r1", "t1", "c2", "d2", "r2"]
    assert rows["position"].to_list() == list(range(7))
