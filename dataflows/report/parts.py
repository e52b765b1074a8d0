"""What a report is made of: sections of sentences, tables and plots. HTML, Markdown and JSON are written from these.

A section is plain data, ours as well as an installed package's: no markup stands in it, and whatever it holds is shown
as text.
"""

from dataclasses import dataclass
from enum import StrEnum

Cell = str | int | float | bool | None
"""What stands in a cell. None is not known, and is said to be."""


class ColumnKind(StrEnum):
    """How the cells of a column are read."""

    WORD = "word"
    """A word of our own: it is never hidden."""
    TEXT = "text"
    """Text of a recording."""
    CODE = "code"
    """Text that is typed or copied as it stands."""
    NUMBER = "number"
    SHARE = "share"
    """A number from 0 to 1."""


class PlotKind(StrEnum):
    """What a plot is drawn as."""

    TREND = "trend"
    """A line over labels in order, each point with the interval it may lie in."""
    BARS = "bars"
    """One bar for each label, in parts."""
    INTERVALS = "intervals"
    """One point for each label with the interval it may lie in."""
    MATRIX = "matrix"
    """Two labels for each number."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    kind: ColumnKind = ColumnKind.NUMBER


@dataclass(frozen=True, slots=True)
class Row:
    """One row, with the first of the runs it rests on and how many there are."""

    cells: tuple[Cell, ...]
    run_ids: tuple[str, ...] = ()
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with the command that prints them.

    `about` names what a row tells of; `empty` is said in place of rows, and tells whether anything was looked at.
    `left_out` counts rows that are not shown. `of_runs` is FALSE where rows do not rest on runs.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    command: str
    empty: str
    left_out: int = 0
    of_runs: bool = True

    def values(self) -> list[dict[str, Cell]]:
        """The rows by the names of their columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row.cells, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, with the names of the tables that its numbers stand in, and a command to copy."""

    text: str
    tables: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One mark of a plot. `part` names the part of a bar, or the other label of a matrix."""

    label: str
    value: float | None
    part: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """What a plot shows, and the table of the report that holds its numbers."""

    kind: PlotKind
    title: str
    points: tuple[Point, ...]
    table: str
    is_share: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the report about one question."""

    name: str
    title: str
    sentences: tuple[Sentence, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: what it is about, what to know first, and its sections. `failed` names those that failed."""

    title: str
    about: tuple[tuple[str, str], ...]
    headline: tuple[Sentence, ...]
    sections: tuple[Section, ...]
    failed: tuple[tuple[str, str], ...] = ()

    def titles(self) -> dict[str, str]:
        """The title of every table by its name."""
        return {table.name: table.title for section in self.sections for table in section.tables}
