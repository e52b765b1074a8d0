"""Nights: days of a timezone as windows of time, and the runs that began in them. Rule: product contract, section 8."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

import dataframely as dy
import polars as pl

from afp_nodes.days import ONE_DAY, day_begins
from afp_nodes.given import nights_given
from afp_nodes.schemas import FleetFacts, Nights, NightWindows, RunNights

MOST_NIGHTS = 1_100
"""Nights that have a report, the newest: a run that is dated decades back must not make thousands of empty ones."""

CALENDAR = (datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC))
"""Moments that days can be told of, in every timezone."""

MOMENT = pl.Datetime("us", "UTC")


def run_nights(
    fleet_facts: dy.LazyFrame[FleetFacts], stored: dict[str, pl.LazyFrame], settings: dict[str, str]
) -> dy.LazyFrame[RunNights]:
    """One row per production run that has a start, or an event with a clock; in UTC until a timezone is in force."""
    given = nights_given(settings)
    runs = fleet_facts.select("run_id", "started_at").collect()
    first_clocks = _first_clocks(stored["events"], runs.filter(pl.col("started_at").is_null())["run_id"].to_list())
    began = (
        runs.lazy()
        .join(first_clocks, on="run_id", how="left")
        .select("run_id", began_at=pl.coalesce("started_at", "first_clock"))
        .filter(pl.col("began_at").is_between(*CALENDAR))
        .sort("began_at")
        .collect()
    )
    around = {day + step * ONE_DAY for day in began["began_at"].dt.date().unique() for step in (-1, 0, 1)}
    days = _windows(given.timezone if given else "UTC", around).rename({"window_start": "began_at"})
    return (
        began.lazy()
        .join_asof(days.select("night", "began_at"), on="began_at")
        .select("run_id", "night", "began_at")
        .pipe(RunNights.cast)
    )


def night_windows(run_nights: dy.LazyFrame[RunNights], settings: dict[str, str]) -> dy.LazyFrame[NightWindows]:
    """One row per reported night: from the first run's, or the first that was reported, to the last that was."""
    given = nights_given(settings)
    if given is None:
        return NightWindows.create_empty(lazy=True)
    nights = run_nights.select(pl.col("night").min()).collect()["night"].to_list()
    newest = max(given.last - (MOST_NIGHTS - 1) * ONE_DAY, given.kept_from or date.min)
    first = max(min([given.first, given.last, *filter(None, nights)]), newest)
    days = [first + number * ONE_DAY for number in range((given.last - first).days + 1)]
    return _windows(given.timezone, days).with_columns(timezone=pl.lit(given.timezone)).pipe(NightWindows.cast)


def nights(run_nights: dy.LazyFrame[RunNights], settings: dict[str, str]) -> dy.LazyFrame[Nights]:
    """One row per run of a night, once a night was reported."""
    asked = nights_given(settings) is not None
    return run_nights.filter(asked).select("night", "run_id").sort("night", "run_id").pipe(Nights.cast)


def _first_clocks(events: pl.LazyFrame, run_ids: list[str]) -> pl.LazyFrame:
    """The clock of the first own event that has one, of these runs."""
    if not run_ids:
        return pl.LazyFrame(schema={"run_id": pl.String, "first_clock": MOMENT})
    milliseconds = pl.col("wall_clock_ms")
    return (
        events.filter(pl.col("run_id").is_in(run_ids), "own", milliseconds.is_finite(), milliseconds.abs() < 2**53)
        .group_by("run_id")
        .agg(milliseconds.sort_by("event_idx").first())
        .select("run_id", first_clock=(milliseconds * 1_000).round().cast(pl.Int64).cast(MOMENT))
    )


def _windows(timezone: str, days: Iterable[date]) -> pl.LazyFrame:
    """Each day with its first moment and that of the next."""
    rows = [(day, day_begins(day, timezone), day_begins(day + ONE_DAY, timezone)) for day in sorted(days)]
    return pl.LazyFrame(rows, schema={"night": pl.Date, "window_start": MOMENT, "window_end": MOMENT}, orient="row")
