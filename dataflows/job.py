"""The main job: take in what is new, derive every table, publish one snapshot."""

import time
from collections.abc import Sequence

from dataflows.accounts import Accounts
from dataflows.ingested import Ingested, IngestOptions
from dataflows.inputs import Limits, find_sources
from dataflows.known import Known
from dataflows.store import Snapshot, Store
from dataflows.store.rederiving import needs_rederiving
from dataflows.summary import Progress, Summary
from dataflows.version import CODE_VERSION


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
    known = Known.of(target.snapshot())
    unchanged, changed = known.divided(found.sources)
    ingested, snapshot, rederived = Ingested(refusals=found.refusals), known.snapshot, 0
    findings: list[str] = []
    meanwhile: frozenset[str] = frozenset()
    if changed or found.refusals or snapshot is None or needs_rederiving(snapshot, CODE_VERSION):
        # The graph takes longer to load than 2,000 known files take to be looked at.
        from dataflows.findings import findings_of  # noqa: PLC0415
        from dataflows.publication import contribution_of, ingested_sources, rederived_chunks  # noqa: PLC0415

        with target.batch(CODE_VERSION) as batch:
            if batch.base and batch.base.version != known.version:
                known = Known.of(batch.base)
                unchanged, changed = known.divided(found.sources)
            options = IngestOptions(
                store_root=str(target.path),
                batch_id=batch.batch_id,
                known_sha256=known.sha256,
                keep_tokens=keep_tokens,
                split_runs=split_runs,
                limits=Limits(max_document_bytes=max_document_mb * 2**20),
            )
            ingested += ingested_sources(changed, options, jobs, progress)
            replaced = rederived_chunks(known.snapshot, batch)
            rederived, snapshot = len(replaced), known.snapshot
            if snapshot is None or replaced or known.would_change(ingested):
                snapshot = batch.publish(contribution_of(ingested, known, batch, replaced))
                meanwhile = _brought_meanwhile(target, snapshot, known)
                findings = findings_of(snapshot)
    if not target.shows_newest():
        from dataflows.store.catalog_file import renew_catalog  # noqa: PLC0415 - the database is seldom needed here

        renew_catalog(target)
    accounts = Accounts.of(snapshot, ingested, known, unchanged, unreadable=len(found.refusals), meanwhile=meanwhile)
    return accounts.summary(
        ignored=found.ignored + ingested.ignored, rederived=rederived, findings=findings, began=began
    )


def _brought_meanwhile(store: Store, published: Snapshot, known: Known) -> frozenset[str]:
    """Digests of documents that another job published while this one ran."""
    if published.manifest.parent in (None, known.version):
        return frozenset()
    return Known.of(store.snapshot(published.manifest.parent)).sha256 - known.sha256
