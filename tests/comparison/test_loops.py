"""Loops side by side: which a record shows, and where it says that there was no further one."""

import pytest

from afp_nodes.comparison.loops import aligned_loops, seen_loops
from afp_nodes.schemas import ModelCalls, RunRecords, SeenLoops
from tests.tables import shown, table


def test_a_loop_is_closed_where_the_events_go_on_beyond_it() -> None:
    calls = table(
        ModelCalls,
        """
        run_id | call | iteration | stands | start_event_idx
        a      | 0    | 1         | T      | 5
        a      | 1    | 2         | T      | 9
        b      | 0    | 1         | T      | 5
        b      | 1    | 2         | T      |
        """,
    )
    records = table(
        RunRecords,
        """
        run_id | answered
        a      | F
        b      | T
        """,
    )
    loops = seen_loops(calls, records)
    assert shown(loops, "run_id", "iteration", "next_event_idx", "is_closed") == [
        ("a", 1, 9, True),
        ("a", 2, None, False),
        ("b", 1, None, True),
        ("b", 2, None, False),
    ]


def test_of_calls_with_one_number_the_last_stands_and_ends_where_the_next_begins() -> None:
    calls = table(
        ModelCalls,
        """
        run_id | call | iteration | stands | start_event_idx
        a      | 0    | 1         | F      | 2
        a      | 1    | 1         | T      | 5
        a      | 2    | 2         | T      | 9
        """,
    )
    records = table(RunRecords, "run_id | answered\n a | T")
    loops = seen_loops(calls, records)
    assert shown(loops, "iteration", "call", "start_event_idx", "next_event_idx") == [(1, 1, 5, 9), (2, 2, 9, None)]


ENDS = """
    run_id | answered | complete
    whole  | T        | T
    untold | T        |
    cut    | T        | F
    silent | F        | T
    bare   |          | T
    long   | T        | T
"""
LOOPS = """
    run_id | iteration
    whole  | 2
    untold | 2
    cut    | 2
    silent | 2
    bare   | 2
    long   | 1
    long   | 2
    long   | 3
"""


@pytest.mark.parametrize(
    ("run", "sight"),
    [
        ("whole", "ended"),
        ("untold", "ended"),
        ("cut", "not-shown"),
        ("silent", "not-shown"),
        ("bare", "not-shown"),
        ("none", "not-shown"),
    ],
)
def test_a_run_has_ended_only_where_its_record_shows_that(run: str, sight: str) -> None:
    loops, ends = table(SeenLoops, LOOPS), table(RunRecords, ENDS)
    aligned = aligned_loops(loops, ends, run, "long").collect()
    assert aligned.select("iteration", "sight_a").rows()[0] == (1, "not-shown")
    assert aligned.select("iteration", "sight_a").rows()[2] == (3, sight)
    assert aligned["sight_b"].to_list() == ["shown"] * 3


def test_a_run_is_aligned_with_itself() -> None:
    aligned = aligned_loops(table(SeenLoops, LOOPS), table(RunRecords, ENDS), "long", "long").collect()
    assert aligned.rows() == [(iteration, "shown", "shown") for iteration in (1, 2, 3)]
