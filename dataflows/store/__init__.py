"""The store: immutable Parquet parts, atomic snapshots of all tables, and SQL over them.

Start at `Store`. Reading by SQL is in `catalog`; writing in `batch` (a writer's session), `parts` (what workers
write) and `publishing` (one atomic step for all tables); `checking` and `upkeep` look after a store. Each is
imported where it is needed: SQL readers load no data frames, workers no database.
"""

from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot, Store

__all__ = ["Snapshot", "Store", "StoreError"]
