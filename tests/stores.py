"""What a store holds, apart from what tells of the jobs that filled it."""

from dataflows.store import Store


def told_tables(store: Store) -> dict[str, list[str]]:
    """Every table as sorted rows, without clocks, batches, snapshots and the state of files."""
    snapshot = store.snapshot()
    assert snapshot
    return {
        name: sorted(map(str, snapshot.scan(name).drop("ingested_at", "batch_id", strict=False).collect().rows()))
        for name in snapshot.tables()
        if name not in ("snapshots", "files")
    }
