"""Stored recordings with context kept back, and what the product makes of them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from dataflows.derive import tables_of

Object = dict[str, Any]
Tables = dict[str, pl.DataFrame]
Edit = Callable[[Object], Object]

DATA = Path(__file__).parents[1] / "data"


def stored(run_id: str) -> Object:
    """A stored recording as parsed JSON."""
    folder = next(f for f in ("context", "recordings") if (DATA / f / f"{run_id}.json.gz").exists())
    document: Object = json.loads(gzip.decompress((DATA / folder / f"{run_id}.json.gz").read_bytes()))
    return document


def tables(*documents: Object) -> Tables:
    """The tables of some recordings."""
    return tables_of([json.dumps(document).encode() for document in documents])


def verdicts(of: Tables) -> list[str]:
    """The word of each run on its context."""
    return of["verdicts"].filter(pl.col("kind") == "missing-context")["verdict"].to_list()


def grades(of: Tables) -> list[tuple[int, str]]:
    """Each iteration with its grade."""
    return of["missing_context_summary"].sort("iteration").select("iteration", "grade").rows()


def dropped(of: Tables, iteration: int) -> list[tuple[str, str | None, str]]:
    """The units that a call went without: their id, why, and how well that is known."""
    rows = of["missing_context"].filter(pl.col("iteration") == iteration).sort("position")
    return rows.select("unit_id", "drop_reason", "grade").rows()


def sent(of: Tables, iteration: int) -> list[str]:
    """The units that were sent with a call."""
    return (
        of["context_units"]
        .filter(pl.col("sent"), pl.col("iteration") == iteration)
        .sort("position")["unit_id"]
        .to_list()
    )
