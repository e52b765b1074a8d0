"""Contents: recorded values as a person reads them, and the messages of a history."""

from typing import Any

import msgspec
from msgspec import Struct

from afp_nodes import javascript
from afp_nodes.signs import PLACEHOLDERS


class Message(Struct, rename="camel"):
    role: Any = None
    tool_call_id: Any = None
    content: Any = None


_MESSAGES = msgspec.json.Decoder(list[Message])


def text(value: Any) -> str | None:
    """A text as it reads; any other value reads as absent."""
    return value if isinstance(value, str) else None


def content(*values: Any) -> str | None:
    """The first value that is recorded: a text as it reads, any other as JSON text; a placeholder is no content."""
    value = next((value for value in values if value is not None), None)
    spoken = value if value is None or isinstance(value, str) else javascript.stringify(value)
    return None if spoken in PLACEHOLDERS else spoken


def messages_of(history: str) -> list[Message] | None:
    """The messages of a history, those that are no objects left out; None for what is no list."""
    try:
        return _MESSAGES.decode(history)
    except (msgspec.DecodeError, RecursionError):
        value = javascript.parse(history)
    if not isinstance(value, list):
        return None
    messages = [message for message in value if isinstance(message, dict)]
    return [Message(m.get("role"), m.get("toolCallId"), m.get("content")) for m in messages]
