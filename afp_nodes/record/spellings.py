"""Spellings: what repeats from loop to loop and from run to run is read once for each distinct spelling."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from msgspec import Raw, json

from afp_nodes.record.payloads import Payloads

Read = TypeVar("Read")

REPEATING_BYTES = 10_000
"""Longest text that is remembered: longer ones seldom repeat."""


class Spellings(Generic[Read]):
    """What was read of each text of a kind. A text that holds odd values is read, and they are counted, every time."""

    def __init__(self) -> None:
        self._known: dict[bytes, Read] = {}

    def read(self, texts: Iterable[Raw], reading: Callable[[bytes, Payloads], Read], payloads: Payloads) -> list[Read]:
        """What `reading` makes of each text."""
        spelled = list(map(json.encode, texts))
        known = map(self._known.get, spelled)
        return [
            self._new(text, reading, payloads) if read is None else read
            for text, read in zip(spelled, known, strict=True)
        ]

    def _new(self, text: bytes, reading: Callable[[bytes, Payloads], Read], payloads: Payloads) -> Read:
        odd_before = payloads.odd
        read = reading(text, payloads)
        if payloads.odd == odd_before and len(text) <= REPEATING_BYTES:
            self._known[text] = read
        return read
