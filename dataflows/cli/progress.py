"""Progress of long work on stderr: a bar on a terminal, plain lines anywhere else."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dataflows.cli.output import aside
from dataflows.wording import counted

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from dataflows.summary import Progress

SECONDS_BETWEEN_LINES = 10.0
MEGABYTE = 1_000_000


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator["Progress | None"]:
    """Whoever shows the progress, in the way that suits stderr; None when nothing is to be shown."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield Bar(bar)
    else:
        yield Lines()


class Lines:
    """A line now and then."""

    def __init__(self) -> None:
        self._sources = self._size_bytes = self._sources_done = self._bytes_done = 0
        self._last_line = time.monotonic()

    def begin(self, sources: int, size_bytes: int) -> None:
        """So much lies ahead."""
        self._sources, self._size_bytes = sources, size_bytes
        if sources:
            aside(f"reading {counted(sources, 'file')}, {size_bytes / MEGABYTE:,.1f} MB")

    def advance(self, sources: int, size_bytes: int) -> None:
        """So much more is done."""
        self._sources_done += sources
        self._bytes_done += size_bytes
        if time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            aside(
                f"read {self._sources_done:,} of {counted(self._sources, 'file')},"
                f" {self._bytes_done / MEGABYTE:,.1f} of {self._size_bytes / MEGABYTE:,.1f} MB"
            )


class Bar:
    """A bar that fills as bytes are read."""

    def __init__(self, bar: "RichProgress") -> None:
        self._bar = bar
        self._task = bar.add_task("reading", total=None, files="")
        self._sources = self._sources_done = 0

    def begin(self, sources: int, size_bytes: int) -> None:
        """So much lies ahead."""
        self._sources = sources
        self._bar.update(self._task, total=size_bytes, files=f"0 of {counted(sources, 'file')}")

    def advance(self, sources: int, size_bytes: int) -> None:
        """So much more is done."""
        self._sources_done += sources
        files = f"{self._sources_done:,} of {counted(self._sources, 'file')}"
        self._bar.update(self._task, advance=size_bytes, files=files)


def _bar() -> "RichProgress":
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[files]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
