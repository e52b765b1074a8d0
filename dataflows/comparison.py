"""Two runs side by side: their facts, read from a snapshot and compared by the graph, as people may read them.

Rule: product contract, section 4; what is compared, and what makes a difference unknown: `docs/diff.md`.
"""

import logging
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import polars as pl
from hamilton import driver

from afp_nodes.comparison import calls, decisions, loops, pieces, rows, whole_runs
from afp_nodes.comparison.redaction import Redactions
from afp_nodes.javascript import parse
from afp_nodes.same_question import normalised_question
from afp_nodes.schemas import FACT_TABLES, Routing, RunRecords, Runs, Standings, Table
from afp_nodes.signs import PLACEHOLDERS, PLACEHOLDERS_JSON
from dataflows.derive import ENGINE, NODE_MODULES, Borders, Frames
from dataflows.masking import masked
from dataflows.questions import answer
from dataflows.store.catalog import quoted_name
from dataflows.withheld import Withheld

COMPARING_MODULES = (loops, calls, decisions, pieces, rows, whole_runs)
"""Modules of nodes that compare two runs, in reading order."""
PUBLISHED: tuple[type[Table], ...] = (Routing, Standings)
"""What is read as it was published, and not derived again."""
READ: tuple[type[Table], ...] = (Runs, *FACT_TABLES, *PUBLISHED)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the two runs. `question` is NULL where none is recorded, or the record redacts it."""

    run_id: str
    question: str | None
    question_withheld: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop of either run, and what each record says of it, in words of `LoopSight`."""

    iteration: int
    sight_a: str
    sight_b: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What the record of one run shows of what is compared, and the places where it stands there."""

    value: Any
    places: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in which the runs are compared, as in `DiffRows`; a side is NULL where its record shows nothing."""

    position: int
    iteration: int | None
    moment: str
    subject_kind: str
    subject: str | None
    slot: str | None
    occurrence: int
    verdict: str
    ground: str
    a: Shown | None
    b: Shown | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side: their loops, and the rows in the order in which things happen."""

    a: ComparedRun
    b: ComparedRun
    loops: tuple[Loop, ...]
    rows: tuple[Row, ...]


class TwoRuns:
    """Two runs of one store that can be compared."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, run_a: str, run_b: str) -> None:
        self._connection = connection
        self._ids = (run_a, run_b)
        found = answer(connection, "compared_runs", run_a=run_a, run_b=run_b)
        self._said = {row["run_id"]: row for row in found}
        self._withheld = Withheld.of_runs(connection, [run_a, run_b])
        self._texts: dict[str, str] = {}

    def asked_the_same(self) -> bool | None:
        """Whether both were asked one question; None where a question is not recorded, or redacted."""
        a, b = (self._said[run_id]["question"] for run_id in self._ids)
        return None if a is None or b is None else normalised_question(a) == normalised_question(b)

    def compared(self) -> Comparison:
        """The two runs side by side."""
        a, b = self._ids
        tables = {schema.table_name(): self._read(schema) for schema in READ}
        aligned, found = compared_rows(tables, a, b, Redactions(self._is_redacted))
        return Comparison(
            self._run(a),
            self._run(b),
            tuple(Loop(**loop) for loop in aligned.to_dicts()),
            tuple(self._row(row) for row in found.to_dicts()),
        )

    def _read(self, table: type[Table]) -> pl.DataFrame:
        columns = ", ".join(map(quoted_name, table.column_names()))
        query = f"SELECT {columns} FROM {quoted_name(table.table_name())} WHERE run_id IN ($a, $b)"
        found = self._connection.sql(query, params=dict(zip("ab", self._ids, strict=True))).to_arrow_table()
        return pl.DataFrame(found)

    def _is_redacted(self, text: str) -> bool:
        """Whether a text holds something that either record redacts, or the mark of it."""
        if self._withheld.hide(text) != text:
            return True
        said = self._said.values()
        if any(run["question_withheld"] and run["recorded_question"] == text for run in said):
            return True
        is_marked = text in PLACEHOLDERS or any(placeholder in text for placeholder in PLACEHOLDERS_JSON)
        return is_marked and any(run["redacts"] for run in said)

    def _run(self, run_id: str) -> ComparedRun:
        said = self._said[run_id]
        question = said["question"]
        shown = None if question is None else self._text(question)
        return ComparedRun(self._text(run_id), shown, said["question_withheld"])

    def _row(self, row: dict[str, Any]) -> Row:
        a, b = (self._shown(row.pop(f"{side}_json"), row.pop(f"{side}_places_json")) for side in "ab")
        subject = row["subject"]
        return Row(**row | {"subject": subject and self._text(subject)}, a=a, b=b)

    def _shown(self, json: str | None, places: str) -> Shown | None:
        return None if json is None else Shown(self._value(json), parse(places))

    def _value(self, json: str) -> Any:
        """A value as it may be shown; where hiding something in it leaves no JSON, its text."""
        text = self._text(json)
        try:
            return parse(text)
        except ValueError:
            return text

    def _text(self, text: str) -> str:
        """A text as it may be shown; most stand in every loop, and are looked at once."""
        if text not in self._texts:
            self._texts[text] = masked(self._withheld.hide(text))
        return self._texts[text]


def compared_rows(tables: Frames, run_a: str, run_b: str, redactions: Redactions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`AlignedLoops` and `DiffRows` of two runs, from their facts and from how they were routed and stand."""
    facts = {schema.table_name(): tables[schema.table_name()] for schema in FACT_TABLES}
    facts["run_records"] = tables["runs"].select(RunRecords.column_names())
    with pl.Config(engine_affinity=ENGINE):
        made = comparing_graph().execute(
            ["aligned_loops", "loop_rows", "run_rows"],
            inputs={"facts": facts, "run_a": run_a, "run_b": run_b, "redactions": redactions},
            overrides={s.table_name(): tables[s.table_name()].lazy().pipe(s.cast) for s in PUBLISHED},
        )
        in_order = pl.concat([made["loop_rows"], made["run_rows"]]).with_columns(position=pl.int_range(pl.len()))
        return made["aligned_loops"].collect(), in_order.collect()


@cache
def comparing_graph(*, validate: bool = False) -> driver.Driver:
    """The driver of the graph that compares two runs: the nodes that derive, and those that compare."""
    logging.getLogger("hamilton").setLevel(logging.CRITICAL)
    borders = Borders(validate=validate)
    return driver.Builder().with_modules(*NODE_MODULES, *COMPARING_MODULES).with_adapters(borders).build()
