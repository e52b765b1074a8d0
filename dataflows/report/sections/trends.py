"""How the fleet went from day to day."""

from collections.abc import Mapping

from afp_nodes.studies.rates import wilson_interval
from dataflows.report.asked import Asked
from dataflows.report.parts import Cell, ColumnKind, Plot, PlotKind, Point, Section, Sentence

COLUMNS = {
    "day": ColumnKind.WORD,
    "runs": ColumnKind.NUMBER,
    "answered": ColumnKind.NUMBER,
    "doubtful": ColumnKind.NUMBER,
    "judged": ColumnKind.NUMBER,
    "went_without": ColumnKind.NUMBER,
    "units_shown": ColumnKind.NUMBER,
    "not_delivered": ColumnKind.NUMBER,
    "delivery_shown": ColumnKind.NUMBER,
    "tokens_median": ColumnKind.NUMBER,
}
DAYS = 30
SHARES = (
    ("Answers in doubt, of those that could be judged", "doubtful", "judged"),
    ("Runs that went without a unit, of those that show it", "went_without", "units_shown"),
    ("Decided skill not delivered, of runs that show it", "not_delivered", "delivery_shown"),
)
LEVELS = (("Runs", "runs"), ("Tokens of a run, median", "tokens_median"))
Values = Mapping[str, Cell]


def section(asked: Asked) -> Section:
    """The last days with runs, as plots and numbers."""
    trend = asked.table(
        "trend", "Days with runs", COLUMNS, empty="No run is known to have begun on any day.", shown=DAYS
    )
    days = list(reversed(trend.values()))
    plots = [*(_level(days, *level) for level in LEVELS), *(_share(days, *share) for share in SHARES)]
    return Section(
        name="trends",
        title="Trends",
        sentences=(
            Sentence(
                "Shares are of the runs that could tell, with 95 % intervals: where those of two days overlap, the days"
                " may not differ. A day without runs has no point. A run of which the start is not known is on no day.",
                ("trend",),
            ),
        ),
        plots=tuple(plot for plot in plots if any(point.value is not None for point in plot.points)),
        tables=(trend,),
    )


def _level(days: list[dict[str, Cell]], title: str, name: str) -> Plot:
    return Plot(PlotKind.TREND, title, tuple(Point(str(day["day"]), _number(day[name])) for day in days), table="trend")


def _share(days: list[dict[str, Cell]], title: str, part: str, whole: str) -> Plot:
    points = tuple(_share_of_day(str(day["day"]), int(day[part] or 0), int(day[whole] or 0)) for day in days)
    return Plot(PlotKind.TREND, title, points, table="trend", is_share=True)


def _share_of_day(day: str, part: int, whole: int) -> Point:
    interval = wilson_interval(part, whole)
    return Point(day, None) if interval is None else Point(day, part / whole, low=interval[0], high=interval[1])


def _number(cell: Cell) -> float | None:
    return None if cell is None else float(cell)
