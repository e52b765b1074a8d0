"""`afp store`: looks after a store."""

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import CommandError, ExitCode, explained
from dataflows.cli.options import as_json_option, quiet_option, store_option, text_width
from dataflows.cli.output import aside, json_result, result
from dataflows.printable import printable
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.store import Store
    from dataflows.store.manifest import Manifest

MEGABYTE = 1_000_000
PROBLEMS_SHOWN = 50


@click.group("store", short_help="Look after a store: check it, list, restore and tidy its snapshots.")
def command() -> None:
    """Look after a store: check it, list, restore and tidy its snapshots.

    \b
    Example:
      afp store check --store fleet
      afp store history --store fleet
    """


@command.command("check")
@store_option
@as_json_option
def check_command(*, store: str, as_json: bool) -> int:
    """Verify every file against its hash, row count and columns, every key, and the chain of snapshots.

    Ends with 0 when all is well, with 1 when something is wrong; then each problem is named.

    \b
    Example:
      afp store check --store fleet
    """
    from dataflows.store import StoreError  # noqa: PLC0415 - `--help` needs no database
    from dataflows.store.checking import check  # noqa: PLC0415

    target = _store(store)
    with explained(StoreError):
        problems = check(target)
        checked = {} if problems else _what_was_checked(target)
    if as_json:
        json_result({"problems": [asdict(problem) for problem in problems], "checked": checked})
    elif problems:
        kinds = Counter(problem.table or "the chain of snapshots" for problem in problems)
        result("\n".join(printable(str(problem)) for problem in problems[:PROBLEMS_SHOWN]))
        if len(problems) > PROBLEMS_SHOWN:
            result(f"and {len(problems) - PROBLEMS_SHOWN:,} more: --json lists all")
        aside(f"{counted(len(problems), 'problem')}, in {', '.join(sorted(kinds))}")
    else:
        result(
            f"all is well: snapshot {checked['snapshot']}, {counted(checked['files'], 'file')},"
            f" {counted(checked['rows'], 'row')} of {checked['tables']:,} tables,"
            f" {counted(checked['snapshots'], 'snapshot')}"
        )
    return ExitCode.ATTENTION if problems else ExitCode.DONE


@command.command("history")
@store_option
@as_json_option
def history_command(*, store: str, as_json: bool) -> None:
    """List the snapshots that can still be read, newest first.

    \b
    Example:
      afp store history --store fleet
    """
    from dataflows.cli.formats.text_table import Column, text_table  # noqa: PLC0415 - `--help` needs no tables
    from dataflows.store import StoreError  # noqa: PLC0415
    from dataflows.store.upkeep import history  # noqa: PLC0415

    with explained(StoreError):
        snapshots = history(_store(store))
    if as_json:
        json_result([_told(manifest) for manifest in snapshots])
        return
    columns = [
        Column("snapshot", to_the_right=True),
        Column("published (UTC)"),
        Column("parent", to_the_right=True),
        Column("restores", to_the_right=True),
        Column("runs", to_the_right=True),
        Column("verdicts", to_the_right=True),
        Column("files", to_the_right=True),
        Column("MB", to_the_right=True),
        Column("derivations"),
    ]
    result(text_table(columns, [_line(manifest) for manifest in snapshots], text_width()))


@command.command("compact")
@store_option
@quiet_option
def compact_command(*, store: str, quiet: bool) -> None:
    """Merge small files and drop superseded runs from them; every table keeps its rows.

    \b
    Example:
      afp store compact --store fleet
    """
    from dataflows.store import StoreError  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.store.compaction import compact  # noqa: PLC0415

    with explained(StoreError):
        snapshot = compact(_store(store))
    if not quiet:
        aside(f"published: snapshot {snapshot.version}" if snapshot else "nothing to compact")


@command.command("vacuum")
@store_option
@click.option(
    "--keep-snapshots",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Keep at least the N newest snapshots.",
)
@click.option(
    "--keep-days",
    metavar="N",
    type=click.FloatRange(min=0),
    default=7.0,
    show_default=True,
    help="Keep snapshots that are younger than this.",
)
@quiet_option
def vacuum_command(*, store: str, keep_snapshots: int, keep_days: float, quiet: bool) -> None:
    """Delete old snapshots, files that none lists, and what interrupted jobs left behind.

    \b
    Example:
      afp store vacuum --store fleet --keep-days 30
    """
    from dataflows.store import StoreError  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.store.upkeep import vacuum  # noqa: PLC0415

    with explained(StoreError):
        removed = vacuum(_store(store), keep_versions=keep_snapshots, keep_days=keep_days)
    if not quiet:
        aside(
            f"removed: {counted(removed.snapshots, 'snapshot')} and {counted(removed.files, 'file')},"
            f" {removed.bytes / MEGABYTE:,.1f} MB"
        )


@command.command("rollback")
@click.argument("snapshot", type=click.IntRange(min=1))
@store_option
@quiet_option
def rollback_command(*, snapshot: int, store: str, quiet: bool) -> None:
    """Publish an older SNAPSHOT again, as the newest; what came after it stays in the history.

    The next run takes in again what the older snapshot did not know.

    \b
    Example:
      afp store rollback 3 --store fleet
    """
    from dataflows.store import StoreError  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.store.upkeep import rollback  # noqa: PLC0415

    with explained(StoreError):
        published = rollback(_store(store), snapshot)
    if not quiet:
        aside(f"published: snapshot {published.version}, with the tables of snapshot {snapshot}")


def _store(path: str) -> "Store":
    """The store at a path.

    Raises:
        CommandError: nothing was published there yet.
    """
    from dataflows.store import Store, StoreError  # noqa: PLC0415 - commands load what they need

    store = Store(path)
    with explained(StoreError):
        if not store.versions():
            raise CommandError(f"Nothing was published in {path} yet.", f"Fill it: afp run PATH --store {path}")
    return store


def _what_was_checked(store: "Store") -> dict[str, int]:
    """What a check that found nothing looked at."""
    snapshot = store.snapshot()
    if snapshot is None:
        return {}
    counts = snapshot.row_counts()
    return {
        "snapshot": snapshot.version,
        "snapshots": len(store.versions()),
        "files": len(snapshot.manifest.parts()),
        "tables": len(counts),
        "rows": sum(counts.values()),
    }


def _told(manifest: "Manifest") -> dict[str, object]:
    """One snapshot as plain data."""
    parts = manifest.parts()
    return {
        "snapshot": manifest.version,
        "created_at": f"{manifest.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "parent": manifest.parent,
        "restores": manifest.restores,
        "batch_id": manifest.batch_id,
        "code_version": manifest.code_version,
        "files": len(parts),
        "bytes": sum(part.bytes for part in parts),
        "rows": manifest.row_counts(),
    }


def _line(manifest: "Manifest") -> list[str | None]:
    counts, parts = manifest.row_counts(), manifest.parts()
    return [
        str(manifest.version),
        f"{manifest.created_at:%Y-%m-%d %H:%M:%S}",
        str(manifest.parent or "-"),
        str(manifest.restores or "-"),
        f"{counts['runs']:,}",
        f"{counts['verdicts']:,}",
        f"{len(parts):,}",
        f"{sum(part.bytes for part in parts) / MEGABYTE:,.1f}",
        manifest.code_version,
    ]
