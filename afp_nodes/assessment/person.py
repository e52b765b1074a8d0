"""The person rule: which messages of a history a person said. Rule: assessment and routing, section 2."""

from typing import Any

NOTICES = (
    "[dropped history",
    "[compacted history",
    "[schema check",
    "[evidence check",
    "[budget exhausted",
    "[steps unrun",
)
"""How the library's own notices begin."""


def said_by_person(message: Any) -> bool:
    """Whether a person said a message of a history; what is no message nobody said."""
    if not isinstance(message, dict):
        return False
    return is_persons(message.get("role"), message.get("content"), injected="injectedBy" in message)


def is_persons(role: Any, content: Any, *, injected: bool) -> bool:
    """Role `user`, a text, injected by nobody, and no notice of the library.

    An `injectedBy` of any value makes a message injected, null included.
    """
    return role == "user" and not injected and isinstance(content, str) and not content.startswith(NOTICES)
