"""`afp sql`: read-only in earnest, exact for machines, safe for people."""

import json
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Afp, recording, sets


def test_parquet_keeps_types_and_digits(afp: Afp, store: str, tmp_path: Path) -> None:
    file = tmp_path / "answer.parquet"
    query = "SELECT 1::HUGEINT AS h, [1, 2] AS l, 'x' AS t, INTERVAL 1 DAY AS i, 0.5 AS d, 'a' AS t"
    shown = afp("sql", query, "--store", store, "--format", "parquet", "--output", str(file))
    assert shown.exit_code == 0
    answer = duckdb.sql(f"FROM '{file}'")
    assert answer.columns == ["h", "l", "t", "i", "d", "t_1"]
    assert answer.fetchall()[0][1:4] == ([1, 2], "x", "1 day")
    assert [entry.name for entry in tmp_path.iterdir()] == ["answer.parquet"]


def test_parquet_goes_to_stdout_too(afp: Afp, store: str, tmp_path: Path) -> None:
    shown = afp("sql", "SELECT run_id FROM runs", "--store", store, "--format", "parquet")
    (tmp_path / "piped.parquet").write_bytes(shown.stdout_bytes)
    assert shown.exit_code == 0
    assert duckdb.sql(f"FROM '{tmp_path}/piped.parquet'").columns == ["run_id"]


def test_a_query_may_begin_with_a_comment(afp: Afp, store: str) -> None:
    shown = afp("sql", "-- how many\nSELECT 1 AS one", "--store", store, "--format", "json")
    assert (shown.exit_code, json.loads(shown.stdout)) == (0, [{"one": 1}])


WRITING = [
    "COPY (SELECT 1) TO '{folder}/made.csv'",
    "COPY (SELECT 1) TO '{store}/parts/made.csv'",
    "WITH made AS (COPY (SELECT 1) TO '{folder}/made.csv') SELECT 1",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/made.csv'",
    "ATTACH '{folder}/made.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 1",
    "RESET threads",
    "PRAGMA version",
    "EXPORT DATABASE '{folder}/made'",
    "CREATE TABLE made (i INTEGER)",
    "CREATE TEMP TABLE made AS FROM runs",
    "INSERT INTO runs SELECT * FROM runs",
    "DELETE FROM runs",
    "DROP VIEW runs",
    "CALL enable_logging()",
    "USE memory",
    "VACUUM",
    "BEGIN",
]
READING_ELSEWHERE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('{store}/manifests/*')",
    "SELECT * FROM read_parquet('{store}/../*.parquet')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT getenv('HOME')",
    "SELECT * FROM read_json('http://localhost/x')",
    "SELECT * FROM store",
    "SELECT * FROM enable_logging(storage = 'file', storage_config = {{'path': '{folder}/made'}})",
]


@pytest.mark.parametrize("query", WRITING + READING_ELSEWHERE)
def test_a_query_can_neither_write_nor_read_elsewhere(afp: Afp, store: str, tmp_path: Path, query: str) -> None:
    before = sorted(Path(store).rglob("*"))
    shown = afp("sql", query.format(folder=tmp_path, store=store), "--store", store, "--format", "json")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr.startswith("afp: ")
    assert "Traceback" not in shown.stderr
    assert list(tmp_path.iterdir()) == []
    assert sorted(Path(store).rglob("*")) == before


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "The query is empty."),
        ("  -- only a comment", "The query is empty."),
        ("SELECT 1; SELECT 2", "The text holds 2 statements."),
        ("SELECT $a", "The query has parameters."),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT nope FROM runs", 'Referenced column "nope" not found'),
        ("FROM runz", 'Did you mean "runs"?'),
        ("SELECT\ncast('x' AS INTEGER)", "LINE 2: cast('x' AS INTEGER)"),
        ("SELECT 1) FROM (SELECT 2", 'syntax error at or near ")"'),
    ],
)
def test_a_query_that_cannot_be_asked_is_explained(afp: Afp, store: str, query: str, said: str) -> None:
    shown = afp("sql", "-", "--store", store, input=query)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 7 AS n;",
        "SELECT 7 AS n; -- the end;",
        "WITH a AS (SELECT 7 AS n) FROM a -- ;",
        "VALUES (7)",
        "FROM range(7, 8)",
        "(SELECT 7)",
        "PIVOT (SELECT 'n' AS name, 7 AS n) ON name USING sum(n)",
    ],
)
def test_every_way_to_ask_is_understood(afp: Afp, store: str, query: str) -> None:
    shown = afp("sql", query, "--store", store, "--format", "json")
    assert [list(row.values()) for row in json.loads(shown.stdout)] == [[7]]


@pytest.mark.parametrize("query", ["DESCRIBE runs", "SHOW TABLES", "SUMMARIZE runs", "EXPLAIN FROM runs"])
def test_the_tables_can_be_looked_at(afp: Afp, store: str, query: str) -> None:
    shown = afp("sql", query, "--store", store)
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) > 3


def test_a_table_is_aligned_and_says_how_many_rows_there_are(afp: Afp, store: str) -> None:
    shown = afp("sql", "SELECT i, 'x' || i AS name FROM range(8, 12) t(i)", "--store", store, "--limit", "3")
    assert shown.stdout == " i  name\n--  ----\n 8  x8\n 9  x9\n10  x10\n"
    assert shown.stderr == "3 of 4 rows are shown; --limit 0 shows all, --format json holds all.\n"


def test_a_table_shows_no_control_character_no_secret_and_no_long_value(afp: Afp, store: str) -> None:
    query = "SELECT chr(27) || '[31m' AS c, 'Bearer FAKE0FAKE0FAKE0FAKE0' AS s, repeat('x', 100) AS l, NULL AS n"
    shown = afp("sql", query, "--store", store)
    assert shown.stdout.splitlines()[2].split() == ["\\x1b[31m", "Bearer", "[masked]", "x" * 59 + "…", "NULL"]


def test_markup_is_shown_as_it_is(afp: Afp, store: str) -> None:
    assert "[bold]x[/bold] :smile:" in afp("sql", "SELECT '[bold]x[/bold] :smile:' AS m", "--store", store).stdout


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_an_answer_can_be_kept_in_a_file(afp: Afp, store: str, tmp_path: Path, form: str) -> None:
    file = tmp_path / "answer"
    printed = afp("sql", "FROM runs", "--store", store, "--format", form).stdout
    shown = afp("sql", "FROM runs", "--store", store, "--format", form, "--output", str(file))
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert file.read_text() == printed
    assert [entry.name for entry in tmp_path.iterdir()] == ["answer"]


def test_a_query_that_fails_leaves_an_earlier_answer_alone(afp: Afp, store: str, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text("earlier")
    query = "SELECT CASE WHEN i < 50000 THEN i ELSE error('late') END FROM range(60000) t(i)"
    shown = afp("sql", query, "--store", store, "--format", "json", "--output", str(file))
    assert shown.exit_code == 2
    assert "late" in shown.stderr
    assert file.read_text() == "earlier"
    assert [entry.name for entry in tmp_path.iterdir()] == ["answer.json"]


def test_a_missing_folder_is_named(afp: Afp, store: str) -> None:
    shown = afp("sql", "FROM runs", "--store", store, "--format", "csv", "--output", "/nowhere/x.csv")
    assert (shown.exit_code, shown.stderr) == (
        2, "afp: Cannot write /nowhere/x.csv: there is no folder /nowhere. Make it first.\n"
    )  # fmt: skip


def test_an_id_that_looks_like_sql_comes_out_as_it_went_in(afp: Afp, store_of: "object") -> None:
    run_id = "x'); DROP TABLE runs;--"
    path = store_of(recording(run_id, [sets(k=1)]), recording("0012", [sets(k=1)]))  # type: ignore[operator]
    shown = afp("sql", "SELECT run_id FROM runs ORDER BY run_id", "--store", path, "--format", "json")
    assert [row["run_id"] for row in json.loads(shown.stdout)] == ["0012", run_id]
    assert afp("trace", run_id, "k", "--store", path).stdout.startswith(f"run       {run_id}\n")
