"""How it is run: the only code that touches disk, clock, processes and the terminal.

From Python: `run` is the main job, `forget_runs` removes runs for good, `tables_of` derives recordings in memory,
`Store(path).snapshot().scan(table)` reads a published table; `dataflows.nightly.nightly` is the job of every night.
Each is loaded when it is first asked for, so that the commands start quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataflows.derive import tables_of
    from dataflows.forgetting import forget_runs
    from dataflows.job import run
    from dataflows.store import Store

__all__ = ["Store", "forget_runs", "run", "tables_of"]

_HOMES = {
    "Store": "dataflows.store",
    "forget_runs": "dataflows.forgetting",
    "run": "dataflows.job",
    "tables_of": "dataflows.derive",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dataflows' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)
