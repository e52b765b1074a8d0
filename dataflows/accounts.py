"""Accounts: what became of every document a job found."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from afp_nodes.words import DocumentStatus
from dataflows.ingested import Ingested
from dataflows.inputs import Source
from dataflows.known import Known, told
from dataflows.store import Snapshot
from dataflows.summary import Summary

BEST_FIRST = (DocumentStatus.ACTIVE, DocumentStatus.SUPERSEDED, DocumentStatus.DUPLICATE)
"""Of several places or runs of one document, the status that speaks for it."""
STATUSES = pl.Schema({"sha256": pl.String, "run_id": pl.String, "status": pl.String, "conflict": pl.Boolean})


@dataclass(frozen=True, slots=True)
class Accounts:
    """What became of every document the job found."""

    snapshot: Snapshot | None
    known: Known
    ingested: Ingested
    unchanged: pl.DataFrame
    unreadable: int
    statuses: pl.DataFrame

    @classmethod
    def of(
        cls,
        snapshot: Snapshot | None,
        ingested: Ingested,
        known: Known,
        unchanged: Sequence[Source],
        *,
        unreadable: int,
        meanwhile: frozenset[str],
    ) -> "Accounts":
        files = known.files.filter(pl.col("source_uri").is_in([source.uri for source in unchanged]))
        return cls(snapshot, known, ingested, files, unreadable, _statuses(snapshot, ingested, meanwhile))

    def summary(self, *, ignored: int, rederived: int, findings: list[str], began: float) -> Summary:
        """The accounts, closed: every document found is loaded, a duplicate, superseded or quarantined."""
        published = self.snapshot is not self.known.snapshot
        found = self.ingested.documents + self.unreadable + int(self.unchanged["documents"].sum())
        quarantined = self.ingested.refused_documents + self.unreadable
        documents = self.statuses.unique("sha256", keep="first", maintain_order=True)["status"].to_list()
        loaded, superseded = documents.count(DocumentStatus.ACTIVE), documents.count(DocumentStatus.SUPERSEDED)
        known_refusals = self.known.refused
        new_refusals = [r for r in self.ingested.refusals if told(r) not in known_refusals]
        return Summary(
            found=found,
            loaded=loaded,
            duplicate=found - loaded - superseded - quarantined,
            superseded=superseded,
            quarantined=quarantined,
            newly_quarantined=len(new_refusals),
            ignored_files=ignored,
            published=published,
            snapshot_id=str(self.snapshot.version) if self.snapshot else "",
            runs=self.snapshot.row_counts()["runs"] if self.snapshot else 0,
            rederived_chunks=rederived,
            seconds=time.monotonic() - began,
            conflicts=self._conflicts(),
            refusals=self.ingested.refusals,
            findings=findings,
        )

    def _conflicts(self) -> list[str]:
        """Runs of which this job brought a version, and only the hash decided which one stands."""
        return sorted(set(self.statuses.filter("conflict")["run_id"].drop_nulls()))


def _statuses(snapshot: Snapshot | None, ingested: Ingested, meanwhile: frozenset[str]) -> pl.DataFrame:
    """What became of the documents that were new: one row per digest and run, the best status of its places.

    What another job brought in `meanwhile` is no longer new.
    """
    read = [row["recording_sha256"] for row in ingested.recordings] + [row["sha256"] for row in ingested.inputs]
    new = [digest for digest in read if digest not in meanwhile]
    if snapshot is None or not new:
        return STATUSES.to_frame()
    recordings = snapshot.scan("recordings").rename({"recording_sha256": "sha256"})
    inputs = snapshot.scan("inputs").with_columns(run_id=pl.lit(None, pl.String), conflict=pl.lit(value=False))
    best_first = pl.col("status").replace_strict({status: rank for rank, status in enumerate(BEST_FIRST)})
    return (
        pl.concat([table.select(STATUSES.names()) for table in (recordings, inputs)])
        .filter(pl.col("sha256").is_in(new))
        .sort(best_first, "conflict", descending=[False, True])
        .unique(["sha256", "run_id"], keep="first", maintain_order=True)
        .collect()
    )
