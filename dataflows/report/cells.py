"""Cells as people read them, in HTML as in Markdown."""

from dataflows.report.parts import Cell, Column, ColumnKind, Row, Table
from dataflows.study_words import percent
from dataflows.wording import counted

NOT_KNOWN = "not known"
NUMBERS = (ColumnKind.NUMBER, ColumnKind.SHARE)


def heading(column: Column) -> str:
    """The name of a column in words."""
    return column.name.replace("_", " ")


def cell_text(cell: Cell, kind: ColumnKind) -> str:
    """A cell in words; what is not known is said to be."""
    match cell:
        case None:
            return NOT_KNOWN
        case bool():
            return "yes" if cell else "no"
        case int() | float() if kind == ColumnKind.SHARE:
            return percent(cell)
        case float():
            return f"{cell:,.{2 if abs(cell) >= 1 else 4}f}".rstrip("0").rstrip(".")
        case int():
            return f"{cell:,}"
    return cell


def runs_text(row: Row) -> str:
    """What is said behind the first runs of a row."""
    more = row.runs - len(row.run_ids)
    return f"and {more:,} more" if more > 0 else "" if row.runs else "none"


def left_out_text(table: Table) -> str:
    """What is said of the rows that are not shown; '' where all are."""
    return f"and {counted(table.left_out, 'more row')}: the query has all." if table.left_out else ""
