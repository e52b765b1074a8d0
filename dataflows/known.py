"""What the newest snapshot says of the documents taken in so far."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from afp_nodes.refusals import Refusal
from afp_nodes.schemas import Files, Inputs, Quarantine, Recordings, Table
from dataflows.ingested import Ingested, document_name
from dataflows.inputs import Source, is_unchanged
from dataflows.store import Snapshot
from dataflows.store.forgotten import Forgotten

Told = tuple[str, int, str, str]
"""Where a document lies that is refused, and why."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the newest snapshot says of the documents taken in so far."""

    snapshot: Snapshot | None
    recordings: pl.DataFrame
    inputs: pl.DataFrame
    quarantine: pl.DataFrame
    files: pl.DataFrame

    @classmethod
    def of(cls, snapshot: Snapshot | None) -> "Known":
        def table(schema: type[Table]) -> pl.DataFrame:
            if snapshot is None:
                return pl.DataFrame(schema=schema.stored_dtypes())
            return snapshot.scan(schema.table_name()).collect()

        return cls(snapshot, table(Recordings), table(Inputs), table(Quarantine), table(Files))

    @property
    def version(self) -> int | None:
        """Number of that snapshot; None when nothing was published yet."""
        return self.snapshot.version if self.snapshot else None

    @property
    def forgotten(self) -> Forgotten:
        """What is not taken in again."""
        return self.snapshot.manifest.forgotten if self.snapshot else Forgotten()

    @property
    def sha256(self) -> frozenset[str]:
        """Digests of all documents that were taken in."""
        return frozenset(self.recordings["recording_sha256"]) | frozenset(self.inputs["sha256"])

    @property
    def documents(self) -> frozenset[str]:
        """All documents that were taken in, by their names."""
        inputs = self.inputs.select("sha256", "kind").rows()
        return frozenset(self.recordings["recording_sha256"]) | {document_name(*document) for document in inputs}

    @property
    def refused(self) -> set[Told]:
        """Places whose document is refused, and why."""
        return set(self.quarantine.select("source_uri", "position", "code", "message").rows())

    def divided(self, sources: Sequence[Source]) -> tuple[list[Source], list[Source]]:
        """Sources that need not be read again, and those that must be.

        A file that had a document refused is always read again: the refusal may be due to an option or to a right
        that has changed since.
        """
        clean = self.files.filter(pl.col("refused") == 0)
        fingerprints = {
            uri: (size, modified, changed, inode)
            for uri, size, modified, changed, inode in clean.select(
                "source_uri", "size_bytes", "modified_ns", "changed_ns", "inode"
            ).rows()
        }
        unchanged = [source for source in sources if is_unchanged(source, fingerprints)]
        same = {source.uri for source in unchanged}
        return unchanged, [source for source in sources if source.uri not in same]

    def would_change(self, ingested: Ingested) -> bool:
        """Whether the tables of a new snapshot would differ from those of the newest."""
        refused = {told(refusal) for refusal in ingested.refusals}
        places = set(self.recordings.select("source_uri", "position").rows())
        places |= set(self.inputs.select("source_uri", "position").rows())
        seen = set(self.files.rows())
        return (
            bool(ingested.recordings or ingested.inputs)
            or not refused <= self.refused
            or any((copy["source_uri"], copy["position"]) not in places for copy in ingested.copies)
            or any(tuple(file.values()) not in seen for file in ingested.files)
        )


def told(refusal: Refusal) -> Told:
    """What must be the same for a refusal to be no news."""
    return refusal.source_uri, refusal.position, str(refusal.code), refusal.message
