"""Withheld: what a record redacts under one name is not shown from another place where it still stands.

Rule: product contract, section 2 (law 5). `runs.redacted_names` holds the names under which a record scrubs values,
and those under which events repeat them. What stands under such a name in the events, the states or the logs of that
run is a hidden text: wherever a text of the run that people read holds it, a marker takes its place.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import duckdb

from afp_nodes.javascript import is_number, parse_as_spelled, stringify
from afp_nodes.signs import PLACEHOLDERS
from dataflows.printable import WITHHELD
from dataflows.questions import answer

SHORTEST = 3
"""A text shorter than this stands in every other one, and is not looked for."""

SHORTEST_NUMBER = 4
"""The same for digits: fewer are a count or a position."""

WORD = 8
"""A text shorter than this is hidden only where no letter and no digit touches it."""

PIECE, STRIDE = 16, 8
"""Of a long text parts are found too: all that share one of its pieces, which are so long and begin so far apart."""

_LETTER = re.compile(
    r"\\+u(?P<high>d[89ab][0-9a-f]{2})\\+u(?P<low>d[c-f][0-9a-f]{2})|\\+u(?P<code>[0-9a-f]{4})|\\+(?P<escaped>.?)|.",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}

Span = tuple[int, int]


@dataclass(frozen=True)
class Withheld:
    """The hidden texts of some runs, each as its letters, however they are escaped."""

    texts: frozenset[str]

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection, run_id: str) -> "Withheld":
        """What one run withholds."""
        return cls.of_runs(connection, [run_id])

    @classmethod
    def of_runs(cls, connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> "Withheld":
        """What any of these runs withholds."""
        return cls(frozenset().union(*(each.texts for each in cls.by_run(connection, run_ids).values())))

    @classmethod
    def by_run(cls, connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> "dict[str, Withheld]":
        """What each of these runs withholds; those that withhold nothing are left out."""
        if not run_ids:
            return {}
        rows = answer(connection, "redacted_texts", run_ids=run_ids)
        return {
            run_id: cls.hiding(text for row in of_run for text in _hidden_texts(row))
            for run_id, of_run in groupby(rows, key=itemgetter("run_id"))
        }

    @classmethod
    def hiding(cls, texts: Iterable[str]) -> "Withheld":
        """What hides these texts, but for those that are too short."""
        return cls(frozenset(letters for letters, _ in map(_letters, texts) if len(letters.strip()) >= SHORTEST))

    def hide(self, text: str) -> str:
        """`text` with every hidden text in it replaced by `[redacted]`; works on JSON text as on plain text."""
        if not self.texts:
            return text
        letters, starts = _letters(text)
        kept, shown_from = [], 0
        for first, last in _merged([*self._words_in(letters), *self._pieces_in(letters)]):
            kept.append(text[shown_from : starts[first]])
            shown_from = starts[last]
        return WITHHELD.join([*kept, text[shown_from:]])

    def hide_data(self, value: Any) -> Any:
        """Plain data with every text in it hidden where it has to be."""
        match value:
            case str():
                return self.hide(value)
            case Mapping():
                return {name: self.hide_data(member) for name, member in value.items()}
            case list() | tuple():
                return [self.hide_data(item) for item in value]
            case _:
                return value

    @cached_property
    def _word(self) -> re.Pattern[str] | None:
        """Any text that is looked for as a whole."""
        words = sorted((text for text in self.texts if len(text) < PIECE + STRIDE), key=len, reverse=True)
        return re.compile("|".join(map(_whole, words))) if words else None

    @cached_property
    def _pieces(self) -> dict[str, tuple[str, int]]:
        """Each piece of the long texts, with a text that holds it and its place there."""
        return {
            text[place : place + PIECE]: (text, place)
            for text in self.texts
            for place in range(0, len(text) - PIECE + 1, STRIDE)
            if len(text) >= PIECE + STRIDE
        }

    def _words_in(self, letters: str) -> Iterator[Span]:
        if self._word:
            yield from (found.span() for found in self._word.finditer(letters))

    def _pieces_in(self, letters: str) -> Iterator[Span]:
        """Where the letters and a long text run alike, as far as they do."""
        place = 0
        while self._pieces and place + PIECE <= len(letters):
            text, there = self._pieces.get(letters[place : place + PIECE], ("", 0))
            if text:
                before = _alike(letters, place - 1, text, there - 1, step=-1)
                after = _alike(letters, place, text, there, step=1)
                yield place - before, place + after
                place += after
            else:
                place += 1


def _hidden_texts(row: Mapping[str, Any]) -> Iterator[str]:
    """Every text and number that stands under one of the names, at any depth, in JSON text inside of texts too."""
    names = set(row["names"])
    work: list[tuple[Any, bool]] = [(parse_as_spelled(row["recorded"]), row["is_hidden"])]
    while work:
        value, hidden = work.pop()
        match value:
            case dict():
                work += [(member, hidden or name in names) for name, member in value.items()]
            case list():
                work += [(item, hidden) for item in value]
            case str():
                work += [(inner, hidden) for inner in _inner_json(value)]
                yield from [value] if hidden and value not in PLACEHOLDERS else ()
            case int() | float() if hidden and is_number(value) and len(stringify(value)) >= SHORTEST_NUMBER:
                yield stringify(value)


def _inner_json(text: str) -> Iterator[Any]:
    """The object or list that a text is the JSON of."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield parse_as_spelled(text)
        except ValueError:
            return


def _letters(text: str) -> tuple[str, Sequence[int]]:
    """The letters of a text, escapes of JSON undone at any depth, and where each begins; last where the text ends."""
    if "\\" not in text:
        return text, range(len(text) + 1)
    letters, starts = [], []
    for found in _LETTER.finditer(text):
        if letter := _letter(found):
            letters.append(letter)
            starts.append(found.start())
    return "".join(letters), [*starts, len(text)]


def _letter(found: re.Match[str]) -> str:
    if found["high"]:
        return bytes.fromhex(found["high"] + found["low"]).decode("utf-16-be")
    if found["code"]:
        return chr(int(found["code"], 16))
    escaped = found["escaped"]
    return found[0] if escaped is None else _ESCAPED.get(escaped, escaped)


def _whole(text: str) -> str:
    """The pattern of a text that is looked for as a whole."""
    if len(text) >= WORD:
        return re.escape(text)
    before = "(?<![^\\W_])" if text[0].isalnum() else ""
    after = "(?![^\\W_])" if text[-1].isalnum() else ""
    return before + re.escape(text) + after


def _alike(left: str, left_place: int, right: str, right_place: int, step: int) -> int:
    """How many letters two texts have in common from these places on, forward or backward."""
    count = 0
    while 0 <= left_place < len(left) and 0 <= right_place < len(right) and left[left_place] == right[right_place]:
        count, left_place, right_place = count + 1, left_place + step, right_place + step
    return count


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged
