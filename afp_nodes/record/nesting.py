"""Documents nested more deeply than the fast decoders can follow: measured, and cut into shallow pieces.

Decoders give up at 900 to 10,000 levels, depending on the interpreter and on how deep its own stack is. So a deep
document is cut at every 200th level: each container there becomes a piece of its own, and a placeholder of the
same kind stands in its place, `{"(cut)": "<digest>:o<number>"}` or the same in brackets. Everything can then be
decoded in the usual way, and values are put together again as text. The digest is that of the document, so no
document can hold a placeholder by chance or by design.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from afp_nodes.record.compaction import compact
from afp_nodes.record.shapes import CUT_NAME
from afp_nodes.refusals import RefusedError
from afp_nodes.words import QuarantineCode

MOST_LEVELS = 10_000
"""Nesting beyond is refused."""

PIECE_LEVELS = 200
"""Levels of one piece: well below what any decoder can follow."""

PART_BYTES = 4_000_000
"""Bytes of a text that are looked through at once."""

_ESCAPE = re.compile(rb"\\.", re.DOTALL)


class Pieces:
    """What was cut out of one document."""

    def __init__(self, digest: str = "") -> None:
        self._pieces: list[bytes] = []
        self._digest = digest
        mark = f'{{"{CUT_NAME}":"{digest}:'.encode()
        self._placeholder = re.compile(
            rb"\[" + re.escape(mark) + rb'a([0-9]+)"\}\]|' + re.escape(mark) + rb'o([0-9]+)"\}'
        )

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def take(self, piece: bytes) -> bytes:
        """Keep a piece, white space removed; the answer stands in its place."""
        kind = "a" if piece.startswith(b"[") else "o"
        placeholder = f'{{"{CUT_NAME}":"{self._digest}:{kind}{len(self._pieces)}"}}'.encode()
        self._pieces.append(compact(piece))
        return b"[" + placeholder + b"]" if kind == "a" else placeholder

    def named(self, cut: str) -> bytes | None:
        """The piece a placeholder's own text names; None where it names none."""
        digest, _, number = cut.rpartition(":")
        if not self._pieces or digest != self._digest or not number[1:].isdigit():
            return None
        return self._pieces[int(number[1:])]

    def opened(self, text: bytes) -> bytes:
        """The piece that a compact text stands for as a whole, else the text itself."""
        match = self._placeholder.fullmatch(text) if self._pieces else None
        return self._pieces[int(match[1] or match[2])] if match else text

    def whole(self, text: bytes) -> bytes:
        """A compact text with all that was cut out of it back in its place."""
        found = len(self._pieces)
        while found:
            text, found = self._placeholder.subn(lambda match: self._pieces[int(match[1] or match[2])], text)
        return text


NO_PIECES = Pieces()


def depth(text: bytes) -> int:
    """The most containers that lie in each other anywhere in a JSON text."""
    return max((int(brackets.depths.max(initial=0)) for brackets in _brackets(text)), default=0)


def cut(text: bytes) -> tuple[bytes, Pieces]:
    """A text without its deep parts, and those parts.

    Raises `RefusedError` when the text is nested beyond `MOST_LEVELS`, and `msgspec.DecodeError` when a piece is
    not JSON.
    """
    levels = depth(text)
    if levels > MOST_LEVELS:
        raise RefusedError(
            QuarantineCode.TOO_DEEP,
            f"the document nests {levels:,} levels deep; at most {MOST_LEVELS:,} are read",
            "record the deeply nested value as text, then run again",
        )
    pieces = Pieces(hashlib.sha256(text).hexdigest())
    whole = memoryview(text)
    open_parts: list[list[bytes | memoryview]] = [[]]
    end = 0
    for position, opens in _piece_borders(text):
        if opens:
            open_parts[-1].append(whole[end:position])
            open_parts.append([])
            end = position
        else:
            open_parts[-1].append(whole[end : position + 1])
            piece = b"".join(open_parts.pop())
            open_parts[-1].append(pieces.take(piece))
            end = position + 1
    open_parts[-1].append(whole[end:])
    return b"".join(part for parts in open_parts for part in parts), pieces


def _piece_borders(text: bytes) -> Iterator[tuple[int, bool]]:
    """Where pieces begin (True) and end (False), in order."""
    for positions, opens, depths in _brackets(text):
        inner = depths + ~opens
        borders = (inner >= PIECE_LEVELS) & (inner % PIECE_LEVELS == 0)
        yield from zip(positions[borders].tolist(), opens[borders].tolist(), strict=True)


class _Brackets(NamedTuple):
    """Brackets of a part of a text that stand outside of strings.

    `opens` tells the opening ones, `depths` how many containers are open after each.
    """

    positions: npt.NDArray[np.int64]
    opens: npt.NDArray[np.bool_]
    depths: npt.NDArray[np.int64]


def _brackets(text: bytes) -> Iterator[_Brackets]:
    """All brackets outside of strings, a part of the text at a time: a large text needs no more memory than a part."""
    in_string, level = False, 0
    for start, end in _parts(text):
        characters = np.frombuffer(_ESCAPE.sub(b"__", text[start:end]), np.uint8)
        quotes = np.cumsum(characters == ord('"'), dtype=np.uint8) & 1
        opens = (characters == ord("[")) | (characters == ord("{"))
        closes = (characters == ord("]")) | (characters == ord("}"))
        places = np.flatnonzero((opens | closes) & (quotes == in_string))
        opening = opens[places]
        depths = level + np.cumsum(np.where(opening, 1, -1), dtype=np.int64)
        yield _Brackets(places + start, opening, depths)
        in_string = bool(quotes[-1]) != in_string
        level = int(depths[-1]) if len(depths) else level


def _parts(text: bytes) -> Iterator[tuple[int, int]]:
    """Borders of the parts of a text, none of which ends within an escape."""
    start = 0
    while start < len(text):
        end = min(start + PART_BYTES, len(text))
        while end < len(text) and text[end - 1 : end] == b"\\":
            end += 1
        yield start, end
        start = end
