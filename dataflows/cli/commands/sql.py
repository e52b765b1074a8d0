"""`afp sql`: asks a store one question in SQL."""

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError
from dataflows.cli.options import newest_snapshot, readable, store_option, text_width
from dataflows.cli.output import aside, result, written
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.cli.formats.question import Question

FORMATS = ("table", "json", "csv", "parquet")


@click.command(
    "sql",
    context_settings={"ignore_unknown_options": True},
    short_help="Ask a store one question in SQL, as table, JSON, CSV or Parquet.",
)
@click.argument("query")
@store_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="`table` is for people: long values are shortened, secrets masked, and what a record redacts is not shown from"
    " another place. The others hand out every row as it is recorded.",
)
@click.option("--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write there instead of to stdout.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Rows that `table` shows; 0 shows all.",
)
def command(query: str, store: str, form: str, output: str | None, limit: int) -> None:
    """Ask QUERY, one SQL query, of the newest snapshot; `-` reads it from stdin.

    The tables are those of `afp tables`. Nothing a query says can write, attach, install, set, or read a file
    outside the store. `json` is one array of objects, numbers to the last digit, times in UTC. In `csv`, cells that
    a spreadsheet would run as formulas begin with an apostrophe.

    \b
    Example:
      afp sql "SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL" --store fleet
      afp sql "FROM runs" --store fleet --format csv --output runs.csv
      echo "SELECT max(loops) FROM runs" | afp sql - --store fleet --format json
    """
    if form == "parquet" and output is None and sys.stdout.isatty():
        raise CommandError("Parquet is no text for a terminal.", "Name a file for it: --output FILE")
    asked = sys.stdin.buffer.read() if query == "-" else os.fsencode(query)
    with _question(store, asked.decode(errors="replace")) as question:
        if form == "table":
            _show(question, limit, output)
        elif form == "parquet":
            _write_parquet(question, output)
        else:
            _write_pieces(question, form, output)


@contextmanager
def _question(store: str, text: str) -> "Iterator[Question]":
    """The question, on a connection that can do nothing but read this store; what does not fit in memory is spilled."""
    from dataflows.cli.formats.question import question_of  # noqa: PLC0415 - `--help` needs no database
    from dataflows.cli.formats.values import define_macros  # noqa: PLC0415
    from dataflows.store.catalog import connect, read_only  # noqa: PLC0415

    snapshot = newest_snapshot(store)
    with readable(store):
        opened = connect(snapshot)
    with opened as connection:
        define_macros(connection)
        connection.execute("SET temp_directory = ?", [str(Path(tempfile.gettempdir(), f"afp-sql-{os.getpid()}"))])
        read_only(connection, snapshot)
        yield question_of(connection, text)


def _show(question: "Question", limit: int, output: str | None) -> None:
    """The first rows as a table, and a note of how many there are."""
    from dataflows.cli.formats.people import answer_table  # noqa: PLC0415

    table, shown = answer_table(question, limit or None, text_width() if output is None else None)
    if output is None:
        result(table)
    else:
        with written(output) as file:
            file.write(f"{table}\n".encode())
    more = question.count - shown if shown == limit else 0
    if more:
        aside(f"{shown:,} of {shown + more:,} rows are shown; --limit 0 shows all, --format json holds all.")
    else:
        aside(counted(shown, "row"))


def _write_parquet(question: "Question", output: str | None) -> None:
    from dataflows.cli.formats.machine import write_parquet  # noqa: PLC0415

    if output is None:
        whole = io.BytesIO()
        write_parquet(question, whole)
        sys.stdout.buffer.write(whole.getbuffer())
        return
    with written(output) as file:
        write_parquet(question, file)


def _write_pieces(question: "Question", form: str, output: str | None) -> None:
    from dataflows.cli.formats.machine import csv_pieces, json_pieces  # noqa: PLC0415

    pieces = json_pieces(question) if form == "json" else csv_pieces(question)
    if output is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
    else:
        with written(output) as file:
            for piece in pieces:
                file.write(piece)
