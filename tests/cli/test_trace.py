"""`afp trace`: one variable's life, told in order; nothing redacted, nothing secret, nothing that claims a cause."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from dataflows.cli.story import COVERAGE, MISSING, NO_READ, NOTES
from dataflows.printable import SHOWN_SEPARATOR
from tests.cli.conftest import Afp, recording, sets

CAUSAL = re.compile(
    r"\b(caus\w*|because|due to|led to|leads to|made the|result of|hence|therefore|responsible)\b", re.I
)


def tree(*steps: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """An execution tree: one step after the other, each with what it read."""
    node: dict[str, Any] = {}
    for step, reads in reversed(steps):
        below = {"next": node} if node else {}
        node = {"id": step.split("#")[0], "runtimeStageId": step, "name": step, "stageReads": reads} | below
    return {"executionTree": node}


def test_a_life_is_told_in_order(afp: Afp, store: str) -> None:
    shown = afp("trace", "s-flat-l2", "lastToolResult", "--store", store)
    assert shown.exit_code == 0
    assert shown.stdout == (
        "run       s-flat-l2-travel\n"
        "question  Can the dog come on the night train?\n"
        "key       lastToolResult\n"
        "log       the run's own\n"
        f"coverage  unknown: {COVERAGE['unknown']}\n"
        "moments   1 write, 0 recorded reads\n"
        "          reads are recorded for 8 of 21 steps\n"
        f"          {NO_READ}\n"
        "\n"
        "loop 0\n"
        '  commit 19  ToolCalls (tool-calls#22) set it to {"toolName":"find_trip","result":"NJ 467 berth free 19:40"}\n'
        '    introduced tool find_trip; a rerun without it: {"kind":"tool","ignoredTools":["find_trip"]}\n'
    )


def test_reads_say_what_they_saw_and_writes_what_they_fed(afp: Afp, store_of: Callable[..., str]) -> None:
    grown = {"overwrite": {"k": [2]}, "trace": [{"path": "k", "verb": "append"}]}
    seen = {"overwrite": {"made": 1}, "trace": [{"path": "made", "verb": "set", "readKeys": ["k"]}]}
    steps = tree(("stage-0#0", {}), ("stage-1#1", {"k": 1}), ("stage-2#2", {"k": 1}))
    shown = afp("trace", "r", "k", "--store", store_of(recording("r", [sets(k=[1]), grown, seen], snapshot=steps)))
    assert shown.stdout.partition("outside the loops\n")[2] == (
        "  commit 0  Stage (stage-0#0) set it to [1]\n"
        "    fed at commit 1 (Stage): k; one step did both\n"
        "  commit 1  Stage (stage-1#1) read what commit 0 set: [1]\n"
        "  commit 1  Stage (stage-1#1) appended [2]\n"
        "    fed at commit 2 (Stage): made; those writes list it among what they read\n"
        "  commit 2  Stage (stage-2#2) read what had grown up to commit 1, which appended [2]\n"
    )


def test_a_value_from_before_the_run_is_shown_where_it_is_recorded(afp: Afp, store_of: Callable[..., str]) -> None:
    steps = tree(("stage-0#0", {"k": 1})) | {"initialState": {"k": {"deep": 1}}}
    shown = afp("trace", "r", "k", "--store", store_of(recording("r", [sets(other=1)], snapshot=steps))).stdout
    assert '  commit 0  Stage (stage-0#0) read the value from before the run: {"deep":1}\n' in shown
    assert NOTES["pre-run-origin"] in shown


def test_every_sentence_is_there_for_its_code_and_claims_no_cause() -> None:
    from afp_nodes.words import Coverage, Missing, Note

    assert COVERAGE.keys() == set(Coverage)
    assert MISSING.keys() == set(Missing)
    assert NOTES.keys() == set(Note) - {Note.CONSERVATIVE_FED_EDGES}
    assert not [said for said in [*COVERAGE.values(), *MISSING.values(), *NOTES.values()] if CAUSAL.search(said)]


@pytest.mark.parametrize("key", ["history", "systemPromptInjections", "iteration", "toolResults"])
def test_no_word_of_a_story_claims_a_cause(afp: Afp, store: str, key: str) -> None:
    said = afp("trace", "s-dial-wp", key, "--store", store).stdout
    assert said
    assert not CAUSAL.search(re.sub(r"[\[{].*", "", said))


def test_unrecorded_reads_are_not_told_as_no_reads(afp: Afp, store_of: Callable[..., str]) -> None:
    shown = afp("trace", "r", "k", "--store", store_of(recording("r", [sets(k=1)]))).stdout
    assert f"coverage  conservative: {NOTES['reads-not-recorded']}\n" in shown
    assert "no read of this value is recorded" not in shown


@pytest.mark.parametrize("placeholder", ["REDACTED", "[REDACTED]"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_redacted_value_is_not_shown_from_anywhere(
    afp: Afp, store_of: Callable[..., str], placeholder: str, form: tuple[str, ...]
) -> None:
    hidden = sets(pin=placeholder) | {"redactedPaths": ["pin"]}
    inner = [sets(pin="4711") | {"stage": "Inner", "stageId": "inner", "runtimeStageId": "inner#0"}]
    snapshot = tree(("stage-0#0", {"pin": 1}), ("stage-1#1", {"pin": 1})) | {
        "initialState": {"pin": "4711"},
        "subflowResults": {
            "sf-x#1": {"treeContext": {"history": recording("i", inner)["recording"]["snapshot"]["commitLog"]}}
        },
    }
    path = store_of(recording("r", [sets(other=1), hidden], snapshot=snapshot))
    for scope in ("", "sf-x#1"):
        shown = afp("trace", "r", "pin", "--store", path, "--scope", scope, *form)
        assert shown.exit_code == 0
        assert "4711" not in shown.stdout
        assert f'"{placeholder}"' not in shown.stdout
        assert "redacted" in shown.stdout


SECRET = "GET https://api.test/?key=AIzaFAKEFAKE1\nAuthorization: Bearer sk-test-FAKEFAKEFAKEFAKEFAKE\n"
PEM = "-----BEGIN PRIVATE KEY-----\nRkFLRQ==\n-----END PRIVATE KEY-----\n"
ALIKE = "task-sk-force asked for $OPENAI_KEY"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_secrets_are_masked_and_look_alikes_stay(afp: Afp, store_of: Callable[..., str], form: tuple[str, ...]) -> None:
    path = store_of(recording("r", [sets(k=SECRET + PEM + ALIKE)]))
    shown = afp("trace", "r", "k", "--store", path, *form).stdout
    assert "FAKE" not in shown
    assert "RkFLRQ" not in shown
    assert ALIKE in shown


def test_a_secret_beyond_what_is_read_of_a_value_leaves_no_half(afp: Afp, store_of: Callable[..., str]) -> None:
    pem = "-----BEGIN PRIVATE KEY-----" + "A1b2" * 980 + "-----END PRIVATE KEY-----"
    path = store_of(recording("r", [sets(k=pem + " Bearer FAKE0" + "FAKE" * 40)]))
    shown = afp("trace", "r", "k", "--store", path).stdout
    assert "FAKE" not in shown
    assert "A1b2" not in shown


def test_nothing_of_a_recording_steers_the_terminal(afp: Afp, store_of: Callable[..., str]) -> None:
    odd = sets(k="\x00\x07\x1b[2J\u202e") | {"stage": "St\x1b[31mage"}
    path = store_of(recording("r\x07", [odd]))
    shown = afp("trace", "r\x07", "k", "--store", path).stdout
    assert "St\\x1b[31mage" in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


def test_long_values_are_shortened_and_their_length_is_said(afp: Afp, store_of: Callable[..., str]) -> None:
    shown = afp("trace", "r", "k", "--store", store_of(recording("r", [sets(k="x" * 9998)]))).stdout
    assert "… (10,000 characters)" in shown
    assert max(map(len, shown.splitlines())) < 250


def test_a_long_life_is_cut_and_says_so(afp: Afp, store_of: Callable[..., str]) -> None:
    path = store_of(recording("r", [sets(k=n) for n in range(9)]))
    shown = afp("trace", "r", "k", "--store", path, "--limit", "4").stdout
    assert shown.count("set it to") == 4
    assert shown.endswith("5 more moments: --limit 9 tells them all\n")


def test_a_nested_key_may_be_typed_as_it_is_shown(afp: Afp, store_of: Callable[..., str]) -> None:
    key = "cart\x1fitems"
    commit = {"overwrite": {"cart": {"items": 3}}, "trace": [{"path": key, "verb": "set"}]}
    path = store_of(recording("r", [commit]))
    shown_key = f"cart{SHOWN_SEPARATOR}items"
    shown = afp("trace", "r", shown_key, "--store", path)
    assert f"key       {shown_key}\n" in shown.stdout
    assert shown.stdout == afp("trace", "r", key, "--store", path).stdout
    assert "set it to 3\n" in shown.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("s-flta-l2", "history"), "There is no run s-flta-l2. Did you mean s-flat-l2-travel?"),
        (("zzz", "history"), "There is no run zzz. `afp runs` lists the runs of the store."),
        (("s-eng", "history"), "6 runs begin with s-eng: "),
        (("s-flat-l2", "histry"), "Did you mean history?"),
        (
            ("s-flat-l2", "zzz"),
            "Its keys: afp sql \"SELECT DISTINCT key FROM variables WHERE run_id = 's-flat-l2-travel'\"",
        ),
        (("s-flat-l2", "zzz"), "that is not the same as nobody reading it"),
        (("s-flat-l2", "history", "--scope", "sf-no#1"), "others do: the run's own (''), "),
    ],
)
def test_what_is_not_there_is_said_with_what_may_have_been_meant(
    afp: Afp, store: str, words: tuple[str, ...], said: str
) -> None:
    shown = afp("trace", *words, "--store", store)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr


def test_an_id_that_is_whole_wins_over_those_that_begin_so(afp: Afp, store_of: Callable[..., str]) -> None:
    path = store_of(recording("run", [sets(k=1)]), recording("run-2", [sets(k=2)]))
    assert "set it to 1\n" in afp("trace", "run", "k", "--store", path).stdout


def test_the_log_of_a_subflow_can_be_chosen(afp: Afp, store: str) -> None:
    own = afp("trace", "s-grouped", "history", "--store", store).stdout
    assert "the loops of this run lie in subflows with logs of their own" in own
    [scope] = set(re.findall(r"sf-llm-call#\d+", own))
    inner = afp("trace", "s-grouped", "history", "--scope", scope, "--store", store).stdout
    assert f"log       {scope}\n" in inner
    assert "\nloop 0\n" in inner


def test_json_tells_the_same_life(afp: Afp, store: str) -> None:
    told = json.loads(afp("trace", "s-flat-l2", "lastToolResult", "--store", store, "--json").stdout)
    [moment] = told["moments"]
    assert (told["run_id"], told["coverage"], told["why"]) == ("s-flat-l2-travel", "unknown", COVERAGE["unknown"])
    assert (moment["kind"], moment["commit_idx"], moment["loop_index"], moment["verb"]) == ("write", 19, 0, "set")
    assert json.loads(moment["value"]["text"]) == {"toolName": "find_trip", "result": "NJ 467 berth free 19:40"}
    assert [hook["suspect_id"] for hook in moment["hooks"]] == ["find_trip"]
