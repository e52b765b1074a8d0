"""Where answers stand, the reasons for doubt, and the tools behind those."""

from afp_nodes.words import DOUBTFUL, Standing
from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence
from dataflows.wording import counted


def section(asked: Asked) -> Section:
    """How many answers there are, how they stand, and why."""
    ends = asked.table(
        "answers",
        "How runs ended",
        {"ended": ColumnKind.WORD, "runs": ColumnKind.NUMBER, "share": ColumnKind.SHARE},
        empty="No run was looked at.",
    )
    standings = asked.table(
        "standings",
        "How answers stand",
        {"standing": ColumnKind.WORD, "runs": ColumnKind.NUMBER, "share": ColumnKind.SHARE},
        empty="No run gave an answer or waits for a person: there was nothing to look at.",
    )
    reasons = asked.table(
        "reasons",
        "Reasons for doubt, and the tools behind them",
        {
            "reason": ColumnKind.WORD,
            "class": ColumnKind.WORD,
            "behind_it": ColumnKind.TEXT,
            "runs": ColumnKind.NUMBER,
        },
        empty="No answer that could be assessed has a reason for doubt." if standings.rows else standings.empty,
    )
    runs = {str(row["standing"]): int(row["runs"] or 0) for row in standings.values()}
    doubtful, unassessed = sum(runs.get(word, 0) for word in DOUBTFUL), runs.get(Standing.NOT_ASSESSED, 0)
    return Section(
        name="standings",
        title="Answers and where they stand",
        sentences=(
            Sentence(
                f"Of {counted(sum(runs.values()), 'standing')} {doubtful:,} {'has' if doubtful == 1 else 'have'} a"
                f" reason for doubt; for {unassessed:,} the record holds nothing to judge by, which is not the same as"
                " no doubt.",
                ("standings", "reasons"),
            ),
            Sentence("A standing is counted where the run gave an answer, or waits for a person."),
        ),
        tables=(ends, standings, reasons),
    )
