"""Workers: shares of a job mapped over local processes, which end when the job does."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import TypeVar

Share = TypeVar("Share")
Result = TypeVar("Result")

THREADS = "POLARS_MAX_THREADS"


def mapped(work: Callable[[Share], Result], shares: Sequence[Share], jobs: int) -> Iterator[Result]:
    """The result of each share, as they come.

    With one job, here; with more, in that many processes, one Polars thread each. They are started anew and never
    forked: a fork of a process that has used Polars hangs. However the caller ends, no worker outlives it.
    """
    if jobs == 1 or len(shares) < 2:
        yield from map(work, shares)
        return
    context = multiprocessing.get_context("forkserver" if "forkserver" in _start_methods() else "spawn")
    before, os.environ[THREADS] = os.environ.get(THREADS), "1"
    executor = ProcessPoolExecutor(min(jobs, len(shares)), mp_context=context, initializer=_follow_parent)
    try:
        pending: set[Future[Result]] = {executor.submit(work, share) for share in shares}
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        _restore(before)


def _start_methods() -> list[str]:
    return multiprocessing.get_all_start_methods()


def _restore(threads: str | None) -> None:
    os.environ.pop(THREADS)
    if threads is not None:
        os.environ[THREADS] = threads


def _follow_parent() -> None:
    """Leave interrupts to the parent, and end when it does, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
