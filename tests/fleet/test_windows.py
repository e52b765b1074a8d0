"""Nights: days of 23, 24 and 25 hours, and the runs that began in them."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from afp_nodes.fleet.windows import MOST_NIGHTS, night_windows, nights, run_nights
from afp_nodes.given import NIGHTS
from afp_nodes.schemas import FleetFacts, RunNights
from tests.tables import shown

NO_EVENTS = {"run_id": pl.String, "own": pl.Boolean, "event_idx": pl.Int64, "wall_clock_ms": pl.Float64}


def given(timezone: str, last: str, first: str | None = None) -> dict[str, str]:
    return {NIGHTS: json.dumps({"timezone": timezone, "first": first or last, "last": last})}


def placed(
    starts: dict[str, str | None], settings: dict[str, str], events: Sequence[tuple[object, ...]] = ()
) -> pl.LazyFrame:
    began = [None if start is None else datetime.fromisoformat(start) for start in starts.values()]
    told = pl.DataFrame({"run_id": list(starts), "started_at": pl.Series(began, dtype=pl.Datetime("us", "UTC"))})
    nothing = {"chart": "flat", "reads_recorded": True, "redacted_paths": 0}
    facts = told.with_columns(
        pl.lit(nothing.get(name)).cast(dtype).alias(name)
        for name, dtype in FleetFacts.dtypes().items()
        if name not in told.columns
    )
    clocks = pl.LazyFrame(events, schema=NO_EVENTS, orient="row")
    return run_nights(facts.lazy().pipe(FleetFacts.cast), {"events": clocks}, settings)


@pytest.mark.parametrize(
    ("timezone", "night", "start", "hours"),
    [
        ("UTC", "2026-03-29", "2026-03-29T00:00+00:00", 24),
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00+00:00", 23),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00+00:00", 25),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00+00:00", 23),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00+00:00", 0),
        ("Asia/Kathmandu", "2026-01-31", "2026-01-30T18:15+00:00", 24),
    ],
)
def test_a_day_begins_and_ends_as_its_timezone_says(timezone: str, night: str, start: str, hours: int) -> None:
    windows = night_windows(RunNights.create_empty(lazy=True), given(timezone, night)).collect()
    assert windows.height == 1
    assert windows["window_start"].item() == datetime.fromisoformat(start)
    assert windows["window_end"].item() - windows["window_start"].item() == timedelta(hours=hours)


def test_a_run_belongs_to_the_day_on_which_it_began() -> None:
    starts = {
        "before": "2026-03-28T22:59:59.999999+00:00",
        "first": "2026-03-28T23:00:00+00:00",
        "last": "2026-03-29T21:59:59+00:00",
        "after": "2026-03-29T22:00:00+00:00",
    }
    assert shown(placed(starts, given("Europe/Berlin", "2026-03-29")), "run_id", "night") == [
        ("after", date(2026, 3, 30)),
        ("before", date(2026, 3, 28)),
        ("first", date(2026, 3, 29)),
        ("last", date(2026, 3, 29)),
    ]


def test_a_run_without_a_start_belongs_to_the_day_of_its_first_event_else_to_none() -> None:
    clock = datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp() * 1_000
    events = [
        ("told", True, 4, clock),
        ("told", True, 5, clock + 86_400_000),
        ("told", False, 1, 0.0),
        ("odd", True, 0, float("inf")),
    ]
    rows = placed({"told": None, "odd": None, "silent": None}, given("UTC", "2026-01-31"), events)
    assert shown(rows, "run_id", "night") == [("told", date(2026, 1, 31))]


def test_a_start_past_any_calendar_belongs_to_no_day() -> None:
    assert shown(placed({"r": "0001-01-01T00:00:00+00:00"}, given("UTC", "2026-01-31")), "run_id") == []


def test_nights_run_from_the_first_run_to_the_last_that_was_asked_for() -> None:
    settings = given("UTC", "2026-01-31", first="2026-01-30")
    runs = placed({"early": "2026-01-28T05:00:00+00:00", "later": "2026-02-03T05:00:00+00:00"}, settings)
    windows = night_windows(runs, settings).collect()["night"].to_list()
    assert windows == [date(2026, 1, day) for day in (28, 29, 30, 31)]
    assert shown(nights(runs, settings), "run_id") == [("early",), ("later",)]


def test_a_run_dated_decades_back_makes_no_more_nights_than_the_newest() -> None:
    settings = given("UTC", "2026-01-31")
    runs = placed({"old": "1970-01-01T00:00:00+00:00"}, settings)
    windows = night_windows(runs, settings).collect()["night"]
    assert (len(windows), windows.max()) == (MOST_NIGHTS, date(2026, 1, 31))


def test_no_night_is_told_before_one_was_asked_for() -> None:
    runs = placed({"r": "2026-01-28T05:00:00+00:00"}, {})
    assert night_windows(runs, {}).collect().is_empty()
    assert nights(runs, {}).collect().is_empty()
