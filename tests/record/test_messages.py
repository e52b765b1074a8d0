"""Messages of the final history, and which of them a person said."""

from typing import Any

import pytest

from afp_nodes.assessment.person import NOTICES
from tests.record.documents import bare, facts_of


def messages_of(history: Any) -> list[Any]:
    """The rows of a history."""
    return facts_of(bare({"sharedState": {"history": history}}))["messages"].drop("run_id").rows()


def test_a_message_is_a_row_with_what_it_states() -> None:
    history = [
        {"role": "user", "content": "why?"},
        {"role": "tool", "content": [{"type": "text"}], "toolCallId": "c1", "toolName": "t", "injectedBy": "memory"},
        {"role": "assistant", "content": None, "injectedBy": {"id": 1}},
        {},
    ]
    assert messages_of(history) == [
        (0, "user", "why?", None, None, None, True),
        (1, "tool", '[{"type":"text"}]', "c1", "t", "memory", False),
        (2, "assistant", None, None, None, '{"id":1}', False),
        (3, None, None, None, None, None, False),
    ]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": "user", "content": ""}, True),
        ({"role": "User", "content": "x"}, False),
        ({"role": "user", "content": ["x"]}, False),
        ({"role": "user"}, False),
        ({"role": "user", "content": "x", "injectedBy": None}, False),
        ({"role": "user", "content": "x", "injectedBy": ""}, False),
        ({"role": "user", "content": " [dropped history"}, True),
        ({"role": "user", "content": "[Dropped history"}, True),
        ({"role": "user", "content": "[dropped"}, True),
        *(({"role": "user", "content": f"{notice} and more"}, False) for notice in NOTICES),
    ],
)
def test_the_person_rule(message: Any, said: bool) -> None:
    assert messages_of([message])[0][-1] is said


@pytest.mark.parametrize("history", [None, [], {}, "x"])
def test_a_history_that_is_no_list_has_no_messages(history: Any) -> None:
    assert messages_of(history) == []
