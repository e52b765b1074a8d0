"""Histories: which tool results a log shows, where it shows them first, and what it left out."""

import polars as pl
import pytest

from afp_nodes.context.histories import evictions, history_results, result_sightings, tool_results
from afp_nodes.schemas import BegunValues, HistoryResults, ResultSightings, Scopes, ToolCalls, Writes
from tests.tables import shown, table

NOTHING_BEGUN = "run_id | key | value_json"
WRITES = "run_id | scope | commit_idx | runtime_stage_id | key | verb | verbs | entries | overwrite_json | update_json"


def results(writes: str = WRITES, begun: str = NOTHING_BEGUN) -> pl.LazyFrame:
    mounts = table(Scopes, "run_id | scope | position\nr | sf-llm-call#2 | 0")
    return history_results(table(Writes, writes), table(BegunValues, begun), mounts)


def tool(*call_ids: str) -> str:
    """A history of the results of some tools."""
    return "[" + ",".join(f'{{"role":"tool","toolCallId":"{c}","content":"of {c}"}}' for c in call_ids) + "]"


def test_every_value_of_a_history_in_the_own_log_or_a_loop_is_read() -> None:
    writes = f"""
        {WRITES}
        r | ''            | 0 | seed#0    | history | set    | [set]    | 1 | {tool("a")} |
        r | ''            | 2 | tools#9   | history | append | [append] | 1 | {tool("b", "c")} |
        r | sf-llm-call#2 | 0 | in/seed#3 | history | set    | [set]    | 1 | {tool("a")} |
        r | sf-cache#4    | 0 | cache#4   | history | set    | [set]    | 1 | {tool("z")} |
        r | ''            | 3 | odd       | history | weird  | [weird]  | 1 |  | {tool("d")}
        r | ''            | 4 | odd       | other   | set    | [set]    | 1 | {tool("e")} |
    """
    assert shown(results(writes), "scope", "commit_idx", "position", "tool_call_id", "number", "replaces") == [
        ("", 0, 0, "a", 0, True),
        ("", 2, 0, "b", 9, False),
        ("", 2, 1, "c", 9, False),
        ("", 3, 0, "d", None, False),
        ("sf-llm-call#2", 0, 0, "a", 3, True),
    ]


@pytest.mark.parametrize(
    ("written", "row"),
    [
        ("[]", (None, None, True, True)),
        ('[{"role":"user","toolCallId":"a"},1]', (None, None, True, True)),
        ('[{"role":"tool","toolCallId":"","content":{"x":1}}]', ("", '{"x":1}', True, True)),
        ('[{"role":"tool","content":"x"}]', (None, None, True, False)),
        ('[{"role":"tool","toolCallId":"[REDACTED]"}]', (None, None, True, False)),
        ('[{"role":"tool","toolCallId":"a","content":"[REDACTED]"}]', ("a", None, True, True)),
        *(('"REDACTED"', (None, None, False, False)), ("{}", (None, None, False, False))),
        ("", (None, None, False, False)),
    ],
)
def test_a_history_is_whole_when_it_is_a_list_that_names_each_result(written: str, row: tuple[object, ...]) -> None:
    rows = shown(
        results(f"{WRITES}\nr | '' | 0 | seed#0 | history | set | [set] | 1 | {written} |"),
        *("tool_call_id", "content", "is_list", "is_named"),
    )
    assert rows == [row]


@pytest.mark.parametrize(
    ("compactions", "is_named"),
    [
        *(("[]", True), ('[{"removedMessageCount":0}]', True), ('[{"removedMessageCount":2}]', False)),
        *(("[{}]", False), ("null", True), ('[{"removedMessageCount":0},{"removedMessageCount":1}]', False)),
    ],
)
def test_a_history_that_was_shortened_before_the_leg_began_is_not_whole(compactions: str, is_named: bool) -> None:
    begun = f"{NOTHING_BEGUN}\nr | history | {tool('a')}\nr | compactions | {compactions}"
    writes = f"{WRITES}\nr | '' | 0 | tools#1 | history | append | [append] | 1 | {tool('b')} |"
    assert shown(results(writes, begun), "commit_idx", "tool_call_id", "replaces", "is_named") == [
        (-1, "a", True, is_named),
        (0, "b", False, True),
    ]


HISTORY = """
    run_id | scope         | commit_idx | position|number| runtime_stage_id | replaces|is_list| tool_call_id | content
    r      | ''            | -1         | 0      |      | ''               | T      | T     | a            | first
    r      | ''            | 1          | 0      | 4    | tools#4          | F      | T     | b            | b1
    r      | ''            | 1          | 1      | 4    | tools#4          | F      | T     | a            | again
    r      | ''            | 2          | 0      | 6    | compact#6        | T      | T     | b            | b2
    r      | ''            | 3          | 0      | 7    | odd#7            | T      | F     |              |
    r      | ''            | 4          | 0      | 8    | compact#8        | T      | T     |              |
    r      | ''            | 5          | 0      | 9    | tools#9          | F      | T     | c            |
    r      | sf-llm-call#5 | 0          | 0      | 5    | in/seed#5        | T      | T     | a            | inner
    r      | sf-llm-call#3 | 0          | 0      | 3    | in/seed#3        | T      | T     | m            | inner
"""


def test_a_result_is_seen_first_where_a_log_first_holds_it() -> None:
    sightings = result_sightings(table(HistoryResults, HISTORY))
    assert shown(sightings, "scope", "tool_call_id", "commit_idx", "content") == [
        ("", "a", -1, "first"),
        ("", "b", 1, "b1"),
        ("", "c", 5, None),
        ("sf-llm-call#3", "m", 0, "inner"),
        ("sf-llm-call#5", "a", 0, "inner"),
    ]


def test_a_history_that_is_set_without_a_result_has_left_it_out() -> None:
    gone = evictions(table(HistoryResults, HISTORY))
    assert shown(gone, "scope", "commit_idx", "tool_call_id", "runtime_stage_id") == [
        ("", 2, "a", "compact#6"),
    ]


def test_a_result_is_shown_by_the_event_that_ended_its_tool_by_the_own_log_and_by_mounts() -> None:
    calls = table(
        ToolCalls,
        """
        run_id | tool_call_id | occurrence | result_json | status   | end_event_idx
        r      | a            | 1          | "second"    | returned | 9
        r      | a            | 0          | {"x":1}     | returned | 5
        r      | b            | 0          |             | unknown  |
        r      | [REDACTED]   | 0          | 1           | returned | 6
        r      | ''           | 0          | 1           | returned | 7
        r      | d            | 0          | "REDACTED"  | returned | 8
        """,
    )
    sightings = table(
        ResultSightings,
        """
        run_id | scope         | tool_call_id | commit_idx | number | listed | content
        r      | ''            | a            | -1         |        | 0      | first
        r      | sf-llm-call#5 | a            | 3          | 8      | 1      | late
        r      | sf-llm-call#3 | a            | 0          | 4      | 2      | early
        r      | sf-llm-call#3 | m            | 0          |        | 3      | inner
        """,
    )
    shown_results = tool_results(calls, sightings)
    columns = ("tool_call_id", "event_idx", "event_content", "log_commit_idx", "mount_scope", "mount_number")
    assert shown(shown_results, *columns) == [
        ("a", 5, '{"x":1}', -1, "sf-llm-call#3", 4),
        ("d", 8, None, None, None, None),
        ("m", None, None, None, "sf-llm-call#3", None),
    ]


def test_a_result_that_came_back_was_left_out_all_the_same() -> None:
    values = """
        run_id | scope | commit_idx | position | replaces | is_list | tool_call_id
        r      | ''    | 0          | 0        | T        | T       | a
        r      | ''    | 1          | 0        | T        | T       | b
        r      | ''    | 2          | 0        | F        | T       | a
        r      | ''    | 3          | 0        | T        | T       | b
    """
    gone = evictions(table(HistoryResults, values))
    assert shown(gone, "commit_idx", "tool_call_id") == [(1, "a"), (3, "a")]
