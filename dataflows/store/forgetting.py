"""Forgetting: runs removed from every table, snapshot and cache, for good. Rule: product contract, section 10.

One atomic step publishes a snapshot without them that remembers their marks; after it come the removal of the snapshots
that held them and of every file that nobody lists any more. Whoever is killed in between leaves a whole store, and
forgetting again ends what was begun.
"""

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from afp_nodes.schemas import Files, Inputs, Quarantine, Recordings
from dataflows.declared import Declarations
from dataflows.store.catalog_file import write_catalog
from dataflows.store.drafting import drafted, file_of
from dataflows.store.embeddings import FOLDER as EMBEDDINGS
from dataflows.store.errors import StoreError, writing_into
from dataflows.store.folder import Snapshot, Store
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import LiveChunk, manifests, published_versions
from dataflows.store.merging import Contribution, Draft, earlier_rows
from dataflows.store.parts import new_chunk_id, write_table
from dataflows.store.publishing import Publisher, newest_of, publish
from dataflows.store.rewriting import chunk_without
from dataflows.store.scanning import scan_files
from dataflows.store.scrubbing import scrubbed_inputs
from dataflows.store.upkeep import remove_snapshots
from dataflows.store.writers import files_of_batches, live_writers, locked, remove_dead_writers, session, undisturbed
from dataflows.version import CODE_VERSION


@dataclass(frozen=True, slots=True)
class Forgot:
    """What was removed: runs, their documents, rows by table, snapshots, files, and cached embeddings as a whole.

    `rewritten` names the studies, unit lists and declarations that lost what they said of these runs, `withdrawn` those
    that said nothing else.
    """

    runs: list[str] = field(default_factory=list)
    documents: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    snapshots: list[int] = field(default_factory=list)
    files: int = 0
    cached_files: int = 0
    rewritten: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)


def runs_named(store: Store) -> pl.DataFrame:
    """Every run that some snapshot names, superseded versions too: `run_id`, with its `tenant` and `principal`.

    Runs that only a study, a unit list or a declaration names have neither. An older snapshot that is damaged tells
    nothing: it goes with whatever is forgotten. Raises `StoreError` where the newest cannot be read.
    """
    newest = store.snapshot()
    told = [_runs_named_in(newest)] if newest else []
    for manifest in manifests(store.path):
        with suppress(OSError, StoreError, pl.exceptions.PolarsError):
            told.append(_runs_named_in(Snapshot(store.path, manifest)))
    return pl.concat(told, how="diagonal").unique()


def _runs_named_in(snapshot: Snapshot) -> pl.DataFrame:
    columns = {"run_id": pl.String, "tenant": pl.String, "principal": pl.String}
    files = tuple(str(snapshot.root / chunk.tables["runs"].file) for chunk in snapshot.manifest.chunks)
    recorded = scan_files(files).select(list(columns)) if files else pl.LazyFrame(schema=columns)
    named = [snapshot.scan_parts(table).select("run_id") for table in ("recordings", "study_runs", "context_units")]
    return pl.concat([recorded, *named], how="diagonal").unique().collect()


def preview(snapshot: Snapshot, run_ids: Collection[str]) -> Forgot:
    """What forgetting these runs would remove of a snapshot; files and older snapshots are not counted."""
    return _forgot(snapshot, frozenset(run_ids))


def forget(store: Store, run_ids: Collection[str]) -> Forgot:
    """Removes runs for good, and whatever names them; no document brings one of them back.

    Raises `StoreError` when the store cannot be read or written, or a part of it is damaged; then nothing was removed.
    """
    root, gone = store.path, frozenset(run_ids)
    with locked(root / "manifests"), session(root) as batch_id, writing_into(root):
        newest = store.snapshot()
        if newest is None:
            raise StoreError(f"Nothing was published in {root} yet.", "There is nothing to forget.")
        forgot = _forgot(newest, gone)

        def draft_of(snapshot: Snapshot | None) -> Draft:
            held = snapshot or newest
            draft = _without(held, gone, batch_id)
            holding = [manifest.version for manifest in manifests(root) if _may_name(Snapshot(root, manifest), gone)]
            digests = {digest for version in {*holding, held.version} for digest in _digests_in(store, version, gone)}
            marked = held.manifest.forgotten.more(digests, gone, {*holding, held.version})
            return replace(draft, forgotten=marked)

        _published(root, batch_id, draft_of)
        removed = _swept(root, batch_id)
        cached = _uncached(root)
        return replace(forgot, snapshots=removed.versions, files=removed.files, cached_files=cached)


def drop(store: Store, run_ids: Collection[str]) -> Forgot:
    """Removes runs from the newest snapshot; the same documents are not taken in again, older snapshots keep them.

    Raises `StoreError` as `forget` does.
    """
    root, gone = store.path, frozenset(run_ids)
    with locked(root / "manifests"), session(root) as batch_id, writing_into(root):
        newest = store.snapshot()
        if newest is None or not gone:
            return Forgot()
        forgot = _forgot(newest, gone)

        def draft_of(snapshot: Snapshot | None) -> Draft:
            held = snapshot or newest
            draft = _without(held, gone, batch_id, leaves_names=True)
            return replace(draft, forgotten=held.manifest.forgotten.more(_digests(held, gone)))

        _published(root, batch_id, draft_of)
        return replace(forgot, rewritten=[], withdrawn=[])


def finish(store: Store) -> bool:
    """Ends what a forgetting that was killed had begun; whether anything was left to do."""
    root = store.path
    with locked(root / "manifests"), session(root) as batch_id, writing_into(root):
        is_behind = not store.shows_newest()
        removed = _swept(root, batch_id)
        cached = _uncached(root)
        write_catalog(root, batch_id)
        return bool(is_behind or removed.versions or removed.files or cached)


@dataclass(frozen=True, slots=True)
class _Swept:
    versions: list[int]
    files: int


def _published(root: Path, batch_id: str, draft_of: Callable[[Snapshot | None], Draft]) -> None:
    publisher = Publisher(root, batch_id, CODE_VERSION)
    with undisturbed():
        publish(publisher, lambda: newest_of(root), draft_of)
        write_catalog(root, batch_id)


def _swept(root: Path, batch_id: str) -> _Swept:
    """The snapshots that held what is forgotten, and every file that no other lists, removed."""
    newest = Store(root).snapshot()
    forgotten = newest.manifest.forgotten if newest else Forgotten()
    versions = [version for version in published_versions(root) if version in forgotten.versions]
    remove_dead_writers(root)
    files = remove_snapshots(root, versions, files_of_batches(root), live_writers(root) - {batch_id})
    return _Swept(versions, len(files))


def _uncached(root: Path) -> int:
    """All kept embeddings removed: whose texts they are of, nobody can tell. They are made again where needed."""
    folder = root / EMBEDDINGS
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    if files:
        shutil.rmtree(folder)
    return len(files)


def _without(held: Snapshot, gone: frozenset[str], batch_id: str, *, leaves_names: bool = False) -> Draft:
    """The snapshot without these runs, as a draft. With `leaves_names`, other documents and files may still name them.

    It is made as if a snapshot were there whose parts never had them: whatever is made of all runs is made anew.
    """
    root, manifest = held.root, held.manifest
    inputs = earlier_rows(held, Inputs)
    inputs = inputs if leaves_names else scrubbed_inputs(inputs, gone.__contains__)
    chunks = tuple(_chunks_without(held, gone, batch_id, Declarations.among(inputs)))
    kept = {
        "recordings": earlier_rows(held, Recordings).filter(~pl.col("run_id").is_in(gone)),
        "inputs": inputs,
        "quarantine": earlier_rows(held, Quarantine) if leaves_names else _quarantine(held, gone),
        "files": earlier_rows(held, Files) if leaves_names else _files(held, gone, inputs),
    }
    parts = {table: write_table(str(root), table, new_chunk_id(batch_id), frame) for table, frame in kept.items()}
    tables = {name: part for name, part in manifest.tables.items() if name in ("snapshots", "study_runs")}
    bare = replace(manifest, chunks=chunks, tables={**tables, **parts}, fleet={}, lists="", studies="", made_of="")
    _, draft = drafted(Snapshot(root, bare), Contribution(), root, batch_id, CODE_VERSION)
    return draft


def _chunks_without(
    held: Snapshot, gone: frozenset[str], batch_id: str, declarations: Declarations
) -> Iterator[LiveChunk]:
    for chunk in held.manifest.chunks:
        if gone.isdisjoint(_run_ids(held.root, chunk)):
            yield chunk
        elif (left := chunk_without(held.root, batch_id, chunk, gone, declarations)) is not None:
            yield left


def _run_ids(root: Path, chunk: LiveChunk) -> set[str]:
    """Runs whose rows are in the files of a chunk, those that live no more too."""
    return set(scan_files((str(root / chunk.tables["runs"].file),)).select("run_id").collect()["run_id"])


def _digests_in(store: Store, version: int, gone: frozenset[str]) -> list[str]:
    """The same of an older snapshot; one that is damaged tells none."""
    with suppress(OSError, StoreError, pl.exceptions.PolarsError):
        snapshot = store.snapshot(version)
        return _digests(snapshot, gone) if snapshot else []
    return []


def _digests(held: Snapshot, gone: frozenset[str]) -> list[str]:
    """Digests of the recordings of these runs."""
    return _of_gone(held, gone)["recording_sha256"].unique().to_list()


def _files(held: Snapshot, gone: frozenset[str], inputs: pl.DataFrame) -> pl.DataFrame:
    """The files that held none of these runs, and no document that is not among the inputs that are left.

    The others are read again, and what of them is kept is known.
    """
    files, staying = earlier_rows(held, Files), set(inputs["source_uri"])
    went = [uri for uri in earlier_rows(held, Inputs)["source_uri"] if uri not in staying]
    of_gone = {file_of(uri) for uri in (*went, *_of_gone(held, gone)["source_uri"])}
    return files.filter(~pl.col("source_uri").is_in(of_gone), ~_mentions("source_uri", gone))


def _of_gone(held: Snapshot, gone: frozenset[str]) -> pl.DataFrame:
    return earlier_rows(held, Recordings).filter(pl.col("run_id").is_in(gone))


def _quarantine(held: Snapshot, gone: frozenset[str]) -> pl.DataFrame:
    """Refusals of which neither the place nor the message names one of these runs."""
    return earlier_rows(held, Quarantine).filter(~_mentions("source_uri", gone), ~_mentions("message", gone))


def _mentions(column: str, gone: frozenset[str]) -> pl.Expr:
    return pl.col(column).str.contains_any(sorted(gone))


def _may_name(snapshot: Snapshot, gone: frozenset[str]) -> bool:
    """Whether some row of a snapshot may name one of these runs: so do files that are lost or damaged."""
    try:
        return _names(snapshot, gone)
    except (OSError, pl.exceptions.PolarsError):
        return True


def _names(snapshot: Snapshot, gone: frozenset[str]) -> bool:
    recorded = _of_gone(snapshot, gone).height + sum(
        not gone.isdisjoint(_run_ids(snapshot.root, chunk)) for chunk in snapshot.manifest.chunks
    )
    inputs = earlier_rows(snapshot, Inputs).filter(_mentions("content_json", gone) | _mentions("source_uri", gone))
    refused = earlier_rows(snapshot, Quarantine).filter(_mentions("source_uri", gone) | _mentions("message", gone))
    return bool(recorded or inputs.height or refused.height)


def _forgot(newest: Snapshot, gone: frozenset[str]) -> Forgot:
    """What will be removed of a snapshot."""
    with_runs = [t for t in newest.tables() if "run_id" in newest.manifest.columns[t]]
    counted = {t: _count(newest, t, gone) for t in with_runs}
    inputs = earlier_rows(newest, Inputs)
    place = ["sha256", "source_uri", "position"]
    left = scrubbed_inputs(inputs, gone.__contains__).select(*place, left="content_json")
    beside = inputs.join(left, on=place, how="left")
    rewritten = beside.filter(pl.col("left") != pl.col("content_json"))
    withdrawn = beside.filter(pl.col("left").is_null())
    return Forgot(
        runs=sorted(gone),
        documents=len(_digests(newest, gone)),
        rows={table: rows for table, rows in counted.items() if rows},
        rewritten=sorted(set(rewritten["source_uri"])),
        withdrawn=sorted(set(withdrawn["source_uri"])),
    )


def _count(snapshot: Snapshot, table: str, gone: frozenset[str]) -> int:
    rows = snapshot.scan_parts(table).filter(pl.col("run_id").is_in(gone)).select(pl.len())
    return int(rows.collect().item())
