"""A report as one HTML file: nothing runs in it, nothing is loaded, and it is read in light, in dark and on paper."""

import re
from typing import Any

from dataflows.pages import page
from dataflows.report.cells import NUMBERS, cell_text, heading, left_out_text, runs_text
from dataflows.report.parts import Cell, Column, ColumnKind, Plot, PlotKind, Report, Row, Section, Sentence, Table
from dataflows.report.plots import drawn, is_small, plot_text
from dataflows.report.tones import TONES

BADGED = ("verdict", "standing", "outcome", "ended", "baseline", "says")
"""Columns whose words are set off."""

FEW_ROWS, MANY_ROWS = 7, 30
"""A plotted table, or another one, with more rows than these is folded away."""

SHORT_WORD = 20
"""A word of our own up to this length is not broken over lines."""

_NO_NAME = re.compile(r"[^a-z0-9]+")


def as_html(report: Report) -> str:
    """The report as one page."""
    titles = report.titles()
    return page(
        "report.html",
        title=report.title,
        about=report.about,
        headline=[_sentence(sentence, titles) for sentence in report.headline],
        failed=report.failed,
        sections=[_section(section, titles) for section in report.sections],
    )


def _section(section: Section, titles: dict[str, str]) -> dict[str, Any]:
    return {
        "anchor": _anchor(section.name),
        "title": section.title,
        "sentences": [_sentence(sentence, titles) for sentence in section.sentences],
        "small_plots": [_plot(plot) for plot in section.plots if is_small(plot)],
        "wide_plots": [_plot(plot) for plot in section.plots if not is_small(plot)],
        "tables": [_table(table, is_folded=_is_folded(table, section)) for table in section.tables],
    }


def _sentence(sentence: Sentence, titles: dict[str, str]) -> dict[str, Any]:
    sources = [{"anchor": _anchor(name), "title": titles[name]} for name in sentence.tables if name in titles]
    return {"text": sentence.text, "sources": sources, "command": sentence.command}


def _plot(plot: Plot) -> dict[str, str]:
    light, dark = drawn(plot)
    return {
        "title": plot.title,
        "text": plot_text(plot),
        "anchor": _anchor(plot.table),
        "light": light,
        "dark": dark,
    }


def _is_folded(table: Table, section: Section) -> bool:
    """Whether a table is long, or a trend shows its numbers already."""
    trends = {plot.table for plot in section.plots if plot.kind == PlotKind.TREND}
    return len(table.rows) > (FEW_ROWS if table.name in trends else MANY_ROWS)


def _table(table: Table, *, is_folded: bool) -> dict[str, Any]:
    return {
        "is_folded": is_folded,
        "anchor": _anchor(table.name),
        "title": table.title,
        "columns": [{"name": heading(column), "is_number": column.kind in NUMBERS} for column in table.columns],
        "rows": [_row(row, table.columns) for row in table.rows],
        "of_runs": table.of_runs,
        "left_out": left_out_text(table),
        "empty": table.empty,
        "command": table.command,
    }


def _row(row: Row, columns: tuple[Column, ...]) -> dict[str, Any]:
    return {
        "cells": [_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True)],
        "run_ids": row.run_ids,
        "more_runs": runs_text(row),
    }


def _cell(cell: Cell, column: Column) -> dict[str, Any]:
    text = cell_text(cell, column.kind)
    return {
        "text": text,
        "is_number": column.kind in NUMBERS,
        "is_known": cell is not None,
        "is_code": column.kind == ColumnKind.CODE,
        "is_short": column.kind == ColumnKind.WORD and len(text) <= SHORT_WORD,
        "is_badge": column.name in BADGED and column.kind == ColumnKind.WORD,
        "tone": TONES.get(text, ""),
    }


def _anchor(name: str) -> str:
    """A name as the address of a place on the page."""
    return _NO_NAME.sub("-", name.lower()).strip("-")
