"""One command in a process of its own: how long it took, what it burnt, and how much memory it ever held."""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

AFP = str(Path(sys.executable).parent / "afp")
"""The console script beside the interpreter that measures."""

LOOK_EVERY_S = 0.02


class FailedError(Exception):
    """A measured command did not do its work, so there is nothing to measure."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What one finished command took; memory is the high-water mark of resident memory, in bytes."""

    seconds: float
    cpu_seconds: float
    parent_peak: int
    worker_peak: int
    """Of the largest of the processes it started; 0 when it started none."""
    output: str

    @property
    def peak(self) -> int:
        """Of the largest process."""
        return max(self.parent_peak, self.worker_peak)


def finished(command: Sequence[str], *, accept: Sequence[int] = (0,)) -> Finished:
    """Runs a command to its end, watching it and what it starts.

    Raises:
        FailedError: its exit code is not one of `accept`.
    """
    burnt_before = _burnt_by_children()
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    peaks: dict[int, int] = {}
    while True:
        for pid in _family(process.pid):
            peaks[pid] = max(peaks.get(pid, 0), _peak_of(pid))
        try:
            output, errors = process.communicate(timeout=LOOK_EVERY_S)
            break
        except subprocess.TimeoutExpired:
            continue
    seconds = time.perf_counter() - began
    if process.returncode not in accept:
        raise FailedError(f"{' '.join(command)} ended with {process.returncode}:\n{errors.decode()[-2000:]}")
    parent = peaks.pop(process.pid, 0)
    burnt = _burnt_by_children() - burnt_before
    return Finished(seconds, burnt, parent, max(peaks.values(), default=0), output.decode())


def _burnt_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _family(pid: int) -> list[int]:
    try:
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def _peak_of(pid: int) -> int:
    """High-water mark of resident memory as the kernel keeps it; 0 once the process is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)
