"""Findings: the few sentences about a snapshot that a person should read first."""

import duckdb

from dataflows.questions import answer
from dataflows.store import Snapshot
from dataflows.store.catalog import connect
from dataflows.withheld import Withheld


def findings_of(snapshot: Snapshot) -> list[str]:
    """Sentences about the whole store, most important first. None claims a cause."""
    with connect(snapshot) as connection:
        return sentences(connection)


def sentences(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The sentences; what the run redacts that would show a name in one of them does not stand there."""
    rows = answer(connection, "findings")
    return [Withheld.of_runs(connection, row["shown_by"]).hide(row["sentence"]) for row in rows]
