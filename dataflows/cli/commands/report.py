"""`afp report`: what a fleet comes to, as one file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError, explained
from dataflows.cli.options import newest_snapshot, quiet_option, readable, store_option
from dataflows.cli.output import aside, written
from dataflows.printable import glimpse

if TYPE_CHECKING:
    from dataflows.store import Snapshot

ENDINGS = (".html", ".md", ".json")
ALL = "all"
NIGHT_CHARACTERS = 40


@click.command("report", short_help="Write the report of the fleet, or of one night, as HTML, Markdown or JSON.")
@store_option
@click.option(
    "--out",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False),
    help="Write it there: .html, .md or .json says in which form.",
)
@click.option(
    "--snapshot", "version", metavar="N", type=click.IntRange(min=1), help="Of this snapshot.  [default: newest]"
)
@click.option(
    "--night",
    metavar="DAY",
    help="Of this night, as 2026-01-31, or of `all` runs.  [default: the last night that was reported, else all]",
)
@quiet_option
def command(*, store: str, out: str, version: int | None, night: str | None, quiet: bool) -> None:
    """Write the report of a published snapshot: what a night says beside the one before, findings, what runs came to
    and where their answers stand, claims by kind and tier, context that was dropped, routing, suspects and how to test
    them, studies, cost, what was refused, and what the records could not tell.

    HTML, Markdown and JSON hold the same rows, each with the `afp sql` line that prints it and the first runs behind
    it. The HTML file loads nothing and runs nothing. The same snapshot and night
    give the same bytes.

    \b
    Example:
      afp report --store fleet --out report.html
      afp report --store fleet --out report.md --snapshot 12 --night 2026-01-31
    """
    ending = Path(out).suffix.lower()
    if ending not in ENDINGS:
        raise CommandError(f"{out} does not end in {', '.join(ENDINGS)}.", "The ending says what is written.")
    snapshot = newest_snapshot(store) if version is None else _snapshot(store, version)
    from dataflows.report.making import report_of, reported_nights  # noqa: PLC0415 - only reports need plots
    from dataflows.report.writing import FORMATS  # noqa: PLC0415

    with readable(store):
        report = report_of(snapshot, _night(reported_nights(snapshot), night), complain=aside)
    with written(out) as file:
        file.write(FORMATS[ending](report).encode())
    if not quiet:
        aside(f"written: {out}")


def _night(reported: list[str], asked: str | None) -> str | None:
    """The night that is asked for; None for all runs.

    Raises:
        CommandError: that night was not reported.
    """
    if asked == ALL or not (reported or asked):
        return None
    if asked is None:
        return reported[0]
    if asked not in reported:
        known = f"Those from {reported[-1]} to {reported[0]} are." if reported else "No nightly has run on this store."
        raise CommandError(f"The night {glimpse(asked, NIGHT_CHARACTERS)} is not reported in this snapshot.", known)
    return asked


def _snapshot(store: str, version: int) -> "Snapshot":
    """A snapshot of a store that may not be the newest.

    Raises:
        CommandError: there is none of that number.
    """
    from dataflows.store import Store, StoreError  # noqa: PLC0415 - commands load what they need

    with explained(StoreError):
        snapshot = Store(store).snapshot(version)
    if snapshot is None:
        raise CommandError(
            f"There is no snapshot {version} in {store}.", f"`afp store history --store {store}` lists them."
        )
    return snapshot
