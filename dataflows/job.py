"""The main job: take in what is new, derive every table, publish one snapshot."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from afp_nodes.given import Arrived
from dataflows.accounts import Accounts
from dataflows.extensions import DEFAULT, activate, active
from dataflows.extensions import Given as Extended
from dataflows.findings_file import findings_setting
from dataflows.ingested import Ingested, IngestOptions
from dataflows.inputs import Found, Limits, Source, find_sources
from dataflows.known import Known, told
from dataflows.store import Snapshot, Store
from dataflows.store.outdated import is_outdated
from dataflows.summary import Progress, Summary
from dataflows.version import CODE_VERSION
from dataflows.workers import Executor, Workers

SettingsOf = Callable[[Arrived], Mapping[str, str]]
"""Settings that come into force with what a job took in and refused."""


class NoDocumentsError(Exception):
    """The paths hold nothing to take in."""


def run(
    paths: Sequence[str],
    store: str,
    *,
    jobs: int = 1,
    executor: str = Executor.LOCAL,
    keep_tokens: bool = False,
    split_runs: bool = False,
    max_document_mb: int = 512,
    arms: str | None = None,
    nodes: Sequence[str] = (),
    classifier: str = DEFAULT,
    settings_of: SettingsOf = lambda _: {},
    may_be_empty: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Take in every document under `paths` that is new, and publish the tables of all of them as one snapshot.

    Nothing is published when nothing is new. Chunks made by older derivations are derived again from their facts.
    `arms` is a file of configurations to group recorded runs under. They, what the store's `findings.toml` says, and
    what `settings_of` gives (JSON texts by name), come into force in place of earlier ones.

    `nodes` are modules of nodes, or files of them, that are added to the graph, `classifier` the name of another
    classifier of suspects.

    Raises:
        ExtensionError: a module of nodes cannot be used, or one of its nodes failed.
        FindingsFileError: the store's `findings.toml` cannot be read as one.
        NoClusterError: the work was to be done on a cluster (`executor` is `ray`), and there is none.
        NoDocumentsError: there is no document, and nothing that could not be read either, and not `may_be_empty`.
        NoSuchPathError: a path does not exist.
        StoreError: the store cannot be read or written.
    """
    began = time.monotonic()
    extension = Extended(tuple(nodes), classifier)
    activate(extension)
    given = _Given.of(arms)
    found = given.left_out_of(find_sources(paths, except_folders=[store]))
    if not (found.sources or found.refusals or may_be_empty):
        raise NoDocumentsError(
            f"No documents found in {', '.join(paths)}. Name a file or folder that holds recordings"
            " (.json, .jsonl, .ndjson, also .gz or .zst, .zip, .tar)."
        )
    target = Store(store).create()
    known = Known.of(target.snapshot())
    in_force = known.snapshot.manifest.settings if known.snapshot else {}
    given = replace(given, settings={**given.settings, **findings_setting(target.path, in_force)})

    def all_settings(arrived: Arrived) -> dict[str, str]:
        return {**given.settings, **settings_of(arrived)}

    unchanged, changed = known.divided(found.sources)
    beside = Ingested(refusals=found.refusals)
    beside += given.ingested
    outcome = _Outcome(known, unchanged, beside, known.snapshot)
    if changed or _is_due(known, all_settings(Arrived())) or known.would_change(beside):
        options_of = partial(
            IngestOptions,
            store_root=str(target.path),
            extension=extension,
            keep_tokens=keep_tokens,
            split_runs=split_runs,
            limits=Limits(max_document_bytes=max_document_mb * 2**20),
        )
        workers = Workers(jobs, Executor(executor))
        outcome = _written(target, found.sources, known, beside, options_of, all_settings, workers, progress)
    if not target.shows_newest():
        from dataflows.store.catalog_file import renew_catalog  # noqa: PLC0415 - the database is seldom needed here

        renew_catalog(target)
    return outcome.accounts(unreadable=len(found.refusals)).summary(
        ignored=found.ignored + outcome.ingested.ignored,
        rederived=outcome.rederived,
        findings=outcome.findings,
        began=began,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What people gave a job beside documents: `settings` to come into force, and what came of a `file` of them."""

    settings: Mapping[str, str]
    file: str | None = None
    ingested: Ingested = field(default_factory=Ingested)

    @classmethod
    def of(cls, arms: str | None) -> "_Given":
        """Raises `NoSuchPathError` when the file of arms is not there."""
        if arms is None:
            return cls({})
        from dataflows.arms_file import ArmsFile  # noqa: PLC0415 - few jobs are given one

        read = ArmsFile.read(arms)
        return cls(read.settings, read.uri, read.ingested)

    def left_out_of(self, found: Found) -> Found:
        """What else was found: the file itself is no recording, though it may lie among them."""
        return replace(found, sources=[source for source in found.sources if source.uri != self.file])


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a job read, upon what it built, and what it published; `snapshot` is that of `known` when it did not."""

    known: Known
    unchanged: Sequence[Source]
    ingested: Ingested
    snapshot: Snapshot | None
    rederived: int = 0
    findings: list[str] = field(default_factory=list)
    meanwhile: frozenset[str] = frozenset()

    def accounts(self, unreadable: int) -> Accounts:
        """What became of every document."""
        return Accounts.of(
            self.snapshot,
            self.ingested,
            self.known,
            self.unchanged,
            unreadable=unreadable,
            meanwhile=self.meanwhile,
        )


def _written(
    store: Store,
    sources: Sequence[Source],
    known: Known,
    beside: Ingested,
    options_of: Callable[..., IngestOptions],
    settings_of: SettingsOf,
    workers: Workers,
    progress: Progress | None,
) -> _Outcome:
    """What is new, taken in, derived and published."""
    # The graph takes longer to load than 2,000 known files take to be looked at.
    from dataflows.findings import findings_of  # noqa: PLC0415
    from dataflows.publication import contribution_of, ingested_sources, rederived_chunks  # noqa: PLC0415
    from dataflows.store.batch import open_batch  # noqa: PLC0415
    from dataflows.store.rederiving import chunks_derived_again  # noqa: PLC0415

    with open_batch(store, active().made(CODE_VERSION)) as batch:
        if batch.base and batch.base.version != known.version:
            known = Known.of(batch.base)
        unchanged, changed = known.divided(sources)
        options = options_of(batch_id=batch.batch_id, known=known.documents, forgotten=known.forgotten)
        ingested = Ingested()
        ingested += beside
        ingested += ingested_sources(changed, options, known, workers, progress)
        replaced = rederived_chunks(known, batch)
        settings = settings_of(_arrived(ingested, known))
        if not _is_due(known, settings) and not known.would_change(ingested):
            return _Outcome(known, unchanged, ingested, known.snapshot)
        brought = contribution_of(ingested, known, batch, replaced)
        snapshot = batch.publish(replace(brought, settings=settings))
        return _Outcome(
            known,
            unchanged,
            ingested,
            snapshot,
            chunks_derived_again(known.snapshot, snapshot),
            findings_of(snapshot),
            _brought_meanwhile(store, snapshot, known),
        )


def _arrived(ingested: Ingested, known: Known) -> Arrived:
    """How many documents a job took in, and how many it refused that were not refused before."""
    new = {row["recording_sha256"] for row in ingested.recordings} | {row["sha256"] for row in ingested.inputs}
    refused = {told(refusal) for refusal in ingested.refusals} - known.refused
    return Arrived(taken_in=len(new), refused=len(refused))


def _is_due(known: Known, settings: Mapping[str, str]) -> bool:
    """Whether a snapshot has to be published even if no document is new."""
    if known.snapshot is None or is_outdated(known.snapshot, active().made(CODE_VERSION)):
        return True
    return not settings.items() <= known.snapshot.manifest.settings.items()


def _brought_meanwhile(store: Store, published: Snapshot, known: Known) -> frozenset[str]:
    """Digests of documents that another job published while this one ran."""
    if published.manifest.parent in (None, known.version):
        return frozenset()
    return Known.of(store.snapshot(published.manifest.parent)).sha256 - known.sha256
