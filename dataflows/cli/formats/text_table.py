"""Answers for people: a table in plain text, or one block a row where a table would be wider than the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from dataflows.printable import glimpse

CELL_CHARACTERS = 60
"""A cell shows this much of its value."""
LONE_CELL_CHARACTERS = 160
"""The same where there is room: one column, or one block a row."""
GAP = "  "
ABSENT = "NULL"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its heading, and whether its values stand to the right, as numbers do."""

    name: str
    to_the_right: bool = False


def text_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str | None]], width: int | None, cell: int = CELL_CHARACTERS
) -> str:
    """The rows as text no wider than `width` characters, a value no wider than `cell`; None = as wide as they are."""
    limit = max(cell, LONE_CELL_CHARACTERS) if len(columns) == 1 else cell
    heads = [glimpse(column.name, limit) for column in columns]
    cells = [[_cell(value, limit) for value in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    if width is not None and sum(widths) + len(GAP) * (len(widths) - 1) > width and rows:
        return _blocks(heads, rows, width)
    lines = [heads, ["-" * each for each in widths], *cells]
    return "\n".join(_line(line, widths, columns) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    padded = []
    for cell, width, column in zip(cells, widths, columns, strict=True):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if column.to_the_right else cell + space)
    return GAP.join(padded).rstrip()


def _blocks(heads: Sequence[str], rows: Sequence[Sequence[str | None]], width: int) -> str:
    """One block a row, one line a column."""
    margin = max(map(cell_len, heads))
    room = max(width - margin - len(GAP), CELL_CHARACTERS // 2)
    return "\n\n".join(
        "\n".join(
            head + " " * (margin - cell_len(head)) + GAP + _cell(value, room)
            for head, value in zip(heads, row, strict=True)
        )
        for row in rows
    )


def _cell(value: str | None, limit: int) -> str:
    return ABSENT if value is None else glimpse(value, limit)
