"""Payloads and other kept values that are read by name: typed where they can be, tolerant where they are odd."""

from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from afp_nodes.record.shapes import Event
from afp_nodes.record.tolerant import TolerantReader

Shape = TypeVar("Shape", bound=Struct)
Read = TypeVar("Read")

_MEMBERS = msgspec.json.Decoder(dict[str, Raw] | None)


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

    def members(self, text: bytes) -> dict[str, Raw]:
        """The members of an object; none where it is missing, null, or no object."""
        return self.decoded(text, _MEMBERS) or {}

    def decoded(self, text: bytes, decoder: msgspec.json.Decoder[Read]) -> Read | None:
        """What a text says as its decoder reads it, and where it holds odd values, without them."""
        if not text:
            return None
        try:
            return decoder.decode(text)
        except msgspec.ValidationError:
            tolerated: Read | None = self._tolerant.value(Raw(text), decoder.type)
            return tolerated
