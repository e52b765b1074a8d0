"""Findings: the few sentences about a snapshot that a person should read first."""

from importlib.resources import files

from dataflows.store import Snapshot
from dataflows.store.catalog import connect


def findings_of(snapshot: Snapshot) -> list[str]:
    """Sentences about the whole store, most important first. None claims a cause."""
    question = files("dataflows").joinpath("sql/findings.sql").read_text()
    with connect(snapshot) as connection:
        return [sentence for (sentence,) in connection.execute(question).fetchall()]
