"""What real records say of context that was kept back, and what is left to say when parts of them are gone."""

import json

import pytest

from tests.context.losses import capped, events_of, without, without_events
from tests.context.recordings import dropped, grades, sent, stored, tables, verdicts

WINDOW, MEMORY = "s-st-arm-window-slide-r0", "s-flat-memtopk-hr"
GROUPED, CLASSIC, LATER_LEG = "s-grouped-rag-tax", "s-classic-l2-triage", "s-twice-leg2-hr"
KEPT_BACK = ["msg-1-0", "msg-2-0", "msg-1-1", "msg-2-1", "msg-3-1", "msg-4-1"]


def test_a_window_takes_the_result_of_the_first_tool_away_from_the_third_call() -> None:
    told = tables(stored(WINDOW))
    assert grades(told) == [(1, "exact"), (2, "exact"), (3, "exact")]
    assert [dropped(told, iteration) for iteration in (1, 2, 3)] == [[], [], [("c1", "evicted", "exact")]]
    assert verdicts(told) == ["dropped"]
    (origin,) = told["context_units"].filter(unit_id="c1", iteration=3)["origin_json"]
    assert json.loads(origin)["evicted_by"].startswith("compact#")


def test_the_log_alone_still_shows_what_the_window_took_away() -> None:
    told = tables(without(stored(WINDOW), "events"))
    assert grades(told) == [(1, "conservative"), (2, "conservative"), (3, "conservative")]
    assert dropped(told, 3) == [("c1", "evicted", "conservative")]
    assert verdicts(told) == ["dropped"]


def test_the_events_alone_show_what_the_window_took_away() -> None:
    told = tables(without(stored(WINDOW), "commitLog", "subflowResults"))
    assert dropped(told, 3) == [("c1", "evicted", "exact")]


def test_without_the_tool_results_of_the_events_and_the_log_nothing_is_known_to_be_missing() -> None:
    stripped = without_events(without(stored(WINDOW), "commitLog", "subflowResults"), "stream.tool_end")
    assert verdicts(tables(stripped)) == ["unknown"]


@pytest.mark.parametrize("says_so", [True, False])
@pytest.mark.parametrize("run_id", [WINDOW, MEMORY])
def test_a_record_whose_first_events_are_lost_never_reads_as_complete(run_id: str, says_so: bool) -> None:
    whole = stored(run_id)
    places = range(1, len(events_of(whole)) + 1, 5)
    for parts in ((), ("commitLog", "subflowResults")):
        runs = [without(capped(whole, at, says_so), *parts) for at in places]
        for at, document in zip(places, runs, strict=True):
            document["run"]["runId"] = f"from {at}"
        assert "none-dropped" not in verdicts(tables(*runs))


def test_a_memory_keeps_entries_back_each_for_its_own_recorded_reason() -> None:
    told = tables(stored(MEMORY))
    assert grades(told) == [(1, "exact"), (2, "exact")]
    for iteration in (1, 2):
        assert dropped(told, iteration) == [(entry, "over-max-entries", "exact") for entry in KEPT_BACK]
        assert [unit for unit in sent(told, iteration) if unit.startswith("msg-")] == ["msg-4-0", "msg-3-0"]
    assert verdicts(told) == ["dropped"]


def test_both_spellings_of_a_memorys_entry_are_kept() -> None:
    told = tables(stored(MEMORY))
    (origin,) = told["context_units"].filter(unit_id="msg-4-0", iteration=1)["origin_json"]
    assert (json.loads(origin)["entry"], json.loads(origin)["spelling"]) == ("msg-4-0", "memory:hr-mem#msg-4-0")


def test_the_log_does_not_say_what_a_memory_considered() -> None:
    told = tables(without(stored(MEMORY), "events"))
    assert grades(told) == [(1, "unknown"), (2, "unknown")]
    assert dropped(told, 1) == []
    assert verdicts(told) == ["unknown"]


def test_what_a_classic_chart_composed_once_is_sent_with_every_call_and_never_dropped() -> None:
    told = tables(stored(CLASSIC))
    assert grades(told) == [(1, "exact"), (2, "conservative")]
    assert verdicts(told) == ["none-dropped"]
    assert len(sent(told, 1)) == 6
    assert set(sent(told, 1)) < set(sent(told, 2))


def test_a_grouped_chart_keeps_the_passages_it_admitted_sent() -> None:
    told = tables(stored(GROUPED))
    assert grades(told) == [(1, "conservative"), (2, "conservative")]
    for iteration in (1, 2):
        assert dropped(told, iteration) == [("home", "over-max-entries", "conservative")]
        assert {"van", "fine", "regime"} <= set(sent(told, iteration))


def test_a_later_leg_knows_the_tool_results_of_the_leg_before() -> None:
    told = tables(stored(LATER_LEG))
    assert grades(told) == [(2, "exact")]
    assert sent(told, 2) == ["cite-page", "call_1"]
    assert verdicts(told) == ["none-dropped"]


def test_a_later_leg_without_events_counts_on_from_where_it_starts() -> None:
    told = tables(without(stored(LATER_LEG), "events"))
    assert grades(told) == [(2, "conservative")]


def test_a_later_leg_without_the_state_it_began_with_cannot_tell_what_there_was() -> None:
    told = tables(without(stored("s-ask-leg2-refunds"), "events", "initialState", "commitLog"))
    assert (grades(told), verdicts(told)) == ([], ["unknown"])
