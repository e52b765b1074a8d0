"""Compact JSON text: white space removed, spelling of numbers kept, of repeated members only the last."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Raw, json

SLICE_BYTES = 4_000_000
"""Bytes of text that are made compact at once: a few calls for many values, and a bounded memory."""


def compact(text: bytes) -> bytes:
    """One JSON text made compact."""
    text = json.format(text, indent=-1)
    return text if _names_once(text) else _last_members(Raw(text))


def compact_all(texts: Sequence[bytes]) -> Iterator[bytes]:
    """JSON texts made compact, many at a time: the cost of a call is that of hundreds of bytes."""
    for part in _slices(texts):
        joined = json.format(b"[" + b",".join(part) + b"]", indent=-1)
        if _names_once(joined):
            yield from map(json.encode, json.decode(joined, type=list[Raw]))
        else:
            yield from map(compact, part)


def _slices(texts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    start = size = 0
    for place, text in enumerate(texts):
        size += len(text)
        if size >= SLICE_BYTES:
            yield texts[start : place + 1]
            start, size = place + 1, 0
    if start < len(texts):
        yield texts[start:]


def _names_once(text: bytes) -> bool:
    """Whether no object of a compact text names a member twice: decoding and encoding would lose a name."""
    try:
        again = json.encode(json.decode(text))
    except msgspec.DecodeError:
        return False  # a number beyond the doubles: only a careful walk gets past it
    return again == text or _names(again) == _names(text)


def _names(text: bytes) -> int:
    """Members named in a compact text. An escaped quote may blur the count, and alike in both spellings."""
    return text.count(b'":') - text.count(b'\\":')


def _last_members(raw: Raw) -> bytes:
    """A compact text with the last of repeated members, at the place of the first.

    Recursive: a text is at most some hundred levels deep, since deeper documents are cut into pieces before.
    """
    text = json.encode(raw)
    if text.startswith(b"{"):
        members = json.decode(text, type=dict[str, Raw]).items()
        return b"{" + b",".join(json.encode(name) + b":" + _last_members(value) for name, value in members) + b"}"
    if text.startswith(b"["):
        return b"[" + b",".join(_last_members(item) for item in json.decode(text, type=list[Raw])) + b"]"
    return text
