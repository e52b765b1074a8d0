"""Answers for people: the first rows of a question as a table, without what the records redact."""

from collections.abc import Sequence

from dataflows.cli.formats.question import Question
from dataflows.cli.formats.text_table import Column, text_table
from dataflows.cli.formats.values import is_number, plain_text
from dataflows.store.statements import sources_of
from dataflows.withheld import Withheld

FETCHED_CHARACTERS = 4000
"""Much more of a value than is shown, so that a secret is recognised before it is cut."""

WITHOUT_VALUES = frozenset(
    {"recordings", "inputs", "quarantine", "files", "study_runs", "snapshots"}
    | {"variables", "missing_context_summary", "standings", "standing_checks", "verdicts"}
)
"""Tables in which no value of a recording stands."""

REDACTING_RUNS = "SELECT run_id FROM runs WHERE len(redacted_names) > 0"

Row = tuple[str | None, ...]


def answer_table(question: Question, limit: int | None, width: int | None) -> tuple[str, int]:
    """The first rows as text, and how many they are."""
    cells = ", ".join(
        f"left({plain_text(f'#{place}', kind)}, {FETCHED_CHARACTERS})"
        for place, kind in enumerate(question.kinds, start=1)
    )
    rows = [row for batch in question.rows(cells, limit) for row in batch]
    columns = [Column(name, is_number(kind)) for name, kind in zip(question.names, question.kinds, strict=True)]
    withheld = _withheld(question, rows)
    return text_table(columns, withheld.hide_data(rows) if withheld.texts else rows, width), len(rows)


def _withheld(question: Question, rows: Sequence[Row]) -> Withheld:
    """What the runs redact that the rows may tell of: those whose ids they show, where they show ids, else all."""
    if sources_of(question.connection, question.text) <= WITHOUT_VALUES:
        return Withheld.hiding([])
    redacting = {run_id for (run_id,) in question.connection.execute(REDACTING_RUNS).fetchall()}
    if "run_id" in question.names:
        redacting &= {cell for row in rows for cell in row if cell is not None}
    return Withheld.of_runs(question.connection, sorted(redacting))
