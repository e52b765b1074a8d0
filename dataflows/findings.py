"""Findings: the few sentences about a snapshot that a person should read first."""

from dataflows.questions import question_text
from dataflows.store import Snapshot
from dataflows.store.catalog import connect


def findings_of(snapshot: Snapshot) -> list[str]:
    """Sentences about the whole store, most important first. None claims a cause."""
    with connect(snapshot) as connection:
        return [sentence for (sentence,) in connection.execute(question_text("findings")).fetchall()]
