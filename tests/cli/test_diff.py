"""`afp diff`: two runs of one question side by side; nothing unknown told as same, nothing that claims a cause."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from afp_nodes.words import Facet, Ground, LoopSight, Piece
from dataflows import job
from dataflows.differences import GROUNDS, NAMES, NONE, SIGHTS
from tests.cli.conftest import SAMPLE, Afp, event, recording, sets
from tests.cli.test_trace import CAUSAL

STUDY = SAMPLE.parent / "studies" / "arm-memory"
ONE, OTHER = "s-st-arm-memory-topk-id-r0", "s-st-arm-memory-wrong-id-r0"
"""Two seeded runs of one study, which were given the same and answered otherwise."""
RECORDED = ("s-noevents-refunds", "s-dial-wp-full-delta-refunds", "s-flat-l1-refunds", "s-evid-guard-refunds")

Told = dict[str, Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of recorded runs of a few questions."""
    path = tmp_path_factory.mktemp("diff") / "store"
    runs = [str(SAMPLE / f"{name}.json.gz") for name in RECORDED]
    probes = [str(path) for path in STUDY.glob("*.json.gz")]
    job.run([*runs, *probes, str(SAMPLE / "engine.jsonl")], str(path))
    return str(path)


def run(run_id: str, *loops: list[dict[str, Any]], question: str | None = "Why?", **members: Any) -> dict[str, Any]:
    """A recording with the events of some loops, each of them opened by a model call, and closed by the turn's end."""
    opened = [] if question is None else [event("agent.turn_start", userPrompt=question)]
    told = [
        happened
        for number, loop in enumerate(loops, start=1)
        for happened in (event("stream.llm_start", iteration=number), *loop)
    ]
    closed = [event("agent.turn_end", finalContent=members.pop("answer", "So."))]
    return recording(run_id, [], events=[*opened, *told, *closed], **members)


def says(text: str, calls: int = 0) -> dict[str, Any]:
    return event("stream.llm_end", content=text, toolCallCount=calls)


def made(call_id: str, tool: str, arguments: Any, result: Any) -> list[dict[str, Any]]:
    """A tool call that returned."""
    return [
        event("stream.tool_start", toolCallId=call_id, toolName=tool, args=arguments),
        event("stream.tool_end", toolCallId=call_id, result=result),
    ]


@pytest.fixture
def told(afp: Afp) -> Callable[..., Told]:
    """What `--json` tells of two runs of a store."""

    def tell(*words: str) -> Told:
        shown = afp("diff", *words, "--json")
        assert shown.exit_code == 0, shown.stderr
        data: Told = json.loads(shown.stdout)
        return data

    return tell


def rows(told: Told, *, moment: str | None = None, iteration: int | None = None) -> list[Told]:
    return [
        row
        for row in told["rows"]
        if moment in (None, row["moment"]) and (iteration is None or row["iteration"] == iteration)
    ]


def test_two_runs_are_told_side_by_side(afp: Afp, store: str) -> None:
    shown = afp("diff", ONE, OTHER, "--store", store)
    assert shown.exit_code == 0
    assert shown.stdout.startswith(
        f"A  {ONE}\n"
        "   My connection at Lyon was missed, what now?\n"
        f"B  {OTHER}\n"
        "   My connection at Lyon was missed, what now?\n"
        "\n"
        "The runs differ first in iteration 2, in the decision: what the model answered, other words.\n"
        "First of its kind: the decision in iteration 2; no context and no call is seen to differ.\n"
        "After it: the answer.\n"
        "\n"
        "iteration 1\n"
        "  context   same     4 parts\n"
        '  decision  same     calls find_trip({"route":"1"}), then tool-calls\n'
        "  call      same     1 call\n"
        "\n"
        "iteration 2\n"
        "  context   same     6 parts\n"
        "  decision  differs  final\n"
        "    what the model answered: other words\n"
        "      A  zzz qqq zzz kkk zzz\n"
        "      B  Take NJ 467 at 19:40, your saver fare is protected.\n"
        "  call      same     no call\n"
        "\n"
        "as a whole\n"
        "  question       same     My connection at Lyon was missed, what now?\n"
    )


def test_json_tells_the_same_with_the_places_it_rests_on(told: Callable[..., Told], store: str) -> None:
    data = told(ONE, OTHER, "--store", store)
    first = data["rows"][data["first_difference"]]
    assert (first["iteration"], first["moment"], first["verdict"], first["ground"]) == (
        2,
        "decision",
        "differs",
        "other-words",
    )
    assert first["a"]["value"] == {"text": "zzz qqq zzz kkk zzz"}
    assert {"event_idx": 37} in first["a"]["places"]
    assert data["first_by_moment"] == {"context": None, "decision": first["position"], "call": None}
    assert [loop["decision"] for loop in data["loops"]] == ["same", "differs"]
    assert [row["position"] for row in data["rows"]] == list(range(len(data["rows"])))


def test_a_record_without_events_is_not_read_as_the_same(told: Callable[..., Told], store: str) -> None:
    data = told("s-noevents", "s-dial-wp-full-delta", "--store", store)
    calls = rows(data, moment="call")
    assert calls
    assert {row["verdict"] for row in calls} == {"unknown"}
    [decision] = [row for row in rows(data, moment="decision", iteration=1) if row["subject_kind"] == "reply"]
    assert decision["verdict"] == "same"
    assert [loop["sight_a"] for loop in data["loops"]] == ["shown", "shown", "not-shown"]


def test_a_run_that_ended_before_has_no_further_loop(afp: Afp, store: str) -> None:
    shown = afp("diff", "s-evid-guard", "s-flat-l1", "--store", store).stdout
    assert "iteration 2: B had ended before\n  context   differs  6 parts, only in A\n" in shown
    assert "Not the same from the start: the configuration.\n" in shown
    assert "in iteration 1, in the context: injection region-eu, only in B.\n" in shown


def test_calls_match_by_tool_and_arguments_and_never_by_id(
    told: Callable[..., Told], store_of: Callable[..., str]
) -> None:
    a = [says("", 3), *made("1", "t", {"x": 1, "y": 2}, "one"), *made("2", "t", {"x": 2}, "two")]
    b = [says("", 3), *made("2", "t", {"y": 2.0, "x": 1}, "one"), *made("1", "t", {"x": 2}, "other")]
    again = made("3", "t", {"x": 2}, "two")
    path = store_of(run("a", [*a, *again], [says("So.")]), run("b", [*b, *again], [says("So.")]))
    calls = rows(told("a", "b", "--store", path), moment="call", iteration=1)
    assert [(row["name"], row["verdict"]) for row in calls] == [
        ('t({"x":1,"y":2})', "same"),
        ('t({"x":2})', "differs"),
        ('t({"x":2}) (equal call 2)', "same"),
        ("all other calls", "same"),
    ]


def test_what_differs_after_is_listed_in_stretches(afp: Afp, store_of: Callable[..., str]) -> None:
    loops = {side: [[says(f"{side}{number}", 1), *made("1", "t", number, 0)] for number in range(6)] for side in "ab"}
    loops["b"][1] = [says("", 1), *made("1", "t", "other", 0)]
    loops["b"][3:] = [[says("", 1), *made("1", "t", "other", 0)] for _ in range(3)]
    shown = afp("diff", "a", "b", "--store", store_of(*(run(side, *loops[side]) for side in "ab"))).stdout
    assert "After it: the decision of iterations 4 to 6 and the call of iterations 2 and 4 to 6.\n" in shown


def test_an_earlier_difference_is_not_ruled_out_where_something_before_is_unknown(
    afp: Afp, store_of: Callable[..., str]
) -> None:
    path = store_of(run("a", [says("yes")], answer="yes"), run("b", [says("no")], answer="no"))
    shown = afp("diff", "a", "b", "--store", path).stdout
    assert (
        "The runs differ first in iteration 1, in the decision: what the model answered, other words."
        " 1 row before it is not known: an earlier difference cannot be ruled out.\n"
    ) in shown


def test_without_a_difference_it_is_said_whether_one_is_ruled_out(afp: Afp, store: str) -> None:
    whole = afp("diff", ONE, ONE, "--store", store).stdout
    assert "\nContext, decisions and calls are the same in every loop.\n" in whole
    partly = afp("diff", "s-noevents", "s-noevents", "--store", store).stdout
    assert re.search(r"\nNo loop is seen to differ; \d+ rows are not known, so that one may.\n", partly)
    nothing = afp("diff", "s-eng-merge", "s-eng-merge", "--store", store, "--any-question").stdout
    assert "\nNeither record shows a model call: there is no loop to compare.\n" in nothing


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("Why?", "Why not?", "These runs were asked other questions."),
        ("Why?", None, "The questions of these runs cannot be compared: one is not recorded, or redacted."),
        (None, None, "The questions of these runs cannot be compared: one is not recorded, or redacted."),
    ],
)
def test_other_questions_are_compared_only_when_that_is_meant(
    afp: Afp, store_of: Callable[..., str], a: str | None, b: str | None, said: str
) -> None:
    path = store_of(run("a", [says("yes")], question=a), run("b", [says("yes")], question=b))
    refused = afp("diff", "a", "b", "--store", path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert said in refused.stderr
    assert "--any-question" in refused.stderr
    assert afp("diff", "a", "b", "--store", path, "--any-question").exit_code == 0


def test_a_question_is_the_same_however_it_is_typed(told: Callable[..., Told], store_of: Callable[..., str]) -> None:
    path = store_of(run("a", [says("x")], question="Why  NOT?"), run("b", [says("x")], question=" why not?\n"))
    [question] = [row for row in told("a", "b", "--store", path)["rows"] if row["subject_kind"] == "question"]
    assert (question["verdict"], question["a"]["value"], question["b"]["value"]) == (
        "same",
        "Why  NOT?",
        " why not?\n",
    )


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "page.html")])
def test_what_a_record_redacts_is_not_compared_and_not_shown(
    afp: Afp, store_of: Callable[..., str], tmp_path: Any, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hidden = sets(pin="REDACTED") | {"redactedPaths": ["pin"]}
    loop = [says("", 1), *made("1", "t", {"pin": "4711-hidden"}, "code 4711-hidden"), event("x.y", pin="4711-hidden")]
    a = run("a", loop, [says("it is 4711-hidden")], answer="it is 4711-hidden")
    a["recording"]["snapshot"]["commitLog"] = recording("a", [hidden])["recording"]["snapshot"]["commitLog"]
    b = run("b", loop, [says("it is 4711-hidden")], answer="it is 4711-hidden")
    path = store_of(a, b)
    shown = afp("diff", "a", "b", "--store", path, *form)
    assert shown.exit_code == 0
    text = shown.stdout + "".join(page.read_text() for page in tmp_path.glob("page.html"))
    assert "4711" not in text
    assert "not compared: a record redacts it" in text
    data = json.loads(afp("diff", "a", "b", "--store", path, "--json").stdout)
    decisions = [row for row in rows(data, moment="decision") if row["subject_kind"] == "reply"]
    assert {row["verdict"] for row in decisions} == {"unknown"}


SECRET = "Authorization: Bearer sk-test-FAKEFAKEFAKEFAKEFAKE"
HOSTILE = "<script>document.title='x'</script>\x1b[31m\u202e" + SECRET


@pytest.mark.parametrize("form", [(), ("--json",), ("--html", "page.html")])
def test_secrets_are_masked_and_nothing_steers_the_terminal(
    afp: Afp, store_of: Callable[..., str], tmp_path: Any, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = (
        run(f"{side}{HOSTILE}", [says("", 1), *made("1", HOSTILE, {HOSTILE: HOSTILE}, f"{side}{HOSTILE}")], answer=side)
        for side in "ab"
    )
    shown = afp("diff", "a", "b", "--store", store_of(a, b), *form)
    assert shown.exit_code == 0, shown.stderr
    text = shown.stdout + "".join(page.read_text() for page in tmp_path.glob("page.html"))
    assert "FAKE" not in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert form[:1] != ("--html",) or "<script" not in text


def test_texts_that_differ_only_in_what_is_masked_are_said_to(afp: Afp, store_of: Callable[..., str]) -> None:
    keys = ("Bearer sk-test-FAKEFAKEFAKEFAKEFAKE1", "Bearer sk-test-FAKEFAKEFAKEFAKEFAKE2")
    path = store_of(*(run(side, [says(key)], answer="x") for side, key in zip("ab", keys, strict=True)))
    assert "      they differ in what is masked\n" in afp("diff", "a", "b", "--store", path).stdout


def test_long_texts_are_shown_where_they_part(afp: Afp, store_of: Callable[..., str]) -> None:
    path = store_of(*(run(side, [says("x" * 900 + side)], answer="x") for side in "ab"))
    shown = afp("diff", "a", "b", "--store", path).stdout
    assert "      A  …" + "x" * 40 + "a\n      B  …" + "x" * 40 + "b\n" in shown


@pytest.mark.parametrize("pair", [(ONE, OTHER), RECORDED[:2], RECORDED[2:], (RECORDED[0], ONE)])
def test_no_word_of_a_comparison_claims_a_cause(afp: Afp, store: str, pair: tuple[str, str]) -> None:
    said = afp("diff", *pair, "--store", store, "--any-question").stdout
    assert said
    assert not CAUSAL.search(said)


def test_everything_that_is_compared_has_words() -> None:
    assert GROUNDS.keys() == set(Ground)
    assert SIGHTS.keys() == set(LoopSight)
    assert NAMES.keys() >= {*Piece, *Facet}
    assert NONE.keys() <= set(Facet)
    assert not [words for words in [*GROUNDS.values(), *SIGHTS.values()] if CAUSAL.search(words)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("zzz", ONE), "There is no run zzz. `afp runs` lists the runs of the store."),
        ((ONE, "s-st-arm"), "runs begin with s-st-arm: "),
        (("s-noevnts-refunds", ONE), "Did you mean s-noevents-refunds"),
    ],
)
def test_a_run_that_is_not_there_is_said_with_what_may_have_been_meant(
    afp: Afp, store: str, words: tuple[str, ...], said: str
) -> None:
    shown = afp("diff", *words, "--store", store)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr


def test_a_page_is_written_whole_or_not_at_all(afp: Afp, store: str, tmp_path: Any) -> None:
    page = tmp_path / "page.html"
    shown = afp("diff", ONE, OTHER, "--store", store, "--html", str(page))
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert f"written: {page}" in shown.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    text = page.read_text()
    assert "Content-Security-Policy" in text
    assert "zzz qqq zzz kkk zzz" in text
    assert re.search(r'<span class="badge weak">differs</span>', text)
    nowhere = afp("diff", ONE, OTHER, "--store", store, "--html", str(tmp_path / "no" / "page.html"))
    assert nowhere.exit_code == 2
    assert "there is no folder" in nowhere.stderr
