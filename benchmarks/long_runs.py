"""Single recordings of any size: a run of very many loops, and a run with one very long tool result.

python -m benchmarks.long_runs --out DIR --megabytes 100
"""

import argparse
import json
import random
import re
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.fleet import MEGABYTE, SPELLINGS, Spelling, sample_recordings, sample_template, spelled

LONGEST_SAMPLE = "s-flat-l12-travel"
FIRST_REPEATED_LOOP, FIRST_LOOP_AFTER = 5, 10
WORDS_FOR_ONE = 12
RESULT_SAMPLE, RESULT_TEXT = "s-flat-l3-triage", b"allergy: penicillin (2019)"
HEAD = "sf-injection-engine#"
HOLE = "the next loop goes here"

_STEP = re.compile(r'"([\w./-]+)#(\d+)"')
_CALL = re.compile(r'"call_(\d+)"')


def with_many_loops(megabytes: float, spelling: Spelling) -> bytes:
    """A sample run whose middle loops are repeated, with step numbers, call ids and clocks that go on counting.

    Its texts are longer than the sample's, because what one loop holds grows with the loops before it in a real
    run and does not here: a recorded run of a hundred loops has about this size.
    """
    sample = sample_template(LONGEST_SAMPLE, "line", False)
    run = _RepeatedRun(json.loads(sample.run(LONGEST_SAMPLE, random.Random(0), stretch=WORDS_FOR_ONE)))
    times, document = 2, b""
    while (missing := megabytes * MEGABYTE - len(document)) > 0:
        times += max(1, int(missing * times / (3 * len(document)))) if document else 0
        document = _deeply(partial(_spelled_run, run, times, spelling))
    return document


def with_one_long_result(megabytes: float, spelling: Spelling) -> bytes:
    """A sample run of three loops, one of whose tool results is as long as it takes; it stands in many places."""
    document = spelled(sample_recordings(False)[RESULT_SAMPLE], spelling)
    places = document.count(RESULT_TEXT)
    length = int((megabytes * MEGABYTE - len(document)) / places)
    dice = random.Random(0)
    words = [b"%x" % dice.getrandbits(32) for _ in range(length // 8)]
    return document.replace(RESULT_TEXT, b" ".join(words)[:length])


LONG_RUNS: dict[str, Callable[[float, Spelling], bytes]] = {
    "many-loops": with_many_loops,
    "one-long-result": with_one_long_result,
}


class _RepeatedRun:
    """One recording with a stretch of loops that may be written any number of times."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        recording = document["recording"]
        self.snapshot, self.events = recording["snapshot"], recording["events"]
        log = self.snapshot["commitLog"]
        heads = [at for at, commit in enumerate(log) if commit["runtimeStageId"].startswith(HEAD)]
        heads = [at for at in heads if log[at - 1]["runtimeStageId"] != log[at]["runtimeStageId"]]
        self.from_commit, self.to_commit = heads[FIRST_REPEATED_LOOP], heads[FIRST_LOOP_AFTER]
        self.from_id, self.to_id = log[self.from_commit]["runtimeStageId"], log[self.to_commit]["runtimeStageId"]
        self.from_step, self.to_step = _number(self.from_id), _number(self.to_id)
        self.loops = FIRST_LOOP_AFTER - FIRST_REPEATED_LOOP

    def text(self, times: int) -> bytes:
        """The document on one line, its stretch written `times` times."""
        holes = {
            "commitLog": self._commits(times),
            "executionTree": self._tree(times),
            "subflowResults": self._mounts(times),
        }
        snapshot = ",".join(f"{json.dumps(k)}:{holes.get(k) or json.dumps(v)}" for k, v in self.snapshot.items())
        shell = {**self.document, "recording": {"snapshot": HOLE, "events": []}}
        before, after = json.dumps(shell).split(json.dumps(HOLE))
        return f"{before}{{{snapshot}}}{after.replace('[]', self._events(times), 1)}".encode()

    def _commits(self, times: int) -> str:
        log = self.snapshot["commitLog"]
        turns = [(commit, 0) for commit in log[: self.from_commit]]
        turns += ((commit, turn) for turn in range(times) for commit in log[self.from_commit : self.to_commit])
        turns += ((commit, times - 1) for commit in log[self.to_commit :])
        rows = (self._later(json.dumps(commit | {"idx": at}), turn) for at, (commit, turn) in enumerate(turns))
        return f"[{','.join(rows)}]"

    def _tree(self, times: int) -> str:
        tree = json.loads(json.dumps(self.snapshot["executionTree"]))
        stretch = _taken_out(tree, self.from_id)
        rest = _taken_out(stretch, self.to_id)
        opening, closing = json.dumps(stretch).split(json.dumps(HOLE))
        before, after = json.dumps(tree).split(json.dumps(HOLE))
        turns = range(times)
        return "".join(
            [
                before,
                *(self._later(opening, turn) for turn in turns),
                self._later(json.dumps(rest), times - 1),
                *(self._later(closing, turn) for turn in reversed(turns)),
                after,
            ]
        )

    def _mounts(self, times: int) -> str:
        members = [
            (mount, f"{json.dumps(mount)}:{json.dumps(v)}") for mount, v in self.snapshot["subflowResults"].items()
        ]
        early = [text for mount, text in members if "#" not in mount or _number(mount) < self.from_step]
        middle = [text for mount, text in members if "#" in mount and self.from_step <= _number(mount) < self.to_step]
        late = [text for mount, text in members if "#" in mount and _number(mount) >= self.to_step]
        repeated = (self._later(text, turn) for turn in range(times) for text in middle)
        return f"{{{','.join([*early, *repeated, *(self._later(text, times - 1) for text in late)])}}}"

    def _events(self, times: int) -> str:
        steps = [_number(event["meta"]["runtimeStageId"]) for event in self.events]
        start = next(at for at, step in enumerate(steps) if step >= self.from_step)
        stop = next(at for at, step in enumerate(steps) if step >= self.to_step)
        milliseconds = self.events[stop]["meta"]["wallClockMs"] - self.events[start]["meta"]["wallClockMs"]

        def rows(events: list[dict[str, Any]], turn: int) -> Iterator[str]:
            for event in events:
                meta = {k: v + turn * milliseconds if k.endswith("Ms") else v for k, v in event["meta"].items()}
                payload = {k: v + turn * self.loops if k.startswith("iter") else v for k, v in event["payload"].items()}
                yield self._later(json.dumps(event | {"payload": payload, "meta": meta}), turn)

        written = list(rows(self.events[:start], 0))
        for turn in range(times):
            written += rows(self.events[start:stop], turn)
        return f"[{','.join([*written, *rows(self.events[stop:], times - 1)])}]"

    def _later(self, text: str, turn: int) -> str:
        """The same some turns later: steps and calls of the stretch and after it get later numbers."""

        def step(match: re.Match[str]) -> str:
            number = int(match[2])
            later = turn * (self.to_step - self.from_step) if number >= self.from_step else 0
            return f'"{match[1]}#{number + later}"'

        def call(match: re.Match[str]) -> str:
            number = int(match[1])
            return f'"call_{number + turn * self.loops if number > FIRST_REPEATED_LOOP else number}"'

        return _CALL.sub(call, _STEP.sub(step, text)) if turn else text


def _spelled_run(run: _RepeatedRun, times: int, spelling: Spelling) -> bytes:
    return spelled(run.text(times), spelling)


def _number(step: str) -> int:
    return int(step.rpartition("#")[2])


def _taken_out(tree: dict[str, Any], step: str) -> Any:
    """Takes the node of a step out of a tree and leaves a hole there."""
    waiting: list[Any] = [tree]
    while waiting:
        holder = waiting.pop()
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, dict) and value.get("runtimeStageId") == step and "id" in value:
                holder[key] = HOLE
                return value
            if isinstance(value, dict | list):
                waiting.append(value)
    raise LookupError(f"no step {step} in the tree")


def _deeply(work: Callable[[], bytes]) -> bytes:
    """The result of work that nests deeper than the main thread's stack allows."""
    results: list[bytes] = []
    limit, stack = sys.getrecursionlimit(), threading.stack_size(512 * 2**20)
    sys.setrecursionlimit(100_000)
    try:
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)
    return results[0]


def main(arguments: list[str] | None = None) -> None:
    """Writes both kinds in both spellings and says what it wrote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--megabytes", type=float, default=100, help="least size of each recording, 10^6 bytes")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for kind, make in LONG_RUNS.items():
        for spelling in SPELLINGS:
            path = options.out / f"{kind}-{spelling}.json"
            size = path.write_bytes(make(options.megabytes, spelling))
            print(f"{path}: {size / MEGABYTE:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
