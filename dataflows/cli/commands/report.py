"""`afp report`: what a fleet comes to, as one file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError, explained
from dataflows.cli.options import newest_snapshot, quiet_option, readable, store_option
from dataflows.cli.output import aside, written

if TYPE_CHECKING:
    from dataflows.store import Snapshot

ENDINGS = (".html", ".md", ".json")


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
@quiet_option
def command(*, store: str, out: str, version: int | None, quiet: bool) -> None:
    """Write the report of a published snapshot: what runs came to and where their answers stand, claims by kind and
    tier, context that was dropped, routing, suspects and how to test them, studies, cost, what was refused, and what
    the records could not tell.

    HTML, Markdown and JSON hold the same rows, each with the `afp sql` line that prints it and the first runs behind
    it. The HTML file loads nothing and runs nothing. The same snapshot gives the same bytes.

    \b
    Example:
      afp report --store fleet --out report.html
      afp report --store fleet --out report.md --snapshot 12
    """
    ending = Path(out).suffix.lower()
    if ending not in ENDINGS:
        raise CommandError(f"{out} does not end in {', '.join(ENDINGS)}.", "The ending says what is written.")
    snapshot = newest_snapshot(store) if version is None else _snapshot(store, version)
    from dataflows.report.making import report_of  # noqa: PLC0415 - only reports need plots
    from dataflows.report.writing import FORMATS  # noqa: PLC0415

    with readable(store):
        report = report_of(snapshot, None, complain=aside)
    with written(out) as file:
        file.write(FORMATS[ending](report).encode())
    if not quiet:
        aside(f"written: {out}")


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
