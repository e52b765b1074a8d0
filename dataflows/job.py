"""The main job: take in what is new, derive every table, publish one snapshot."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import polars as pl

from afp_nodes.schemas import DERIVED_TABLES, Files, Inputs, Quarantine, Recordings, Table
from afp_nodes.words import DocumentStatus
from dataflows.derive import derive
from dataflows.findings import findings_of
from dataflows.ingest import Ingested, IngestOptions, ingest
from dataflows.inputs import Found, Limits, Source, find_sources, is_unchanged
from dataflows.store import Snapshot, Store
from dataflows.store.batch import Batch
from dataflows.store.manifest import Chunk
from dataflows.store.merging import Contribution
from dataflows.store.parts import write_chunk
from dataflows.store.rederiving import facts_of, needs_rederiving
from dataflows.summary import Progress, Summary
from dataflows.version import CODE_VERSION
from dataflows.workers import mapped

SHARE_BYTES = 128_000_000
"""Size of the files one worker is given at a time: enough for some full chunks."""

BEST_FIRST = (DocumentStatus.ACTIVE, DocumentStatus.SUPERSEDED, DocumentStatus.DUPLICATE)
"""Of several places or runs of one document, the status that speaks for it."""
STATUSES = pl.Schema({"sha256": pl.String, "run_id": pl.String, "status": pl.String, "conflict": pl.Boolean})


class NoDocumentsError(Exception):
    """The paths hold nothing to take in."""


def run(
    paths: Sequence[str],
    store: str,
    *,
    jobs: int = 1,
    keep_tokens: bool = False,
    split_runs: bool = False,
    max_document_mb: int = 512,
    progress: Progress | None = None,
) -> Summary:
    """Take in every document under `paths` that is new, and publish the tables of all of them as one snapshot.

    Nothing is published when nothing is new. Chunks made by older derivations are derived again from their facts.

    Raises:
        NoDocumentsError: there is no document, and nothing that could not be read either.
        NoSuchPathError: a path does not exist.
        StoreError: the store cannot be read or written.
    """
    began = time.monotonic()
    found = find_sources(paths, except_folders=[store])
    if not found.sources and not found.refusals:
        raise NoDocumentsError(
            f"No documents found in {', '.join(paths)}. Name a file or folder that holds recordings"
            " (.json, .jsonl, .ndjson, also .gz or .zst, .zip, .tar)."
        )
    target = Store(store).create()
    known = _Known.of(target.snapshot())
    unchanged, changed = known.divided(found)
    with target.batch(CODE_VERSION) as batch:
        options = IngestOptions(
            store_root=str(target.path),
            batch_id=batch.batch_id,
            known_sha256=known.sha256,
            keep_tokens=keep_tokens,
            split_runs=split_runs,
            limits=Limits(max_document_bytes=max_document_mb * 2**20),
        )
        ingested = _ingested(changed, options, jobs, progress)
        ingested.refusals = [*found.refusals, *ingested.refusals]
        rederived = _rederived(known.snapshot, batch)
        published = _is_news(ingested, known, rederived)
        snapshot = batch.publish(_contribution(ingested, known, batch, rederived)) if published else known.snapshot
    accounts = _Accounts.of(snapshot, ingested, known, unchanged, len(found.refusals))
    return accounts.summary(
        published=published, ignored=found.ignored + ingested.ignored, rederived=len(rederived), began=began
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What the newest snapshot says of the documents taken in so far."""

    snapshot: Snapshot | None
    recordings: pl.DataFrame
    inputs: pl.DataFrame
    quarantine: pl.DataFrame
    files: pl.DataFrame

    @classmethod
    def of(cls, snapshot: Snapshot | None) -> "_Known":
        def table(schema: type[Table]) -> pl.DataFrame:
            if snapshot is None:
                return pl.DataFrame(schema=schema.stored_dtypes())
            return snapshot.scan(schema.table_name()).collect()

        return cls(snapshot, table(Recordings), table(Inputs), table(Quarantine), table(Files))

    @property
    def sha256(self) -> frozenset[str]:
        """Digests of all documents that were taken in."""
        return frozenset(self.recordings["recording_sha256"]) | frozenset(self.inputs["sha256"])

    @property
    def refused(self) -> set[tuple[str, int, str, str]]:
        """Places whose document is refused, and why."""
        return set(self.quarantine.select("source_uri", "position", "code", "message").rows())

    def divided(self, found: Found) -> tuple[list[Source], list[Source]]:
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
        unchanged = [source for source in found.sources if is_unchanged(source, fingerprints)]
        same = {source.uri for source in unchanged}
        return unchanged, [source for source in found.sources if source.uri not in same]


def _ingested(sources: Sequence[Source], options: IngestOptions, jobs: int, progress: Progress | None) -> Ingested:
    """Everything the workers bring back, taken together."""
    if progress:
        progress.begin(len(sources), sum(source.size_bytes for source in sources))
    total = Ingested()
    for part in _parts(sources, options, jobs):
        total += part
        if progress:
            progress.advance(len(part.files), part.bytes)
    return total


def _parts(sources: Sequence[Source], options: IngestOptions, jobs: int) -> Iterator[Ingested]:
    """Results of the workers. What only this process can see (`memory://`) is read here."""
    here = [source for source in sources if jobs == 1 or source.uri.startswith("memory://")]
    elsewhere = [source for source in sources if source not in here] if jobs > 1 else []
    yield from ingest(here, options)
    yield from mapped(partial(_whole_share, options), _shares(elsewhere, jobs), jobs)


def _whole_share(options: IngestOptions, sources: Sequence[Source]) -> Ingested:
    """One worker's share, as one result."""
    total = Ingested()
    for part in ingest(sources, options):
        total += part
    return total


def _shares(sources: Sequence[Source], jobs: int) -> list[list[Source]]:
    """Sources in order, cut into shares so that every worker gets several, but none too small to fill a chunk."""
    whole = sum(source.size_bytes for source in sources)
    size = min(SHARE_BYTES, max(whole // (jobs * 4), SHARE_BYTES // 16))
    shares: list[list[Source]] = []
    filled = size
    for source in sources:
        if filled >= size:
            shares.append([])
            filled = 0
        shares[-1].append(source)
        filled += source.size_bytes
    return shares


def _rederived(snapshot: Snapshot | None, batch: Batch) -> dict[str, Chunk]:
    """New parts for chunks whose tables an older version of the derivations made, by the id of the old chunk."""
    if snapshot is None:
        return {}
    return {
        chunk_id: write_chunk(str(snapshot.root), batch.batch_id, _derived(facts_of(snapshot, chunk_id)))
        for chunk_id in needs_rederiving(snapshot, CODE_VERSION)
    }


def _derived(facts: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The derived tables alone: the facts stay as they are."""
    frames = derive(facts)
    return {schema.table_name(): frames[schema.table_name()] for schema in DERIVED_TABLES}


def _is_news(ingested: Ingested, known: _Known, rederived: dict[str, Chunk]) -> bool:
    """Whether the tables of a new snapshot would differ from those of the newest."""
    refused = {(r.source_uri, r.position, str(r.code), r.message) for r in ingested.refusals}
    seen = set(known.files.rows())
    places = set(known.recordings.select("source_uri", "position").rows())
    places |= set(known.inputs.select("source_uri", "position").rows())
    return (
        known.snapshot is None
        or bool(rederived or ingested.recordings or ingested.inputs)
        or not refused <= known.refused
        or any((copy["source_uri"], copy["position"]) not in places for copy in ingested.copies)
        or any(tuple(file.values()) not in seen for file in ingested.files)
    )


def _contribution(ingested: Ingested, known: _Known, batch: Batch, rederived: dict[str, Chunk]) -> Contribution:
    """What the job adds to the store, as frames in the shape of the job's tables."""
    told = {"ingested_at": pl.lit(datetime.now(UTC)), "batch_id": pl.lit(batch.batch_id)}
    unsettled = {"status": pl.lit(DocumentStatus.ACTIVE), "conflict": pl.lit(value=False)}
    recordings = _rows(Recordings, ingested.recordings).with_columns(**told, **unsettled)
    inputs = _rows(Inputs, ingested.inputs).with_columns(**told, status=unsettled["status"])
    copies = pl.DataFrame(ingested.copies, schema={"sha256": pl.String, "source_uri": pl.String, "position": pl.Int64})
    refusals = [
        {
            "source_uri": r.source_uri,
            "position": r.position,
            "code": r.code,
            "message": r.message,
            "remedy": r.remedy,
            "batch_id": batch.batch_id,
        }
        for r in ingested.refusals
    ]
    return Contribution(
        chunks=tuple(ingested.chunks),
        recordings=_with_copies(recordings, known.recordings, copies.rename({"sha256": "recording_sha256"}), told),
        inputs=_with_copies(inputs, known.inputs, copies, told),
        quarantine=_rows(Quarantine, refusals),
        files=_rows(Files, ingested.files),
        replaced_chunks=rederived,
    )


def _rows(schema: type[Table], rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema.stored_dtypes())


def _with_copies(
    new: pl.DataFrame, known: pl.DataFrame, copies: pl.DataFrame, told: dict[str, pl.Expr]
) -> pl.DataFrame:
    """New sightings, and a row for each further place at which a known document was found."""
    digest = copies.columns[0]
    documents = pl.concat([known.select(new.columns), new]).unique(
        [name for name in (digest, "run_id") if name in new.columns], maintain_order=True
    )
    further = (
        documents.drop("source_uri", "position")
        .join(copies, on=digest)
        .with_columns(**told)
        .select(new.columns)
        .join(known, on=[digest, "source_uri", "position"], how="anti")
    )
    return pl.concat([new, further])


@dataclass(frozen=True, slots=True)
class _Accounts:
    """What became of every document the job found."""

    snapshot: Snapshot | None
    known: _Known
    ingested: Ingested
    unchanged: pl.DataFrame
    unreadable: int
    statuses: pl.DataFrame

    @classmethod
    def of(
        cls,
        snapshot: Snapshot | None,
        ingested: Ingested,
        known: _Known,
        unchanged: Sequence[Source],
        unreadable: int,
    ) -> "_Accounts":
        files = known.files.filter(pl.col("source_uri").is_in([source.uri for source in unchanged]))
        return cls(snapshot, known, ingested, files, unreadable, _statuses(snapshot, ingested))

    def summary(self, *, published: bool, ignored: int, rederived: int, began: float) -> Summary:
        """The accounts, closed: every document found is loaded, a duplicate, superseded or quarantined."""
        found = self.ingested.documents + self.unreadable + int(self.unchanged["documents"].sum())
        quarantined = self.ingested.refused_documents + self.unreadable
        documents = self.statuses.unique("sha256", keep="first", maintain_order=True)["status"].to_list()
        loaded, superseded = documents.count(DocumentStatus.ACTIVE), documents.count(DocumentStatus.SUPERSEDED)
        new_refusals = [
            r
            for r in self.ingested.refusals
            if (r.source_uri, r.position, str(r.code), r.message) not in self.known.refused
        ]
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
            findings=findings_of(self.snapshot) if published and self.snapshot else [],
        )

    def _conflicts(self) -> list[str]:
        """Runs of which this job brought a version, and only the hash decided which one stands."""
        return sorted(set(self.statuses.filter("conflict")["run_id"].drop_nulls()))


def _statuses(snapshot: Snapshot | None, ingested: Ingested) -> pl.DataFrame:
    """What became of the documents that were new: one row per digest and run, the best status of its places."""
    new = [row["recording_sha256"] for row in ingested.recordings] + [row["sha256"] for row in ingested.inputs]
    if snapshot is None or not new:
        return pl.DataFrame(
            schema={"sha256": pl.String, "run_id": pl.String, "status": pl.String, "conflict": pl.Boolean}
        )
    recordings = snapshot.scan("recordings").rename({"recording_sha256": "sha256"})
    inputs = snapshot.scan("inputs").with_columns(run_id=pl.lit(None, pl.String), conflict=pl.lit(value=False))
    best_first = pl.col("status").replace_strict({status: rank for rank, status in enumerate(BEST_FIRST)})
    return (
        pl.concat([recordings.select(STATUSES.names()), inputs.select(STATUSES.names())])
        .filter(pl.col("sha256").is_in(new))
        .sort(best_first, "conflict", descending=[False, True])
        .unique(["sha256", "run_id"], keep="first", maintain_order=True)
        .collect()
    )
