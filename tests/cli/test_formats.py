"""Answers for machines: every type spelled exactly, no cell a formula, no character that steers a terminal."""

import csv
import io
import json
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflows.cli.formats.machine import csv_pieces, json_pieces
from dataflows.cli.formats.question import question_of
from dataflows.cli.formats.values import define_macros

VALUES = {
    "12345678901234567890123456789012345678::HUGEINT": "12345678901234567890123456789012345678",
    "18446744073709551615::UBIGINT": "18446744073709551615",
    "9007199254740993": "9007199254740993",
    "0.1::DOUBLE": "0.1",
    "0.1::FLOAT": "0.1",
    "1e300::DOUBLE": "1e+300",
    "5e-324::DOUBLE": "5e-324",
    "1.50::DECIMAL(38, 2)": "1.50",
    "'nan'::DOUBLE": "null",
    "'-inf'::DOUBLE": "null",
    "true": "true",
    "NULL": "null",
    "''": '""',
    "'2026-01-31 14:00:00+02'::TIMESTAMPTZ": '"2026-01-31T12:00:00Z"',
    "'2026-01-31 14:00:00.000001'::TIMESTAMP": '"2026-01-31T14:00:00.000001Z"',
    "'2026-01-31'::DATE": '"2026-01-31"',
    "[1, NULL, 3]": "[1,null,3]",
    "[0.5::DOUBLE, 'nan']": "[0.5,null]",
    "[]": "[]",
    "NULL::INTEGER[]": "null",
    "[[1], []]": "[[1],[]]",
    "[1.10::DECIMAL(20, 2)]": "[1.10]",
    "{'a': 1, 'b': {'c': [NULL, 'x']}}": '{"a":1,"b":{"c":[null,"x"]}}',
    "NULL::STRUCT(a INTEGER)": "null",
    "MAP {'k': [1.5::DOUBLE]}": '{"k":[1.5]}',
    "'{\"n\": 18446744073709551617}'::JSON": '{"n": 18446744073709551617}',
    "'[NaN]'::JSON": '"[NaN]"',
    "'x'::BLOB": '"x"',
    "INTERVAL 1 DAY": '"1 day"',
    "chr(0) || chr(7) || chr(27) || chr(155) || chr(8238)": r'"\u0000\u0007\u001B\u009b\u202e"',
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without tables."""
    with duckdb.connect() as made:
        made.execute("SET TimeZone = 'America/New_York'")
        define_macros(made)
        yield made


def json_of(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """The answer as JSON."""
    return b"".join(json_pieces(question_of(connection, query))).decode()


def csv_of(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """The answer as CSV."""
    return b"".join(csv_pieces(question_of(connection, query))).decode()


@pytest.mark.parametrize(("value", "text"), VALUES.items(), ids=list(VALUES))
def test_json_spells_each_type_exactly(connection: duckdb.DuckDBPyConnection, value: str, text: str) -> None:
    shown = json_of(connection, f"SELECT {value} AS v")
    assert shown == f'[\n{{"v":{text}}}\n]\n'
    assert json.loads(shown)


def test_json_of_no_rows_is_an_empty_array(connection: duckdb.DuckDBPyConnection) -> None:
    assert json_of(connection, "FROM range(0)") == "[]\n"


def test_json_keeps_the_order_and_every_row(connection: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT i FROM range(20000) t(i) ORDER BY hash(i)"
    shown = json_of(connection, query)
    assert [row["i"] for row in json.loads(shown)] == [i for (i,) in connection.execute(query).fetchall()]


def test_columns_of_one_name_are_told_apart(connection: duckdb.DuckDBPyConnection) -> None:
    assert json_of(connection, "SELECT 1 AS a, 2 AS a, 3 AS A") == '[\n{"a":1,"a_1":2,"A":3}\n]\n'


@settings(deadline=None)
@given(text=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_any_text_comes_out_of_json_as_it_went_in(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    name = f"x{text}".replace('"', '""')
    literal = text.replace("'", "''")
    assert json.loads(json_of(connection, f"SELECT '{literal}' AS \"{name}\"")) == [{f"x{text}": text}]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("'=1+1'", "'=1+1"),
        ("'+49 170'", "'+49 170"),
        ("'@here'", "'@here"),
        ("'-x'", "'-x"),
        ("chr(9) || '=1'", "'\t=1"),
        ("chr(13) || '=1'", "'\\r=1"),
        ("'-0.25'", "-0.25"),
        ("'+1e5'", "+1e5"),
        ("-0.25", "-0.25"),
        ("-3::HUGEINT", "-3"),
        ("'a,b'", "a,b"),
        ("'say \"hi\"'", 'say "hi"'),
        ("'two' || chr(10) || 'lines'", "two\nlines"),
        ("chr(27) || '[31m'", "\\x1b[31m"),
        ("['=1']", '["=1"]'),
        ("NULL", ""),
    ],
)
def test_a_csv_field_is_harmless_and_whole(connection: duckdb.DuckDBPyConnection, value: str, field: str) -> None:
    shown = csv_of(connection, f"SELECT {value} AS v, 1 AS last")
    assert list(csv.reader(io.StringIO(shown))) == [["v", "last"], [field, "1"]]


def test_csv_tells_the_empty_text_from_null(connection: duckdb.DuckDBPyConnection) -> None:
    assert csv_of(connection, "SELECT '' AS e, NULL AS n") == 'e,n\n"",\n'


def test_a_csv_heading_is_harmless_too(connection: duckdb.DuckDBPyConnection) -> None:
    assert csv_of(connection, 'SELECT 1 AS "=1+1"') == "'=1+1\n1\n"
