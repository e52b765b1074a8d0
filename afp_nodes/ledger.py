"""The ledger: what became of every document, from all that was ever seen, whatever came first.

Its nodes are pure: given the same sightings in any order and any batching they give the same rows. Raw inputs hold
plain frames in the shape of the tables; `earlier_*` stand in the snapshot that is built upon, the others are new.
"""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

import dataframely as dy
import polars as pl
from msgspec import UNSET, Struct, json

from afp_nodes.record.inputs import Declaration, UnitList, entry_texts
from afp_nodes.schemas import (
    Files,
    HeldRuns,
    InForce,
    InputEntries,
    Inputs,
    Quarantine,
    Recordings,
    Snapshots,
    StudyEntries,
    StudyRuns,
    SupersededRuns,
)
from afp_nodes.schemas.declared import ALL_RUNS
from afp_nodes.words import DocumentStatus, InputKind

PLACE = ("source_uri", "position")
"""Where a document lies; of equal copies the least place counts."""


def recordings(recording_sightings: pl.DataFrame) -> dy.LazyFrame[Recordings]:
    """One row per place a recording was found at, with what became of it.

    Of several recordings of one run the winner is `active`: `complete` beats the rest (false and not stated are
    equal), then more commits, then more events (missing ones count as none), then the greater hash. Of equal copies
    all but the one at the least place are `duplicate`, also those of a loser. `conflict` marks the winner and those
    it beat by nothing but the hash. `ingested_at` and `batch_id` are those of the first sighting.
    """
    weight = pl.struct(pl.col("complete").fill_null(False), pl.col("commits"), pl.col("events").fill_null(0))
    sha256 = pl.col("recording_sha256")
    ties = pl.col("weight") == pl.col("weight").sort_by("weight", sha256).last().over("run_id")
    return (
        _first_sightings(recording_sightings, [*Recordings.primary_key()])
        .with_columns(weight=weight)
        .with_columns(
            wins=sha256 == sha256.sort_by("weight", sha256).last().over("run_id"),
            is_copy=_is_copy("run_id", "recording_sha256"),
            ties=ties,
        )
        .with_columns(
            status=_status(pl.col("wins")),
            conflict=pl.col("ties") & (sha256.filter(pl.col("ties")).n_unique().over("run_id") > 1),
        )
        .pipe(Recordings.cast)
    )


def input_entries(input_sightings: pl.DataFrame) -> dy.LazyFrame[InputEntries]:
    """One row per study, unit list of a run or declaration for a run that a document holds.

    A document that holds two lists for one run counts as its longer one, the first of equal ones. Sizes: runs of a
    study, distinct ids of a unit list, tools of a declaration.
    """
    documents = input_sightings.select("sha256", "kind", "content_json").unique(["sha256", "kind"])
    entries = [
        (sha256, kind, *entry) for sha256, kind, content in documents.iter_rows() for entry in _entries(kind, content)
    ]
    return (
        pl.LazyFrame(entries, schema=InputEntries.create_empty().schema, orient="row")
        .sort("size", descending=True, maintain_order=True)
        .unique(["sha256", "kind", "subject"], keep="first", maintain_order=True)
        .pipe(InputEntries.cast)
    )


def inputs(input_sightings: pl.DataFrame, input_entries: dy.LazyFrame[InputEntries]) -> dy.LazyFrame[Inputs]:
    """One row per place a study, unit list or declaration was found at, with what became of it.

    Of several documents that speak of one study, or of the units or declarations of one run, the one that says more
    is in force, else the one of the greater hash. A document is `active` while it is in force for one subject, or
    speaks of none.
    """
    document = ["sha256", "kind"]
    in_force = _foremost(input_entries).select(document).unique().with_columns(in_force=True)
    speaking = input_entries.select(document).unique().with_columns(speaks=True)
    return (
        _first_sightings(input_sightings, [*Inputs.primary_key()])
        .with_columns(pl.col("kind").cast(InputEntries.dtypes()["kind"]))
        .join(in_force, on=document, how="left")
        .join(speaking, on=document, how="left")
        .with_columns(is_copy=_is_copy(*document))
        .with_columns(status=_status(pl.col("in_force").fill_null(pl.col("speaks").is_null())))
        .pipe(Inputs.cast)
    )


def study_runs(input_entries: dy.LazyFrame[InputEntries]) -> dy.LazyFrame[StudyRuns]:
    """One row per run that a study in force lists."""
    return (
        _foremost(input_entries)
        .filter(pl.col("kind") == InputKind.STUDY)
        .select(study_id="subject", run_id="run_ids")
        .explode("run_id")
        .drop_nulls()
        .unique()
        .pipe(StudyRuns.cast)
    )


def in_force(input_entries: dy.LazyFrame[InputEntries]) -> dy.LazyFrame[InForce]:
    """One row per run, or `*`, and kind of document that declares something of it: what is in force.

    Of several unit lists of a run, or declarations, the one that says more is in force, else the one of the greater
    hash. A declaration for `*` holds for the runs that no other one names.
    """
    return (
        _foremost(input_entries)
        .filter(pl.col("kind") != InputKind.STUDY)
        .select("kind", "sha256", "position", "digest", run_id="subject")
        .pipe(InForce.cast)
    )


def studies_in_force(input_entries: dy.LazyFrame[InputEntries]) -> dy.LazyFrame[StudyEntries]:
    """One row per study: the document that is in force for it. The one with more runs is, else of the greater hash."""
    return (
        _foremost(input_entries)
        .filter(pl.col("kind") == InputKind.STUDY)
        .select("sha256", study_id="subject")
        .pipe(StudyEntries.cast)
    )


def quarantine(
    earlier_refusals: pl.DataFrame,
    new_refusals: pl.DataFrame,
    taken_in_places: pl.DataFrame,
    files_read: pl.DataFrame,
) -> dy.LazyFrame[Quarantine]:
    """One row per place whose document was refused when it was last read.

    A place that was taken in since then is judged anew, and so is every place of a file that was read again, and a
    folder in which a file was read.
    """
    still_refused = (
        earlier_refusals.lazy()
        .join(taken_in_places.lazy(), on=PLACE, how="anti")
        .join(_inside(earlier_refusals, files_read), on="source_uri", how="anti")
        .join(_folders(files_read), on="source_uri", how="anti")
    )
    return (
        pl.concat([still_refused, new_refusals.lazy()])
        .unique(PLACE, keep="last", maintain_order=True)
        .pipe(Quarantine.cast)
    )


def files(earlier_files: pl.DataFrame, files_read: pl.DataFrame) -> dy.LazyFrame[Files]:
    """One row per file or URL, as it was when it was last read."""
    return (
        pl.concat([earlier_files.lazy(), files_read.lazy()])
        .unique("source_uri", keep="last", maintain_order=True)
        .pipe(Files.cast)
    )


def snapshots(earlier_snapshots: pl.DataFrame, new_snapshot: pl.DataFrame) -> dy.LazyFrame[Snapshots]:
    """One row per snapshot that was ever published, vacuumed ones too."""
    return pl.concat([earlier_snapshots.lazy(), new_snapshot.lazy()]).pipe(Snapshots.cast)


def superseded_runs(held_runs: pl.DataFrame, recordings: dy.LazyFrame[Recordings]) -> dy.LazyFrame[SupersededRuns]:
    """One row per run of a chunk that is to be seen no more: its recording lost, or an earlier chunk holds the same."""
    winners = recordings.filter(pl.col("status") == DocumentStatus.ACTIVE).select("run_id", winner="recording_sha256")
    return (
        held_runs.lazy()
        .pipe(HeldRuns.cast)
        .join(winners, on="run_id", how="left")
        .with_columns(wins=(pl.col("recording_sha256") == pl.col("winner")).fill_null(False))
        .with_columns(rank=pl.int_range(pl.len()).over("run_id", "wins", order_by="chunk_position"))
        .filter(~pl.col("wins") | (pl.col("rank") > 0))
        .select("chunk_id", "run_id")
        .pipe(SupersededRuns.cast)
    )


class _StudyRun(Struct):
    run_id: str


class _Study(Struct):
    study_id: str
    runs: list[_StudyRun]


class _Entry(NamedTuple):
    """What one entry of a document speaks of, how much it says, the runs it lists, its index and its text's hash."""

    subject: str
    size: int
    run_ids: list[str]
    position: int = 0
    digest: str = ""


def _first_sightings(sightings: pl.DataFrame, key: list[str]) -> pl.LazyFrame:
    """Each document once at each place, as it was first seen there."""
    return sightings.lazy().sort("ingested_at", "batch_id").unique(key, keep="first", maintain_order=True)


def _is_copy(*document: str) -> pl.Expr:
    """Whether the same document lies at a lesser place, too."""
    return pl.int_range(pl.len()).over(*document, order_by=PLACE) > 0


def _status(wins: pl.Expr) -> pl.Expr:
    """What became of a document that wins or loses against other versions, and may be a copy."""
    return (
        pl.when(pl.col("is_copy"))
        .then(pl.lit(DocumentStatus.DUPLICATE))
        .when(wins)
        .then(pl.lit(DocumentStatus.ACTIVE))
        .otherwise(pl.lit(DocumentStatus.SUPERSEDED))
    )


def _foremost(input_entries: pl.LazyFrame) -> pl.LazyFrame:
    """The entry of each subject that says most, ties by the greater hash."""
    return input_entries.sort("size", "sha256").unique(["kind", "subject"], keep="last", maintain_order=True)


def _inside(refusals: pl.DataFrame, files_read: pl.DataFrame) -> pl.LazyFrame:
    """The refused `source_uri`s that are one of the files, or a member of one."""
    files_and_members = _leading_parts(refusals.lazy().select("source_uri"), "::")
    return files_and_members.join(files_read.lazy(), left_on="part", right_on="source_uri", how="semi")


def _folders(files_read: pl.DataFrame) -> pl.LazyFrame:
    """The folders that hold one of the files, however deep."""
    nearest = files_read.lazy().select(pl.col("source_uri").str.extract("^(.*)/")).drop_nulls()
    return _leading_parts(nearest, "/").select(source_uri="part").unique()


def _leading_parts(uris: pl.LazyFrame, separator: str) -> pl.LazyFrame:
    """Each `source_uri` with each `part` of it that ends before a separator, and with itself."""
    pieces = pl.col("source_uri").str.split(separator)
    return (
        uris.unique()
        .with_columns(pieces=pieces, length=pl.int_ranges(1, pieces.list.len() + 1))
        .explode("length")
        .select("source_uri", part=pl.col("pieces").list.head("length").list.join(separator))
    )


def _entries(kind: str, content_json: str) -> Iterator[_Entry]:
    """The entries of one document. Malformed ones were refused when it was read."""
    for position, text in enumerate(entry_texts(content_json)):
        digest = hashlib.blake2b(text, digest_size=16).hexdigest()
        for entry in _READERS[InputKind(kind)](text):
            yield entry._replace(position=position, digest=digest)


def _study_entries(text: bytes) -> Iterator[_Entry]:
    study = json.decode(text, type=_Study)
    yield _Entry(study.study_id, len(study.runs), [run.run_id for run in study.runs])


def _unit_list_entries(text: bytes) -> Iterator[_Entry]:
    units = json.decode(text, type=UnitList)
    yield _Entry(units.run_id, len({unit.id for unit in (*units.available, *units.sent)}), [])


def _declaration_entries(text: bytes) -> Iterator[_Entry]:
    declaration = json.decode(text, type=Declaration)
    tools = 0 if declaration.tools is UNSET else len(declaration.tools)
    for run_id in [ALL_RUNS] if declaration.run_ids == ALL_RUNS else declaration.run_ids:
        yield _Entry(run_id, tools, [])


_READERS = {
    InputKind.STUDY: _study_entries,
    InputKind.UNITS: _unit_list_entries,
    InputKind.DECLARATIONS: _declaration_entries,
}
