"""Interruption: Ctrl-C and SIGTERM end a command within seconds, also in the middle of a query."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from dataflows.cli.failures import ExitCode

if TYPE_CHECKING:
    import duckdb

SIGNALS = (signal.SIGINT, signal.SIGTERM)
RETRY_SECONDS = 0.1
"""A query that is just starting misses an interrupt, so it is repeated until the query has ended."""

_received: list[int] = []


def listen() -> None:
    """From now on the first signal raises `KeyboardInterrupt` and later ones leave the cleaning up alone."""
    for number in SIGNALS:
        signal.signal(number, _interrupt)


def exit_code() -> ExitCode | None:
    """The exit code the received signal asks for; None when there was none."""
    if not _received:
        return None
    return ExitCode.TERMINATED if _received[0] == signal.SIGTERM else ExitCode.INTERRUPTED


@contextmanager
def interrupting(connection: "duckdb.DuckDBPyConnection") -> Iterator[None]:
    """While this lasts, a signal also stops the query that the connection runs.

    Python handles a signal only after a call into DuckDB has come back, which may take hours. The interpreter writes
    to the wake-up descriptor at once, and whoever reads it there can interrupt the query.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    hearing, waking = socket.socketpair()
    waking.setblocking(False)
    before = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    over = threading.Event()
    listener = threading.Thread(target=_interrupt_query, args=(connection, hearing, over), daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        waking.close()
        listener.join()
        hearing.close()


def _interrupt_query(connection: "duckdb.DuckDBPyConnection", hearing: socket.socket, over: threading.Event) -> None:
    while heard := hearing.recv(1):
        while heard[0] in SIGNALS and not over.is_set():
            connection.interrupt()
            over.wait(RETRY_SECONDS)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt
