"""Every claim, by its kind, its tier and its word."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Plot, PlotKind, Point, Section, Sentence
from dataflows.wording import counted

COLUMNS = {
    "kind": ColumnKind.WORD,
    "tier": ColumnKind.WORD,
    "verdict": ColumnKind.WORD,
    "false_rate": ColumnKind.WORD,
    "claims": ColumnKind.NUMBER,
    "runs": ColumnKind.NUMBER,
}
MOST_ROWS = 60
"""More words than there are for all kinds together."""


def section(asked: Asked) -> Section:
    """What is claimed, and with what right."""
    verdicts = asked.table(
        "verdicts", "Claims by kind and tier", COLUMNS, empty="No run and no study was looked at.", shown=MOST_ROWS
    )
    rows = verdicts.values()
    claims = sum(int(row["claims"] or 0) for row in rows)
    causal = sum(int(row["claims"] or 0) for row in rows if row["tier"] == "causal" and row["verdict"] == "confirmed")
    return Section(
        name="verdicts",
        title="Verdicts",
        sentences=(
            Sentence(
                f"{counted(claims, 'claim')} in all. Only those of tier causal with the word confirmed claim a cause:"
                f" {counted(causal, 'claim')}.",
                ("verdicts",),
            ),
            Sentence("Claims of studies belong to no night; they are counted here whatever the report is of."),
        ),
        plots=(
            Plot(
                PlotKind.BARS,
                "Claims by kind, as shares",
                tuple(
                    Point(label=str(row["kind"]), value=float(row["claims"] or 0), part=str(row["verdict"]))
                    for row in rows
                ),
                table="verdicts",
                is_share=True,
            ),
        ),
        tables=(verdicts,),
    )
