"""A question to the store: one SQL query, bound and known to read only, but not yet asked."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import duckdb
from duckdb.sqltypes import DuckDBPyType

from dataflows.cli.failures import CommandError, explained
from dataflows.cli.interruption import interrupting
from dataflows.store import StoreError
from dataflows.store.statements import refuse_writes, statement_kinds

BATCH_ROWS = 8192
"""Rows that are held at a time, whatever the answer's size."""

KEPT_ANSWER = "kept_answer"
_LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """One query. Its columns are named by position in expressions over its rows (`#1`)."""

    connection: duckdb.DuckDBPyConnection
    text: str
    names: list[str]
    kinds: list[DuckDBPyType]

    def rows(self, expressions: str, limit: int | None = None) -> Iterator[list[tuple[str | None, ...]]]:
        """Expressions over the answer's rows, in batches and in the answer's order."""
        cut = "" if limit is None else f"LIMIT {limit}"
        with told(lines_before=1), interrupting(self.connection):
            self.connection.execute(f"SELECT {expressions} FROM (\n{self.text}\n) {cut}")
            while rows := self.connection.fetchmany(BATCH_ROWS):
                yield rows

    @cached_property
    def count(self) -> int:
        """How many rows the answer has."""
        [[(count,)]] = self.rows("count(*)")
        return int(count or 0)


def question_of(connection: duckdb.DuckDBPyConnection, text: str) -> Question:
    """The question that a text asks.

    Raises:
        CommandError: the text is not exactly one query, would do more than read, or does not fit the tables.
    """
    with told(), explained(StoreError), interrupting(connection):
        statements = connection.extract_statements(text)
        if not statements:
            raise CommandError("The query is empty.", 'Ask something: afp sql "FROM runs" --store DIR')
        if len(statements) > 1:
            raise CommandError(
                f"The text holds {len(statements)} statements.", "Ask one query at a time; WITH joins several steps."
            )
        if statements[0].named_parameters:
            raise CommandError("The query has parameters.", "Write their values into it.")
        refuse_writes(connection, text)
        kinds = statement_kinds(connection, text)
        connection.fetchall()  # the parser was asked by a query, whose answer must not stay open
        query = _as_rows(connection, _unended(text), kinds)
        answer = connection.sql(query)
        return Question(connection, query, _told_apart(answer.columns), answer.types)


@contextmanager
def told(lines_before: int = 0) -> Iterator[None]:
    """What DuckDB says of a query becomes what the command says; it counts lines as they were written.

    `lines_before` is how many lines were put before the query.
    """
    try:
        yield
    except duckdb.PermissionException as error:
        raise CommandError(str(error), "A query reads the tables of the store and nothing else.") from error
    except duckdb.Error as error:
        lines = _LINE.sub(lambda found: f"LINE {int(found[1]) - lines_before}:", str(error))
        raise CommandError(lines) from error


def _as_rows(connection: duckdb.DuckDBPyConnection, query: str, kinds: list[str]) -> str:
    """A query that can stand in a FROM: the answer of one that cannot is kept in memory under a name."""
    if "EXPLAIN" in kinds:
        plans = connection.execute(query).fetchall()
        connection.execute(f"CREATE TEMP TABLE {KEPT_ANSWER} (plan VARCHAR)")
        for line in "\n".join(str(plan) for _, plan in plans).splitlines():
            connection.execute(f"INSERT INTO {KEPT_ANSWER} VALUES (?)", [line])
    elif "PIVOT" in kinds:
        connection.execute(f"CREATE TEMP TABLE {KEPT_ANSWER} AS\n{query}")
    else:
        return query
    return f"FROM {KEPT_ANSWER}"


def _unended(text: str) -> str:
    """The statement without the semicolon that ends it, and what stands after that, so that it fits into a FROM."""
    spelled = text.encode()
    ends = (place for place, kind in duckdb.tokenize(text) if kind.name == "operator" and spelled[place] == ord(";"))
    return spelled[: next(ends, len(spelled))].decode()


def _told_apart(names: list[str]) -> list[str]:
    """Column names, numbered where they repeat, so that each is a member of its own."""
    apart: list[str] = []
    for name in names:
        number, candidate = 0, name
        while candidate in apart:
            number += 1
            candidate = f"{name}_{number}"
        apart.append(candidate)
    return apart
