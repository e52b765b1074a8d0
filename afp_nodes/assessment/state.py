"""The committed state a standing is folded from: the members that are read, and those that are kept out.

Rules: assessment and routing, sections 1 and 1.1.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, json

from afp_nodes.javascript import parse_as_spelled
from afp_nodes.signs import PLACEHOLDERS

State = Mapping[str, Any]
"""Members of a committed state, as `parse_as_spelled` reads them."""

REWRITES_KEY = "middlewareDecisions"
"""Asked for only where some argument row is read."""

ALWAYS_ASKED = frozenset(
    (
        "history",
        "coverageDeclared",
        "pausedToolCallId",
        "findingsLedger",
        "turnNumber",
        "argumentAsk",
        "unsupportedValues",
        "stoppedEarly",
        "answerValidation",
    )
)
"""Asked for of every record."""


def read_state(text: str) -> State:
    """The members of a state's text that the fold may ask for; the others are not taken apart."""
    try:
        members = json.decode(text, type=dict[str, Raw])
    except (RecursionError, msgspec.DecodeError):
        whole: State = parse_as_spelled(text)
        return whole
    asked = members.keys() & (ALWAYS_ASKED | {REWRITES_KEY})
    return {name: parse_as_spelled(json.encode(members[name]).decode()) for name in asked}


def kept_out(state: State) -> frozenset[str]:
    """The keys whose whole value is a placeholder: what a redacted record keeps out.

    A placeholder inside a row or a message is an ordinary value.
    """
    return frozenset(name for name, value in state.items() if isinstance(value, str) and value in PLACEHOLDERS)


def without(state: State, names: frozenset[str]) -> State:
    """The state in which some members read as absent."""
    return {name: value for name, value in state.items() if name not in names} if names else state
