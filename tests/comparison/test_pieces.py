"""Pieces of a context: how each is named, so that two runs can be matched, and which slots are shown whole."""

from afp_nodes.comparison.pieces import context_pieces, shown_slots
from afp_nodes.comparison.redaction import Redactions
from afp_nodes.schemas import (
    AskedCalls,
    ContextSights,
    RunRecords,
    SeenLoops,
    SentUnits,
    SlotRecords,
    SlotSights,
)
from tests.tables import shown, table

NOTHING = Redactions(lambda _: False)
LOOPS = "run_id | iteration | call | scope\n a | 1 | 0 | ''\n a | 2 | 1 | ''"
RECORDS = "run_id | redacted_names\n a | []"
NO_UNITS = "run_id | call | unit_id | unit_kind"
NO_CALLS = "run_id | iteration | position"

Named = list[tuple[object, ...]]


def pieces(
    records: str,
    *columns: str,
    units: str = NO_UNITS,
    asked: str = NO_CALLS,
    runs: str = RECORDS,
    redactions: Redactions = NOTHING,
) -> Named:
    head = "run_id | call | slot | position | source | source_id | content\n"
    frame = context_pieces(
        table(SeenLoops, LOOPS),
        table(SlotRecords, head + records),
        table(SentUnits, units),
        table(AskedCalls, asked),
        table(RunRecords, runs),
        redactions,
    )
    return frame.select(columns).collect().rows()


def test_units_go_by_their_id_and_the_rest_by_what_it_is() -> None:
    assert pieces(
        """
        a | 0 | system-prompt | 0 | base      |                | You help.
        a | 0 | system-prompt | 1 | fact      | gold           | Gold tier.
        a | 0 | system-prompt | 2 | rag       | memory:docs#e1 | Entry.
        a | 0 | messages      | 0 | user      |                | Hello?
        a | 0 | messages      | 1 | assistant |                | Hi.
        a | 0 | messages      | 2 |           | memory:docs#e2 | Other.
        a | 0 | messages      | 3 | odd       |                | What?
        a | 0 | tools         | 0 | registry  | seek           | seek: finds
        a | 0 | tools         | 1 | skill     | gold           | gold: tool
        """,
        "slot",
        "kind",
        "name",
        "content",
    ) == [
        ("system-prompt", "system prompt", "", "You help."),
        ("system-prompt", "injection", "gold", "Gold tier."),
        ("system-prompt", "memory", "e1", "Entry."),
        ("messages", "user message", "", "Hello?"),
        ("messages", "model message", "", "Hi."),
        ("messages", "memory", "e2", "Other."),
        ("messages", "other", "odd", "What?"),
        ("tools", "tool", "seek", "seek: finds"),
        ("tools", "injection", "gold", "gold: tool"),
    ]


def test_entries_follow_the_memory_that_a_slot_names_as_a_whole() -> None:
    units = """
        run_id | call | unit_id     | unit_kind | spelling
        a      | 0    | memory:docs | memory    | memory:docs
        a      | 0    | e1          | memory    | memory:docs
        a      | 0    | e9          | memory    | memory:docs#e9
    """
    assert pieces(
        "a | 0 | messages | 0 | memory | memory:docs | All.", "slot", "kind", "name", "content", units=units
    ) == [
        ("messages", "memory", "e1", None),
        ("messages", "memory", "memory:docs", "All."),
    ]


RESULT = "a | 1 | messages | {} | tool-result | {} | out"


def results(*ids: str, asked: str) -> list[object]:
    """The names of results with these call ids in loop 2."""
    records = "\n".join(RESULT.format(place, call_id) for place, call_id in enumerate(ids))
    head = "run_id | iteration | position | tool_call_id | name\n"
    return [name for (name,) in pieces(records, "name", asked=head + asked)]


def test_a_result_goes_by_the_call_it_answers() -> None:
    assert results("c1", "c2", asked='a | 0 | 0 | c2 | ["old",{}]\n a | 1 | 0 | c1 | ["t",{}]') == [
        '["t",{}]',
        '["old",{}]',
    ]


def test_a_call_of_the_same_loop_or_of_no_name_names_no_result() -> None:
    assert results("c1", "c2", "c3", asked='a | 2 | 0 | c1 | ["t",{}]\n a | 1 | 0 | c2 | ') == [None, None, None]


def test_results_of_one_id_answer_its_calls_in_order_if_there_are_as_many() -> None:
    twice = 'a | 1 | 0 | c | ["t",1]\n a | 1 | 1 | c | ["t",2]'
    assert results("c", "c", asked=twice) == ['["t",1]', '["t",2]']
    assert results("c", asked=twice) == [None]
    assert results("c", asked='a | 1 | 0 | c | ["t",1]\n a | 1 | 1 | c | ["t",1]') == ['["t",1]']
    assert results("c", "c", asked='a | 1 | 0 | c | ["t",1]') == [None, None]


def test_what_a_record_redacts_has_no_content_here() -> None:
    records = """
        a | 0 | messages | 0 | user        |    | my pin is 4711
        a | 0 | messages | 1 | tool-result | c1 | 12
        a | 0 | messages | 2 | fact        | f  | plain
    """
    hides_pin = Redactions(lambda text: "4711" in text)
    assert pieces(records, "content", "kept_out", redactions=hides_pin) == [
        (None, True),
        ("12", False),
        ("plain", False),
    ]
    by_name = "run_id | redacted_names\n a | [result]"
    assert pieces(records, "kept_out", runs=by_name) == [(False,), (True,), (False,)]


def test_a_piece_says_where_it_stands() -> None:
    head = "run_id | call | slot | position | source | event_idx | commit_idx\n"
    frame = context_pieces(
        table(SeenLoops, "run_id | iteration | call | scope\n a | 1 | 0 | sf-llm-call#1"),
        table(SlotRecords, head + "a | 0 | messages | 0 | user | 7 |\na | 0 | messages | 1 | user | | 3"),
        table(SentUnits, NO_UNITS),
        table(AskedCalls, NO_CALLS),
        table(RunRecords, RECORDS),
        NOTHING,
    )
    assert frame.collect()["places_json"].to_list() == [
        '[{"event_idx":7}]',
        '[{"scope":"sf-llm-call#1","commit_idx":3}]',
    ]


def test_a_slot_is_shown_only_where_it_is_whole_or_committed() -> None:
    sights = """
        run_id | call | slot          | sight
        a      | 0    | system-prompt | whole
        a      | 0    | messages      | fallback
        a      | 0    | tools         | part
        a      | 1    | tools         | none
        a      | 1    | messages      | whole
    """
    memory = """
        run_id | call | unit_kind | side | sight
        a      | 0    | memory    | sent | fallback
        a      | 1    | memory    | sent | part
        a      | 1    | injection | sent | whole
    """
    slots = shown_slots(table(SeenLoops, LOOPS), table(SlotSights, sights), table(ContextSights, memory))
    assert shown(slots, "iteration", "slot", "shows_entries") == [
        (1, "messages", True),
        (1, "system-prompt", True),
        (2, "messages", False),
    ]
