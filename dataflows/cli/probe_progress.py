"""Progress of probes on stderr: a bar on a terminal, plain lines anywhere else. A failure is told when it happens."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dataflows.cli.output import aside
from dataflows.cli.progress import SECONDS_BETWEEN_LINES
from dataflows.printable import glimpse
from dataflows.wording import counted

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from dataflows.probes.running import ProbeProgress

REASON_CHARACTERS = 300


@contextmanager
def shown_probe_progress(*, quiet: bool) -> Iterator["ProbeProgress | None"]:
    """Whoever shows how far the probes are, in the way that suits stderr; None when nothing is to be shown."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield ProbeBar(bar)
    else:
        yield ProbeLines()


class ProbeLines:
    """A line now and then."""

    def __init__(self) -> None:
        self._probes = self._done = self._failed = 0
        self._last_line = time.monotonic()

    def begin(self, probes: int, known: int) -> None:
        """So many probes lie ahead, and so many more have a result."""
        self._probes = probes
        aside(_begun(probes, known))

    def advance(self, run_id: str, error: str | None) -> None:
        """One more has a result."""
        self._done += 1
        if error is not None:
            self._failed += 1
            aside(_failure(run_id, error))
        if self._done < self._probes and time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            aside(f"ran {self._done:,} of {counted(self._probes, 'probe')}, {self._failed:,} failed")


class ProbeBar:
    """A bar that fills as probes get their results."""

    def __init__(self, bar: "RichProgress") -> None:
        self._bar = bar
        self._task = bar.add_task("running probes", total=None, failed=0)
        self._failed = 0

    def begin(self, probes: int, known: int) -> None:
        """So many probes lie ahead, and so many more have a result."""
        self._bar.update(self._task, total=probes)
        self._bar.console.print(_begun(probes, known), markup=False, highlight=False)

    def advance(self, run_id: str, error: str | None) -> None:
        """One more has a result."""
        if error is not None:
            self._failed += 1
            self._bar.console.print(_failure(run_id, error), markup=False, highlight=False)
        self._bar.update(self._task, advance=1, failed=self._failed)


def _begun(probes: int, known: int) -> str:
    before = f"; {counted(known, 'probe')} had a result before" if known else ""
    return f"running {counted(probes, 'probe')}{before}"


def _failure(run_id: str, error: str) -> str:
    return f"failed: {glimpse(run_id, REASON_CHARACTERS)}: {glimpse(error, REASON_CHARACTERS)}"


def _bar() -> "RichProgress":
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
