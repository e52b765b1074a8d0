"""Context that was available to a model call and was not sent with it."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence

COLUMNS = {
    "unit_kind": ColumnKind.WORD,
    "unit": ColumnKind.TEXT,
    "reason": ColumnKind.WORD,
    "dropped_runs": ColumnKind.NUMBER,
    "available_runs": ColumnKind.NUMBER,
    "calls": ColumnKind.NUMBER,
}


def section(asked: Asked) -> Section:
    """Which units were left out, how often, and why where the record says so."""
    units = asked.table(
        "units",
        "Dropped units",
        COLUMNS,
        empty="No unit is known to have been dropped; what the record could not tell is listed below.",
    )
    return Section(
        name="units",
        title="Dropped units",
        sentences=(
            Sentence(
                "A dropped unit is a candidate, never a cause: most of what is left out is left out rightly. Whether"
                " one would have changed an answer is told by a restoration:",
                command="afp probe plan --out plan.jsonl",
            ),
            Sentence("A tool result goes by the tool that it came from."),
        ),
        tables=(units,),
    )
