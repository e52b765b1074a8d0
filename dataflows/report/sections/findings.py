"""Findings under one name over nights, with what people say of them. Rule: product contract, section 5."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section, Sentence

COLUMNS = {
    "news": ColumnKind.WORD,
    "state": ColumnKind.WORD,
    "kind": ColumnKind.WORD,
    "subject_kind": ColumnKind.WORD,
    "subject": ColumnKind.TEXT,
    "reason": ColumnKind.WORD,
    "verdict": ColumnKind.WORD,
    "tier": ColumnKind.WORD,
    "false_rate": ColumnKind.WORD,
    "runs_in_all": ColumnKind.NUMBER,
    "nights": ColumnKind.NUMBER,
    "first_night": ColumnKind.WORD,
    "last_night": ColumnKind.WORD,
    "note": ColumnKind.TEXT,
    "finding_id": ColumnKind.CODE,
}
STATES = {"state": ColumnKind.WORD, "findings": ColumnKind.NUMBER}
SHOWN = 30


def section(asked: Asked) -> Section:
    """What is found, what of it is new or gone, and what people have said of it."""
    states = asked.table("finding_states", "Findings by state", STATES, empty="Nothing was found.")
    findings = asked.table(
        "findings",
        "Findings",
        COLUMNS,
        empty="Every finding is muted." if states.rows else "Nothing was found in what was looked at.",
        shown=SHOWN,
    )
    muted = sum(int(row["findings"] or 0) for row in states.values() if row["state"] == "muted")
    return Section(
        name="findings",
        title="Findings",
        sentences=(
            Sentence(
                f"{muted:,} muted {'finding is' if muted == 1 else 'findings are'} counted and not listed.",
                ("finding_states",),
            ),
            Sentence(
                "The states are those of the last night that was reported. People write into findings.toml of the store"
                " what becomes of a finding, under its id."
            ),
        ),
        tables=(findings, states),
    )
