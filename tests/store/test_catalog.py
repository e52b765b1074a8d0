"""SQL over a store: in memory, locked down, and as a file for everyone."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from afp_nodes.schemas import TABLES, VIEW_COLUMNS
from dataflows.store import Store, StoreError, catalog_file
from dataflows.store.catalog import connect, quoted_text, read_only
from dataflows.store.statements import refuse_writes, statement_kinds
from tests.store.drawn import files_below, publish_runs


@pytest.fixture(scope="module")
def read_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store that tests only read."""
    return _published(tmp_path_factory.mktemp("read"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return _published(tmp_path)


def _published(folder: Path) -> Store:
    store = Store(folder / "st[o]re*").create()
    publish_runs(store, {"r": "a1", "s": "b1"}, commits=1)
    publish_runs(store, {"r": "a2"}, commits=2)
    return store


@pytest.fixture
def locked(read_store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    snapshot = read_store.snapshot()
    assert snapshot
    with connect(snapshot) as connection:
        read_only(connection, snapshot)
        yield connection


READING = [
    ("SELECT count(*) FROM runs", ["SELECT"]),
    ("FROM runs", ["SELECT"]),
    ("VALUES (1)", ["SELECT"]),
    ("TABLE runs", ["SELECT"]),
    ("DESCRIBE runs", ["SELECT"]),
    ("SHOW TABLES", ["SELECT"]),
    ("SUMMARIZE runs", ["SELECT"]),
    ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) FROM n", ["SELECT"]),
    ("PIVOT events ON type USING count(*)", ["PIVOT"]),
    ("FROM (PIVOT events ON type IN ('a') USING count(*))", ["SELECT"]),
    ("EXPLAIN SELECT 1", ["EXPLAIN", "SELECT"]),
    ("EXPLAIN (FORMAT json) FROM runs", ["EXPLAIN", "SELECT"]),
    ("EXPLAIN ANALYZE (SELECT 1)", ["EXPLAIN", "SELECT"]),
    ("""SELECT '"type":"COPY_QUERY_NODE"' AS copy -- COPY runs TO 'x'""", ["SELECT"]),
    ("SELECT " + " + ".join(["1"] * 900), ["SELECT"]),
    ("FROM range(3), unnest([1]), runs_like('r'), duckdb_columns()", ["SELECT"]),
    ("SELECT version(), query FROM (SELECT 1 AS query)", ["SELECT"]),
    ("", []),
]


@pytest.mark.parametrize(("sql", "kinds"), READING)
def test_what_only_reads_is_let_through(locked: duckdb.DuckDBPyConnection, sql: str, kinds: list[str]) -> None:
    assert statement_kinds(locked, sql) == kinds
    refuse_writes(locked, sql)
    locked.execute(sql)


WRITING = [
    "COPY runs TO '{out}'",
    "COPY (PIVOT events ON type) TO '{out}'",
    "WITH x AS (COPY runs TO '{out}' (USE_TMP_FILE false)) FROM x",
    "SELECT 1; COPY runs TO '{out}'",
    "/* quiet */ EXPLAIN /* now */ ANALYZE COPY runs TO '{out}'",
    "EXPLAIN (ANALYZE, FORMAT json) COPY runs TO '{out}'",
    "EXPLAIN ANALYZE WITH x AS (COPY runs TO '{out}') FROM x",
    "WITH x AS (COPY runs TO '{out}') PIVOT x ON \"Count\"",
    "EXPORT DATABASE '{out}'",
    "IMPORT DATABASE '{out}'",
    "ATTACH '{out}'",
    "DETACH memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{out}'",
    "SET threads = 1",
    "SET VARIABLE a = 1",
    "RESET threads",
    "USE memory",
    "PRAGMA threads = 1",
    "PRAGMA database_list",
    "CALL enable_logging()",
    "CREATE TABLE mine AS FROM runs",
    "CREATE TABLE mine AS PIVOT events ON type",
    "CREATE OR REPLACE VIEW runs AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "DROP VIEW runs",
    "INSERT INTO runs VALUES (1)",
    "WITH x AS (INSERT INTO runs VALUES (1) RETURNING *) FROM x",
    "UPDATE runs SET answer = 'x'",
    "DELETE FROM runs",
    "TRUNCATE runs",
    "COMMENT ON VIEW runs IS 'mine'",
    "BEGIN",
    "CHECKPOINT",
    "VACUUM",
    "FROM query('FROM runs')",
    "FROM system.main.\"JSON_execute_serialized_sql\"('{{}}')",
    "SELECT (SELECT count(*) FROM json_execute_serialized_sql('{{}}'))",
    "SELECT 1 WHERE 1 IN (FROM query('SELECT 1'))",
    "PIVOT (FROM \"query\" ('FROM events')) ON type",
    "SUMMARIZE FROM query('FROM runs')",
    "FROM add_grammar_extension('{{}}')",
    "FROM read_text('/etc/passwd')",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
]


@pytest.mark.parametrize("sql", WRITING)
def test_whatever_writes_attaches_installs_or_sets_is_refused_by_name(
    locked: duckdb.DuckDBPyConnection, sql: str, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match=r"[A-Z] is not a query|\(\) may read outside the store"):
        refuse_writes(locked, sql.format(out=tmp_path / "out"))


@pytest.mark.parametrize(
    "sql",
    [
        *(
            "INSTALL httpfs",
            "LOAD httpfs",
            "UPDATE EXTENSIONS",
            "SET threads = 1",
            "RESET threads",
            "USE main",
            "BEGIN",
        ),
        *("TRUNCATE runs", "COMMENT ON VIEW runs IS 'x'", "CHECKPOINT", "IMPORT DATABASE 'x'", "-- a\nDROP VIEW runs"),
    ],
)
def test_a_refusal_says_the_word_that_was_typed(locked: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(StoreError, match=f"^{sql.rpartition(chr(10))[2].partition(' ')[0]} is not a query"):
        refuse_writes(locked, sql)


@pytest.mark.parametrize("sql", ["FROM read_csv('/etc/passwd')", "PIVOT (FROM read_csv('x')) ON a"])
def test_a_function_is_refused_for_what_it_may_do(locked: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(StoreError, match=r"^read_csv\(\) may read outside the store"):
        refuse_writes(locked, sql)


OUTSIDE = [
    "COPY runs TO '{out}'",
    "WITH x AS (COPY runs TO '{out}' (USE_TMP_FILE false)) FROM x",
    "EXPORT DATABASE '{out}'",
    "ATTACH '{out}'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 1",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/']",
    "RESET lock_configuration",
    "FROM read_csv('/etc/passwd')",
    "FROM read_text('/etc/passwd')",
    "FROM read_blob('{beside}')",
    "FROM read_json('{beside}')",
    "FROM read_parquet('{store}/parts/runs/*.parquet')",
    "FROM glob('/etc/*')",
    "FROM '/etc/passwd'",
    "FROM parquet_metadata('{beside}')",
    "FROM sniff_csv('/etc/passwd')",
    "SELECT getenv('HOME')",
    "FROM 'https://localhost/x.parquet'",
]


@pytest.mark.parametrize("sql", OUTSIDE)
def test_a_locked_connection_reaches_nothing_but_the_snapshot(
    locked: duckdb.DuckDBPyConnection, read_store: Store, sql: str, tmp_path: Path
) -> None:
    beside = tmp_path / "beside.json"
    beside.write_text("{}")
    with pytest.raises(duckdb.Error):
        locked.execute(sql.format(out=tmp_path / "out", beside=beside, store=read_store.path))
    assert files_below(tmp_path) == {"beside.json"}


def test_no_way_of_asking_overwrites_a_file_of_the_snapshot(
    locked: duckdb.DuckDBPyConnection, read_store: Store
) -> None:
    """DuckDB alone would let each of these through: the file is one that the connection may open."""
    snapshot = read_store.snapshot()
    assert snapshot
    [file, *_] = snapshot.files("runs")
    copy = f"WITH x AS (COPY (SELECT 7) TO {quoted_text(file)} (FORMAT csv, USE_TMP_FILE false)) FROM x"
    tree = locked.execute("SELECT json_serialize_sql($copy)", {"copy": copy}).fetchone()
    assert tree
    for sql in (copy, f"EXPLAIN ANALYZE {copy}", f"FROM json_execute_serialized_sql({quoted_text(tree[0])})"):
        with pytest.raises(StoreError, match=r"is not a query|is not known to be safe"):
            refuse_writes(locked, sql)


def test_names_of_this_program_are_no_tables(locked: duckdb.DuckDBPyConnection) -> None:
    secrets = pl.DataFrame({"key": ["hidden"]})
    assert not secrets.is_empty()
    with pytest.raises(duckdb.CatalogException, match="secrets does not exist"):
        locked.execute("FROM secrets")


def test_a_text_that_is_no_sql_is_left_to_duckdb_to_explain(locked: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.ParserException, match="syntax error"):
        refuse_writes(locked, "SELEC 1")


def test_times_are_in_utc(locked: duckdb.DuckDBPyConnection) -> None:
    assert locked.execute("SELECT current_setting('TimeZone')").fetchone() == ("UTC",)
    assert locked.execute("SELECT DISTINCT ingested_at::VARCHAR FROM recordings").fetchall() == [
        ("2026-01-01 00:00:00+00",)
    ]


def test_the_macros_shorten_show_paths_and_find_runs(locked: duckdb.DuckDBPyConnection) -> None:
    assert locked.execute(
        "SELECT shortened('abcdef', characters := 4), shortened('abcd', characters := 4)"
    ).fetchall() == [("abc…", "abcd")]
    assert locked.execute("SELECT key_text('a' || chr(31) || 'b')").fetchone() == ("a \u203a b",)
    assert locked.execute("SELECT run_id FROM runs_like('r')").fetchall() == [("r",)]


def test_the_catalog_file_shows_the_newest_snapshot_with_the_meaning_of_every_column(read_store: Store) -> None:
    with duckdb.connect(str(read_store.path / "catalog.duckdb"), read_only=True) as catalog:
        runs = catalog.execute("SELECT run_id, recording_sha256 FROM runs ORDER BY ALL").fetchall()
        columns = catalog.execute("SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal")
        told = {(table, column): comment for table, column, comment in columns.fetchall()}
        views = catalog.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall()
    assert runs == [("r", "a2"), ("s", "b1")]
    assert dict(views) == {name: schema.grain() for name, schema in TABLES.items()}
    meant = {(name, c): col.description for name, schema in TABLES.items() for c, col in schema.columns().items()}
    labels = {
        (name, c): col.description for name, schema in VIEW_COLUMNS.items() for c, col in schema.columns().items()
    }
    assert told == labels | meant


def test_a_catalog_that_is_open_elsewhere_disturbs_no_publish_and_stays_as_it_was(store: Store) -> None:
    reading = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == 'r')\n"
    asking = (
        "print('open', flush=True); sys.stdin.readline(); print(*c.execute('SELECT count(*) FROM runs').fetchone())"
    )
    catalog = str(store.path / "catalog.duckdb")
    program = reading + asking
    with subprocess.Popen(
        [sys.executable, "-c", program, catalog, "r"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout
        assert reader.stdout.readline() == "open\n"
        publish_runs(store, {"t": "c1"})
        answer, _ = reader.communicate("\n")
    assert answer == "2\n"
    with duckdb.connect(catalog, read_only=True) as renewed:
        assert renewed.execute("SELECT count(*) FROM runs").fetchone() == (3,)


def test_what_somebody_left_in_the_old_catalog_does_not_spoil_the_new_one(store: Store) -> None:
    catalog = store.path / "catalog.duckdb"
    dying = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE mine (i INT)'); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", dying, str(catalog)], check=False)
    assert (store.path / "catalog.duckdb.wal").exists()
    publish_runs(store, {"t": "c1"})
    with duckdb.connect(str(catalog), read_only=True) as renewed:
        assert renewed.execute("SELECT count(*) FROM runs").fetchone() == (3,)


def test_a_publish_stands_when_the_catalog_cannot_be_written(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    monkeypatch.setattr(catalog_file, "_write", full)
    snapshot = publish_runs(store, {"t": "c1"})
    assert snapshot.row_counts()["runs"] == 3
    assert "could not be renewed: No space left on device" in capsys.readouterr().err


def test_reading_by_sql_loads_no_data_frames() -> None:
    program = "import sys, dataflows.store.catalog, dataflows.store.statements; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert not {"polars", "hamilton", "dataframely", "pyarrow"} & set(loaded)
