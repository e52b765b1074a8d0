"""The rows of a report: right, traced to runs and queries, and honest about what is not known."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.schemas import TABLES
from dataflows import job
from dataflows.report.asked import RUN_IDS, RUNS_SHOWN
from dataflows.report.making import report_of
from dataflows.report.parts import ColumnKind, Report, Table
from dataflows.report.sections import NAMES
from dataflows.store import Store
from tests.cli.conftest import Afp, event, recording, write_lines
from tests.report.conftest import snapshot_of

StoreOf = Callable[..., str]


def tables_of(report: Report) -> dict[str, Table]:
    return {table.name: table for section in report.sections for table in section.tables}


def values(report: Report, table: str) -> list[dict[str, Any]]:
    return tables_of(report)[table].values()


def report_of_store(store: str) -> Report:
    return report_of(snapshot_of(Path(store)))


def test_every_section_is_there(report: Report) -> None:
    assert [section.name for section in report.sections] == list(NAMES)
    assert report.failed == ()


def test_the_line_of_every_table_prints_its_rows_and_all_runs_behind_them(
    report: Report, sample_store: Path, afp: Afp
) -> None:
    asked = [table for table in tables_of(report).values() if table.command.startswith("afp sql")]
    assert len(asked) >= 15
    for table in asked:
        printed = afp(*shlex.split(table.command)[1:], "--store", str(sample_store))
        assert printed.exit_code == 0, (table.name, printed.output)
        rows = json.loads(printed.stdout)
        assert len(rows) == len(table.rows) + table.left_out, table.name
        for row, told in zip(table.rows, rows, strict=False):
            if table.of_runs:
                runs = told[RUN_IDS] or []
                assert (row.runs, list(row.run_ids)) == (len(runs), runs[:RUNS_SHOWN]), table.name
            for column, cell in zip(table.columns, row.cells, strict=True):
                if column.kind in (ColumnKind.NUMBER, ColumnKind.SHARE, ColumnKind.WORD):
                    assert cell == told[column.name], (table.name, column)


def test_numbers_of_the_sample_are_those_of_its_tables(report: Report, sample_store: Path) -> None:
    runs = snapshot_of(sample_store).scan("runs").collect()
    production = runs.filter(runs["study_id"].is_null())
    ends = {row["ended"]: row["runs"] for row in values(report, "answers")}
    assert ends == {
        "answered": production["answered"].sum(),
        "no answer": (~production["answered"]).sum(),
        "not known": production["answered"].is_null().sum(),
    }
    assert sum(ends.values()) == len(production) > 60


def test_probe_runs_are_in_no_rate_and_that_is_said(report: Report) -> None:
    probes = {
        run_id for table in ("studies", "subjects") for row in tables_of(report)[table].rows for run_id in row.run_ids
    }
    assert probes
    elsewhere = [
        run_id
        for name, table in tables_of(report).items()
        if name not in ("studies", "subjects", "verdicts")
        for row in table.rows
        if row.cells[0] != "of a study"
        for run_id in row.run_ids
    ]
    assert elsewhere
    assert probes.isdisjoint(elsewhere)
    assert "probe runs" in dict(report.about)["left out"]


def test_a_standing_is_counted_only_where_there_is_an_answer_or_a_question_back(
    report: Report, sample_store: Path
) -> None:
    told = snapshot_of(sample_store).scan("standings").collect().rows(named=True)
    probes = set(snapshot_of(sample_store).scan("study_runs").collect()["run_id"])
    counted = [row for row in told if row["run_id"] not in probes and (row["answered"] or row["standing"] == "ask")]
    assert sum(row["runs"] for row in values(report, "standings")) == len(counted)


def test_confirmed_never_stands_without_its_false_rate(report: Report) -> None:
    confirmed = [row for row in values(report, "subjects") if row["verdict"] == "confirmed"]
    assert len(confirmed) == 3
    for table in tables_of(report).values():
        said = [row for row in table.values() if row.get("verdict") == "confirmed"]
        assert all(str(row["false_rate"]).startswith("up to ") for row in said), table.name
    assert any("false rate up to" in sentence.text for sentence in report.headline)


def test_three_sentences_tell_a_manager(report: Report) -> None:
    assert len(report.headline) == 3
    assert all(sentence.tables for sentence in report.headline)
    assert report.headline[0].text == "53 of 69 runs gave an answer, 15 gave none, and of 1 the record cannot tell."


def test_every_sentence_and_plot_points_at_tables_that_are_there(report: Report) -> None:
    names = set(tables_of(report))
    sentences = [*report.headline, *(sentence for section in report.sections for sentence in section.sentences)]
    assert {table for sentence in sentences for table in sentence.tables} <= names
    assert {plot.table for section in report.sections for plot in section.plots} <= names


def test_an_empty_store_says_that_nothing_was_looked_at(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    job.run(
        [str(write_lines(tmp_path / "units.units.json", {"run_id": "r", "available": [], "sent": []}))],
        str(tmp_path / "s"),
    )
    report = report_of(snapshot_of(tmp_path / "s"))
    assert [table.empty for table in (tables_of(report)["answers"], tables_of(report)["verdicts"])] == [
        "No run was looked at.",
        "No run and no study was looked at.",
    ]
    assert report.headline[0].text == "No run was looked at, so nothing can be said of any."
    assert report.failed == ()


def test_no_doubt_and_nothing_to_judge_by_read_differently(store_of: StoreOf) -> None:
    turn = [event("agent.turn_start", userPrompt="q"), event("agent.turn_end", finalContent="a")]
    report = report_of_store(store_of(recording("r", [], events=turn)))
    [row] = values(report, "standings")
    assert row["standing"] == "not-assessed"
    assert "0 have a reason for doubt" in report.headline[1].text
    assert "1 could not be judged at all" in report.headline[1].text


def test_totals_of_capped_records_say_at_least(store_of: StoreOf) -> None:
    told = [event("stream.llm_end", iteration=1, content="a", toolCallCount=0, usage={"input": 5, "output": 2})]
    capped = recording("capped", [], events=told, run={"droppedEvents": 3})
    whole = recording("whole", [], events=told)
    report = report_of_store(store_of(capped, whole))
    [row] = values(report, "cost")
    assert (row["totals"], row["runs_at_least"], row["input_tokens"]) == ("at least", 1, 10)
    cost = next(section for section in report.sections if section.name == "cost")
    assert "at least 14 tokens" in cost.sentences[0].text


def test_no_word_of_cause_is_said_of_what_only_stands_beside(report: Report) -> None:
    words = ("caus", "because", "due to", "leads to", "effect of", "responsible")
    denied = re.compile("no cause|never a cause|claims? a cause|tier causal")
    sentences = [*report.headline, *(sentence for section in report.sections for sentence in section.sentences)]
    columns = [column.name for table in tables_of(report).values() for column in table.columns]
    said = [denied.sub("", text) for text in (*(sentence.text.lower() for sentence in sentences), *columns)]
    assert [text for text in said if any(word in text for word in words)] == []


def test_an_older_snapshot_is_reported_as_it_was(tmp_path: Path) -> None:
    turn = [event("agent.turn_start", userPrompt="q"), event("agent.turn_end", finalContent="a")]
    for run_id in ("one", "two"):
        job.run(
            [str(write_lines(tmp_path / f"{run_id}.jsonl", recording(run_id, [], events=turn)))], str(tmp_path / "s")
        )
    store = Store(tmp_path / "s")
    first, second = (store.snapshot(version) for version in store.versions())
    assert first
    assert second
    assert [row["runs"] for row in values(report_of(first), "answers")] == [1]
    assert [row["runs"] for row in values(report_of(second), "answers")] == [2]
    assert [row["runs"] for row in values(report_of(second), "growth")] == [2, 1]


def test_a_snapshot_without_some_of_our_tables_can_still_be_reported(
    report: Report, sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that an earlier release published."""
    snapshot = snapshot_of(sample_store)
    earlier = {name: columns for name, columns in snapshot.manifest.columns.items() if name != "conversations"}
    monkeypatch.setattr(type(snapshot), "tables", lambda _: list(earlier))
    assert "conversations" in TABLES
    again = report_of(snapshot)
    assert again.failed == ()
    assert values(again, "answers") == values(report, "answers")
