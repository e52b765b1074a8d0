"""The command line: thin commands over the jobs, and everything a terminal shows."""

from dataflows.cli.program import main

__all__ = ["main"]
