"""Compact JSON text: white space removed, spelling of numbers kept, of repeated members only the last."""

import msgspec
from msgspec import Raw, json


def compact(text: bytes) -> bytes:
    """A JSON text with white space removed and, of repeated members, only the last."""
    text = json.format(text, indent=-1)
    return _last_members(Raw(text)) if _has_repeated_members(text) else text


def _has_repeated_members(text: bytes) -> bool:
    """Whether some object of a compact text may name a member twice: decoding it would lose a name."""
    if _names(text) < 2:
        return False
    try:
        return _names(json.encode(json.decode(text))) != _names(text)
    except msgspec.DecodeError:
        return True  # a number beyond the doubles, which only a careful walk gets past


def _names(text: bytes) -> int:
    """Members named in a compact text. An escaped quote may blur the count, and alike in both spellings."""
    return text.count(b'":') - text.count(b'\\":')


def _last_members(raw: Raw) -> bytes:
    """A compact text with the last of repeated members, at the place of the first.

    Recursive: a text is at most some hundred levels deep, since deeper documents are cut into pieces before.
    """
    text = bytes(raw)
    if text.startswith(b"{"):
        members = json.decode(text, type=dict[str, Raw])
        return (
            b"{" + b",".join(json.encode(name) + b":" + _last_members(value) for name, value in members.items()) + b"}"
        )
    if text.startswith(b"["):
        return b"[" + b",".join(_last_members(item) for item in json.decode(text, type=list[Raw])) + b"]"
    return text
