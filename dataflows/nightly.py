"""The nightly job: takes in what is new, publishes, and writes the report of the night beside the one before.

Rule: product contract, section 8. It may be run twice, killed at any moment and run again, and run after nights that
were missed: what it knows stands in the snapshot, and which reports show which row of it in a file beside them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import msgspec
import polars as pl

from afp_nodes.days import ONE_DAY, day_begins
from afp_nodes.fleet.windows import MOST_NIGHTS
from afp_nodes.given import NIGHTS, Arrived, GivenNights, as_setting, nights_given, notes_given
from afp_nodes.words import NightOutcome
from dataflows import job
from dataflows.nightly_lock import holding
from dataflows.printable import glimpse
from dataflows.store import Snapshot, Store, StoreError
from dataflows.summary import Summary
from dataflows.thresholds import Threshold, crossed
from dataflows.whole_files import replacing

MOST_REPORTS = 31
"""Nights whose reports are written in one job, the newest; older ones are made by `--date`."""

WRITTEN = ".nights.json"
"""Beside the reports: with which snapshot the row came to be that each of them shows."""

CHARACTERS = 100


class NoSuchTimezoneError(ValueError):
    """There is no timezone of that name; the message says which is meant."""


class NoSuchNightError(ValueError):
    """A night cannot be reported: it has not begun, or is none; the message says what to do."""


@dataclass(frozen=True, slots=True)
class NightlySummary:
    """What a nightly job did: its accounts, the row of the night, and the reports that were written.

    `crossed` holds the thresholds that were, with the metric. `newly_refused` counts what the jobs of this night
    refused for the first time and no report has shown yet. `undated_runs` belong to no night.
    `idle_notes` are findings that people speak of and nothing shows. `dropped_runs` are those of nights before
    `kept_from`, NULL = all are kept. `removed_snapshots` counts old ones that were vacuumed.
    """

    job: Summary
    night: str
    timezone: str
    outcome: NightOutcome
    doubts: list[str]
    remarks: list[str]
    compared_with: str | None
    metrics: dict[str, float | None]
    changes: list[dict[str, Any]]
    crossed: list[tuple[str, float]]
    newly_refused: int
    undated_runs: int
    reports: list[str]
    idle_notes: list[str]
    dropped_runs: int = 0
    kept_from: str | None = None
    removed_snapshots: int = 0


def nightly(
    inbox: str,
    store: str,
    reports: str,
    *,
    timezone: str | None = None,
    night: str | None = None,
    prices: Mapping[str, str] | None = None,
    thresholds: Sequence[Threshold] = (),
    keep_days: int | None = None,
    today: date | None = None,
    complain: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> NightlySummary:
    """Take in what is new in the inbox, publish, and write the reports of the night and of others that changed.

    The night is the last that is over, in the timezone; `today` stands for the day of the clock there. The timezone is
    the one given last, UTC before one is. `prices` is a setting (see `dataflows.prices_file`), `complain` hears of a
    section of a report that fails, and `options` are those of `dataflows.run`. With `keep_days` the runs of all nights
    but the newest so many are dropped in the end.

    Raises:
        HeldError: another nightly job holds the store.
        NoSuchNightError: the night has not begun, or is no day.
        NoSuchTimezoneError: there is no such timezone.
        OSError: a report cannot be written.
        NoSuchPathError, StoreError: as in `dataflows.run`.
    """
    zone = None if timezone is None else known_timezone(timezone)
    target = Store(store).create()
    folder = Path(reports)
    folder.mkdir(parents=True, exist_ok=True)
    with holding(target.path):
        before = _given(target.snapshot())
        name = zone or (before.timezone if before else "UTC")
        day = _night(night, today or datetime.now(ZoneInfo(name)).date(), before)
        given = _with_night(before, name, day)
        settings_of = partial(_settings, given, dict(prices or {}))
        summary = job.run([inbox], store, settings_of=settings_of, may_be_empty=True, **options)
        reported = _reported(target, summary, day, folder, thresholds, complain)
        if keep_days is not None:
            reported = _without_older(target, folder, keep_days, reported)
        return replace(reported, removed_snapshots=_vacuumed(target, complain))


def known_timezone(name: str) -> str:
    """The name of a timezone. Raises `NoSuchTimezoneError` where there is none of that name."""
    names = available_timezones()
    if name in names:
        return name
    near = get_close_matches(name, names, n=1, cutoff=0.0)[0]
    raise NoSuchTimezoneError(f"There is no timezone {glimpse(name, CHARACTERS)!r}. Did you mean {near}?")


def _idle_notes(snapshot: Snapshot) -> list[str]:
    """Findings that people speak of and neither a run nor a study shows: gone with their runs, or misspelled."""
    shown = set(snapshot.scan("findings").select("finding_id").collect()["finding_id"])
    return [note.id for note in notes_given(snapshot.manifest.settings) if note.id not in shown]


def _given(snapshot: Snapshot | None) -> GivenNights | None:
    return nights_given(snapshot.manifest.settings) if snapshot else None


def _night(asked: str | None, today: date, before: GivenNights | None) -> date:
    """The night to report: the one that is asked for, else the last that is over."""
    if asked is None:
        return today - ONE_DAY
    try:
        night = date.fromisoformat(asked)
    except ValueError as error:
        raise NoSuchNightError(f"{glimpse(asked, CHARACTERS)!r} is no day. Write it as 2026-01-31.") from error
    if night > today:
        raise NoSuchNightError(f"The night of {night} has not begun: today is {today}. Ask for an earlier one.")
    if before and night <= before.last - MOST_NIGHTS * ONE_DAY:
        raise NoSuchNightError(f"The night of {night} is not reported: only {MOST_NIGHTS:,} up to {before.last} are.")
    if before and before.kept_from and night < before.kept_from:
        raise NoSuchNightError(f"The runs of {night} were dropped: nights are kept from {before.kept_from} on.")
    return night


def _with_night(before: GivenNights | None, timezone: str, night: date) -> GivenNights:
    """The nights that are reported, with this one."""
    if before is None:
        return GivenNights(timezone, night, night)
    first, last = min(before.first, night), max(before.last, night)
    return msgspec.structs.replace(before, timezone=timezone, first=first, last=last)


def _settings(given: GivenNights, prices: dict[str, str], arrived: Arrived) -> dict[str, str]:
    """The settings, with what the job took in and refused counted to the last night.

    A job that makes an earlier night's report again still belongs to the last night.
    """
    last = str(given.last)
    known = given.arrived.get(last, Arrived())
    now = Arrived(known.taken_in + arrived.taken_in, known.refused + arrived.refused)
    return {**prices, NIGHTS: as_setting(msgspec.structs.replace(given, arrived={**given.arrived, last: now}))}


def _reported(
    store: Store,
    summary: Summary,
    night: date,
    folder: Path,
    thresholds: Sequence[Threshold],
    complain: Callable[[str], None],
) -> NightlySummary:
    """Writes the reports that are due, and says what the night comes to."""
    snapshot = store.snapshot()
    given = _given(snapshot)
    if snapshot is None or given is None:
        raise StoreError(f"{store.path} was rolled back while this job ran.", "Run the job again.")
    rows = {row["night"]: row for row in snapshot.scan("night_reports").collect().iter_rows(named=True)}
    shown = _shown(folder)
    row = rows[night]
    metrics = json.loads(row["metrics_json"])
    is_first_report = str(given.last) not in shown
    missed = given.arrived[str(given.last)].refused if is_first_report else 0
    due = _due(rows, shown, given, night)
    written = [path for each in due for path in _write(snapshot, each, folder, given.last, complain)]
    _note(folder, shown | {str(each): rows[each]["snapshot_id"] for each in due})
    dated = snapshot.scan("nights").select("run_id")
    production = snapshot.scan("runs").filter(pl.col("study_id").is_null()).select("run_id")
    return NightlySummary(
        job=summary,
        night=str(night),
        timezone=row["timezone"],
        outcome=NightOutcome(row["outcome"]),
        doubts=row["doubts"],
        remarks=row["remarks"],
        compared_with=str(row["compared_with"]) if row["compared_with"] else None,
        metrics=metrics,
        changes=json.loads(row["changes_json"]),
        crossed=[(str(threshold), value) for threshold, value in crossed(thresholds, metrics)],
        newly_refused=max(summary.newly_quarantined, missed),
        undated_runs=production.join(dated, on="run_id", how="anti").select(pl.len()).collect().item(),
        reports=[str(path) for path in written],
        idle_notes=_idle_notes(snapshot),
    )


def _without_older(store: Store, folder: Path, keep_days: int, reported: NightlySummary) -> NightlySummary:
    """Drops the runs of all nights but the newest so many; reports stay, since nothing came to change them."""
    from dataflows.retention import drop_older  # noqa: PLC0415 - few jobs drop runs

    given = _given(store.snapshot())
    if given is None:
        return reported
    kept_from = max(given.last - (keep_days - 1) * ONE_DAY, given.kept_from or date.min)
    kept = msgspec.structs.replace(given, first=max(given.first, kept_from), kept_from=kept_from)
    shown, before = _shown(folder), _snapshot_ids(store)
    job.run([], str(store.path), settings_of=lambda _: {NIGHTS: as_setting(kept)}, may_be_empty=True)
    dropped = drop_older(str(store.path), day_begins(kept_from, given.timezone))
    now = _snapshot_ids(store)
    stands = {night: now.get(night, noted) for night, noted in shown.items() if before.get(night) == noted}
    _note(folder, shown | stands)
    return replace(reported, dropped_runs=len(dropped.runs), kept_from=str(kept_from))


def _vacuumed(store: Store, complain: Callable[[str], None]) -> int:
    """Removes old snapshots, and files that no snapshot lists. What was published stands even when this fails."""
    from dataflows.store.upkeep import vacuum  # noqa: PLC0415 - the database is loaded with it

    try:
        return vacuum(store).snapshots
    except StoreError as error:
        complain(f"The night is reported, but old snapshots could not be removed. {error}")
        return 0


def _snapshot_ids(store: Store) -> dict[str, str]:
    """By night, with which snapshot its row came to be."""
    snapshot = store.snapshot()
    if snapshot is None:
        return {}
    rows = snapshot.scan("night_reports").select(pl.col("night").cast(pl.String), "snapshot_id").collect()
    return dict(rows.iter_rows())


def _due(rows: Mapping[date, Any], shown: Mapping[str, str], given: GivenNights, night: date) -> list[date]:
    """Nights whose reports are to be written, the asked one last: those whose row is not what their report shows.

    Nights before the first that was asked for are reported where they have runs.
    """
    changed = [
        each
        for each, row in rows.items()
        if shown.get(str(each)) != row["snapshot_id"] and (row["runs"] or each >= given.first) and each != night
    ]
    return [*sorted(changed)[-(MOST_REPORTS - 1) :], night]


def _write(snapshot: Snapshot, night: date, folder: Path, last: date, complain: Callable[[str], None]) -> list[Path]:
    """The report of a night; that of the last night is the latest."""
    from dataflows.report.writing import write_reports  # noqa: PLC0415 - plots take long to load

    return write_reports(snapshot, night, folder, is_latest=night == last, complain=complain)


def _shown(folder: Path) -> dict[str, str]:
    """By night, with which snapshot the row came to be that its report shows; a file that is lost or torn says nothing.

    A report that is no longer there shows nothing either.
    """
    with suppress(OSError, msgspec.DecodeError):
        noted = msgspec.json.decode((folder / WRITTEN).read_bytes(), type=dict[str, str])
        return {night: shown for night, shown in noted.items() if (folder / f"report-{night}.json").exists()}
    return {}


def _note(folder: Path, shown: Mapping[str, str]) -> None:
    with replacing(folder / WRITTEN) as file:
        file.write(json.dumps(dict(sorted(shown.items())), indent=0).encode())
