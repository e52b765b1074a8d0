"""The person rule for a message that is decoded, its content still as recorded."""

from msgspec import json

from afp_nodes.assessment.person import is_persons
from afp_nodes.record.shapes import Message


def said_by_person(message: Message) -> bool:
    """Whether a person said the message; its content is taken apart only where that can matter."""
    recorded = json.encode(message.content)
    content = json.decode(recorded) if message.role == "user" and recorded.startswith(b'"') else None
    return is_persons(message.role, content, injected=bool(message.injected_by))
