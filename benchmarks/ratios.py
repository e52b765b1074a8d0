"""What the product promises of speed and size, measured: ratios, against what must and what should be reached.

    python -m benchmarks.ratios --megabytes 300
    python -m benchmarks.ratios --megabytes 1000 --only run,jobs,memory

Commands run one after another, in turns, on the same bytes; the medians are compared. Each ratio is taken in both
spellings the library writes, and the worse one counts. Absolute times belong to the machine; the ratios are the
result. It is a report: it ends with 0 whatever it finds. Give it a quiet machine.
"""

import argparse
import math
import shutil
import statistics
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.fleet import MEGABYTE, SPELLINGS, Spelling, write_fleet
from benchmarks.long_runs import LONG_RUNS
from benchmarks.processes import AFP, FailedError, Finished, finished

KNOWN_FILES = 2_000
ASKED_RUNS = 10_000
LONG_RUN_MEGABYTES = 100
CHUNK_RUNS = 40


@dataclass(frozen=True, slots=True)
class Promise:
    """One line of what is promised."""

    name: str
    unit: str
    must: float = math.inf
    aim: float = math.inf
    more_is_better: bool = False

    def worse(self, values: Iterable[float]) -> float:
        """The one that counts."""
        return (min if self.more_is_better else max)(values)

    def word(self, value: float) -> str:
        """How a value stands to the promise."""
        sign = -1 if self.more_is_better else 1
        if self.must == math.inf:
            return ""
        if sign * value <= sign * self.aim:
            return "aim"
        return "must" if sign * value <= sign * self.must else "MISSED"


RUN = Promise("afp run, one process, against orjson.loads", "x its time", 1.5, 1.0)
RUN_CPU = Promise("the same, processor time", "x its time", 1.5, 1.0)
JOBS = Promise("two processes against one", "x as fast", 1.5, 1.9, more_is_better=True)
TEN_CHUNK = Promise("ten times the runs in one chunk", "x the time", 10.5, 10.0)
TEN_FILES = Promise("ten times the files", "x the time", 10.5, 10.0)
WORKER = Promise("peak memory of a worker", "MB", 400, 250)
PARENT = Promise("peak memory of the parent", "MB", 500, 250)
GROWTH = Promise("memory, ten times the files", "x", 1.25, 1.1)
LONG = Promise(f"memory, one recording of {LONG_RUN_MEGABYTES} MB", "x its size", 4.0, 3.0)
KNOWN = Promise(f"nothing new among {KNOWN_FILES:,} known files", "s", 3.0, 1.0)
ONE_RUN = Promise(f"rows of one of {ASKED_RUNS:,} runs", "ms", 50, 20)
ALL_VERDICTS = Promise(f"group-by over the verdicts of {ASKED_RUNS:,} runs", "ms", 100, 40)
HELP = Promise("afp --help", "s", 0.3, 0.15)
SIZE = Promise("store against gzip -6 of the recordings", "x", 1.0, 0.5)
PEER = Promise("footprintjs on Node: the lives of every key of the run's own log", "x the time of afp run")


@dataclass(frozen=True, slots=True)
class Measured:
    """One value for one promise."""

    promise: Promise
    value: float
    on: str
    note: str = ""


class Bench:
    """The fleets, and the commands run on them."""

    def __init__(self, folder: Path, megabytes: float, rounds: int, spellings: tuple[Spelling, ...]) -> None:
        self.folder, self.megabytes, self.rounds, self.spellings = folder, megabytes, rounds, spellings
        self._numbers = count()
        self._fleets: dict[tuple[Spelling, float], Path] = {}

    def fleet(self, spelling: Spelling, share: float = 1.0) -> Path:
        """A folder of runs, made once."""
        if (spelling, share) not in self._fleets:
            folder = self.folder / f"fleet-{spelling}-{share:g}"
            write_fleet(folder, spelling, megabytes=self.megabytes * share)
            self._fleets[spelling, share] = folder
        return self._fleets[spelling, share]

    @cached_property
    def small_runs(self) -> Path:
        """A folder of many small runs."""
        folder = self.folder / "small"
        write_fleet(folder, "line", how_many=ASKED_RUNS, small=True)
        return folder

    def afp_run(self, *paths: Path, jobs: int = 1, store: Path | None = None) -> Finished:
        """`afp run` into a new store, which is removed again unless it was named."""
        into = store or self.new_store()
        done = finished([AFP, "run", *map(str, paths), "--store", str(into), "--jobs", str(jobs), "--quiet"])
        if store is None:
            shutil.rmtree(into)
        return done

    def new_store(self) -> Path:
        """A store that is not there yet."""
        return self.folder / f"store-{next(self._numbers)}"

    def module(self, name: str, *arguments: object) -> list[float]:
        """The numbers another module of this folder prints."""
        done = finished([sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)])
        return [float(word) for word in done.output.split()]


def run(bench: Bench) -> Iterator[Measured]:
    """`afp run` against decoding the same bytes, in turns."""
    for spelling in bench.spellings:
        fleet = bench.fleet(spelling)
        bench.module("yardstick", fleet)  # the files are in memory from here on
        ours, theirs = [], []
        for _ in range(bench.rounds):
            ours.append(bench.afp_run(fleet))
            theirs.append(bench.module("yardstick", fleet))
        wall, burnt = _median(o.seconds for o in ours), _median(o.cpu_seconds for o in ours)
        wall_there, burnt_there = (_median(times) for times in zip(*theirs, strict=True))
        note = f"{wall:.1f} s, {bench.megabytes / wall:.0f} MB/s; orjson {bench.megabytes / wall_there:.0f} MB/s"
        yield Measured(RUN, wall / wall_there, spelling, note)
        note = f"{burnt:.1f} s, {bench.megabytes / burnt:.0f} MB/s; orjson {bench.megabytes / burnt_there:.0f} MB/s"
        yield Measured(RUN_CPU, burnt / burnt_there, spelling, note)


def jobs(bench: Bench) -> Iterator[Measured]:
    """Two processes against one, in turns."""
    for spelling in bench.spellings:
        fleet = bench.fleet(spelling)
        one, two = [], []
        for _ in range(bench.rounds):
            one.append(bench.afp_run(fleet).seconds)
            two.append(bench.afp_run(fleet, jobs=2).seconds)
        yield Measured(JOBS, _median(one) / _median(two), spelling, f"{_median(one):.1f} s, {_median(two):.1f} s")


def growth(bench: Bench) -> Iterator[Measured]:
    """Ten times the runs: in one chunk's derivation, and in files."""
    chunk = bench.folder / "chunk"
    write_fleet(chunk, "line", how_many=10 * CHUNK_RUNS)
    few, many = bench.module("derivation", chunk, CHUNK_RUNS)
    yield Measured(TEN_CHUNK, many / few, "either", f"{CHUNK_RUNS} runs {few:.2f} s, ten times {many:.2f} s")
    for spelling in bench.spellings:
        tenth, whole = [], []
        for _ in range(bench.rounds):
            tenth.append(bench.afp_run(bench.fleet(spelling, 0.1)).seconds)
            whole.append(bench.afp_run(bench.fleet(spelling)).seconds)
        note = f"{_median(tenth):.1f} s, {_median(whole):.1f} s"
        yield Measured(TEN_FILES, _median(whole) / _median(tenth), spelling, note)


def memory(bench: Bench) -> Iterator[Measured]:
    """Peak memory of parent and workers, and whether it grows with the fleet."""
    for spelling in bench.spellings:
        tenth = bench.afp_run(bench.fleet(spelling, 0.1), jobs=2)
        whole = bench.afp_run(bench.fleet(spelling), jobs=2)
        alone = bench.afp_run(bench.fleet(spelling))
        yield Measured(WORKER, whole.worker_peak / MEGABYTE, spelling, "--jobs 2")
        yield Measured(PARENT, whole.parent_peak / MEGABYTE, spelling, "--jobs 2")
        yield Measured(WORKER, alone.peak / MEGABYTE, spelling, "--jobs 1, the largest process")
        yield Measured(GROWTH, whole.peak / tenth.peak, spelling, f"{tenth.peak / MEGABYTE:.0f} MB with a tenth")


def long(bench: Bench) -> Iterator[Measured]:
    """Peak memory on a single long recording."""
    for kind, make in LONG_RUNS.items():
        for spelling in bench.spellings:
            path = bench.folder / f"{kind}-{spelling}.json"
            size = path.write_bytes(make(LONG_RUN_MEGABYTES, spelling))
            done = bench.afp_run(path)
            note = f"{done.peak / MEGABYTE:.0f} MB, {done.seconds:.1f} s"
            yield Measured(LONG, done.peak / size, f"{kind}, {spelling}", note)


def known(bench: Bench) -> Iterator[Measured]:
    """A second run over files that did not change."""
    folder, store = bench.folder / "known", bench.new_store()
    write_fleet(folder, "line", how_many=KNOWN_FILES, small=True)
    bench.afp_run(folder, store=store)
    yield Measured(KNOWN, _median(bench.afp_run(folder, store=store).seconds for _ in range(bench.rounds)), "line")


def questions(bench: Bench) -> Iterator[Measured]:
    """Everyday questions after start-up, to a store of many runs."""
    store = bench.new_store()
    bench.afp_run(bench.small_runs, store=store, jobs=2)
    one_run, all_verdicts = bench.module("questions", store)
    yield Measured(ONE_RUN, 1000 * one_run, "small runs")
    yield Measured(ALL_VERDICTS, 1000 * all_verdicts, "small runs")


def help_page(bench: Bench) -> Iterator[Measured]:
    """How long a person waits for the list of commands."""
    yield Measured(HELP, _median(finished([AFP, "--help"]).seconds for _ in range(2 * bench.rounds + 1)), "")


def size(bench: Bench) -> Iterator[Measured]:
    """Bytes of the store against those of the compressed recordings."""
    for spelling in bench.spellings:
        store = bench.new_store()
        bench.afp_run(bench.fleet(spelling), store=store)
        stored = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
        compressed = sum(_gzip_size(path) for path in bench.fleet(spelling).iterdir())
        note = f"{stored / MEGABYTE:.1f} MB, {compressed / MEGABYTE:.1f} MB"
        yield Measured(SIZE, stored / compressed, spelling, note)


def peer(bench: Bench) -> Iterator[Measured]:
    """The library that recorded the runs, asked for part of what we derive; unequal work, and nothing is stored."""
    folder = bench.folder / "peer"
    shutil.copytree(Path(__file__).parent / "peer", folder)
    finished(["npm", "install", "--no-audit", "--no-fund", "--cache", str(folder / "cache"), "--prefix", str(folder)])
    for spelling in bench.spellings:
        fleet = bench.fleet(spelling)
        ours, theirs = [], []
        for _ in range(bench.rounds):
            ours.append(bench.afp_run(fleet).seconds)
            theirs.append(float(finished(["node", str(folder / "lives.js"), str(fleet)]).output.split()[0]))
        note = f"{_median(theirs):.1f} s, afp run {_median(ours):.1f} s"
        yield Measured(PEER, _median(theirs) / _median(ours), spelling, note)


MEASUREMENTS: dict[str, Callable[[Bench], Iterator[Measured]]] = {
    "run": run,
    "jobs": jobs,
    "growth": growth,
    "memory": memory,
    "long": long,
    "known": known,
    "questions": questions,
    "help": help_page,
    "size": size,
    "peer": peer,
}


def _gzip_size(path: Path) -> int:
    packer = zlib.compressobj(6, wbits=31)
    return len(packer.compress(path.read_bytes())) + len(packer.flush())


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def _limit(value: float) -> str:
    return "" if value == math.inf else f"{value:g}"


def _report(measured: list[Measured]) -> Table:
    """Each value on its own line, then, for each promise, the one that counts."""
    table = Table("what", "on", "measured", "must", "aim", "reached", "note", box=None, pad_edge=False)
    for promise in dict.fromkeys(m.promise for m in measured):
        mine = [m for m in measured if m.promise == promise]
        worst = promise.worse(m.value for m in mine)
        for m in mine:
            counts = m.value == worst
            table.add_row(
                promise.name,
                m.on,
                f"{m.value:.2f} {promise.unit}",
                _limit(promise.must),
                _limit(promise.aim),
                promise.word(m.value) if counts else "",
                m.note,
                style="bold" if counts else "dim",
            )
    return table


def main(arguments: list[str] | None = None) -> None:
    """Measures what was asked for and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=300, help="size of each fleet, 10^6 bytes (default 300)")
    usual = ",".join(name for name in MEASUREMENTS if name != "peer")
    parser.add_argument("--only", default=usual, help="some of: %(default)s; and peer, which needs node and npm")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each comparison (default 3)")
    parser.add_argument("--spelling", choices=(*SPELLINGS, "both"), default="both")
    parser.add_argument("--folder", type=Path, help="where fleets and stores are made (default: a temporary folder)")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",")
    if unknown := set(chosen) - MEASUREMENTS.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}")
    spellings = SPELLINGS if options.spelling == "both" else (options.spelling,)
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    measured: list[Measured] = []
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="ratios-") as folder:
        bench = Bench(Path(folder), options.megabytes, options.rounds, spellings)
        for name in chosen:
            print(f"measuring: {name}", file=sys.stderr)
            try:
                for m in MEASUREMENTS[name](bench):
                    print(f"  {m.promise.name}, {m.on}: {m.value:.2f} {m.promise.unit} {m.note}", file=sys.stderr)
                    measured.append(m)
            except FailedError as error:
                print(f"  not measured: {error}", file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 200).print(_report(measured))


if __name__ == "__main__":
    main()
