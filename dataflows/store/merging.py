"""Merging: what one job brings, taken together with what is there. A pure function of the two."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import polars as pl
from hamilton import driver

from afp_nodes import ledger
from afp_nodes.schemas import (
    JOB_TABLES,
    Files,
    HeldRuns,
    InForce,
    Inputs,
    Quarantine,
    Recordings,
    Table,
)
from afp_nodes.words import DocumentStatus
from dataflows.declared import DECLARES, DOCUMENT, Declarations
from dataflows.store.columns import in_shape, shape_of
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import Chunk, LiveChunk, Part
from dataflows.store.outdated import DERIVED, FACTS
from dataflows.store.rederiving import tables_of_lists
from dataflows.store.scanning import live, scan_files
from dataflows.store.study_tables import OF_STUDIES, StudiesInForce, study_tables

_LEDGER = ("recordings", "inputs", "quarantine", "files", "study_runs", "superseded_runs", "in_force")
_RUN_AND_RECORDING = {"run_id": pl.String(), "recording_sha256": pl.String()}
_FILE_OF_CHUNK = {"file": pl.String(), "chunk_id": pl.String()}


@dataclass(frozen=True)
class Contribution:
    """What one job brings to the store.

    The frames have the columns of their tables; `status` and `conflict` may be left out: they are decided here, from
    all that was ever seen. `files` holds every file that was read, `quarantine` what of it was refused.
    `replaced_chunks` maps the id of a chunk to its derived tables as they are made now; its facts stay. `settings`
    come into force in place of earlier ones of their names.
    """

    chunks: tuple[Chunk, ...] = ()
    recordings: pl.DataFrame = field(default_factory=lambda: no_rows(Recordings))
    inputs: pl.DataFrame = field(default_factory=lambda: no_rows(Inputs))
    quarantine: pl.DataFrame = field(default_factory=lambda: no_rows(Quarantine))
    files: pl.DataFrame = field(default_factory=lambda: no_rows(Files))
    replaced_chunks: Mapping[str, Chunk] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """A snapshot that is not published yet.

    The job tables but `snapshots`, and what derives from studies and from unit lists without runs, are `frames` to be
    written or `parts` that stay; `shapes` holds the columns that parts of the draft may have been written with. Not to
    be published before its `stale` chunks are derived again with the `declarations`. `lists`, `studies` and `settings`
    are as in the manifest; `forgotten` holds what is forgotten from now on, nothing = what was forgotten before.
    """

    chunks: tuple[LiveChunk, ...]
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    shapes: dict[str, dict[str, str]] = field(default_factory=dict)
    stale: tuple[LiveChunk, ...] = ()
    declarations: Declarations = field(default_factory=Declarations)
    lists: str = ""
    studies: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    forgotten: Forgotten = field(default_factory=Forgotten)


def unchanged(snapshot: Snapshot) -> Draft:
    """A snapshot as a draft: to publish it again, or with other chunks."""
    tables = {table: part for table, part in snapshot.manifest.tables.items() if table != "snapshots"}
    manifest = snapshot.manifest
    return Draft(
        manifest.chunks,
        parts=tables,
        shapes=shapes_of(snapshot),
        lists=manifest.lists,
        studies=manifest.studies,
        settings=manifest.settings,
    )


def shapes_of(snapshot: Snapshot | None) -> dict[str, dict[str, str]]:
    """The columns that parts of a snapshot were written with, by shape."""
    if snapshot is None:
        return {}
    today = {shape_of(columns): columns for columns in snapshot.manifest.columns.values()}
    return today | snapshot.manifest.older_shapes


def merged(newest: Snapshot | None, contribution: Contribution, root: Path, code_version: str) -> Draft:
    """The newest snapshot and a contribution as one; `code_version` is that of the contribution's chunks.

    Raises `StoreError` when the rows of a run that is to be published are in no chunk, or a chunk's run in no
    recording.
    """
    earlier = {schema.table_name(): earlier_rows(newest, schema) for schema in JOB_TABLES}
    chunks = _chunks(newest, contribution, code_version)
    touches_runs = bool(contribution.chunks) or not contribution.recordings.is_empty()
    ledger_inputs = _ledger_inputs(earlier, contribution)
    documents = ledger_inputs["input_sightings"].select([*DOCUMENT])
    touches_runs |= not documents.filter(DECLARES).is_empty()
    placed = _placed_runs(chunks, root) if touches_runs else no_rows(HeldRuns)
    held = _held_runs(placed, chunks)
    resolved = _ledger_driver().execute([*_LEDGER, "studies_in_force"], inputs=ledger_inputs | {"held_runs": held})
    frames = {name: frame.collect() for name, frame in resolved.items()}
    superseded, in_force = frames.pop("superseded_runs"), frames.pop("in_force")
    studies = StudiesInForce.of(frames.pop("studies_in_force"), documents)
    declarations = Declarations(in_force.cast(pl.Schema(InForce.stored_dtypes())), documents)
    if touches_runs:
        _must_agree(frames["recordings"], held)
    settled = tuple(_settled(chunks, superseded, contribution, root))
    settings = {**(newest.manifest.settings if newest else {}), **contribution.settings}
    draft = Draft(settled, frames, shapes=shapes_of(newest), declarations=declarations, settings=settings)
    stale = tuple(_stale(chunks, settled, declarations.digests_of(placed)))
    if stale:
        return replace(draft, stale=stale)
    draft = _with_lists(draft, newest, code_version)
    made = study_tables(studies, frames["recordings"], settled, newest, root, code_version)
    return replace(draft, frames=draft.frames | made.frames, parts=draft.parts | made.parts, studies=made.digest)


def _with_lists(draft: Draft, newest: Snapshot | None, code_version: str) -> Draft:
    """The draft with what derives from unit lists without runs: as it is, where nothing of it has changed."""
    lists = draft.declarations.lists_without(draft.frames["recordings"]["run_id"].to_list())
    digest = lists.digest_of(lists.run_ids())
    if newest and (newest.manifest.lists, newest.manifest.code_version) == (digest, code_version):
        tables = newest.manifest.tables
        of_lists = (DERIVED - OF_STUDIES) & tables.keys()
        return replace(draft, lists=digest, parts={name: tables[name] for name in of_lists})
    return replace(draft, lists=digest, frames=draft.frames | tables_of_lists(lists))


def out_of_force(snapshot: Snapshot) -> Iterator[str]:
    """What was derived with something else than what is in force: nothing, unless the snapshot is broken."""
    chunks, declarations = list(snapshot.manifest.chunks), Declarations.among(earlier_rows(snapshot, Inputs))
    placed = no_rows(HeldRuns) if declarations.in_force.is_empty() else _placed_runs(chunks, snapshot.root)
    for chunk in _stale(chunks, snapshot.manifest.chunks, declarations.digests_of(placed)):
        yield f"chunk {chunk.id}"
    lists = declarations.lists_without(earlier_rows(snapshot, Recordings)["run_id"].to_list())
    if snapshot.manifest.lists != lists.digest_of(lists.run_ids()):
        yield "what belongs to no chunk"


def no_rows(schema: type[Table] | type[HeldRuns]) -> pl.DataFrame:
    """A stored table, or what the ledger reads, without rows."""
    return pl.DataFrame(schema=schema.stored_dtypes())


def earlier_rows(snapshot: Snapshot | None, schema: type[Table]) -> pl.DataFrame:
    """A table of a snapshot in the shape it has today; empty before the first and where it had none."""
    if snapshot is None or schema.table_name() not in snapshot.manifest.columns:
        return no_rows(schema)
    rows = snapshot.scan_parts(schema.table_name())
    return rows.select(in_shape(schema.stored_dtypes(), rows.collect_schema().names())).collect()


@cache
def _ledger_driver() -> driver.Driver:
    return driver.Builder().with_modules(ledger).build()


def _ledger_inputs(earlier: dict[str, pl.DataFrame], contribution: Contribution) -> dict[str, pl.DataFrame]:
    recordings = _brought(Recordings, contribution.recordings)
    inputs = _brought(Inputs, contribution.inputs)
    return {
        "recording_sightings": pl.concat([earlier["recordings"], recordings]),
        "input_sightings": pl.concat([earlier["inputs"], inputs]),
        "earlier_refusals": earlier["quarantine"],
        "new_refusals": _brought(Quarantine, contribution.quarantine),
        "taken_in_places": pl.concat([taken.select(ledger.PLACE) for taken in (recordings, inputs)]),
        "earlier_files": earlier["files"],
        "files_read": _brought(Files, contribution.files),
    }


def _brought(schema: type[Table], frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of a contribution in the shape of its table; what is decided here may be missing."""
    return frame.select(in_shape(schema.stored_dtypes(), frame.columns))


def _chunks(newest: Snapshot | None, contribution: Contribution, code_version: str) -> list[LiveChunk]:
    """The chunks of both, the earlier ones first, before it is settled which of their runs live."""
    earlier = newest.manifest.chunks if newest else ()
    new = [
        LiveChunk(chunk.id, code_version, len(chunk.runs), (), chunk.parts, chunk.declared)
        for chunk in contribution.chunks
        if chunk.runs
    ]
    return [_rederived(chunk, contribution, code_version) for chunk in (*earlier, *new)]


def _rederived(chunk: LiveChunk, contribution: Contribution, code_version: str) -> LiveChunk:
    """The chunk with its derived tables as they are made now, if the contribution has them."""
    if chunk.id not in contribution.replaced_chunks:
        return chunk
    facts = {table: part for table, part in chunk.tables.items() if table in FACTS}
    again = contribution.replaced_chunks[chunk.id]
    return replace(chunk, code_version=code_version, tables=facts | again.parts, declared=again.declared)


def _held_runs(placed_runs: pl.DataFrame, chunks: list[LiveChunk]) -> pl.DataFrame:
    """Those of the runs in the chunks' files that are held: superseded ones are not."""
    superseded = pl.DataFrame(
        [(chunk.id, run) for chunk in chunks for run in chunk.superseded],
        schema={"chunk_id": pl.String, "run_id": pl.String},
        orient="row",
    )
    return placed_runs.join(superseded, on=["chunk_id", "run_id"], how="anti")


def _placed_runs(chunks: list[LiveChunk], root: Path) -> pl.DataFrame:
    """Which chunk's files have which run, read from which recording."""
    files = [str(root / chunk.tables["runs"].file) for chunk in chunks]
    places = pl.DataFrame({"file": files, "chunk_id": [chunk.id for chunk in chunks]}, schema=_FILE_OF_CHUNK)
    if not files:
        return no_rows(HeldRuns)
    return (
        pl.scan_parquet(
            files,
            schema=_RUN_AND_RECORDING,
            extra_columns="ignore",
            include_file_paths="file",
            glob=False,
            hive_partitioning=False,
        )
        .join(places.lazy().with_row_index("chunk_position"), on="file")
        .select(pl.col(name).cast(dtype) for name, dtype in HeldRuns.stored_dtypes().items())
        .collect()
    )


def _must_agree(recordings: pl.DataFrame, held_runs: pl.DataFrame) -> None:
    """Every active recording is held by a chunk, and every held run is of a recording that is listed."""
    pair = ["run_id", "recording_sha256"]
    active = recordings.filter(pl.col("status").cast(pl.String) == DocumentStatus.ACTIVE)
    for left, right, lack in ((active, held_runs, "rows in no chunk"), (held_runs, recordings, "no row in recordings")):
        for run_id, sha256 in left.join(right, on=pair, how="anti").select(pair).iter_rows():
            raise StoreError(
                f"Recording {sha256} of run {run_id!r} has {lack}; nothing was published.",
                "Run `afp store check`; if it finds nothing, report this with the command that was run.",
            )


def _settled(
    chunks: list[LiveChunk], superseded_runs: pl.DataFrame, contribution: Contribution, root: Path
) -> Iterator[LiveChunk]:
    """The chunks that still hold a live run, with those that live no more counted out."""
    newly = dict(superseded_runs.group_by("chunk_id").agg("run_id").iter_rows())
    for chunk in chunks:
        gone = newly.get(chunk.id, [])
        if len(gone) < chunk.runs:
            recount = bool(gone) or chunk.id in contribution.replaced_chunks
            yield counted(chunk, gone, root) if recount else chunk


def _stale(chunks: list[LiveChunk], settled: tuple[LiveChunk, ...], digests: Mapping[str, str]) -> Iterator[LiveChunk]:
    """The chunks that stay and were derived with something else than what is in force for their runs.

    As they were before it was settled which runs live, so that their superseded runs stay told.
    """
    staying = {chunk.id for chunk in settled}
    for chunk in chunks:
        if chunk.id in staying and chunk.declared != digests.get(chunk.id, ""):
            yield chunk


def counted(chunk: LiveChunk, gone: Collection[str], root: Path) -> LiveChunk:
    """The chunk without the runs that are gone, and how many rows of each part that leaves dead."""
    superseded = tuple(sorted({*chunk.superseded, *gone}))
    tables = {t: replace(part, dead_rows=_dead_rows(part, superseded, root)) for t, part in chunk.tables.items()}
    return replace(chunk, runs=chunk.runs - len(gone), superseded=superseded, tables=tables)


def _dead_rows(part: Part, superseded: tuple[str, ...], root: Path) -> int:
    return int(scan_files((str(root / part.file),)).filter(~live(superseded)).select(pl.len()).collect().item())
