"""Recorded values: kept as text, read as words, or looked up at a path.

A value repeats from loop to loop and often from run to run. So it is kept as it is spelled, and each distinct
spelling of a chunk is made compact once, when the chunk's frames are made.
"""

from collections.abc import Callable, Sequence

from msgspec import Raw, json

from afp_nodes.javascript import ABSENT, DENIED_NAMES, own_member
from afp_nodes.record.compaction import compact
from afp_nodes.record.nesting import NO_PIECES, Pieces
from afp_nodes.signs import PATH_SEPARATOR

Kept = bytes | str
"""A kept value: as spelled in its document (bytes, b'' = not recorded), or compact already (text)."""


class Values:
    """The values of one document."""

    def __init__(self, pieces: Pieces = NO_PIECES) -> None:
        self._pieces = pieces
        self._opened: tuple[Raw, dict[str, Raw]] = (Raw(b"{}"), {})
        self.kept: Callable[[Raw], Kept] = self._put_together if pieces else json.encode
        """A value to be kept."""

    def all_kept(self, texts: list[bytes]) -> Sequence[Kept]:
        """Values to be kept, by their texts."""
        return [self._put_together(Raw(text)) for text in texts] if self._pieces else texts

    def _put_together(self, raw: Raw) -> Kept:
        """A value with what was cut out of it: too deep to be touched again."""
        return self.text(raw) or b""

    def text(self, raw: Raw) -> str | None:
        """A value as compact text; None when it is not recorded."""
        return self._pieces.whole(compact(json.encode(raw))).decode() if raw else None

    def spoken(self, raw: Raw) -> str | None:
        """A text as it reads, any other value as compact text; None when it is not recorded."""
        if not json.encode(raw).startswith(b'"'):
            return self.text(raw)
        spoken: str = json.decode(raw)
        return spoken

    def at(self, tree: dict[str, Raw] | None, path: str) -> Kept:
        """The value at a path of a commit's tree, as native get finds it; b'' when there is none.

        Rule: record format, section 6.
        """
        if not tree:
            return b""
        if PATH_SEPARATOR in path:
            top, *inner = path.split(PATH_SEPARATOR)
            return self._nested(tree[top], inner) if top in tree and top not in DENIED_NAMES else b""
        raw = tree.get(path)
        return b"" if raw is None or path in DENIED_NAMES else self.kept(raw)

    def _nested(self, raw: Raw, segments: list[str]) -> Kept:
        """The value at a path inside a value; only what the path meets is taken apart."""
        for segment in segments:
            found = self._member(raw, segment)
            if found is None or segment in DENIED_NAMES:
                return b""
            raw = found
        return self.kept(raw)

    def _member(self, raw: Raw, name: str) -> Raw | None:
        """An own member of a value, spelled as recorded. The object taken apart last is remembered."""
        if raw is not self._opened[0]:
            text = json.encode(raw)
            if self._pieces:
                text = self._pieces.opened(compact(text))
            if not text.startswith(b"{"):
                return _element(text, name)
            self._opened = raw, json.decode(text, type=dict[str, Raw])
        return self._opened[1].get(name)


def _element(text: bytes, name: str) -> Raw | None:
    """An own member of an array or a text, spelled as recorded."""
    if text.startswith(b"["):
        items = json.decode(text, type=list[Raw])
        found = own_member([0] * len(items), [name])
        return None if found is ABSENT else Raw(str(len(items)).encode()) if name == "length" else items[int(name)]
    found = own_member(json.decode(text), [name]) if text.startswith(b'"') else ABSENT
    return None if found is ABSENT else Raw(json.encode(found))
