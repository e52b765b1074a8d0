"""Workers: shares of a job mapped over local processes, which end when the job does, or over a Ray cluster."""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Any, TypeVar

Share = TypeVar("Share")
Result = TypeVar("Result")

THREADS = "POLARS_MAX_THREADS"


class Executor(StrEnum):
    """Where the shares of a job are worked on."""

    LOCAL = "local"
    RAY = "ray"


class NoClusterError(Exception):
    """Ray is not installed, or its cluster cannot be reached; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who works on the shares of a job: `jobs` processes of this machine, or `jobs` tasks at once on a Ray cluster."""

    jobs: int = 1
    executor: Executor = Executor.LOCAL

    @property
    def are_elsewhere(self) -> bool:
        """Whether other processes than this one do the work."""
        return self.jobs > 1 or self.executor is Executor.RAY

    def mapped(self, work: Callable[[Share], Result], shares: Sequence[Share]) -> Iterator[Result]:
        """The result of each share, as they come. However the caller ends, no worker outlives it.

        Raises:
            NoClusterError: the work was to be done on a cluster, and there is none.
        """
        if not shares:
            return iter(())
        if self.executor is Executor.RAY:
            return _over_cluster(work, shares, self.jobs)
        if self.jobs == 1 or len(shares) == 1:
            return map(work, shares)
        return _over_processes(work, shares, self.jobs)


def _over_processes(work: Callable[[Share], Result], shares: Sequence[Share], jobs: int) -> Iterator[Result]:
    """In that many processes, one Polars thread each.

    They are started anew and never forked: a fork of a process that has used Polars hangs.
    """
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


def _over_cluster(work: Callable[[Share], Result], shares: Sequence[Share], jobs: int) -> Iterator[Result]:
    """As tasks of one processor each, at most `jobs` at once.

    The cluster is the one that `RAY_ADDRESS` names; without it, one is started here and ends with the job.
    """
    ray = _connected(jobs)
    try:
        task = partial(ray.remote(num_cpus=1, max_retries=0)(_worked).remote, ray.put(work))
        ahead = iter(shares)
        running = [task(share) for share in islice(ahead, jobs)]
        while running:
            [done], running = ray.wait(running, num_returns=1)
            running += [task(share) for share in islice(ahead, 1)]
            yield ray.get(done)
    finally:
        ray.shutdown()


def _worked(work: Callable[[Share], Result], share: Share) -> Result:
    return work(share)


def _connected(jobs: int) -> Any:
    try:
        import ray  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise NoClusterError("A cluster needs the Python package ray: pip install 'afp-fleet[ray]'.") from error
    address = os.environ.get("RAY_ADDRESS")
    started_here: dict[str, Any] = {} if address else {"num_cpus": jobs, "include_dashboard": False}
    try:
        ray.init(
            address,
            runtime_env={"env_vars": {THREADS: "1"}},
            log_to_driver=False,
            logging_level=logging.ERROR,
            **started_here,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise NoClusterError(f"The cluster at {address or 'this machine'} cannot be used: {error}") from error
    return ray


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
