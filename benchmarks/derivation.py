"""Derives one chunk of a folder's first N runs, and one of ten times as many. Prints the seconds each took.

python -m benchmarks.derivation FOLDER N
"""

import hashlib
import statistics
import sys
import time
from itertools import islice
from pathlib import Path

import polars as pl

from afp_nodes.record import FactCollector, ReadOptions, ReadRecording, read_document
from dataflows.derive import derive

ROUNDS = 3


def facts(folder: Path, count: int) -> dict[str, pl.DataFrame]:
    """The facts of the first `count` runs."""
    collector = FactCollector(keep_tokens=False)
    for path in islice(sorted(folder.iterdir()), count):
        data = path.read_bytes()
        recording = read_document(data, str(path), ReadOptions())
        assert isinstance(recording, ReadRecording)
        collector.add(recording, hashlib.sha256(data).hexdigest())
    return collector.frames()


def seconds(folder: Path, counts: tuple[int, ...]) -> list[float]:
    """How long the derivation of chunks of these sizes takes, in turns; medians."""
    chunks = [facts(folder, count) for count in counts]
    derive(chunks[0])
    taken: list[list[float]] = [[] for _ in chunks]
    for _ in range(ROUNDS):
        for chunk, times in zip(chunks, taken, strict=True):
            began = time.perf_counter()
            derive(chunk)
            times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


if __name__ == "__main__":
    few = int(sys.argv[2])
    print(*seconds(Path(sys.argv[1]), (few, 10 * few)))
