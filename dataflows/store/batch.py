"""A writer's session: its name, its lock, what it publishes, and the removal of what it leaves unpublished."""

from types import TracebackType
from typing import Self

from dataflows.store.catalog_file import write_catalog
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot, Store
from dataflows.store.merging import Contribution, Draft, merged
from dataflows.store.publishing import Publisher, newest_of, publish
from dataflows.store.writers import (
    OLD,
    WriterLock,
    new_batch_id,
    remove_dead_writers,
    remove_unpublished,
    undisturbed,
)


class Batch:
    """One writer at work, as a context manager. Writers do not wait for each other.

    `batch_id` names the job, `base` is the snapshot that was newest when it began. While the session is open its
    lock file is held; when it ends, by an exception or an interrupt too, whatever it wrote and did not publish is
    removed, and the lock file with it.
    """

    def __init__(self, store: Store, code_version: str) -> None:
        self.root = store.path
        self.batch_id = new_batch_id()
        self.base = store.snapshot()
        self._publisher = Publisher(store.path, self.batch_id, code_version)
        self._lock = WriterLock(store.path, self.batch_id)

    def __enter__(self) -> Self:
        with undisturbed():
            self._lock.take()
            remove_dead_writers(self.root, OLD)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with undisturbed():
            remove_unpublished(self.root, self.batch_id, after=self.base.version if self.base else 0)
            self._lock.give_back()

    def publish(self, contribution: Contribution) -> Snapshot:
        """Merges the contribution into the newest snapshot, publishes the result and renews the catalog file.

        Raises `StoreError` when the store cannot be written, or was rolled back since the session began: what this
        job took for known may be gone. Nothing was published then.
        """

        def draft_of(newest: Snapshot | None) -> Draft:
            self._must_not_be_rolled_back(newest)
            return merged(newest, contribution, self.root, self._publisher.code_version)

        with undisturbed():
            snapshot = publish(self._publisher, lambda: newest_of(self.root), draft_of)
            write_catalog(self.root, self.batch_id)
        return snapshot

    def _must_not_be_rolled_back(self, newest: Snapshot | None) -> None:
        if _rollbacks(newest) != _rollbacks(self.base):
            raise StoreError(
                f"{self.root} was rolled back while this job ran; nothing was published.", "Run the job again."
            )


def _rollbacks(snapshot: Snapshot | None) -> int:
    return snapshot.manifest.rollbacks if snapshot else 0
