"""The person rule: which messages of a history a person said. Rule: assessment and routing, section 2."""

from msgspec import json

from afp_nodes.record.shapes import Message

NOTICES = (
    "[dropped history",
    "[compacted history",
    "[schema check",
    "[evidence check",
    "[budget exhausted",
    "[steps unrun",
)
"""How the library's own notices begin."""


def said_by_person(message: Message) -> bool:
    """Role `user`, a text, injected by nobody, and no notice of the library.

    An `injectedBy` of any value makes a message injected, null included.
    """
    if message.role != "user" or message.injected_by or not json.encode(message.content).startswith(b'"'):
        return False
    content: str = json.decode(message.content)
    return not content.startswith(NOTICES)
