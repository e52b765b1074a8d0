"""Withheld: a redacted value is found in whatever else a record says, however it is escaped; what is alike stays."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.signs import PATH_SEPARATOR
from dataflows.questions import questions_to
from dataflows.store import Store
from dataflows.withheld import Withheld
from tests.cli.conftest import event, recording, sets, store_of

__all__ = ["store_of"]

LONG = "the quick brown fox jumps over the lazy dog"
WINDOWS = "C:\\new\\table"


@pytest.mark.parametrize(
    ("hidden", "text", "shown"),
    [
        ("4711", "the pin is 4711.", "the pin is [redacted]."),
        ("4711", "order 47110 of x4711", "order 47110 of x4711"),
        ("hunter2hunter2", "?pw=xhunter2hunter2x", "?pw=x[redacted]x"),
        ("no", "no", "no"),
        ("  -  ", "a  -  b", "a  -  b"),
        (LONG, f"he said: {LONG}!", "he said: [redacted]!"),
        (LONG, "he said: a quick brown fox jumps over the moon", "he said: a[redacted]moon"),
        (LONG, "a quick brown dog", "a quick brown dog"),
        ("café 12", r'{"a":"caf\u00e9 12"}', '{"a":"[redacted]"}'),
        ("one 😀 two", r"one \ud83d\ude00 two", "[redacted]"),
        (WINDOWS, json.dumps({"at": WINDOWS}), '{"at": "[redacted]"}'),
        (WINDOWS, json.dumps(json.dumps({"at": WINDOWS})), r'"{\"at\": \"[redacted]\"}"'),
    ],
)
def test_a_hidden_text_is_replaced_and_what_is_alike_stays(hidden: str, text: str, shown: str) -> None:
    assert Withheld.hiding([hidden]).hide(text) == shown


_texts = st.text(st.characters(exclude_characters="\\[]", exclude_categories=["Cs", "Z"]), min_size=3, max_size=80)


@settings(deadline=None)
@given(hidden=_texts, around=_texts, depth=st.integers(0, 3))
def test_no_hidden_text_is_left_however_deep_it_is_escaped(hidden: str, around: str, depth: int) -> None:
    text = f"{around} {hidden} {around}"
    for _ in range(depth):
        text = json.dumps(text)
    shown = Withheld.hiding([hidden]).hide(text)
    for _ in range(depth):
        shown = json.loads(shown)
    assert hidden not in shown.split()
    assert Withheld.hiding(["the one that is hidden"]).hide(text) == text


@settings(deadline=None)
@given(st.text(min_size=1))
def test_what_withholds_nothing_changes_nothing(text: str) -> None:
    assert Withheld.hiding([]).hide(text) == text


def texts_of(path: str, *run_ids: str) -> set[str]:
    snapshot = Store(path).snapshot()
    assert snapshot
    with questions_to(snapshot) as connection:
        return set(Withheld.of_runs(connection, list(run_ids)).texts)


def redacting(run_id: str, name: str, **members: Any) -> dict[str, Any]:
    """A run that scrubs one path of its log."""
    return recording(run_id, [sets(other=1) | {"redactedPaths": [name]}], **members)


def test_hidden_texts_are_what_stands_under_a_redacted_name_in_any_channel(store_of: Callable[..., str]) -> None:
    path = store_of(
        redacting(
            "r",
            f"user{PATH_SEPARATOR}pin",
            events=[
                event("stream.tool_start", toolCallId="c", toolName="t", args={"pin": "in an event", "other": "shown"}),
                event("stream.tool_end", toolCallId="c", result='{"deep":[{"pin":{"x":["in JSON text"]}}]}'),
                event("stream.tool_end", toolCallId="d", result={"pin": ["REDACTED", "[REDACTED]", 12345, 12, True]}),
            ],
            snapshot={
                "initialState": {"pin": "before the run"},
                "sharedState": {"pin": "[REDACTED]", "history": [{"role": "user", "pin": "in a message"}]},
            },
        )
    )
    assert texts_of(path, "r") == {"in an event", "in JSON text", "before the run", "in a message", "12345"}


def test_what_an_inner_log_wrote_under_a_redacted_name_is_hidden(store_of: Callable[..., str]) -> None:
    inner = recording("i", [sets(pin="in a log")])["recording"]["snapshot"]["commitLog"]
    mounts = {"subflowResults": {"sf-x#1": {"treeContext": {"history": inner}}}}
    assert texts_of(store_of(redacting("r", "pin", snapshot=mounts)), "r") == {"in a log"}


def test_names_under_which_events_repeat_a_key_count_too(store_of: Callable[..., str]) -> None:
    path = store_of(redacting("r", "userMessage", events=[event("agent.turn_start", userPrompt="Where is it?")]))
    assert texts_of(path, "r") == {"Where is it?"}


def test_a_run_withholds_only_what_its_own_record_redacts(store_of: Callable[..., str]) -> None:
    path = store_of(
        redacting("r", "pin", events=[event("a", pin="secret of r")]),
        redacting("s", "code", events=[event("a", pin="no secret", code="secret of s")]),
        recording("t", [sets(pin="no secret")]),
    )
    assert texts_of(path, "r") == {"secret of r"}
    assert texts_of(path, "t") == set()
    assert texts_of(path, "r", "s", "t") == {"secret of r", "secret of s"}
