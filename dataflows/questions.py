"""Questions: the SQL files of this package, asked of a snapshot by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import duckdb

from afp_nodes.signs import PLACEHOLDERS_JSON
from dataflows.store import Snapshot
from dataflows.store.catalog import connect, quoted_texts

SHARED_VIEWS = ("redacting_runs", "shown_questions")
"""SQL files that define what other questions build on."""

_IS_PLACEHOLDER = (
    f"CREATE TEMP MACRO is_placeholder(value) AS value::VARCHAR IN ({quoted_texts(sorted(PLACEHOLDERS_JSON))})"
)
"""Whether a value, as JSON, is what stands where one was taken out."""


@contextmanager
def questions_to(snapshot: Snapshot) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection on which the questions can be asked."""
    with connect(snapshot) as connection:
        connection.execute(_IS_PLACEHOLDER)
        for name in SHARED_VIEWS:
            connection.execute(question_text(name))
        yield connection


def answer(connection: duckdb.DuckDBPyConnection, question: str, /, **values: Any) -> list[dict[str, Any]]:
    """The rows that answer the question in `sql/<question>.sql`; `values` take the places of its `$name`s."""
    connection.execute(question_text(question), values)
    names = [column[0] for column in connection.description or []]
    return [dict(zip(names, row, strict=True)) for row in connection.fetchall()]


@cache
def question_text(question: str) -> str:
    """The SQL of one question."""
    return files("dataflows").joinpath(f"sql/{question}.sql").read_text(encoding="utf-8")
