"""Model calls: one call or two, in which order, under which number, and how much of their events is there."""

import polars as pl
import pytest

from afp_nodes.context.calls import event_heads, model_calls
from afp_nodes.schemas import BegunValues, Commits, EventHeads, Events, RunRecords, RunStages, Scopes
from tests.tables import shown, table

LLM_START, TURN_START = "agentfootprint.stream.llm_start", "agentfootprint.agent.turn_start"
START, TURN, CONFIGURED, RESUMED = (
    *(LLM_START, TURN_START),
    *("agentfootprint.agent.run_configured", "agentfootprint.pause.resume"),
)
NO_EVENTS = "run_id | event_idx | type | runtime_stage_id | payload_json | own"
NO_COMMITS = "run_id | scope | commit_idx | runtime_stage_id | stage_id"
NO_MOUNTS = "run_id | scope | position"
NOTHING_BEGUN = "run_id | key | value_json"
KNOWN = "run_id | opened_at | nothing_dropped | keeps_head | goes_on\nr | 0 | T | T | F"


def calls(
    events: str = NO_EVENTS,
    commits: str = NO_COMMITS,
    mounts: str = NO_MOUNTS,
    begun: str = NOTHING_BEGUN,
    heads: str = KNOWN,
) -> pl.LazyFrame:
    """The model calls of some drawn facts."""
    return model_calls(
        table(Events, events),
        table(EventHeads, heads),
        table(Commits, commits),
        table(Scopes, mounts),
        table(BegunValues, begun),
    )


def started(*payloads: str) -> str:
    """Events that start calls, one a payload."""
    rows = [f"r | {at} | {START} | call-llm#{at} | {payload} | T" for at, payload in enumerate(payloads, start=1)]
    return "\n".join([NO_EVENTS, *rows])


def test_an_event_and_a_commit_of_one_step_are_one_call_and_any_other_is_one_of_its_own() -> None:
    events = f"""
        run_id | event_idx | type    | runtime_stage_id | payload_json    | own
        r      | 3         | {START} | call-llm#7       | {{"iteration":1}} | T
        r      | 5         | {START} | call-llm#9       | {{"iteration":2}} | T
        r      | 6         | {START} | call-llm#11      | {{"iteration":3}} | F
        r      | 8         | {START} | call-llm#13      |                 | T
    """
    commits = """
        run_id | scope | commit_idx | runtime_stage_id | stage_id
        r      | ''    | 0          | seed#0           | seed
        r      | ''    | 1          | call-llm#4       | call-llm
        r      | ''    | 2          | call-llm#7       | call-llm
        r      | ''    | 3          | call-llm#7       | call-llm
        r      | in#5  | 0          | in/call-llm#6    | in/call-llm
    """
    assert shown(calls(events, commits), "call", "start_event_idx", "scope", "commit_idx", "number") == [
        (0, None, "", 1, 4),
        (1, 3, "", 2, 7),
        (2, 5, None, None, 9),
    ]


def test_a_mount_that_is_a_loop_holds_a_call_that_stands_before_the_mounts_own_commit() -> None:
    commits = """
        run_id | scope          | commit_idx | runtime_stage_id         | stage_id
        r      | ''             | 0          | seed#0                   | seed
        r      | ''             | 1          | sf-llm-call#2            | sf-llm-call
        r      | ''             | 2          | sf-llm-call#2            | sf-llm-call
        r      | sf-llm-call#2  | 0          | sf-llm-call/seed#3       | sf-llm-call/seed
        r      | sf-llm-call#2  | 1          | sf-llm-call/call-llm#4   | sf-llm-call/call-llm
        r      | sf-llm-call#10 | 0          | sf-llm-call/call-llm#11  | sf-llm-call/call-llm
    """
    mounts = "run_id | scope | position\nr | sf-llm-call#2 | 0\nr | sf-llm-call#10 | 1"
    assert shown(calls(commits=commits, mounts=mounts), "call", "scope", "commit_idx", "own_commit_idx") == [
        (0, "sf-llm-call#2", 1, 1),
        (1, "sf-llm-call#10", 0, None),
    ]


def test_one_step_in_two_mounts_is_two_calls_in_the_order_of_the_mounts() -> None:
    commits = """
        run_id | scope          | commit_idx | runtime_stage_id | stage_id
        r      | sf-llm-call#10 | 1          | in/call-llm#1    | in/call-llm
        r      | sf-llm-call#2  | 1          | in/call-llm#1    | in/call-llm
    """
    mounts = "run_id | scope | position\nr | sf-llm-call#2 | 0\nr | sf-llm-call#10 | 1"
    events = f'{NO_EVENTS}\nr | 3 | {START} | in/call-llm#1 | {{"iteration":1}} | T'
    rows = shown(calls(events, commits, mounts), "call", "scope", "start_event_idx", "iteration")
    assert rows == [(0, "sf-llm-call#2", 3, 1), (1, "sf-llm-call#10", None, 2)]


@pytest.mark.parametrize(
    ("stated", "iteration"),
    [
        *(('{"iteration":4}', 4), ('{"iteration":4.0}', 4), ('{"iteration":4e0}', 4)),
        *(('{"iteration":"4"}', 1), ('{"iteration":0}', 1), ('{"iteration":1.5}', 1), ('{"iteration":true}', 1)),
        *(("{}", 1), ('{"iteration":1e300}', 1), ('{"iteration":null}', 1)),
    ],
)
def test_a_calls_number_is_the_one_it_states_else_its_place(stated: str, iteration: int) -> None:
    assert shown(calls(started(stated)), "iteration") == [(iteration,)]


@pytest.mark.parametrize(("begun", "iterations"), [("2", [3, 4]), ("2.0", [3, 4]), ('"2"', [1, 2]), ("null", [1, 2])])
def test_places_are_counted_from_where_the_leg_starts(begun: str, iterations: list[int]) -> None:
    state = f"run_id | key | value_json\nr | iteration | {begun}"
    assert [row for (row,) in shown(calls(started("{}", "{}"), begun=state), "iteration")] == iterations


def test_of_calls_with_one_number_the_last_stands() -> None:
    rows = shown(calls(started('{"iteration":1}', '{"iteration":2}', '{"iteration":1}')), "call", "iteration", "stands")
    assert rows == [(0, 1, False), (1, 2, True), (2, 1, True)]


def test_a_call_belongs_to_the_turn_that_was_opened_last_before_it() -> None:
    events = f"""
        run_id | event_idx | type    | runtime_stage_id | payload_json | own
        r      | 1         | {START} | call-llm#1       | {{}}           | T
        r      | 2         | {TURN}  | seed#2           | {{}}           | T
        r      | 3         | {TURN}  | seed#3           | {{}}           | F
        r      | 4         | {START} | call-llm#4       | {{}}           | T
        s      | 5         | {START} | call-llm#4       | {{}}           | T
    """
    heads = f"{KNOWN}\ns | | F | F | F"
    rows = shown(calls(events, heads=heads), "run_id", "turn_start")
    assert rows == [("r", -1), ("r", 2), ("s", -1)]


@pytest.mark.parametrize(
    ("head", "is_whole"),
    [
        *(("r | | T | T | F", [True, True]), ("r | | F | F | F", [False, True])),
        *(("r | 0 | F | F | F", [True, True]), ("r | 1 | F | F | F", [False, True])),
    ],
)
def test_the_events_of_a_call_are_there_after_another_call_or_after_the_legs_start(
    head: str, is_whole: list[bool]
) -> None:
    heads = f"run_id | opened_at | nothing_dropped | keeps_head | goes_on\n{head}"
    assert [
        row for (row,) in calls(started("{}", "{}"), heads=heads).sort("call").select("is_whole").collect().rows()
    ] == is_whole


@pytest.mark.parametrize(
    ("dropped", "first", "kinds", "keeps_head"),
    [
        *(("0", "", "", True), ("", "0", "", True), ("3", "", CONFIGURED, False), ("", "3", TURN, False)),
        *(("", "", CONFIGURED, True), ("", "", TURN, False), ("", "", RESUMED, False), ("", "", "", False)),
    ],
)
def test_the_head_is_kept_when_the_record_says_so_or_else_shows_its_configuration(
    dropped: str, first: str, kinds: str, keeps_head: bool
) -> None:
    assert heads_of(kinds, dropped=dropped, first=first)["keeps_head"] is keeps_head


@pytest.mark.parametrize(
    ("kinds", "resumed", "goes_on"),
    [(TURN, "F", False), (TURN, "T", True), (TURN, "", True), (CONFIGURED, "F", True), ("", "F", True)],
)
def test_a_leg_goes_on_another_unless_it_is_known_to_begin_a_turn(kinds: str, resumed: str, goes_on: bool) -> None:
    assert heads_of(kinds, resumed=resumed)["goes_on"] is goes_on


@pytest.mark.parametrize(
    ("kinds", "stages", "hides"),
    [
        *(((CONFIGURED, TURN), "", (False, False)), ((CONFIGURED, RESUMED), "", (True, True))),
        *(((TURN,), "", (True, True)), ((TURN,), "r | seed", (True, False)), ((), "s | seed", (True, True))),
    ],
)
def test_what_is_shown_nowhere_may_still_have_been_where_a_beginning_is_lost(
    kinds: tuple[str, ...], stages: str, hides: tuple[bool, bool]
) -> None:
    told = heads_of(*kinds, resumed="F", stages=stages)
    assert (told["events_may_hide"], told["may_hide"]) == hides


def heads_of(
    *kinds: str, dropped: str = "", first: str = "", resumed: str = "F", stages: str = ""
) -> dict[str, object]:
    """What is known of the head of a run with one event of each kind."""
    rows = [f"r | {at} | {kind} | step#1 | {{}} | T" for at, kind in enumerate(kinds) if kind]
    events = "\n".join(
        [NO_EVENTS, *rows, f"r | 90 | {TURN} | step#1 | {{}} | F", f"r | 91 | {CONFIGURED} | step#1 |  | T"]
    )
    run = (
        "run_id | events | dropped_events | first_retained_event_index | resumed_leg\n"
        f"r | 5 | {dropped} | {first} | {resumed}"
    )
    stages = f"run_id | stage_id\n{stages}"
    heads = event_heads(table(Events, events), table(RunRecords, run), table(RunStages, stages))
    return heads.collect().row(0, named=True)
