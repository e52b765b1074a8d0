"""Whatever recordings say: in no format is it obeyed, are secrets shown, or what the record redacts."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from dataflows import job
from dataflows.report.asked import Asked
from dataflows.report.making import report_of
from dataflows.report.parts import Column, ColumnKind, Row, Section, Table
from dataflows.report.writing import FORMATS
from tests.cli.conftest import write_lines
from tests.cli.leaks import saying
from tests.cli.test_nothing_leaks import HIDDEN, HOSTILE, REDACTING, SECRETS
from tests.report.conftest import snapshot_of

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ufeff]")

Reports = Callable[..., dict[str, str]]


@pytest.fixture
def reports(tmp_path: Path) -> Reports:
    """The report of runs in each format."""

    def made(*documents: dict[str, Any]) -> dict[str, str]:
        job.run([str(write_lines(tmp_path / "in.jsonl", *documents))], str(tmp_path / "store"))
        report = report_of(snapshot_of(tmp_path / "store"))
        assert report.failed == ()
        return {ending: rendered(report) for ending, rendered in FORMATS.items()}

    return made


def redacting(run_id: str) -> dict[str, Any]:
    document = saying(HIDDEN, run_id, **json.loads(json.dumps(REDACTING)))
    document["recording"]["events"][0]["payload"]["customer"] = HIDDEN
    return document


def test_nothing_that_a_recording_says_is_obeyed(reports: Reports) -> None:
    written = reports(saying(HOSTILE, f"run {HOSTILE}"))
    for ending, text in written.items():
        assert not CONTROLS.search(text), ending
    assert not re.search(
        r"<(?:script|img (?!src=\"data:image/svg)|iframe)|\son\w+=", re.sub("&lt;[^<]*", "", written[".html"])
    )
    assert "&lt;script&gt;" in written[".html"]
    assert "{{ 7*7 }}" in written[".html"]
    json.loads(written[".json"])


def test_nothing_that_a_recording_says_is_markdown(reports: Reports) -> None:
    text = reports(saying(HOSTILE, f"run {HOSTILE}"))[".md"]
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens}
    assert "html_block" not in kinds
    for token in tokens:
        for child in token.children or []:
            assert child.type in ("text", "text_special", "link_open", "link_close"), child
            if child.type == "link_open":
                assert str(child.attrs["href"]).startswith("#")
    columns = {}
    for token in tokens:
        match token.type:
            case "thead_open":
                columns = {"head": 0, "cells": 0}
            case "th_open":
                columns["head"] += 1
            case "tr_open":
                columns["cells"] = 0
            case "td_open":
                columns["cells"] += 1
            case "tr_close" if columns["cells"]:
                assert columns["cells"] == columns["head"]
    outside = re.sub(r"(`{3,})sh\n.*?\n\1", "", text, flags=re.DOTALL)
    assert not re.search(r"https?://|www\.|(?<!\\)<script", outside)


def test_no_secret_is_shown(reports: Reports) -> None:
    for ending, text in reports(saying(SECRETS, "r")).items():
        assert "FAKE" not in text, ending
        assert "[masked]" in text.replace("\\", ""), ending


def test_no_redacted_value_is_shown(reports: Reports) -> None:
    for ending, text in reports(redacting("r")).items():
        assert "Okafor" not in text, ending
        assert not re.search(r"\b3704\b", text), ending
        assert "[redacted]" in text.replace("\\", ""), ending


def test_what_no_record_redacts_is_shown(reports: Reports) -> None:
    for ending, text in reports(saying(HIDDEN, "r")).items():
        assert "Okafor" in text, ending


def test_a_table_of_a_package_hides_what_its_runs_redact_or_any_run_where_it_names_none(tmp_path: Path) -> None:
    job.run([str(write_lines(tmp_path / "in.jsonl", redacting("r")))], str(tmp_path / "store"))
    snapshot = snapshot_of(tmp_path / "store")
    shown: list[Table] = []

    def section(asked: Asked) -> Section:
        columns = {"said": ColumnKind.TEXT}
        texts = ("SELECT question AS said FROM runs", "SELECT question AS said, [run_id] AS run_ids FROM runs")
        shown.extend(asked.table("x", "x", columns, empty="none", sql=sql) for sql in texts)
        by_hand = Table(
            "y", "y", (Column("said", ColumnKind.TEXT),), (Row((HIDDEN,)),), "afp runs", "none", of_runs=False
        )
        shown.extend(asked.readable_section(Section("x", "x", tables=(by_hand,))).tables)
        return Section("x", "x")

    from dataflows.report import making

    with making._asked(snapshot, None) as asked:
        section(asked)
    assert [table.values() for table in shown] == [[{"said": "[redacted]"}]] * 3
