"""Tables as comparable lines of text, so that the product's frames and the oracle's rows can be held side by side."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from tests.oracle.javascript import ABSENT, parse, stringify
from tests.oracle.tables import NULL_TEXT

Row = Mapping[str, Any]


def frame_lines(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """One line a row of some columns of a frame, sorted; JSON texts as the values they stand for."""
    return sorted(_line({name: _value(name, cell) for name, cell in row.items()}) for row in _dicts(frame, columns))


def oracle_lines(rows: Iterable[Row]) -> list[str]:
    """One line a row of the oracle, sorted."""
    return sorted(_line({name: _stated(name, cell) for name, cell in row.items()}) for row in rows)


def difference(published: Sequence[str], expected: Sequence[str]) -> str:
    """The lines that only one side has, as a text to fail with; '' where there are none."""
    ours, theirs = Counter(published), Counter(expected)
    lines = [f"published, not expected: {line}" for line in (ours - theirs).elements()]
    return "\n".join([*lines, *(f"expected, not published: {line}" for line in (theirs - ours).elements())])


def _dicts(frame: pl.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    return frame.select(columns).to_dicts()


def _line(row: Row) -> str:
    return "  ".join(f"{name}={cell!r}" for name, cell in row.items())


def _value(name: str, cell: Any) -> Any:
    return stringify(ABSENT if cell is None else parse(cell)) if name.endswith("_json") else cell


def _stated(name: str, cell: Any) -> Any:
    if not name.endswith("_json"):
        return cell
    return stringify(None if cell == NULL_TEXT else ABSENT if cell is None else cell)
