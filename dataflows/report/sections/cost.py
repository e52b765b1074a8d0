"""What runs took: tokens as recorded, and money where prices are known."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence

TOKENS = {
    "provider": ColumnKind.TEXT,
    "model": ColumnKind.TEXT,
    "runs": ColumnKind.NUMBER,
    "runs_not_told": ColumnKind.NUMBER,
    "runs_at_least": ColumnKind.NUMBER,
    "totals": ColumnKind.WORD,
    "model_calls": ColumnKind.NUMBER,
    "input_tokens": ColumnKind.NUMBER,
    "output_tokens": ColumnKind.NUMBER,
}

MONEY = {
    "provider": ColumnKind.TEXT,
    "model": ColumnKind.TEXT,
    "currency": ColumnKind.TEXT,
    "runs": ColumnKind.NUMBER,
    "runs_not_told": ColumnKind.NUMBER,
    "totals": ColumnKind.WORD,
    "input_cost": ColumnKind.NUMBER,
    "output_cost": ColumnKind.NUMBER,
}


def section(asked: Asked) -> Section:
    """Tokens by model, and what they cost."""
    tokens = asked.table("cost", "Tokens by model", TOKENS, empty="No run was looked at.")
    money = asked.table(
        "money", "Cost by model", MONEY, empty="No prices are in force: afp nightly --prices FILE sets them."
    )
    rows = tokens.values()
    total = sum(int(row["input_tokens"] or 0) + int(row["output_tokens"] or 0) for row in rows)
    at_least = any(row["totals"] == "at least" for row in rows) or tokens.left_out
    return Section(
        name="cost",
        title="Cost",
        sentences=(
            Sentence(
                f"The runs took {'at least ' if at_least else ''}{total:,} tokens. What a leg of a paused turn repeats"
                " of an earlier one is counted once. Where events are missing, or were lost in part, totals say at"
                " least.",
                ("cost",),
            ),
        ),
        tables=(tokens, money),
    )
