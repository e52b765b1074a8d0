"""What SQL statements do: only those that read go through, judged by DuckDB's own parser.

`SELECT` alone proves nothing: DuckDB runs `WITH x AS (COPY ... TO ...) SELECT` and `EXPLAIN ANALYZE COPY`, too, and
has functions that run a statement given as text. So the parsed tree of each statement is looked through, and what
stands behind an EXPLAIN; of the functions that stand in a FROM, only known ones are let through.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import duckdb

from dataflows.store.catalog import TABLE_MACROS
from dataflows.store.errors import StoreError

READING = frozenset({"SELECT", "EXPLAIN", "PIVOT"})
"""Kinds of statement that read; DESCRIBE, SHOW, SUMMARIZE, FROM and VALUES are SELECT to the parser."""

_NODE = re.compile(r'"type":"([A-Z_]+?)(?:_QUERY)?_NODE"')
"""A query node in a parsed tree. Quotes inside of a text are escaped there, so that no text looks like one."""

_FUNCTION = re.compile(r'"type":"TABLE_FUNCTION".*?"function_name":"([^"]*)"', re.DOTALL)
"""A function that stands for a table, in a parsed tree."""

_TABLE = re.compile(r'"table_name":"([^"]*)"')
"""A table, in a parsed tree."""

_READING_FUNCTIONS = TABLE_MACROS | {
    *("unnest", "range", "generate_series", "repeat", "repeat_row", "json_each", "json_tree", "query_table"),
    *("histogram", "histogram_values", "summary", "read_parquet", "parquet_metadata", "parquet_schema"),
    *("duckdb_tables", "duckdb_views", "duckdb_columns", "duckdb_functions", "duckdb_keywords", "duckdb_types"),
    *("duckdb_settings", "duckdb_databases", "duckdb_schemas", "pragma_table_info", "pg_timezone_names"),
}
"""Functions that may stand for a table: they compute, describe, or read what a locked connection may open anyway."""

_READING_NODES = frozenset({"SELECT", "SET_OPERATION", "RECURSIVE_CTE", "CTE"})
_QUERY_OPENERS = frozenset({"PIVOT", "PIVOT_WIDER", "WITH", "SELECT", "FROM", "DESCRIBE", "SHOW", "SUMMARIZE", "("})
_WRITING_BODIES = frozenset({"COPY", "INSERT", "UPDATE", "DELETE"})
"""What the body of a WITH may be beside a query."""


def refuse_writes(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raises `StoreError` unless every statement of a text only reads; `duckdb.Error` when it is no SQL."""
    for kind in statement_kinds(connection, sql):
        if kind.endswith("()"):
            raise StoreError(
                f"{kind} may read outside the store, or is not known to be safe.",
                "Ask the tables of the store: `afp tables` lists them.",
            )
        if kind not in READING:
            raise StoreError(
                f"{kind} is not a query.",
                "A store is read only: ask with SELECT, FROM, WITH, VALUES, PIVOT, DESCRIBE, SHOW or SUMMARIZE.",
            )


def statement_kinds(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """What each statement of a text does, those inside of others included, as words in capitals.

    A function that stands for a table and may do anything is named as `function()`.

    Raises `duckdb.Error` when the text is no SQL.
    """
    return [kind for statement in connection.extract_statements(sql) for kind in _kinds(connection, statement)]


def sources_of(connection: duckdb.DuckDBPyConnection, query: str) -> set[str]:
    """What a SELECT reads from, by name: tables, steps of its own, and functions that stand for a table."""
    tree = _parsed_tree(connection, query)
    return {*_TABLE.findall(tree), *_FUNCTION.findall(tree)}


def _kinds(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> Iterator[str]:
    words = [word.upper() for _, word in _tokens(statement.query)]
    kind = _type_name(statement)
    if words[0] == "EXPLAIN":
        yield "EXPLAIN"
        yield from statement_kinds(connection, _explained(statement.query))
    elif kind == "SELECT":
        yield "SELECT"
        yield from _beside_reading(connection, statement.query)
    elif kind == "MULTI" and words[0] in _QUERY_OPENERS:
        yield "PIVOT"
        yield from _writing_bodies(words)
        yield from _risky_calls(connection, words)
    else:
        yield kind if words[0] in _QUERY_OPENERS else words[0]


def _type_name(statement: duckdb.Statement) -> str:
    """DuckDB's word for what a statement is. Its Python package has none for some kinds, none of which reads."""
    try:
        return statement.type.name
    except ValueError:
        return "UNNAMED"


def _beside_reading(connection: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    """What a SELECT does beside reading, by its parsed tree."""
    tree = _parsed_tree(connection, query)
    nodes = dict.fromkeys(_NODE.findall(tree))
    if not nodes:
        raise StoreError("DuckDB cannot tell what this query does.", "Write it in a simpler way.")
    functions = dict.fromkeys(name.lower() for name in _FUNCTION.findall(tree))
    return [
        *(node for node in nodes if node not in _READING_NODES),
        *(f"{name}()" for name in functions if name not in _READING_FUNCTIONS),
    ]


def _parsed_tree(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """A SELECT as DuckDB's parser sees it, as JSON."""
    row = connection.execute("SELECT json_serialize_sql($query)", {"query": query}).fetchone()
    return str(row[0]) if row else ""


def _writing_bodies(words: list[str]) -> list[str]:
    """What a PIVOT does beside reading. DuckDB shows no tree of one, so its words must do: a body opens its bracket."""
    return [word for before, word in pairwise(words) if word in _WRITING_BODIES and before in "()"]


def _risky_calls(connection: duckdb.DuckDBPyConnection, words: list[str]) -> list[str]:
    """The functions of a PIVOT that may stand for a table and are not known to read only, by its words, too."""
    functions = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"
    )
    risky = {name for (name,) in functions.fetchall()} - _READING_FUNCTIONS
    called = (word.strip('"').lower() for word, after in pairwise(words) if after == "(")
    return [f"{name}()" for name in called if name in risky]


def _explained(query: str) -> str:
    """The statement behind EXPLAIN, ANALYZE and their options."""
    tokens = [(start, word.upper()) for start, word in _tokens(query)][1:]
    if tokens and tokens[0][1] in ("ANALYZE", "ANALYSE"):
        del tokens[0]
    if len(tokens) > 1 and tokens[0][1] == "(" and tokens[1][1] in ("ANALYZE", "ANALYSE", "FORMAT"):
        closing = next((i for i, (_, word) in enumerate(tokens) if word == ")"), len(tokens) - 1)
        del tokens[: closing + 1]
    return query.encode()[tokens[0][0] :].decode() if tokens else ""


def _tokens(text: str) -> list[tuple[int, str]]:
    """The words and marks of a text with their positions in its UTF-8 bytes, comments left out."""
    encoded = text.encode()
    tokens = duckdb.tokenize(text)
    ends = [start for start, _ in tokens[1:]] + [len(encoded)]
    return [
        (start, encoded[start:end].decode().strip())
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind is not duckdb.token_type.comment
    ]
