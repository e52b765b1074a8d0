"""SQL over a snapshot: an in-memory DuckDB with one view a table, and the same views as a file.

No data frame library is loaded here: a query starts fast.
"""

from collections.abc import Iterable, Iterator

import duckdb

from dataflows.store.folder import Snapshot
from dataflows.store.grouping import Group, groups_of
from dataflows.store.manifest import Columns

_RUN_LABELS = """
    SELECT runs.*, arm_runs.arm_id, studies.study_id
    FROM ({runs}) AS runs
    LEFT JOIN ({arms}) AS arm_runs USING (run_id)
    LEFT JOIN (SELECT run_id, min(study_id) AS study_id FROM study_runs GROUP BY run_id) AS studies USING (run_id)
"""
"""`runs` with what other documents and settings say of each run: the schema `RunLabels`."""

_MACROS = (
    "CREATE MACRO key_text(key) AS replace(key, chr(31), ' ' || chr(8250) || ' ')",
    "CREATE MACRO shortened(text, characters := 120) AS"
    " CASE WHEN length(text) > characters THEN left(text, characters - 1) || '…' ELSE text END",
    "CREATE MACRO runs_like(prefix) AS TABLE SELECT * FROM runs WHERE starts_with(run_id, prefix)",
    """CREATE MACRO unit_fates() AS TABLE
        SELECT
            unit_kind,
            unit_id,
            count(DISTINCT run_id) FILTER (available) AS runs_available,
            count(DISTINCT run_id) FILTER (sent) AS runs_sent,
            count(DISTINCT run_id) FILTER (available AND NOT sent) AS runs_dropped,
            count(DISTINCT run_id) FILTER (available IS NULL OR sent IS NULL) AS runs_not_known,
            array_agg(DISTINCT drop_reason ORDER BY drop_reason) FILTER (drop_reason IS NOT NULL) AS drop_reasons
        FROM context_units SEMI JOIN runs ON context_units.run_id = runs.run_id AND runs.study_id IS NULL
        GROUP BY ALL""",
)

TABLE_MACROS = frozenset({"runs_like", "unit_fates"})
"""Those of the macros that stand for a table."""


def connect(snapshot: Snapshot) -> duckdb.DuckDBPyConnection:
    """An in-memory database with one view for each table of the snapshot; times are shown in UTC."""
    connection = duckdb.connect(config={"python_enable_replacements": False})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET parquet_metadata_cache = true")
    connection.execute(at_once(definitions(snapshot)))
    return connection


def read_only(connection: duckdb.DuckDBPyConnection, snapshot: Snapshot) -> None:
    """Locks the connection: from now on it can open the snapshot's files and nothing else, and stays that way.

    DuckDB would still let a COPY overwrite one of those files, since it knows no right to read alone: hand every text
    to `statements.refuse_writes` first.
    """
    files = [file for table in snapshot.tables() for file in snapshot.files(table)]
    asked_for = sorted({*files, *map(_literal, files)})
    connection.execute(f"SET allowed_paths = [{quoted_texts(asked_for)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def definitions(snapshot: Snapshot) -> Iterator[str]:
    """The statements that make the views and macros, in order."""
    for table in sorted(snapshot.tables(), key="runs".__eq__):
        body = _view_body(snapshot, table)
        body = _RUN_LABELS.format(runs=body, arms=_arms(snapshot)) if table == "runs" else body
        yield f"CREATE VIEW {quoted_name(table)} AS {body}"
    yield from _MACROS


def _arms(snapshot: Snapshot) -> str:
    """The arm of each run that has one; none in a snapshot from before arms were known."""
    known = "arm_runs" in snapshot.manifest.columns
    return "FROM arm_runs" if known else "SELECT NULL::VARCHAR AS run_id, NULL::VARCHAR AS arm_id WHERE false"


def at_once(statements: Iterable[str]) -> str:
    """Statements as one transaction in one text, which is several times faster than one by one."""
    return ";\n".join(("BEGIN", *statements, "COMMIT"))


def _view_body(snapshot: Snapshot, table: str) -> str:
    columns = snapshot.manifest.columns[table]
    groups = [_select(group, columns) for group in groups_of(snapshot.root, snapshot.manifest, table)]
    return " UNION ALL ".join(groups) or f"SELECT {_columns({}, columns)} WHERE false"


def _select(group: Group, wanted: Columns) -> str:
    """The live rows of one group, with the wanted columns."""
    rows = f"SELECT {_columns(group.columns, wanted)} FROM {part_rows(*group.files)}"
    return f"{rows} WHERE (run_id IN ({quoted_texts(group.superseded)})) IS NOT TRUE" if group.superseded else rows


def _columns(held: Columns, wanted: Columns) -> str:
    return ", ".join(_column(name, kind, held.get(name)) for name, kind in wanted.items())


def _column(name: str, kind: str, held_kind: str | None) -> str:
    """One wanted column of rows that hold it in some type, or not at all."""
    if held_kind == kind:
        return quoted_name(name)
    return f"{quoted_name(name) if held_kind else 'NULL'}::{kind} AS {quoted_name(name)}"


def part_rows(*files: str) -> str:
    """Parts as they lie, as a table expression."""
    return f"read_parquet([{quoted_texts(map(_literal, files))}], hive_partitioning = false)"


def _literal(file: str) -> str:
    """A path in which nothing is a pattern to DuckDB."""
    return file.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")


def quoted_texts(texts: Iterable[str]) -> str:
    """Texts as a list of SQL literals."""
    return ", ".join(quoted_text(text) for text in texts)


def quoted_text(text: str) -> str:
    """A text as an SQL literal; NUL cannot stand in one and is spliced in."""
    return " || chr(0) || ".join("'" + piece.replace("'", "''") + "'" for piece in text.split("\0"))


def quoted_name(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
