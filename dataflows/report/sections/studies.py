"""What seeded reruns say, and how groups of recorded runs differ."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Plot, PlotKind, Point, Section, Sentence, Table

STUDIES = {
    "study": ColumnKind.TEXT,
    "kind": ColumnKind.WORD,
    "scenario": ColumnKind.TEXT,
    "comparator": ColumnKind.TEXT,
    "embedder": ColumnKind.TEXT,
    "baseline": ColumnKind.WORD,
    "samples": ColumnKind.NUMBER,
    "probe_runs": ColumnKind.NUMBER,
}
SUBJECTS = {
    "study": ColumnKind.TEXT,
    "kind": ColumnKind.WORD,
    "subject": ColumnKind.TEXT,
    "tier": ColumnKind.WORD,
    "verdict": ColumnKind.WORD,
    "false_rate": ColumnKind.WORD,
    "flips": ColumnKind.NUMBER,
    "samples": ColumnKind.NUMBER,
    "flip_rate_low": ColumnKind.SHARE,
    "flip_rate_high": ColumnKind.SHARE,
    "cost": ColumnKind.WORD,
    "class": ColumnKind.WORD,
}
ARMS = {
    "arm": ColumnKind.TEXT,
    "runs": ColumnKind.NUMBER,
    "answered": ColumnKind.NUMBER,
    "doubtful": ColumnKind.NUMBER,
}
DIFFERENCES = {
    "kind": ColumnKind.WORD,
    "study": ColumnKind.TEXT,
    "subject": ColumnKind.TEXT,
    "tier": ColumnKind.WORD,
    "verdict": ColumnKind.WORD,
    "effect": ColumnKind.NUMBER,
    "effect_low": ColumnKind.NUMBER,
    "effect_high": ColumnKind.NUMBER,
    "q_value": ColumnKind.NUMBER,
}
SUBJECTS_SHOWN = 40
SUBJECTS_DRAWN = 20


def section(asked: Asked) -> Section:
    """Studies, their subjects, and arms."""
    studies = asked.table("studies", "Studies", STUDIES, empty="The store holds no study: nothing was tested.")
    subjects = asked.table(
        "subjects",
        "What was tested",
        SUBJECTS,
        empty="Nothing was tested by seeded reruns, so nothing here claims a cause.",
        shown=SUBJECTS_SHOWN,
    )
    arms = asked.table(
        "arms", "Arms of recorded runs", ARMS, empty="No arms are in force: afp run --arms FILE sets them."
    )
    differences = asked.table(
        "differences",
        "Differences between groups of runs",
        DIFFERENCES,
        empty="No groups of recorded runs were compared.",
    )
    return Section(
        name="studies",
        title="Studies and arms",
        sentences=(
            Sentence(
                "The word confirmed says that seeded reruns changed the answer with the subject; how often the rule"
                " says it of a subject that changes nothing, at the worst noise, stands beside it as its false rate."
            ),
            Sentence("Arms of recorded runs and differences between groups are associations."),
            Sentence("Probe runs are counted here and nowhere else: no rate of the fleet holds them."),
        ),
        plots=_intervals(subjects),
        tables=(studies, subjects, arms, differences),
    )


def _intervals(subjects: Table) -> tuple[Plot, ...]:
    """How often each subject changed the answer, and how far that may be off."""
    points = [
        Point(
            label=f"{row['subject']} ({row['study']})",
            value=int(row["flips"] or 0) / int(row["samples"] or 0),
            part=str(row["verdict"]),
            low=float(row["flip_rate_low"]),
            high=float(row["flip_rate_high"]),
        )
        for row in subjects.values()
        if row["samples"] and row["flip_rate_low"] is not None and row["flip_rate_high"] is not None
    ]
    title = "Changed answers of each subject, with 95 % intervals"
    return (
        (Plot(PlotKind.INTERVALS, title, tuple(points[:SUBJECTS_DRAWN]), table="subjects", is_share=True),)
        if points
        else ()
    )
