"""Asked: how a section gets its rows. One SQL text makes the numbers, and is what the reader copies.

The text is asked as it is shown, but for values that take the places of its `$name`s. Its last column may be `run_ids`:
all runs that a row rests on, of which a report holds the first few. What comes back may be read by people: what those
runs redact is hidden, and secrets are masked. Rule: product contract, sections 2 and 8.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from dataflows.printable import glimpse
from dataflows.questions import question_text
from dataflows.report.parts import Cell, Column, ColumnKind, Row, Section, Table
from dataflows.store import Snapshot
from dataflows.store.catalog import quoted_text
from dataflows.withheld import Withheld

ROWS_SHOWN = 20
RUNS_SHOWN = 3
RUN_IDS = "run_ids"

TEXT_CHARACTERS = 160
CODE_CHARACTERS = 600

EMPTY_TEXT = "(empty)"
"""Stands for a recorded text without a letter in it."""

_VALUE = re.compile(r"\$([a-z_]+)")
_PLAIN = re.compile(r'[^"$`\\!]*')
"""Text that a shell leaves as it is between double quotes."""


@dataclass(frozen=True)
class Asked:
    """A snapshot that sections ask. `night` is the night that the report is of, as `2026-01-31`; NULL = all runs."""

    connection: duckdb.DuckDBPyConnection
    snapshot: Snapshot
    night: str | None = None
    known: dict[str, Withheld] = field(default_factory=dict)
    """What redacting runs withhold, as far as that was looked up."""

    def table(
        self,
        name: str,
        title: str,
        columns: Mapping[str, ColumnKind],
        *,
        empty: str,
        sql: str | None = None,
        shown: int = ROWS_SHOWN,
        **values: Any,
    ) -> Table:
        """The rows that answer an SQL text, `sql/report_<name>.sql` unless `sql` is given, with its columns in order.

        A text of the caller's own whose rows name no runs has what any run redacts hidden in them.

        Raises `duckdb.Error` where the text is no query, `KeyError` where it asks for a value that is not given,
        `ValueError` where it has other columns.
        """
        text = question_text(f"report_{name}") if sql is None else sql
        given = {"night": self.night} | values
        used = {value: given[value] for value in _VALUE.findall(text)}
        found = self.connection.sql(text, params=used).to_arrow_table()
        of_runs = found.column_names[-1:] == [RUN_IDS]
        named = found.column_names[:-1] if of_runs else found.column_names
        if named != list(columns):
            raise ValueError(f"the query of {name} has the columns {', '.join(named)}, not {', '.join(columns)}")
        made = Table(
            name=name,
            title=title,
            columns=tuple(Column(column, kind) for column, kind in columns.items()),
            rows=tuple(_rows(found.slice(0, shown), of_runs=of_runs)),
            command=sql_command(_VALUE.sub(lambda value: _literal(used[value[1]]), text)),
            empty=empty,
            left_out=max(found.num_rows - shown, 0),
            of_runs=of_runs,
        )
        return self.readable(made, of_any=sql is not None and not of_runs)

    def readable(self, table: Table, *, of_any: bool = False) -> Table:
        """A table as people may read it: its texts on a line each, without secrets and what its runs redact."""
        runs = {run_id for row in table.rows for run_id in row.run_ids}
        self._look_up(self._redacting if of_any else runs)
        everything = self._withheld(self._redacting) if of_any else None
        return replace(table, rows=tuple(self._row(row, table.columns, everything) for row in table.rows))

    def readable_section(self, section: Section) -> Section:
        """A section of somebody else's, its tables as people may read them; secrets in sentences are masked later."""
        tables = (self.readable(table, of_any=not table.of_runs) for table in section.tables)
        return replace(section, tables=tuple(tables))

    def _row(self, row: Row, columns: tuple[Column, ...], everything: Withheld | None) -> Row:
        withheld = everything or self._withheld(row.run_ids)
        return Row(
            cells=tuple(_shown(cell, column.kind, withheld) for cell, column in zip(row.cells, columns, strict=True)),
            run_ids=tuple(glimpse(withheld.hide(run_id), TEXT_CHARACTERS) for run_id in row.run_ids),
            runs=row.runs,
        )

    @cached_property
    def _redacting(self) -> frozenset[str]:
        """Runs whose records redact something."""
        rows = self.connection.execute("SELECT run_id FROM runs WHERE len(redacted_names) > 0").fetchall()
        return frozenset(run_id for (run_id,) in rows)

    def _look_up(self, run_ids: Iterable[str]) -> None:
        """Look up what these runs withhold, those that are not known yet."""
        wanted = sorted(self._redacting.intersection(run_ids).difference(self.known))
        self.known.update(dict.fromkeys(wanted, Withheld(frozenset())) | Withheld.by_run(self.connection, wanted))

    def _withheld(self, run_ids: Iterable[str]) -> Withheld:
        texts = (self.known[run_id].texts for run_id in run_ids if run_id in self.known)
        return Withheld(frozenset().union(*texts))


def sql_command(query: str) -> str:
    """The line that asks a query again; as JSON it has the runs of each row in full."""
    text = query.strip()
    return f'afp sql --format json "\n{text}"' if _PLAIN.fullmatch(text) else f"afp sql --format json {quote(text)}"


def _rows(found: pa.Table, *, of_runs: bool) -> list[Row]:
    """The rows, each with its first runs; ids past those are counted where they lie."""
    cells = found.drop_columns([RUN_IDS]) if of_runs else found
    lines = [tuple(line.values()) for line in cells.to_pylist()]
    if not of_runs:
        return [Row(line) for line in lines]
    run_ids = found.column(RUN_IDS)
    counts = pc.fill_null(pc.list_value_length(run_ids), 0).to_pylist()
    firsts = pc.list_slice(run_ids, 0, RUNS_SHOWN).to_pylist()
    return [Row(line, tuple(first or ()), count) for line, first, count in zip(lines, firsts, counts, strict=True)]


def _shown(cell: Cell, kind: ColumnKind, withheld: Withheld) -> Cell:
    if not isinstance(cell, str) or kind == ColumnKind.WORD:
        return cell
    longest = CODE_CHARACTERS if kind == ColumnKind.CODE else TEXT_CHARACTERS
    return glimpse(withheld.hide(cell), longest) or EMPTY_TEXT


def _literal(value: Any) -> str:
    return "null" if value is None else quoted_text(value) if isinstance(value, str) else str(value)
