"""Failures: what a command says when it cannot do its work. One sentence, one remedy, exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    ATTENTION = 1
    """Done and published, but something needs a look: a new refusal, a damaged store."""
    FAILED = 2
    """The command could not do its work; nothing was published."""
    INTERRUPTED = 130
    TERMINATED = 143


class CommandError(Exception):
    """The command could not do its work, for a reason that the user can do something about."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())


@contextmanager
def explained(*kinds: type[Exception]) -> Iterator[None]:
    """Errors of these kinds already say in a sentence what is wrong: they end the command without a traceback."""
    try:
        yield
    except kinds as error:
        raise CommandError(str(error)) from error
