"""Output: results go to stdout or into the file that was named, everything else to stderr."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from dataflows.cli.failures import CommandError
from dataflows.printable import printable_json, printable_lines
from dataflows.whole_files import replacing


def result(text: str) -> None:
    """Print what was asked for. A reader who has left is no failure of the command."""
    try:
        click.echo(printable_lines(text))
        sys.stdout.flush()
    except BrokenPipeError:
        leave_the_pipe()


def json_result(value: Any) -> None:
    """Print what was asked for as JSON."""
    result(printable_json(json.dumps(value, ensure_ascii=False, indent=2, default=str)))


def aside(text: str) -> None:
    """Tell the user something that is not the result."""
    click.echo(printable_lines(text), err=True)


@contextmanager
def written(output: str) -> Iterator[BinaryIO]:
    """The file that was named for a result; it takes its name when it is whole.

    Raises:
        CommandError: there is no folder for it.
    """
    folder = Path(output).parent
    if not folder.is_dir():
        raise CommandError(f"Cannot write {output}: there is no folder {folder}.", "Make it first.")
    with replacing(output) as file:
        yield file


def leave_the_pipe() -> None:
    """Whoever read our output has had enough: nothing written later, at exit too, fails again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
