"""Options and lookups that several commands share."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dataflows.cli.failures import CommandError, explained

if TYPE_CHECKING:
    from dataflows.store import Snapshot

Command = TypeVar("Command", bound=Callable[..., Any])

store_option: Callable[[Command], Command] = click.option(
    "--store",
    metavar="DIR",
    envvar="AFP_STORE",
    show_envvar=True,
    required=True,
    help="The store: a folder that `afp run` made.",
)
as_json_option: Callable[[Command], Command] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for machines."
)
quiet_option: Callable[[Command], Command] = click.option(
    "-q", "--quiet", is_flag=True, help="Say only what must be said."
)


def job_options(command: Command) -> Command:
    """What commands that run the main job share: how it works, and what users add to it or exchange in it."""
    for option in reversed(_JOB_OPTIONS):
        command = option(command)
    return command


_JOB_OPTIONS = (
    click.option(
        "--jobs",
        metavar="N",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Processes that work at once.",
    ),
    click.option("--keep-tokens", is_flag=True, help="Store token events too, not only their number."),
    click.option("--split-runs", is_flag=True, help="Take a bare document that holds several runs as several."),
    click.option(
        "--max-document-mb",
        metavar="N",
        type=click.IntRange(min=1),
        default=512,
        show_default=True,
        help="Refuse a document larger than this once it is decompressed.",
    ),
    click.option(
        "--arms",
        metavar="FILE",
        help="Configurations to group recorded runs under, by their own manifests; in force until others are given.",
    ),
    click.option(
        "--nodes",
        metavar="MODULE",
        multiple=True,
        help="Add the nodes of this module, or .py file, to the graph (docs/extending.md); may be given several times.",
    ),
    click.option(
        "--classifier", metavar="NAME", default="recorded", show_default=True, help="What names suspects in values."
    ),
    click.option(
        "--executor",
        type=click.Choice(("local", "ray")),
        default="local",
        show_default=True,
        help="Where the work is done: in processes of this machine, or on a Ray cluster that sees the same files.",
    ),
)


def newest_snapshot(store: str) -> "Snapshot":
    """The newest snapshot of a store.

    Raises:
        CommandError: there is no store, or nothing was published in it yet.
    """
    from dataflows.store import Store, StoreError  # noqa: PLC0415 - commands load what they need

    with explained(StoreError):
        snapshot = Store(store).snapshot()
    if snapshot is None:
        raise CommandError(f"Nothing was published in {store} yet.", f"Fill it: afp run PATH --store {store}")
    return snapshot


@contextmanager
def readable(store: str) -> Iterator[None]:
    """What DuckDB says while our own questions are asked tells of the store's files, not of the user's words."""
    import duckdb  # noqa: PLC0415 - commands load what they need

    try:
        yield
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise CommandError(
            f"{store} cannot be read: {error}", f"Look for damage: afp store check --store {store}"
        ) from error


def text_width() -> int | None:
    """Characters a line of stdout holds; None when it is no terminal, and lines may be as long as they are."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
