"""Lean: set before Polars and Hamilton are loaded, in a command that runs a job and in its workers.

A worker reads, derives and writes at once, so more threads only take memory, and Hamilton's extensions for other
libraries only take time.
"""

import os

LEAN = {"POLARS_MAX_THREADS": "1", "HAMILTON_AUTOLOAD_EXTENSIONS": "0"}


def be_lean() -> None:
    """Sets what the user has not set."""
    for name, value in LEAN.items():
        os.environ.setdefault(name, value)
