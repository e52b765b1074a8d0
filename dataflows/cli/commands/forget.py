"""`afp forget`: runs removed for good."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError, explained
from dataflows.cli.options import as_json_option, quiet_option, store_option
from dataflows.cli.output import aside, json_result, result
from dataflows.printable import glimpse
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.store.forgetting import Forgot

NAME_CHARACTERS = 200
SHOWN = 20


@click.command("forget", short_help="Remove runs for good: from every table, snapshot and cache.")
@store_option
@click.option("--run", "runs", metavar="ID", multiple=True, help="This run, by its full id; may be given again.")
@click.option("--tenant", "tenants", metavar="TENANT", multiple=True, help="Every run of this tenant.")
@click.option("--principal", "principals", metavar="PRINCIPAL", multiple=True, help="Every run of this principal.")
@click.option(
    "--reports",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="List the files below DIR that name one of them; none is changed.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@quiet_option
@as_json_option
def command(
    *,
    store: str,
    runs: tuple[str, ...],
    tenants: tuple[str, ...],
    principals: tuple[str, ...],
    reports: str | None,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Remove runs for good: their rows in every table, the snapshots that held them, the cached embeddings, and what
    studies, unit lists and declarations say of them.

    Nothing brings them back: no rollback, no compaction, no writer that was under way, and not the same file in a later
    inbox, which counts as a duplicate. A run that was named by its id is not taken in again from any document; further
    runs of a tenant or principal are. What other runs hold as well is theirs and stays.

    It may be killed at any moment; the same command then ends what was begun.

    \b
    Example:
      afp forget --store fleet --run order-77
      afp forget --store fleet --tenant acme --reports reports/
    """
    if not (runs or tenants or principals):
        raise CommandError("Nothing is named that could be forgotten.", "Name it with --run, --tenant or --principal.")
    from dataflows.forgetting import NothingToForgetError, files_that_name, forget_runs  # noqa: PLC0415
    from dataflows.store import StoreError  # noqa: PLC0415

    with explained(NothingToForgetError, StoreError):
        forgot = forget_runs(store, runs=runs, tenants=tenants, principals=principals, dry_run=dry_run)
    naming = files_that_name(reports, {*runs, *forgot.runs}) if reports else []
    if as_json:
        json_result(asdict(forgot) | {"reports": naming})
    elif not quiet:
        result("\n".join(_sentences(forgot, naming, dry_run=dry_run)))
    if naming and (quiet or as_json):
        aside(f"{counted(len(naming), 'report')} still name them")


def _sentences(forgot: "Forgot", naming: list[str], *, dry_run: bool) -> Iterator[str]:
    """What was removed, and what is left to do for whoever asked."""
    if forgot.runs:
        yield f"{'would be forgotten' if dry_run else 'forgotten'}: {counted(len(forgot.runs), 'run')}"
        yield from _listed(forgot.runs)
        rows = ", ".join(f"{table} {count:,}" for table, count in sorted(forgot.rows.items()))
        yield f"rows: {rows or 'none'}"
        told = {"kept without what it says of them": forgot.rewritten, "removed as a whole": forgot.withdrawn}
        for what, documents in told.items():
            if documents:
                yield f"studies, unit lists and declarations, {what}: {len(documents):,}"
                yield from _listed(documents)
        if not dry_run:
            yield (
                f"also removed: {counted(len(forgot.snapshots), 'older snapshot')},"
                f" {counted(forgot.files, 'file')}, {counted(forgot.cached_files, 'file')} of cached embeddings"
            )
    else:
        yield "forgotten before: nothing more is held"
    if naming:
        yield f"reports that still name them: {len(naming)}"
        yield from _listed(naming)


def _listed(names: list[str]) -> Iterator[str]:
    yield from (f"  {glimpse(name, NAME_CHARACTERS)}" for name in names[:SHOWN])
    if len(names) > SHOWN:
        yield f"  and {len(names) - SHOWN:,} more"
