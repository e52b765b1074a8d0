"""Making a report of a snapshot: every section in order. One that fails is named, and the rest stands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb

from afp_nodes.schemas import TABLES
from dataflows.glossary import table_entries
from dataflows.printable import glimpse, printable_lines
from dataflows.report.asked import Asked
from dataflows.report.headline import headline
from dataflows.report.parts import Report, Section
from dataflows.report.sections import MakeSection, section_makers
from dataflows.store import Snapshot
from dataflows.store.catalog import connect, quoted_name, read_only
from dataflows.wording import counted

FAILURE_CHARACTERS = 300

Complain = Callable[[str], None]
"""Tells the user of something that went wrong."""


def to_stderr(said: str) -> None:
    """Tell it to whoever reads what programs say beside their results."""
    print(printable_lines(said), file=sys.stderr)


def report_of(snapshot: Snapshot, night: str | None = None, complain: Complain = to_stderr) -> Report:
    """The report of a snapshot: of one of its nights, or of all its runs.

    The same snapshot and night give the same report: nothing in it is taken from a clock.
    """
    with _asked(snapshot, night) as asked:
        sections, failed = _sections(asked, complain)
    made = {table.name: table for section in sections for table in section.tables}
    return Report(
        title="The fleet" if night is None else f"The night of {night}",
        about=_about(snapshot, night),
        headline=headline(made),
        sections=tuple(sections),
        failed=tuple(failed.items()),
    )


def reported_nights(snapshot: Snapshot) -> list[str]:
    """The nights that were reported, latest first."""
    with _asked(snapshot, None) as asked:
        rows = asked.connection.execute("SELECT night::VARCHAR FROM night_reports ORDER BY night DESC").fetchall()
    return [night for (night,) in rows]


@contextmanager
def _asked(snapshot: Snapshot, night: str | None) -> Iterator[Asked]:
    """What sections ask; they can read the snapshot and nothing else."""
    with connect(snapshot) as connection:
        for name in sorted(TABLES.keys() - set(snapshot.tables())):
            connection.execute(_empty_table(name))
        read_only(connection, snapshot)
        yield Asked(connection, snapshot, night)


def _empty_table(name: str) -> str:
    """A table that an older snapshot does not know."""
    columns = ", ".join(
        f"NULL::{column.kind} AS {quoted_name(column.name)}" for column in table_entries()[name].columns
    )
    return f"CREATE VIEW {quoted_name(name)} AS SELECT {columns} WHERE false"


def _sections(asked: Asked, complain: Complain) -> tuple[list[Section], dict[str, str]]:
    """The sections that were made, and why others were not."""
    sections: list[Section] = []
    failed: dict[str, str] = {}
    for name, load in section_makers().items():
        try:
            taken = {table.name for section in sections for table in section.tables}
            sections.append(_made(asked, load(), taken))
        except duckdb.InterruptException:
            raise
        except Exception as error:  # noqa: BLE001 - a section may be anybody's, and one that fails costs no other
            failed[name] = glimpse(f"{type(error).__name__}: {error}", FAILURE_CHARACTERS)
            complain(f"the section {glimpse(name, FAILURE_CHARACTERS)} of the report failed: {failed[name]}")
    return sections, failed


def _made(asked: Asked, make: MakeSection, taken: set[str]) -> Section:
    """The section as people may read it.

    Raises `TypeError` where it is none, `ValueError` where a table has the name of an earlier one.
    """
    section = make(asked)
    if not isinstance(section, Section):
        raise TypeError(f"it gives a {type(section).__name__}, not a Section")
    names = [table.name for table in section.tables]
    if len(set(names)) < len(names) or taken.intersection(names):
        raise ValueError(f"its tables {', '.join(names)} have names that are taken")
    return asked.readable_section(section)


def _about(snapshot: Snapshot, night: str | None) -> tuple[tuple[str, str], ...]:
    """What the report is of."""
    manifest = snapshot.manifest
    runs = snapshot.row_counts().get("runs", 0)
    return (
        ("runs", "all production runs of the store" if night is None else f"production runs of the night of {night}"),
        ("left out", "probe runs of studies are no production: no rate of the fleet holds them"),
        (
            "snapshot",
            f"{snapshot.version}, published {manifest.created_at:%Y-%m-%d %H:%M:%S} UTC, {counted(runs, 'run')} with"
            f" probes, derivations {manifest.code_version}",
        ),
    )
