"""A crew of runners: each has a thread that asks it one probe after the other, and starts another when it fails.

Rule: product contract, section 7. However the work ends, no runner outlives it.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dataflows.probes.answers import Answer, NoAnswerError, answer_in
from dataflows.probes.runner import Runner, RunnerError

if TYPE_CHECKING:
    from dataflows.probes.plan_file import PlannedProbe

GLANCE_SECONDS = 0.2
"""So often a thread that waits looks whether the work is over."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one probe; `answer` is None where every attempt failed, and then `failures` says why.

    `recording` is that of the answer, or of the last attempt.
    """

    planned: PlannedProbe
    answer: Answer | None
    recording: bytes | None
    failures: list[str] = field(default_factory=list)


class _WorkIsOverError(Exception):
    """Nobody waits for an outcome any more."""


class Crew:
    """Runners of one command, `jobs` at a time; each probe is tried once more than `retries`."""

    def __init__(self, words: Sequence[str], jobs: int, seconds: float, retries: int) -> None:
        self.words, self.jobs, self.seconds, self.retries = words, jobs, seconds, retries
        self._lock = threading.Lock()
        self._is_over = False
        self._runners: set[Runner] = set()
        self._outcomes: queue.Queue[Outcome | BaseException] = queue.Queue(maxsize=jobs)

    def outcomes(self, probes: Sequence[PlannedProbe]) -> Generator[Outcome]:
        """The outcome of each probe, as they come. Whoever stops listening ends the work.

        Raises `ProbeError` where the command cannot be started.
        """
        waiting = deque(probes)
        seats = [threading.Thread(target=self._work, args=(waiting,)) for _ in range(min(self.jobs, len(probes)))]
        try:
            for seat in seats:
                seat.start()
            for _ in probes:
                yield self._told()
            for seat in seats:
                while seat.is_alive():
                    seat.join(GLANCE_SECONDS)
        finally:
            try:
                self._end(seats)
            except KeyboardInterrupt:  # the first one may come only now; there is no second
                self._end(seats)
                raise

    def hire(self) -> Runner:
        """A new runner. Raises `_WorkIsOverError` when it is not needed any more."""
        with self._lock:
            if self._is_over:
                raise _WorkIsOverError
            runner = Runner(self.words)
            self._runners.add(runner)
            return runner

    def dismiss(self, runner: Runner, *, kindly: bool) -> None:
        """End a runner; kindly, it may end by itself."""
        if kindly and not self._is_over:
            runner.part()
        runner.kill()
        with self._lock:
            self._runners.discard(runner)
        runner.close()

    def _work(self, waiting: deque[PlannedProbe]) -> None:
        """Have one probe after the other answered until none is waiting."""
        seat = _Seat(self)
        try:
            while planned := _next(waiting):
                self._tell(seat.outcome(planned))
            seat.leave(kindly=True)
        except _WorkIsOverError:
            seat.leave(kindly=False)
        except BaseException as error:  # noqa: BLE001 - whoever listens raises it
            seat.leave(kindly=False)
            with suppress(_WorkIsOverError):
                self._tell(error)

    def _tell(self, outcome: Outcome | BaseException) -> None:
        """Hand an outcome to whoever listens. Raises `_WorkIsOverError` where nobody does."""
        while not self._is_over:
            with suppress(queue.Full):
                self._outcomes.put(outcome, timeout=GLANCE_SECONDS)
                return
        raise _WorkIsOverError

    def _told(self) -> Outcome:
        """The next outcome. Raises what kept a thread from one.

        It never waits for long: Polars has its say about Ctrl-C, and leaves a wait without an end uninterrupted.
        """
        while True:
            with suppress(queue.Empty):
                outcome = self._outcomes.get(timeout=GLANCE_SECONDS)
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome

    def _end(self, seats: Sequence[threading.Thread]) -> None:
        """End all runners, then the threads that ask them."""
        with self._lock:
            self._is_over = True
            for runner in self._runners:
                runner.kill()
        for seat in seats:
            if seat.ident is not None:
                seat.join()


class _Seat:
    """One place of a crew: the runner that sits there now, if one does."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._runner: Runner | None = None

    def outcome(self, planned: PlannedProbe) -> Outcome:
        """What comes of a probe, tried until it is answered or the attempts are used up."""
        failures: list[str] = []
        recording = None
        for _ in range(self._crew.retries + 1):
            try:
                answer = answer_in(self._line(planned.text), planned.probe.run_id)
            except RunnerError as failure:
                failures.append(failure.reason)
                self.leave(kindly=False)
            except NoAnswerError as failure:
                failures.append(failure.reason)
                recording = failure.recording
                if not failure.in_turn:
                    self.leave(kindly=False)
            else:
                return Outcome(planned, answer, answer.recording, failures)
        return Outcome(planned, None, recording, failures)

    def leave(self, *, kindly: bool) -> None:
        """Leave the place to another runner."""
        if self._runner:
            self._crew.dismiss(self._runner, kindly=kindly)
        self._runner = None

    def _line(self, question: str) -> bytes:
        """The line that answers a question. A runner that had ended after an earlier answer makes room for another."""
        if self._runner:
            try:
                return self._runner.ask(question, self._crew.seconds)
            except RunnerError as failure:
                if not failure.is_over:
                    raise
                self.leave(kindly=False)
        self._runner = self._crew.hire()
        return self._runner.ask(question, self._crew.seconds)


def _next(waiting: deque[PlannedProbe]) -> PlannedProbe | None:
    """The next probe; threads take each of them once."""
    try:
        return waiting.popleft()
    except IndexError:
        return None
