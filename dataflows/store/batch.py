"""A writer's session: what one job publishes, and the upkeep that comes with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dataflows.store.catalog_file import write_catalog
from dataflows.store.compaction import compact_when_due
from dataflows.store.drafting import drafted, without_forgotten
from dataflows.store.errors import StoreError, writing_into
from dataflows.store.folder import Snapshot, Store
from dataflows.store.forgotten import Forgotten
from dataflows.store.merging import Contribution, Draft
from dataflows.store.publishing import Publisher, newest_of, published_upon
from dataflows.store.writers import session, undisturbed


@dataclass(frozen=True, slots=True)
class Batch:
    """One job that writes: `batch_id` names it, `base` is the snapshot that was newest when it began."""

    root: Path
    batch_id: str
    code_version: str
    base: Snapshot | None

    def publish(self, contribution: Contribution) -> Snapshot:
        """Merges the contribution into the newest snapshot, publishes the result and renews the catalog file.

        Whatever was derived with something else than what is in force then is derived again before.

        Raises `StoreError` when the store cannot be written, or was rolled back since the job began: what the job
        took for known may be gone. Nothing was published then.
        """

        publisher = Publisher(self.root, self.batch_id, self.code_version)
        snapshot = None
        with writing_into(self.root):
            while snapshot is None:
                base = newest_of(self.root)
                contribution, draft = self._drafted(base.snapshot, contribution)
                with undisturbed():
                    snapshot = published_upon(publisher, base, draft)
                    if snapshot:
                        write_catalog(self.root, self.batch_id)
        compact_when_due(self.root)
        return snapshot

    def _drafted(self, newest: Snapshot | None, contribution: Contribution) -> tuple[Contribution, Draft]:
        """The contribution merged into a snapshot, and itself without what was forgotten since the job began.

        Raises `StoreError` when the store was rolled back since.
        """
        if _rollbacks(newest) != _rollbacks(self.base):
            raise StoreError(
                f"{self.root} was rolled back while this job ran; nothing was published.", "Run the job again."
            )
        forgotten = newest.manifest.forgotten if newest else Forgotten()
        if forgotten != (self.base.manifest.forgotten if self.base else Forgotten()):
            contribution = without_forgotten(self.root, self.batch_id, contribution, forgotten)
        return drafted(newest, contribution, self.root, self.batch_id, self.code_version)


@contextmanager
def open_batch(store: Store, code_version: str) -> Iterator[Batch]:
    """One job's session in a store, see `session`. Raises `StoreError` when no store is there."""
    base = store.snapshot()
    with session(store.path) as batch_id:
        yield Batch(store.path, batch_id, code_version, base)


def _rollbacks(snapshot: Snapshot | None) -> int:
    return snapshot.manifest.rollbacks if snapshot else 0
