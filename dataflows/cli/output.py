"""Output: results go to stdout, everything else to stderr."""

import json
import os
import sys
from typing import Any

import click

from dataflows.printable import printable_json, printable_lines


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


def leave_the_pipe() -> None:
    """Whoever read our output has had enough: nothing written later, at exit too, fails again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
