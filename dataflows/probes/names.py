"""Names: ids as parts of run ids and as names of files, safe anywhere and different for different ids.

Rule: product contract, section 7.
"""

import hashlib
import re
from urllib.parse import quote

LONGEST_PART = 64
"""Characters of one part of an id; two of them, a kind, two digests and a seed fit into the 200 of a run id."""

LONGEST_NAME = 180
"""Bytes of a file name before its ending; file systems take 255."""

_DIGITS = 16
_ESCAPED = re.compile(r"[^a-z0-9_-]|^-|-$|-(?=-)")
_CUT_ESCAPE = re.compile(r"\.[0-9a-f]?$")


def study_id_of(kind: str, original_run_id: str, content: str) -> str:
    """The id of a study: its kind, the run it is about, and the digest of all that tells it from other studies."""
    return f"{kind}-{_part(original_run_id)}-{_digest(content)}"


def run_id_of(study_id: str, subject_id: str, seed: int) -> str:
    """The id of one probe run of a study that was planned here: its study, subject and seed."""
    return f"{study_id}--{_part(subject_id)}--{seed}"


def file_name(name: str) -> str:
    """An id as the name of a file, without an ending: itself where that is safe, else with bytes escaped."""
    escaped = re.sub(r"^[.~]", lambda first: f"%{ord(first[0]):02X}", quote(name, safe=""))
    if len(escaped) <= LONGEST_NAME:
        return escaped
    return f"{escaped[: LONGEST_NAME - _DIGITS - 2]}%%{_digest(name)}"


def _part(text: str) -> str:
    """A text in small letters, digits, underscores and single hyphens; else a dot and two digits for each byte.

    No hyphen begins it, ends it or follows another. A long one is cut, and ends with two dots, which stand nowhere
    else, and its digest.
    """
    escaped = _ESCAPED.sub(lambda found: "".join(f".{byte:02x}" for byte in found[0].encode()), text)
    if len(escaped) <= LONGEST_PART:
        return escaped
    return f"{_CUT_ESCAPE.sub('', escaped[: LONGEST_PART - _DIGITS - 2])}..{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
