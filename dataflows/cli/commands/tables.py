"""`afp tables`: what the tables are."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError
from dataflows.cli.options import as_json_option, newest_snapshot, text_width
from dataflows.cli.output import json_result, result
from dataflows.printable import printable

if TYPE_CHECKING:
    from dataflows.glossary import ColumnEntry, TableEntry


GRAIN_CHARACTERS = 100


@click.command("tables", short_help="List the tables, or explain the columns of one.")
@click.argument("table", required=False)
@click.option(
    "--store",
    metavar="DIR",
    envvar="AFP_STORE",
    show_envvar=True,
    help="A store, to count the rows of; without one the tables are only described.",
)
@as_json_option
def command(table: str | None, store: str | None, as_json: bool) -> None:
    """List the tables with their grain, key and rows, or explain the columns of one TABLE.

    \b
    Example:
      afp tables --store fleet
      afp tables moments
    """
    from dataflows.glossary import table_entries  # noqa: PLC0415 - `--help` needs no schemas

    snapshot = newest_snapshot(store) if store is not None else None
    entries = table_entries(snapshot.manifest.columns if snapshot else None)
    rows = snapshot.row_counts() if snapshot else {}
    if table is not None:
        entries = {table: _entry(table, entries)}
    if as_json:
        described = [entry.as_dict() | {"rows": rows.get(name)} for name, entry in entries.items()]
        json_result(described if table is None else described[0])
    elif table is None:
        result(_list(entries, rows, counted=store is not None))
    else:
        result(_page(table, entries[table], rows.get(table)))


def _entry(table: str, entries: "dict[str, TableEntry]") -> "TableEntry":
    if table in entries:
        return entries[table]
    close = get_close_matches(table, entries, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(close)}?" if close else "`afp tables` lists them."
    raise CommandError(f"There is no table {printable(table)}.", hint)


def _list(entries: "dict[str, TableEntry]", rows: dict[str, int], *, counted: bool) -> str:
    """All tables, a line each; the key stands beside the grain."""
    from dataflows.cli.formats.text_table import Column, text_table  # noqa: PLC0415

    columns = [Column("table"), Column("rows", to_the_right=True), Column("one row is"), Column("key")]
    lines = [
        [name, f"{rows[name]:,}" if name in rows else None, entry.grain, ", ".join(entry.key)]
        for name, entry in entries.items()
    ]
    if not counted:
        del columns[1]
        for line in lines:
            del line[1]
    return text_table(columns, lines, text_width(), cell=GRAIN_CHARACTERS)


def _page(name: str, entry: "TableEntry", rows: int | None) -> str:
    """One table: its grain, its key, and each column with its meaning."""
    width = max(len(column.name) for column in entry.columns)
    kinds = max(len(column.kind) for column in entry.columns)
    head = [name, "", f"one row is  {entry.grain}", f"key         {', '.join(entry.key)}"]
    if rows is not None:
        head.append(f"rows        {rows:,}")
    if entry.notes:
        head += ["", entry.notes]
    lines = [f"{c.name:{width}}  {c.kind:{kinds}}  {_meaning(c)}" for c in entry.columns]
    return "\n".join([*head, "", *lines])


def _meaning(column: "ColumnEntry") -> str:
    return "; one of ".join(filter(None, (column.meaning, " ".join(column.words))))
