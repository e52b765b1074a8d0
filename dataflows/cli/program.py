"""The program `afp`: its commands, loaded when they are asked for, and how each of them ends."""

import errno
import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from dataflows.cli import interruption
from dataflows.cli.failures import CommandError, ExitCode
from dataflows.cli.output import aside, leave_the_pipe
from dataflows.printable import glimpse

COMMANDS = (
    "run",
    "sql",
    "runs",
    "explain",
    "trace",
    "diff",
    "study",
    "probe",
    "nightly",
    "report",
    "schedule",
    "forget",
    "tables",
    "store",
    "dag",
)
"""In the order in which a newcomer meets them; each is `command` in the module of its name."""

NAME = "afp"

MESSAGE_CHARACTERS = 300
"""Of an error that nobody foresaw this much is said."""


class ReaderGoneError(Exception):
    """Whoever read our output has had enough."""


class Program(click.Group):
    """A group of commands that imports a command's module only when that command is looked at."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of `COMMANDS`."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dataflows.cli.commands.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader who has left is told from other errors before click ends the process with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run the command that the arguments name and end the process with its exit code."""
        sys.exit(self._exit_code(*args, **{"prog_name": NAME} | extra | {"standalone_mode": False}))

    def _exit_code(self, *args: Any, **extra: Any) -> int:
        try:
            outcome = super().main(*args, **extra)
            sys.stdout.flush()
        except (KeyboardInterrupt, click.Abort):
            return _interrupted()
        except click.ClickException as error:
            error.show()
            return ExitCode.FAILED
        except (ReaderGoneError, BrokenPipeError):
            leave_the_pipe()
            return ExitCode.DONE
        except Exception as error:  # noqa: BLE001 - the last line of defence: one sentence, never a bare traceback
            return _interrupted() if interruption.exit_code() else _failed(_sentence(error))
        return outcome if isinstance(outcome, int) else ExitCode.DONE


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "auto_envvar_prefix": None},
    epilog="Every command explains itself: afp COMMAND --help. A store may also be named by AFP_STORE.",
)
@click.version_option(package_name="afp-fleet", prog_name=NAME, message="%(prog)s %(version)s")
def program() -> None:
    """Analyse fleets of recorded agent runs: what went wrong, since when, and what to test next.

    \b
    Example:
      afp run recordings/ --store fleet
      afp sql "SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL" --store fleet
    """


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    interruption.listen()
    program.main()


def _interrupted() -> int:
    _failed("interrupted; the store holds what was published last.")
    return interruption.exit_code() or ExitCode.INTERRUPTED


def _failed(message: str) -> int:
    with suppress(OSError):  # nobody may be left to read it; the exit code still says so
        aside(f"{NAME}: {message}")
    return ExitCode.FAILED


def _sentence(error: Exception) -> str:
    """What is said of an error; with AFP_DEBUG=1 the traceback of one that nobody foresaw stands before it."""
    if isinstance(error, CommandError):
        return str(error)
    if os.environ.get("AFP_DEBUG"):
        aside("".join(traceback.format_exception(error)))
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full ({error.filename or 'while writing the output'}). Free some space and run again."
    if isinstance(error, OSError) and error.filename is not None:
        return f"cannot use {error.filename}: {error.strerror}. Check the path and who may use it."
    said = glimpse(str(error), MESSAGE_CHARACTERS)
    return f"unexpected {type(error).__name__}: {said}. Set AFP_DEBUG=1 to see where, and report it."
