"""Documents that were refused."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence
from dataflows.wording import counted

COLUMNS = {
    "code": ColumnKind.WORD,
    "documents": ColumnKind.NUMBER,
    "remedy": ColumnKind.TEXT,
    "first_message": ColumnKind.TEXT,
    "first_place": ColumnKind.TEXT,
}


def section(asked: Asked) -> Section:
    """What could not be read, why, and what to do."""
    refused = asked.table(
        "quarantine", "Refused documents by reason", COLUMNS, empty="No document that was looked at is refused."
    )
    documents = sum(int(row["documents"] or 0) for row in refused.values())
    return Section(
        name="quarantine",
        title="Quarantine",
        sentences=(
            Sentence(
                f"{counted(documents, 'document')} of all that ever came in cannot be read and"
                f" {'is' if documents == 1 else 'are'} in no number of this report.",
                ("quarantine",),
            ),
        ),
        tables=(refused,),
    )
