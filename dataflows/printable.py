"""Text of a recording as people see it: no control characters, no secrets, no longer than they read."""

import re

from afp_nodes.signs import PATH_SEPARATOR
from dataflows.masking import masked

SHOWN_SEPARATOR = " › "  # noqa: RUF001 - the sign people see
"""What joins the segments of a key where people see it."""

WITHHELD = "[redacted]"
"""Stands where the record redacts what would be shown."""

_BIDI_AND_LINES = "\u061c\u2028-\u202e\u2066-\u2069\ufeff"
_CONTROLS = re.compile(f"[\x00-\x1f\x7f-\x9f{_BIDI_AND_LINES}]")
_CONTROLS_BUT_LINES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI_AND_LINES}]")
_SHORT_FORMS = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def printable(text: str) -> str:
    r"""One line that a terminal shows as it stands: controls and overrides of direction as `\n`, `\x07`, `\u202e`."""
    return _CONTROLS.sub(_escape, text)


def printable_lines(text: str) -> str:
    """The same for text whose lines and tabs are meant."""
    return _CONTROLS_BUT_LINES.sub(_escape, text)


def printable_json(text: str) -> str:
    """JSON text, or lines of it, that a terminal shows as it stands; it holds the same values."""
    return _CONTROLS_BUT_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown_key(key: str) -> str:
    """A key as people see it, its segments set apart."""
    return printable(key.replace(PATH_SEPARATOR, SHOWN_SEPARATOR))


def recorded_key(key: str) -> str:
    """A key as the record spells it, from what people see."""
    return key.replace(SHOWN_SEPARATOR, PATH_SEPARATOR)


def glimpse(text: str, characters: int) -> str:
    """The beginning of a text on one line: masked first, so that no half of a secret is left, then escaped."""
    line = printable(masked(text))
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _SHORT_FORMS.get(found[0]) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")
