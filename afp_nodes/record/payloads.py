"""Payloads and other kept values that are read by name: typed where they can be, tolerant where they are odd."""

from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from afp_nodes.record.shapes import Event
from afp_nodes.record.tolerant import TolerantReader

Shape = TypeVar("Shape", bound=Struct)


class Payloads:
    """Reads shapes out of the kept values of one run, and counts what was odd."""

    def __init__(self) -> None:
        self._tolerant = TolerantReader()

    @property
    def odd(self) -> int:
        """Values of a wrong type seen so far."""
        return self._tolerant.odd

    def read(self, event: Event, kind: type[Shape]) -> Shape:
        """What an event's payload says."""
        return self.of(event.payload, kind)

    def of(self, raw: Raw, kind: type[Shape]) -> Shape:
        """What a value says; nothing where it is missing, null, or no object."""
        if not raw or msgspec.json.encode(raw) == b"null":
            return kind()
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.ValidationError:
            return self._tolerant.shape(raw, kind)
