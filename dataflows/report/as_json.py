"""A report as JSON, for machines: the rows of the page, numbers as numbers."""

import json
from typing import Any

from dataflows.masking import masked_data
from dataflows.printable import printable_json
from dataflows.report.parts import Plot, Report, Section, Sentence, Table
from dataflows.report.plots import plot_text

FORMAT = "afp-fleet.report.v1"


def as_json(report: Report) -> str:
    """The report as one JSON object; what is not known is null."""
    told = {
        "format": FORMAT,
        "title": report.title,
        "about": dict(report.about),
        "headline": [_sentence(sentence) for sentence in report.headline],
        "sections": [_section(section) for section in report.sections],
        "failed_sections": dict(report.failed),
    }
    return printable_json(json.dumps(masked_data(told), ensure_ascii=False, indent=1)) + "\n"


def _section(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "title": section.title,
        "sentences": [_sentence(sentence) for sentence in section.sentences],
        "plots": [_plot(plot) for plot in section.plots],
        "tables": [_table(table) for table in section.tables],
    }


def _sentence(sentence: Sentence) -> dict[str, Any]:
    told: dict[str, Any] = {"text": sentence.text, "tables": list(sentence.tables)}
    return told | ({"command": sentence.command} if sentence.command else {})


def _plot(plot: Plot) -> dict[str, Any]:
    return {"title": plot.title, "kind": plot.kind, "table": plot.table, "text": plot_text(plot)}


def _table(table: Table) -> dict[str, Any]:
    rows = []
    for row, values in zip(table.rows, table.values(), strict=True):
        behind = {"runs": {"count": row.runs, "first": list(row.run_ids)}} if table.of_runs else {}
        rows.append({"values": values} | behind)
    return {
        "name": table.name,
        "title": table.title,
        "columns": [{"name": column.name, "kind": column.kind} for column in table.columns],
        "rows": rows,
        "rows_left_out": table.left_out,
        "said_of_no_rows": table.empty,
        "command": table.command,
    }
