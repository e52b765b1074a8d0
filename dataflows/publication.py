"""Publication: what workers ingest, derived, and published as one snapshot."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import polars as pl

from afp_nodes.record.inputs import named_kind
from afp_nodes.schemas import Files, Inputs, Quarantine, Recordings, Table
from afp_nodes.words import DocumentStatus
from dataflows.declared import DECLARES, DOCUMENT, Declarations, hand_over
from dataflows.extensions import activate, active
from dataflows.ingest import ingest
from dataflows.ingested import DECLARING, Ingested, IngestOptions
from dataflows.inputs import Source
from dataflows.known import Known
from dataflows.store.batch import Batch
from dataflows.store.errors import writing_into
from dataflows.store.manifest import Chunk
from dataflows.store.merging import Contribution
from dataflows.store.outdated import needs_rederiving
from dataflows.store.parts import TEMPORARY
from dataflows.store.rederiving import derived_again
from dataflows.summary import Progress
from dataflows.version import CODE_VERSION
from dataflows.workers import Workers

_INPUT_NAME = pl.when(DECLARES).then(pl.concat_str("sha256", "kind", separator=" ")).otherwise("sha256")
"""The name of a document that is no recording, see `document_name`."""

SHARE_BYTES = 128_000_000
"""Size of the files one worker is given at a time: enough for some full chunks."""


def ingested_sources(
    sources: Sequence[Source], options: IngestOptions, known: Known, workers: Workers, progress: Progress | None
) -> Ingested:
    """Everything the workers bring back, taken together.

    Files that declare something of runs, by their names, come first: the runs are derived with that at once.
    """
    if progress:
        progress.begin(len(sources), sum(source.size_bytes for source in sources))
    declaring = [source for source in sources if named_kind(source.uri) in DECLARING]
    others = [source for source in sources if named_kind(source.uri) not in DECLARING]
    total = _taken_in(declaring, options, workers, progress)
    total += _taken_in(others, _told(options, known, total), workers, progress)
    return total


def _taken_in(
    sources: Sequence[Source], options: IngestOptions, workers: Workers, progress: Progress | None
) -> Ingested:
    total = Ingested()
    for part in _parts(sources, options, workers):
        total += part
        if progress:
            progress.advance(len(part.files), part.bytes)
    return total


def _told(options: IngestOptions, known: Known, read: Ingested) -> IngestOptions:
    """The options with what is in force, of all that is known and was just read."""
    documents = pl.concat([known.inputs.select([*DOCUMENT]), _rows(Inputs, read.inputs).select([*DOCUMENT])])
    root, recorded = Path(options.store_root), known.recordings["run_id"].to_list()
    with writing_into(root):
        file = root / f"{options.batch_id}-declared{TEMPORARY}"
        return replace(options, declared=hand_over(Declarations.among(documents), recorded, file))


def _parts(sources: Sequence[Source], options: IngestOptions, workers: Workers) -> Iterator[Ingested]:
    """Results of the workers. What only this process can see (`memory://`) is read here."""
    stays = [not workers.are_elsewhere or source.uri.startswith("memory://") for source in sources]
    yield from ingest(list(compress(sources, stays)), options)
    elsewhere = list(compress(sources, map(not_, stays)))
    yield from workers.mapped(partial(_whole_share, options), _shares(elsewhere, workers.jobs))


def _whole_share(options: IngestOptions, sources: Sequence[Source]) -> Ingested:
    """One worker's share, as one result."""
    activate(options.extension)
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


def rederived_chunks(known: Known, batch: Batch) -> dict[str, Chunk]:
    """New parts for chunks whose tables an older version of the derivations made, by the id of the old chunk."""
    if known.snapshot is None:
        return {}
    outdated = needs_rederiving(known.snapshot, active().made(CODE_VERSION))
    declarations = Declarations.among(known.inputs) if outdated else Declarations()
    return {
        chunk.id: derived_again(batch.root, batch.batch_id, chunk, declarations)
        for chunk in known.snapshot.manifest.chunks
        if chunk.id in outdated
    }


def contribution_of(ingested: Ingested, known: Known, batch: Batch, rederived: dict[str, Chunk]) -> Contribution:
    """What the job adds to the store, as frames in the shape of the job's tables."""
    told = {"ingested_at": pl.lit(datetime.now(UTC)), "batch_id": pl.lit(batch.batch_id)}
    unsettled = {"status": pl.lit(DocumentStatus.ACTIVE), "conflict": pl.lit(value=False)}
    recordings = _rows(Recordings, ingested.recordings).with_columns(**told, **unsettled)
    inputs = _rows(Inputs, ingested.inputs).with_columns(**told, status=unsettled["status"])
    copies = pl.DataFrame(ingested.copies, schema={"name": pl.String, "source_uri": pl.String, "position": pl.Int64})
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
        recordings=_with_copies(recordings, known.recordings, pl.col("recording_sha256"), copies, told),
        inputs=_with_copies(inputs, known.inputs, _INPUT_NAME, copies, told),
        quarantine=_rows(Quarantine, refusals),
        files=_rows(Files, ingested.files),
        replaced_chunks=rederived,
    )


def _rows(schema: type[Table], rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema.stored_dtypes())


def _with_copies(
    new: pl.DataFrame, known: pl.DataFrame, name: pl.Expr, copies: pl.DataFrame, told: dict[str, pl.Expr]
) -> pl.DataFrame:
    """New sightings, and a row for each further place at which a known document was found; `name` is a document's."""
    documents = pl.concat([known.select(new.columns), new]).with_columns(name=name)
    each_once = documents.unique([n for n in ("name", "run_id") if n in documents.columns], maintain_order=True)
    further = (
        each_once.drop("source_uri", "position")
        .join(copies, on="name")
        .join(known.with_columns(name=name), on=["name", "source_uri", "position"], how="anti")
        .with_columns(**told)
        .select(new.columns)
    )
    return pl.concat([new, further])
