"""How questions came to skills: what was decided beside what reached the model."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Plot, PlotKind, Point, Section, Sentence

MOST_CELLS = 60
LONGEST_MATRIX = 12
"""A matrix with more skills than these is not drawn."""


def section(asked: Asked) -> Section:
    """The matrix of decided and delivered skills, and how often the record can tell."""
    outcomes = asked.table(
        "deliveries",
        "Outcomes of routing",
        {"outcome": ColumnKind.WORD, "lacks": ColumnKind.WORD, "runs": ColumnKind.NUMBER},
        empty="No run was looked at.",
    )
    matrix = asked.table(
        "routing",
        "Decided and delivered skills",
        {"decided": ColumnKind.TEXT, "delivered": ColumnKind.TEXT, "runs": ColumnKind.NUMBER},
        empty="No record says that a skill was decided on.",
        shown=MOST_CELLS,
    )
    points = tuple(
        Point(label=str(row["decided"]), value=float(row["runs"] or 0), part=str(row["delivered"]))
        for row in matrix.values()
    )
    sides = ({point.label for point in points}, {point.part for point in points})
    is_drawn = points and all(len(side) <= LONGEST_MATRIX for side in sides)
    return Section(
        name="routing",
        title="Routing",
        sentences=(
            Sentence(
                "Runs whose decided skill is not the delivered one lie off the diagonal. Where a record does not prove"
                " what was delivered, the skill reads not known; none means that the model was given no skill."
            ),
        ),
        plots=(Plot(PlotKind.MATRIX, "Decided skill (rows) and delivered skill (columns)", points, table="routing"),)
        if is_drawn
        else (),
        tables=(outcomes, matrix),
    )
