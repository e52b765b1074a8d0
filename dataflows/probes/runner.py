"""A runner: one process of the user's command, which is given a probe on a line and answers on a line.

Rule: product contract, section 7. It is trusted with nothing: whatever it does, a question ends with one line or with
a `RunnerError`, after the time that it is given at the latest.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from dataflows.printable import glimpse
from dataflows.probes.errors import ProbeError

MOST_BYTES = 64 * 2**20
"""An answer longer than this is not read; a large recording is better named by its path."""

SETTLING_SECONDS = 0.02
"""So long after an answer, more output shows that the runner does not keep to its turn."""

PARTING_SECONDS = 5.0
"""A runner has so long to end once there is nothing left to ask."""

LAST_WORDS_SECONDS = 0.2
"""What a runner that ended wrote to stderr is waited for so long: a process that it started may hold it open."""

GLANCE_SECONDS = 0.5
"""So often is looked whether it has ended although somebody holds its output open."""

OUT_OF_TURN = "the runner answered out of turn: it wrote more than one line for a probe, or before it had read it"

PIECE = 65_536
TAIL = 4_096
"""Of stderr so many bytes are kept."""

SHOWN = 300
"""Of what a runner wrote, so many characters stand in a reason."""


class RunnerError(Exception):
    """A runner gave no answer that can be used; `is_over` says that it had ended before it was asked."""

    def __init__(self, reason: str, *, is_over: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_over = is_over


class Runner:
    """One process. Whoever starts it ends it: with `part`, or with `kill`, also from another thread."""

    def __init__(self, words: Sequence[str]) -> None:
        """Start it, in a process group of its own. Raises `ProbeError` where it cannot be started."""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is the user's own
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ProbeError(
                f"The runner cannot be started: {error}.", "Check --runner, as you would type it."
            ) from error
        self._stdin, self._stdout, self._stderr = map(
            _unblocked, (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._tail = b""
        self._answers = 0

    def ask(self, question: str, seconds: float) -> bytes:
        """The line that answers a line. Raises `RunnerError` where none does within so many seconds."""
        self._refuse_unasked()
        try:
            line = self._exchange(memoryview(f"{question}\n".encode()), time.monotonic() + seconds)
        except TimeoutError:
            raise RunnerError(f"the runner gave no answer within {seconds:g} s{self._last_words()}") from None
        self._answers += 1
        self._refuse_more()
        return line

    def part(self) -> None:
        """Let it end by itself, since nothing is left to ask; kill it when it does not, and what it started."""
        with suppress(OSError):
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PARTING_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it at once, and what it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Give its pipes back."""
        for pipe in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                pipe.close()

    def _exchange(self, question: memoryview, deadline: float) -> bytes:
        """Write the question, read a line. Raises `TimeoutError` when neither is done in time."""
        answer = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            selector.register(self._stderr, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                ready = [key.fileobj for key, _ in selector.select(min(left, GLANCE_SECONDS))]
                if not ready and self._process.poll() is not None:
                    return self._unfinished(answer)
                if self._stderr in ready and not self._hear():
                    selector.unregister(self._stderr)
                if self._stdin in ready:
                    question = self._say(question)
                    if not question:
                        selector.unregister(self._stdin)
                if self._stdout in ready:
                    piece = self._stdout.read(PIECE)
                    if piece == b"":
                        return self._unfinished(answer)
                    line, newline, more = (piece or b"").partition(b"\n")
                    answer += line
                    if len(answer) > MOST_BYTES:
                        raise RunnerError(f"the runner answered with more than {MOST_BYTES // 2**20} MB on a line")
                    if newline and (more or question):
                        raise RunnerError(OUT_OF_TURN)
                    if newline:
                        return bytes(answer)

    def _say(self, question: memoryview) -> memoryview:
        """Write as much as it takes now; what is left. One that reads no more has ended, or is about to."""
        try:
            return question[self._stdin.write(question) or 0 :]
        except BrokenPipeError:
            return question[:0]

    def _hear(self) -> bool:
        """Keep the end of what it writes to stderr; False when that is closed."""
        piece = self._stderr.read(PIECE)
        self._tail = (self._tail + (piece or b""))[-TAIL:]
        return piece != b""

    def _refuse_unasked(self) -> None:
        """Nothing may have been written before there was a question."""
        piece = self._stdout.read(PIECE)
        if piece:
            raise RunnerError(f"the runner wrote something before it was asked: {_shown(piece)}")
        if piece == b"":
            raise self._ended()

    def _refuse_more(self) -> None:
        """Nothing may be written after the answer, until there is another question."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            if selector.select(SETTLING_SECONDS) and self._stdout.read(PIECE):
                raise RunnerError(OUT_OF_TURN)

    def _unfinished(self, answer: bytearray) -> bytes:
        """A last line without its end, of a runner that ended. Raises `RunnerError` where there is none."""
        if answer:
            return bytes(answer)
        raise self._ended()

    def _ended(self) -> RunnerError:
        """How it ended before it answered."""
        try:
            code = self._process.wait(LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            return RunnerError(f"the runner closed its output before it answered{self._last_words()}")
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        is_over = code == 0 and self._answers > 0
        return RunnerError(f"the runner {how} before it answered{self._last_words()}", is_over=is_over)

    def _last_words(self) -> str:
        """The last line that it wrote to stderr, as the end of a sentence."""
        deadline = time.monotonic() + LAST_WORDS_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self._stderr, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0 and selector.select(left) and self._hear():
                pass
        lines = self._tail.decode(errors="replace").split("\n")
        said = next((line for line in reversed(lines) if line.strip()), "")
        return f"; it wrote to stderr: {_shown(said.encode())}" if said else ""


def _unblocked(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe that gives what is there, and does not wait for more."""
    if pipe is None:
        raise AssertionError("a runner has all three pipes")
    os.set_blocking(pipe.fileno(), False)
    return pipe


def _shown(written: bytes) -> str:
    return glimpse(written[:TAIL].decode(errors="replace").strip(), SHOWN)
