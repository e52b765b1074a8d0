"""`afp nightly`: the job of every night."""

from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from afp_nodes.metrics import METRICS
from dataflows.cli.failures import ExitCode, explained
from dataflows.cli.job_story import PLACE_CHARACTERS, SHOWN, accounts, refusals, shell_word, standing
from dataflows.cli.lean import be_lean
from dataflows.cli.options import as_json_option, job_options, quiet_option, store_option
from dataflows.cli.output import aside, json_result, result
from dataflows.cli.progress import shown_progress
from dataflows.printable import glimpse
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.nightly import NightlySummary
    from dataflows.thresholds import Threshold

METRIC_LINES = fill(", ".join(METRICS), 76, break_on_hyphens=False)


@click.command(
    "nightly",
    short_help="The job of every night: take in, publish, compare with the night before, write the report.",
    epilog=f"Metrics of --fail-on, each in docs/nightly.md:\n\n\b\n{METRIC_LINES}",
)
@click.option("--inbox", metavar="PATH", required=True, help="Where recordings arrive: a folder, a file or a URL.")
@store_option
@click.option(
    "--reports",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False),
    help="Folder for report-DATE.html, .md and .json, and for latest.*; made if it is not there.",
)
@click.option(
    "--timezone",
    metavar="NAME",
    help="Whose days are nights, as Europe/Berlin.  [default: the one in force, UTC before one is given]",
)
@click.option(
    "--date", "night", metavar="DAY", help="Report this night, as 2026-01-31.  [default: the last day that is over]"
)
@click.option(
    "--fail-on",
    "fail_on",
    metavar='"METRIC>VALUE"',
    multiple=True,
    help="End with 1 when a metric of the night is above the value; may be given several times.",
)
@click.option(
    "--prices",
    metavar="FILE",
    help="Prices of models, in force until others are given: TOML with [[price]] entries of provider, model,"
    " valid_from, input, output (per million tokens), currency.",
)
@click.option(
    "--keep-days",
    metavar="N",
    type=click.IntRange(min=1),
    help="Drop the runs of nights older than the newest N, by their starts, and do not take them in again.",
)
@job_options
@quiet_option
@as_json_option
def command(
    *,
    inbox: str,
    store: str,
    reports: str,
    timezone: str | None,
    night: str | None,
    fail_on: tuple[str, ...],
    prices: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Take in what is new in the inbox, publish one snapshot, compare the night with the one before, write the reports.

    A night is a day of the timezone, and a run belongs to the day on which it began. Both nights are read from the same
    new snapshot. A night with too few runs, recorded otherwise, or during an outage of the provider is inconclusive:
    never well, never worse. Nights that were missed, and those that changed because files came late, get their reports
    too. An empty inbox is an empty night. It may be run twice and killed at any moment.

    Ends with 0; with 1 when something was refused for the first time or a --fail-on threshold was crossed (the summary
    says which); with 2 when nothing could be done or another nightly holds the store.

    \b
    Example:
      afp nightly --inbox inbox/ --store fleet --reports reports/
      afp nightly --inbox inbox/ --store fleet --reports reports/ --timezone Europe/Berlin \\
        --prices prices.toml --fail-on "doubt_rate>0.2" --fail-on "worse>0"
    """
    thresholds = _thresholds(fail_on)
    summary = _summary(
        inbox,
        store,
        reports,
        timezone=timezone,
        night=night,
        prices=_prices(prices),
        thresholds=thresholds,
        quiet=quiet,
        **options,
    )
    attention = _attention(summary)
    if as_json:
        json_result(asdict(summary))
    elif quiet:
        result(_headline(summary))
    else:
        result("\n".join(_sentences(summary, store, reports) + attention))
    if quiet or as_json:
        shown = refusals(summary.job, store) if summary.job.newly_quarantined else []
        if shown or attention:
            aside("\n".join(shown + attention))
    return ExitCode.ATTENTION if attention else ExitCode.DONE


def _thresholds(texts: tuple[str, ...]) -> "list[Threshold]":
    from dataflows.thresholds import Threshold, ThresholdError  # noqa: PLC0415 - only where it is asked for

    with explained(ThresholdError):
        return [Threshold.of(text) for text in texts]


def _prices(path: str | None) -> dict[str, str]:
    if path is None:
        return {}
    from dataflows.given_files import GivenFileError  # noqa: PLC0415 - only where it is asked for
    from dataflows.prices_file import prices_setting  # noqa: PLC0415

    with explained(GivenFileError):
        return prices_setting(path)


def _summary(inbox: str, store: str, reports: str, *, quiet: bool, **options: Any) -> "NightlySummary":
    """What the job did, its progress shown meanwhile."""
    be_lean()
    from dataflows.extensions import ExtensionError  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.inputs import NoSuchPathError  # noqa: PLC0415
    from dataflows.nightly import NoSuchNightError, NoSuchTimezoneError, nightly  # noqa: PLC0415
    from dataflows.store import StoreError  # noqa: PLC0415
    from dataflows.workers import NoClusterError  # noqa: PLC0415

    known = (ExtensionError, NoClusterError, NoSuchNightError, NoSuchPathError, NoSuchTimezoneError, StoreError)
    with explained(*known), shown_progress(quiet=quiet) as progress:
        return nightly(inbox, store, reports, progress=progress, complain=aside, **options)


def _sentences(summary: "NightlySummary", store: str, reports: str) -> list[str]:
    """The accounts, the night, what changed, where the report is."""
    return [
        *accounts(summary.job, store),
        standing(summary.job),
        _headline(summary),
        *_said(summary),
        *_changes(summary),
        *_found(summary),
        *_undated(summary),
        *_idle_notes(summary),
        *_dropped(summary),
        *_vacuumed(summary),
        f"reports: {counted(len(summary.reports), 'file')} written in {shell_word(reports)}",
    ]


def _headline(summary: "NightlySummary") -> str:
    """The night in one line."""
    runs = counted(summary.metrics["runs"] or 0, "run")
    against = f", compared with {summary.compared_with}" if summary.compared_with else ""
    return f"night {summary.night} ({summary.timezone}): {summary.outcome}, {runs}{against}"


def _said(summary: "NightlySummary") -> list[str]:
    """Why the night says nothing, and what to know of its comparison."""
    from afp_nodes.words import NightDoubt, NightRemark  # noqa: PLC0415 - with the report, which was just written
    from dataflows.report.sections.night import DOUBTS, REMARKS  # noqa: PLC0415

    doubts = [f"  inconclusive: {DOUBTS[NightDoubt(doubt)]}" for doubt in summary.doubts]
    return doubts + [f"  {REMARKS[NightRemark(remark)]}" for remark in summary.remarks]


def _changes(summary: "NightlySummary") -> list[str]:
    """What differs beyond noise."""
    told = [change for change in summary.changes if change["verdict"] in ("worse", "better")]
    return [
        f"  {change['verdict']}: {change['metric']} {change['before']:.3g} -> {change['now']:.3g}"
        f" (difference between {change['low']:.3g} and {change['high']:.3g})"
        for change in told
    ]


def _found(summary: "NightlySummary") -> list[str]:
    """How many findings the night shows, muted ones said."""
    metrics = summary.metrics
    new, vanished, muted = (metrics[f"{name}_findings"] for name in ("new", "vanished", "muted"))
    return [
        f"  findings: {metrics['findings']:,}, new {'not known' if new is None else new},"
        f" vanished {'not known' if vanished is None else vanished}, muted {muted}"
    ]


def _undated(summary: "NightlySummary") -> list[str]:
    if not summary.undated_runs:
        return []
    return [f"  {counted(summary.undated_runs, 'run')} of the store without a recorded time: they belong to no night"]


def _idle_notes(summary: "NightlySummary") -> list[str]:
    return [
        f"  findings.toml speaks of {glimpse(note, PLACE_CHARACTERS)}, which nothing shows"
        for note in summary.idle_notes[:SHOWN]
    ]


def _dropped(summary: "NightlySummary") -> list[str]:
    if summary.kept_from is None:
        return []
    runs = counted(summary.dropped_runs, "run")
    return [f"  kept from {summary.kept_from} on: {runs} dropped; older snapshots have them until they are vacuumed"]


def _vacuumed(summary: "NightlySummary") -> list[str]:
    removed = summary.removed_snapshots
    return [f"  {counted(removed, 'old snapshot')} removed"] if removed else []


def _attention(summary: "NightlySummary") -> list[str]:
    """Why the pager is woken."""
    refused = summary.newly_refused
    lines = [f"attention: {counted(refused, 'document')} refused for the first time"] if refused else []
    for threshold, value in summary.crossed:
        lines.append(f"attention: {glimpse(threshold, PLACE_CHARACTERS)} is crossed: {value:g}")
    return lines
