"""Tiny stores drawn in the test: sightings as text, chunks of a few runs."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from afp_nodes.schemas import DERIVED_TABLES, FACT_TABLES, Files, Frame, Inputs, Quarantine, Recordings
from dataflows.store import Snapshot, Store
from dataflows.store.batch import open_batch
from dataflows.store.manifest import Chunk
from dataflows.store.merging import Contribution
from dataflows.store.parts import write_chunk

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
"""When everything was seen, in tests that are about something else."""

_OTHERWISE = {
    "position": 0,
    "source_format": "envelope",
    "size_bytes": 1,
    "ingested_at": LONG_AGO,
    "batch_id": "night",
    "complete": None,
    "commits": 0,
    "events": 0,
    "conflict": False,
    "status": "active",
    "code": "not-json",
    "message": "no",
    "remedy": "mend it",
    "modified_ns": 0,
    "changed_ns": 0,
    "inode": 0,
    "documents": 1,
    "refused": 0,
}


def rows(schema: type[Frame], text: str) -> pl.DataFrame:
    """A `|`-separated table as a plain frame; a blank cell is NULL, columns left out are of no matter here."""
    header, *lines = (line for line in text.strip().splitlines() if set(line) - set("-+| "))
    names = [cell.strip() for cell in header.split("|")]
    cells = [dict(zip(names, map(str.strip, line.split("|")), strict=True)) for line in lines]
    drawn = [{name: _value(cell) for name, cell in row.items()} for row in cells]
    return _completed(schema, drawn)


def _completed(schema: type[Frame], drawn: list[dict[str, object]]) -> pl.DataFrame:
    dtypes = schema.stored_dtypes()
    return pl.DataFrame([{n: row.get(n, _OTHERWISE.get(n)) for n in dtypes} for row in drawn], schema=dtypes)


def _value(cell: str) -> object:
    if cell in ("", "T", "F"):
        return None if cell == "" else cell == "T"
    return int(cell) if cell.isdigit() else cell


def recordings(text: str) -> pl.DataFrame:
    """Sightings of recordings."""
    return rows(Recordings, text)


def refusals(text: str) -> pl.DataFrame:
    """Rows of `quarantine`."""
    return rows(Quarantine, text)


def files(*uris: str) -> pl.DataFrame:
    """Files that were read."""
    return rows(Files, "source_uri\n" + "\n".join(uris))


def inputs(*documents: tuple[str, str, str, str]) -> pl.DataFrame:
    """Sightings of other documents: digest, place, kind, content."""
    names = ("sha256", "source_uri", "kind", "content_json")
    return _completed(Inputs, [dict(zip(names, document, strict=True)) for document in documents])


def chunk_frames(runs: Mapping[str, str], events: int = 3) -> dict[str, pl.DataFrame]:
    """The tables of a chunk of runs (each with its recording): one row of `runs` and some events each."""
    frames = {schema.table_name(): schema.create_empty() for schema in (*FACT_TABLES, *DERIVED_TABLES)}
    told = {"run_id": list(runs), "recording_sha256": list(runs.values())}
    numbered = [(run, index) for run in runs for index in range(events)]
    frames["runs"] = _filled(frames["runs"], pl.DataFrame(told))
    frames["events"] = _filled(
        frames["events"], pl.DataFrame(numbered, schema={"run_id": pl.String, "event_idx": pl.Int64}, orient="row")
    )
    return frames


def _filled(empty: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table of which only some columns matter: the others hold an empty value."""
    nothing = {pl.String: "", pl.Boolean: False, pl.Int64: 0, pl.Float64: 0.0, pl.List: []}
    return known.select(
        pl.col(name)
        if name in known.columns
        else pl.lit(nothing.get(dtype.base_type()), dtype=None if dtype == pl.Enum else dtype).alias(name)
        for name, dtype in empty.schema.items()
    )


def publish_runs(store: Store, runs: Mapping[str, str], code_version: str = "1", commits: int = 0) -> Snapshot:
    """Publishes one chunk of runs as one job."""
    with open_batch(store, code_version) as batch:
        chunk = write_chunk(str(batch.root), batch.batch_id, chunk_frames(runs))
        return batch.publish(Contribution(chunks=(chunk,), recordings=sightings_of([chunk], commits)))


def store_of_two_jobs(path: Path) -> Store:
    """A store of the runs `r`, `s` and `t`; the second job brought another recording of `s`."""
    store = Store(path).create()
    publish_runs(store, {"r": "a1", "s": "b1"}, commits=1)
    publish_runs(store, {"s": "b2", "t": "c1"}, commits=2)
    return store


def sightings_of(chunks: Iterable[Chunk], commits: int = 0) -> pl.DataFrame:
    """A sighting of each recording of some chunks, at a place of its own."""
    told = [(run, sha256) for chunk in chunks for run, sha256 in chunk.runs.items()]
    names = ("run_id", "recording_sha256", "source_uri", "commits")
    drawn = [dict(zip(names, (run, sha256, f"/in/{run}-{sha256}", commits), strict=True)) for run, sha256 in told]
    return _completed(Recordings, drawn)


def published_runs(snapshot: Snapshot) -> dict[str, str]:
    """The runs that readers see, each with its recording."""
    return dict(snapshot.scan("runs").select("run_id", "recording_sha256").sort("run_id").collect().iter_rows())


def files_below(folder: Path) -> set[str]:
    """Everything that lies in a folder, by its path in it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
