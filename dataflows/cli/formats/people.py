"""Answers for people: the first rows of a question as a table."""

from dataflows.cli.formats.question import Question
from dataflows.cli.formats.text_table import Column, text_table
from dataflows.cli.formats.values import is_number, plain_text

FETCHED_CHARACTERS = 4000
"""Much more of a value than is shown, so that a secret is recognised before it is cut."""


def answer_table(question: Question, limit: int | None, width: int | None) -> tuple[str, int]:
    """The first rows as text, and how many they are."""
    cells = ", ".join(
        f"left({plain_text(f'#{place}', kind)}, {FETCHED_CHARACTERS})"
        for place, kind in enumerate(question.kinds, start=1)
    )
    rows = [row for batch in question.rows(cells, limit) for row in batch]
    columns = [Column(name, is_number(kind)) for name, kind in zip(question.names, question.kinds, strict=True)]
    return text_table(columns, rows, width), len(rows)
