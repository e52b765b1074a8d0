"""`afp explain`: one run on one page; nothing unknown is told as "no", nothing claims a cause."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from afp_nodes import words
from dataflows.explanation.answers import CHECKS, LAYERS, REASONS, STANDINGS
from dataflows.explanation.facts import Explanation
from dataflows.explanation.gaps import UNCLEAR_AVAILABLE, UNCLEAR_SENT
from dataflows.explanation.looped import DROP_REASONS, UNIT_KINDS
from dataflows.explanation.routed import LOST_OR_EARLIER, UNREACHABLE
from tests.cli.conftest import Afp, event, recording, sets
from tests.cli.test_trace import CAUSAL
from tests.explained import FOLDER, RUNS, explained, explained_store

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"

StoreOf = Callable[..., str]

ASKED = event("agent.turn_start", 0, userPrompt="Where is it?")
STARTED = event("stream.llm_start", 1, iteration=1)
ENDED = event("stream.llm_end", 2, iteration=1, content="Here.", toolCallCount=0, usage={"input": 1, "output": 2})
ANSWERED = event("agent.turn_end", 9, finalContent="Here.")
TURN = [ASKED, STARTED, ENDED, ANSWERED]


def result(content: Any, call: str = "c1", tool: str = "look_up") -> dict[str, Any]:
    return {"role": "tool", "toolCallId": call, "toolName": tool, "content": content}


def state(**members: Any) -> dict[str, Any]:
    return {"sharedState": {"history": [{"role": "user", "content": "q"}]} | members}


@pytest.fixture(scope="session")
def explained_runs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of the sample runs whose explanations are kept."""
    return explained_store(tmp_path_factory.mktemp("explained") / "store")


@pytest.fixture
def page_of(afp: Afp, store_of: StoreOf) -> Callable[..., str]:
    """The page of a run that was recorded so."""

    def shown(**members: Any) -> str:
        path = store_of(recording("r", members.pop("commits", [sets(k=1)]), **members))
        page = afp("explain", "r", "--store", path)
        assert page.exit_code == 0, page.output
        return page.stdout

    return shown


@pytest.mark.parametrize("run", RUNS)
def test_a_run_is_told_as_it_was_read_before(explained_runs: str, run: str) -> None:
    kept = (FOLDER / f"{run}.txt").read_text(encoding="utf-8")
    assert explained(explained_runs, run) == kept, "if it is right: python -m tests.explained"


def test_every_closed_word_has_a_sentence_and_none_claims_a_cause() -> None:
    assert STANDINGS.keys() == set(words.Standing)
    assert REASONS.keys() == set(words.Reason)
    assert CHECKS.keys() == set(words.StandingCheck)
    assert DROP_REASONS.keys() == set(words.DropReason)
    assert UNREACHABLE.keys() == set(words.UnreachableReason)
    assert UNIT_KINDS.keys() == set(words.UnitKind)
    assert UNCLEAR_AVAILABLE.keys() == UNCLEAR_SENT.keys() == set(words.UnitKind) - {words.UnitKind.DECLARED}
    tables = (STANDINGS, REASONS, CHECKS, LAYERS, DROP_REASONS, UNREACHABLE, UNCLEAR_AVAILABLE, UNCLEAR_SENT)
    assert not [said for table in tables for said in table.values() if CAUSAL.search(said)]


@pytest.mark.parametrize("run", RUNS)
def test_no_word_of_a_page_claims_a_cause(explained_runs: str, run: str) -> None:
    assert not CAUSAL.search(re.sub(r"[\[{(].*", "", explained(explained_runs, run)))


def test_what_missing_events_would_tell_is_unknown_and_never_zero(page_of: Callable[..., str]) -> None:
    page = page_of(events=None)
    assert "model calls unknown, tool calls unknown, tokens unknown" in page
    assert "answer    not known: the events that would tell, or their end, are missing\n" in page
    assert "standing  not shown: no answer is on the record; whether there was one is not known\n" in page
    assert "- Events are not recorded: tool calls, tokens and the end of the turn are not known.\n" in page
    assert not re.search(r"\b0 (model|tool|token)", page)


def test_an_empty_list_of_events_beside_a_log_with_calls_counts_nothing(page_of: Callable[..., str]) -> None:
    head = {"stageId": "sf-injection-engine", "runtimeStageId": "sf-injection-engine#0"}
    call = sets(llmLatestContent="hello") | {"stageId": "call-llm", "runtimeStageId": "call-llm#1"}
    page = page_of(commits=[sets(activeInjections=[]) | head, call], events=[])
    assert "1 loop, model calls unknown, tool calls unknown" in page
    assert "said      hello\n" in page


def test_a_capped_recording_says_what_was_lost(afp: Afp, store_of: StoreOf) -> None:
    capped = recording("r", [sets(k=1)], run={"droppedEvents": 4}, events=TURN[1:])
    path = store_of(capped, recording("whole", [sets(k=1)], events=TURN))
    page = afp("explain", "r", "--store", path).stdout
    assert "1 model call, 0 tool calls, 3 tokens" in afp("explain", "whole", "--store", path).stdout
    assert "at least 1 model call, at least 0 tool calls, at least 3 tokens" in page
    assert "- The first 4 events are missing: totals are at least what is shown" in page
    assert f"routing   {LOST_OR_EARLIER}" in page


@pytest.mark.parametrize(
    ("events", "pause", "shown"),
    [
        (TURN, {}, "not-sure: the answer is not known to stand"),
        (TURN[:3], {}, "not shown: no answer is on the record"),
        (TURN[:3], {"pausedToolCallId": "c2"}, "ask: the run waits for a person"),
        (TURN, {"pausedToolCallId": "c2"}, "ask: the run waits for a person"),
    ],
)
def test_without_an_answer_a_standing_is_shown_only_where_a_person_is_asked(
    page_of: Callable[..., str], events: list[Any], pause: dict[str, Any], shown: str
) -> None:
    held = state(history=[{"role": "user", "content": "q"}, result("[]")], **pause)
    page = page_of(events=events, snapshot=held)
    assert f"standing  {shown}" in page
    assert ("empty-undeclared" in page) == (not shown.startswith("not shown"))


def test_without_a_final_state_no_standing_is_shown(afp: Afp, store_of: StoreOf) -> None:
    document = recording("r", [], events=TURN)
    document["recording"]["snapshot"] = None
    page = afp("explain", "r", "--store", store_of(document)).stdout
    assert "standing  not shown: no final state is recorded" in page
    assert "loops unknown" in page
    assert "suspects: not known, no commit log is recorded\n" in page


def test_a_reason_names_the_calls_it_rests_on_and_counts_those_it_cannot_name(page_of: Callable[..., str]) -> None:
    row = {"kind": "conflict", "turn": 1, "witnesses": [{"toolCallId": "c1"}, {}, {"toolCallId": "c9"}]}
    page = page_of(events=TURN, snapshot=state(history=[result("x")], findingsLedger=[row], turnNumber=1))
    assert (
        "- sources-conflict: two readings of one thing disagree;"
        " rests on look_up (c1) and 2 calls that the record cannot name\n"
    ) in page
    assert '    findingsLedger/0/kind = "conflict"\n' in page
    assert "- Reasons rest on 2 calls that the record does not name.\n" in page


def test_a_witness_that_is_not_there_is_said_to_be_missing(page_of: Callable[..., str]) -> None:
    assert "stoppedEarly/iteration, not there\n" in page_of(events=TURN, snapshot=state(stoppedEarly={}))


GRAPH = event("agent.run_configured", 0, skillGraph={"routing": "assist"})
ROUTED = event("skill.turn_routed", 1, by="intent", to="refunds", scorer="keywords", decisive=True)
COMPOSED = event("context.slot_composed", 2, slot="system-prompt", iteration=1, sourceBreakdown={})
INJECTED = event("context.injected", 2, slot="system-prompt", source="skill", sourceId="refunds")


@pytest.mark.parametrize(
    ("between", "said"),
    [
        ([INJECTED], "refunds reached the model: a system prompt held it"),
        ([COMPOSED], "refunds did not reach the model: every system prompt up to the answer is recorded, none held it"),
        ([], "whether it reached the model cannot be told: not every system prompt is recorded whole"),
    ],
)
def test_delivery_is_told_only_where_the_record_proves_it(
    page_of: Callable[..., str], between: list[Any], said: str
) -> None:
    page = page_of(events=[GRAPH, ASKED, ROUTED, *between, STARTED, ENDED, ANSWERED])
    assert "routing   the scorer keywords decided on refunds\n" in page
    assert "the verdict calls itself decisive\n" in page
    assert f"          {said}\n" in page


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (
            [event("agent.run_configured"), ASKED, STARTED, ENDED, ANSWERED],
            "no skill graph is configured: there was nothing to route",
        ),
        (TURN, "cannot be told: no verdict is recorded; nor whether a skill graph is configured"),
        (
            [event("pause.resume"), GRAPH, STARTED, ENDED, ANSWERED],
            "how the question was routed cannot be told: that was before the pause, in an earlier leg's record;"
            " a skill graph is configured",
        ),
        ([GRAPH, ASKED, event("skill.turn_routed", by="menu", offered=["a", "b"]), ANSWERED], "a menu of 2 skills"),
        ([GRAPH, ASKED, event("skill.turn_routed", by="none"), ANSWERED], "no skill was decided on"),
        ([GRAPH, ASKED, event("skill.turn_routed", by="oracle", to="x"), ANSWERED], "decided by oracle: x"),
        (
            [GRAPH, event("skill.rejected", 1, requestedId="hours"), ANSWERED],
            "hours was asked for and refused by the skill graph (event 1)",
        ),
        (
            [GRAPH, event("permission.check", 1, capability="skill_read", target="x", result="deny", policyRuleId="p")],
            "x was asked for and refused by the rule p (event 1)",
        ),
    ],
)
def test_routing_is_told_as_far_as_it_is_recorded(page_of: Callable[..., str], events: list[Any], said: str) -> None:
    assert said in page_of(events=events)


def test_a_verdict_from_before_the_pause_is_said_to_be_one(page_of: Callable[..., str]) -> None:
    route = {"turnRoute": {"by": "entry", "to": "refunds", "witness": {"text": "refund"}}}
    held = {"sharedState": {"history": [], **route}, "initialState": {"history": [], **route}}
    page = page_of(events=[event("pause.resume"), GRAPH, STARTED, ENDED, ANSWERED], snapshot=held)
    assert "routing   an entry rule, which matched 'refund', decided on refunds\n" in page
    assert "          read from the state that the run paused with\n" in page
    assert "the prompts from before the pause are in the record of an earlier leg" in page
    assert "- This leg goes on after a pause" in page


def test_a_call_is_told_with_what_it_was_given_and_how_it_ended(page_of: Callable[..., str]) -> None:
    calls = [
        event("stream.tool_start", 3, toolCallId="a", toolName="look_up", args={"id": 7}),
        event("stream.tool_end", 4, toolCallId="a", result="there", durationMs=1200),
        event("stream.tool_start", 5, toolCallId="b", toolName="shaky", args={}),
        event("stream.tool_end", 6, toolCallId="b", result="502", error=True),
        event("stream.tool_start", 7, toolCallId="c", toolName="slow", args={}),
        event("stream.tool_end", 8, toolCallId="d", result="late"),
        event("stream.tool_end", 8, toolCallId="e", result="later"),
    ]
    snapshot = state(history=[result("late", "d", "ask_operator")])
    page = page_of(events=[ASKED, STARTED, ENDED, *calls, ANSWERED], snapshot=snapshot)
    assert 'called    look_up({"id":7}) returned in 1,200 ms: "there" (a, events 3 and 4)\n' in page
    assert '            shaky({}) failed in 1 ms: "502" (b, events 5 and 6)\n' in page
    assert "            slow({}) was made; how it ended is not recorded (c, event 7)\n" in page
    assert '            ask_operator, by its name in the history, returned: "late" (d, event 8)\n' in page
    assert '            a tool that is not named returned: "later" (e, event 9)\n' in page
    assert "- Which tool was called is not recorded for 1 call.\n" in page
    assert "- How 1 tool call ended is not recorded.\n" in page


def test_an_error_that_an_event_tells_is_shown(page_of: Callable[..., str]) -> None:
    page = page_of(events=[ASKED, STARTED, event("error.fatal", 3, error="The AI call failed: boom")])
    assert "errors    The AI call failed: boom (event 2)\n" in page
    assert "answer    not known: the events that would tell, or their end, are missing\n" in page


def test_what_memory_did_not_say_is_not_told_as_nothing(afp: Afp, store_of: StoreOf) -> None:
    recorded = json.loads(gzip.decompress((RECORDINGS / "s-eng-redact-slot.json.gz").read_bytes()))
    page = afp("explain", "s-eng-redact-slot", "--store", store_of(recorded)).stdout
    assert "- What memory considered beside what it handed on is not recorded; iterations " in page
    assert "- Which injections were sent is not recorded; iterations " in page
    assert "sent      at least 2 injections, 1 memory entry [unknown]\n" in page
    assert "- The record redacts what stands under lastToolResult, rawContent, result" in page


def test_what_was_sent_with_a_call_whose_number_comes_again_is_not_told(page_of: Callable[..., str]) -> None:
    heads = [{"stageId": "sf-injection-engine", "runtimeStageId": f"sf-injection-engine#{n}"} for n in (0, 2)]
    calls = [{"stageId": "call-llm", "runtimeStageId": f"call-llm#{n}"} for n in (1, 3)]
    first, second = (
        [sets(activeInjections=[]) | head, sets(llmLatestContent="hm") | call]
        for head, call in zip(heads, calls, strict=True)
    )
    starts = [STARTED | {"meta": {"runtimeStageId": call["runtimeStageId"]}} for call in calls]
    page = page_of(commits=[*first, *second], events=starts)
    assert "loop 0\n  sent      not told: a later call has the same iteration number\n" in page
    assert "loop 1 (iteration 1)\n" in page
    assert "- What was sent is not told for 1 loop: a later call has the same iteration number.\n" in page


def test_a_long_run_is_cut_and_says_so(afp: Afp, explained_runs: str) -> None:
    page = afp("explain", "s-win", "--store", explained_runs, "--limit", "2").stdout
    assert len(re.findall(r"^loop \d", page, re.MULTILINE)) == 2
    assert "4 more loops: --limit 6 tells them all\n" in page


def test_json_holds_the_facts_and_the_sentences(afp: Afp, explained_runs: str) -> None:
    told = json.loads(afp("explain", "w-stock-4", "--store", explained_runs, "--json").stdout)
    assert told.keys() == {field.name for field in fields(Explanation)} | {"told", "cannot_tell"}
    [reason] = told["standing"]["reasons"]
    assert [call["tool_call_id"] for call in reason["calls"]] == ["call_1", "call_2"]
    assert reason["witnesses"][0]["leaf"]["text"] == '"call_1"'
    assert [unit["unit_id"] for unit in told["dropped"]] == ["shelf-plan", "price-list"]
    assert told["told"]["answer"] == told["run"]["answer"]["text"] == "No, it waits for parts."
    page = afp("explain", "w-stock-4", "--store", explained_runs).stdout
    assert all(f"- {gap}\n" in page for gap in told["cannot_tell"])


def test_json_holds_all_loops(afp: Afp, explained_runs: str) -> None:
    told = json.loads(afp("explain", "s-win", "--store", explained_runs, "--json", "--limit", "2").stdout)
    assert [(loop["iteration"], loop["loop_index"]) for loop in told["loops"]] == [(n + 1, n) for n in range(6)]


def test_the_page_is_one_file_that_holds_what_the_terminal_shows(afp: Afp, explained_runs: str, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    shown = afp("explain", "w-stock-4", "--store", explained_runs, "--html", str(target))
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", f"written: {target}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    page = target.read_text(encoding="utf-8")
    for said in ("Can order 51 go out today?", "empty-undeclared", "shelf-plan", "cannot tell", "not-sure"):
        assert said in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("w-stok-4",), "There is no run w-stok-4. Did you mean w-stock-4"),
        (("w-stock",), "7 runs begin with w-stock: "),
        (("zzz",), "There is no run zzz. `afp runs` lists the runs of the store."),
        (("w-stock-4", "--html", "/nowhere/page.html"), "there is no folder /nowhere. Make it first."),
        (("w-stock-4", "--limit", "0"), "0 is not in the range"),
    ],
)
def test_what_cannot_be_done_is_said_with_what_may_have_been_meant(
    afp: Afp, explained_runs: str, words: tuple[str, ...], said: str
) -> None:
    shown = afp("explain", *words, "--store", explained_runs)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr
