"""What the records could not tell."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence

COLUMNS = {
    "about": ColumnKind.WORD,
    "lacks": ColumnKind.WORD,
    "runs": ColumnKind.NUMBER,
    "share": ColumnKind.SHARE,
}


def section(asked: Asked) -> Section:
    """Of how many runs something is not known, and what is missing."""
    return Section(
        name="unknowns",
        title="What the record could not tell",
        sentences=(Sentence("What is not recorded is not known: it is never read as no, and never as zero."),),
        tables=(
            asked.table(
                "unknowns", "What is not known, and why", COLUMNS, empty="No run that was looked at lacks any of this."
            ),
        ),
    )
