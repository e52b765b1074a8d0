"""Shown: the rows that tell of one run, as people may read them.

What its record redacts is hidden wherever it stands, secrets are masked, and a long value is read in part only.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb

from afp_nodes.signs import PLACEHOLDERS_JSON
from dataflows.masking import masked_data
from dataflows.questions import answer
from dataflows.withheld import Withheld

FETCHED_CHARACTERS = 4000
"""Of a value this much is read: more than is shown, so that a secret is recognised before it is cut."""

LONGEST_TOKEN = 200
"""Dropped from the end of a value that was cut: half a secret there would not be recognised."""

LENGTH = "_length"
"""A column `x` with a column `x_length` beside it holds the beginning of a value, and that its length."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it may be shown: secrets masked, cut at `FETCHED_CHARACTERS`.

    `text` is NULL where the record redacts it or holds none; `characters` counts the whole recorded text.
    """

    text: str | None
    characters: int
    redacted: bool = False


NO_VALUE = Value(None, 0)
KEPT_OUT = Value(None, 0, redacted=True)


@dataclass(frozen=True)
class ShownRun:
    """One run whose rows can be asked for."""

    connection: duckdb.DuckDBPyConnection
    run_id: str

    @cached_property
    def withheld(self) -> Withheld:
        """What the record of the run redacts."""
        return Withheld.of(self.connection, self.run_id)

    def rows(self, question: str, /, *, words: Collection[str] = (), **values: Any) -> list[dict[str, Any]]:
        """The rows that answer a question about the run, every text in them as people may read it.

        `words` names the columns that hold words of our own, which stay; a value comes as a `Value`.
        """
        return [self._row(row, words) for row in answer(self.connection, question, run_id=self.run_id, **values)]

    def value(self, text: str | None, characters: int | None) -> Value:
        """A value of the run, from its beginning and its length."""
        if text is None:
            return NO_VALUE
        if text in PLACEHOLDERS_JSON:
            return KEPT_OUT
        shown, whole = self.text(text), characters or 0
        return Value(shown if whole <= FETCHED_CHARACTERS else shown[:-LONGEST_TOKEN], whole)

    def text(self, text: str) -> str:
        """A text of the run."""
        return str(self.data(text))

    def data(self, value: Any) -> Any:
        """Plain data of the run."""
        return masked_data(self.withheld.hide_data(value))

    def _row(self, row: dict[str, Any], words: Collection[str]) -> dict[str, Any]:
        lengths = {name.removesuffix(LENGTH): row.pop(name) for name in list(row) if name.endswith(LENGTH)}
        values = {name: self.value(row[name], length) for name, length in lengths.items()}
        return {name: value if name in words else self.data(value) for name, value in row.items()} | values
