"""Retention: runs that are older than people want to keep. Rule: product contract, section 10, `--keep-days`."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from dataflows.store import Store
from dataflows.store.forgetting import drop


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a retention removed: the `runs` that began `before` a moment, and how many documents and rows they had.

    `undated` runs have no start and stay, whatever their age.
    """

    runs: list[str]
    before: datetime
    documents: int
    rows: int
    undated: int


def drop_older(store: str, before: datetime) -> Dropped:
    """Removes the runs that began before a moment, and does not take the same documents in again.

    They go from the newest snapshot; older ones keep them until they are vacuumed, and a rollback to one of those shows
    them again. Another document of such a run is taken in. Nothing is published where no run is that old.

    Raises `StoreError` when the store cannot be read or written.
    """
    target = Store(store)
    snapshot = target.snapshot()
    if snapshot is None:
        return Dropped([], before, 0, 0, 0)
    starts = snapshot.scan("runs").select("run_id", "started_at").collect()
    older = sorted(starts.filter(pl.col("started_at") < before)["run_id"])
    dropped = drop(target, older)
    return Dropped(older, before, dropped.documents, sum(dropped.rows.values()), starts["started_at"].null_count())
