"""Results: what came of each probe, in a log that survives a crash.

Rule: product contract, section 7. A result counts once its line is synced; then its probe is not run again. The log is
only appended to. A crash may tear its last line: what is left of that is taken off when the log is opened again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
from msgspec import Meta, Struct

from dataflows.probes.errors import ProbeError
from dataflows.store.parts import sync_folder

LOG = "results.log"
"""An ending that `afp run` passes by: the results are no documents."""

GREATEST_AMOUNT = 2**53

Amount = Annotated[int, Meta(ge=0, le=GREATEST_AMOUNT)] | Annotated[float, Meta(ge=0, le=GREATEST_AMOUNT)]


class Cost(Struct, omit_defaults=True):
    """What a probe cost, as far as its runner says."""

    loops: Amount | None = None
    tokens: Amount | None = None


class Result(Struct, omit_defaults=True):
    """What came of one probe: an answer, or why there is none.

    `probe_sha256` is the digest of the probe as it was sent; `failures` tells of every attempt that failed, the last of
    them being the `error`; `recorded` says that a recording came with it.
    """

    run_id: str
    study_id: str
    subject_id: str
    seed: int
    probe_sha256: str
    output: str | None = None
    cost: Cost | None = None
    error: str | None = None
    failures: list[str] = []
    recorded: bool = False


class ResultLog:
    """The log of a folder, open and locked: `results` are those that are synced, by run id."""

    def __init__(self, file: BinaryIO, results: dict[str, Result], unreadable: int) -> None:
        self._file = file
        self.results = results
        self.unreadable = unreadable

    def add(self, result: Result) -> None:
        """Append a result and sync it. A later result of a probe takes the place of an earlier one."""
        self._file.write(msgspec.json.encode(result) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results[result.run_id] = result


@contextmanager
def result_log(folder: Path) -> Iterator[ResultLog]:
    """The log of a folder, for one job at a time.

    Raises `ProbeError` while another job holds it.
    """
    with (folder / LOG).open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProbeError(
                f"Another `afp probe run` is at work in {folder}.", "Wait for it, or choose another --out."
            ) from None
        file.seek(0)
        whole, newline, torn = file.read().rpartition(b"\n")
        if torn:
            file.truncate(len(whole) + len(newline))
        sync_folder(folder)
        yield ResultLog(file, *_read(whole))


def _read(log: bytes) -> tuple[dict[str, Result], int]:
    """The results of a log, and how many of its lines are none."""
    results: dict[str, Result] = {}
    unreadable = 0
    for line in log.splitlines():
        try:
            result = msgspec.json.decode(line, type=Result)
        except msgspec.MsgspecError:
            unreadable += 1
        else:
            results[result.run_id] = result
    return results, unreadable
