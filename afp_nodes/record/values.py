"""Recorded values as compact JSON text, and what lies at a path inside them.

A value repeats from loop to loop, so each distinct spelling in a document is made compact once.
"""

from msgspec import Raw, json

from afp_nodes.javascript import ABSENT, DENIED_NAMES, own_member
from afp_nodes.record.compaction import compact
from afp_nodes.record.nesting import NO_PIECES, Pieces

PATH_DELIMITER = "\x1f"


class Values:
    """The values of one document as text."""

    def __init__(self, pieces: Pieces = NO_PIECES) -> None:
        self._pieces = pieces
        self._texts: dict[bytes, str | None] = {b"": None}

    def text(self, raw: Raw) -> str | None:
        """A value as compact text; None when it is not recorded."""
        spelled = bytes(raw)
        try:
            return self._texts[spelled]
        except KeyError:
            text = self._texts[spelled] = self._pieces.whole(compact(spelled)).decode()
            return text

    def spoken(self, raw: Raw) -> str | None:
        """A text as it reads, any other value as compact text; None when it is not recorded."""
        text = self.text(raw)
        if text is None or not text.startswith('"'):
            return text
        spoken: str = json.decode(text)
        return spoken

    def at(self, tree: dict[str, Raw] | None, path: str) -> str | None:
        """The value at a path of a commit's tree, as native get finds it; None when there is none.

        Rule: record format, section 6.
        """
        segments = path.split(PATH_DELIMITER)
        raw = tree.get(segments[0]) if tree and segments[0] not in DENIED_NAMES else None
        if raw is None or len(segments) == 1:
            return None if raw is None else self.text(raw)
        return self._nested(raw, segments[1:])

    def _nested(self, raw: Raw, segments: list[str]) -> str | None:
        """The value at a path inside a value; only what the path meets is taken apart."""
        for segment in segments:
            text = self._pieces.opened(compact(bytes(raw)))
            if text.startswith(b"{"):
                member = json.decode(text, type=dict[str, Raw]).get(segment)
                member = None if segment in DENIED_NAMES else member
            else:
                member = _element(text, segment)
            if member is None:
                return None
            raw = member
        return self.text(raw)


def _element(text: bytes, name: str) -> Raw | None:
    """An own member of an array or a text, spelled as recorded."""
    if text.startswith(b"["):
        items = json.decode(text, type=list[Raw])
        found = own_member([0] * len(items), [name])
        return None if found is ABSENT else Raw(str(len(items)).encode()) if name == "length" else items[int(name)]
    found = own_member(json.decode(text), [name]) if text.startswith(b'"') else ABSENT
    return None if found is ABSENT else Raw(json.encode(found))
