"""Study tables: what a snapshot's studies in force and the recorded runs they name make of each other, whole.

A digest of both stands in the manifest: while it stays the same, so do the tables.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec
import polars as pl

from afp_nodes import ledger
from afp_nodes.schemas import STUDY_TABLES, Inputs, Recordings, Runs, Verdicts
from afp_nodes.words import DocumentStatus
from dataflows.declared import DECLARES
from dataflows.store.errors import StoreError
from dataflows.store.folder import Snapshot
from dataflows.store.manifest import LiveChunk, Part

OF_STUDIES = frozenset(schema.table_name() for schema in STUDY_TABLES) | {Verdicts.table_name()}
"""Tables that have rows of studies."""

READ_OF_RUNS = (
    *("run_id", "recording_sha256", "answer", "dropped_events", "llm_calls"),
    *("input_tokens", "output_tokens", "manifest_json"),
)
"""What a study reads of the runs it names."""


class _Run(msgspec.Struct):
    run_id: str


class _Options(msgspec.Struct):
    comparator: str | None = None


class _Named(msgspec.Struct):
    """What a study names: runs, and what it is judged by."""

    runs: list[_Run]
    original_run_id: str | None = None
    embedder: str | None = None
    options: _Options | None = None


@dataclass(frozen=True)
class StudiesInForce:
    """The studies in force: `documents` holds the `study_id`, `sha256` and `content_json` of each."""

    documents: pl.DataFrame

    @classmethod
    def of(cls, studies_in_force: pl.DataFrame, documents: pl.DataFrame) -> Self:
        """These studies, with their texts out of all documents that are no recordings."""
        texts = documents.filter(~DECLARES).select("sha256", "content_json").unique("sha256")
        return cls(studies_in_force.join(texts, on="sha256").select("study_id", "sha256", "content_json"))

    @cached_property
    def named(self) -> list[_Named]:
        """What each of them names."""
        return [msgspec.json.decode(text, type=_Named) for text in self.documents["content_json"]]

    def run_ids(self) -> list[str]:
        """Every run that one of them lists, or names as its original."""
        listed = {run.run_id for study in self.named for run in study.runs}
        return sorted(listed | {study.original_run_id for study in self.named if study.original_run_id is not None})

    def digest_with(self, recordings: pl.DataFrame) -> str:
        """The digest of what their tables are made of; '' where there is no study.

        `recordings` are those of the store. What judges the studies counts, too: it may be installed later.
        """
        if self.documents.is_empty():
            return ""
        named = _active(recordings, self.run_ids()).sort("run_id")
        said = (
            self.documents.select("study_id", "sha256").sort("study_id").rows(),
            named.rows(),
            sorted(_judging(self.named)),
        )
        return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of the studies in force: `parts` that stay or `frames` to be written, and the digest of both."""

    digest: str = ""
    frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)


def study_tables(
    studies: StudiesInForce,
    recordings: pl.DataFrame,
    chunks: tuple[LiveChunk, ...],
    newest: Snapshot | None,
    root: Path,
    code_version: str,
) -> StudyTables:
    """The tables of the studies in force, with the runs of these chunks: as they are, where nothing has changed.

    Raises `StoreError` when an embedder gives something that cannot be used.
    """
    digest = studies.digest_with(recordings)
    if not digest:
        return StudyTables()
    if newest and (newest.manifest.studies, newest.manifest.code_version) == (digest, code_version):
        tables = newest.manifest.tables
        return StudyTables(digest, parts={name: tables[name] for name in OF_STUDIES & tables.keys()})
    return StudyTables(digest, frames=_made(studies, recordings, chunks, root))


def is_current(snapshot: Snapshot) -> bool:
    """Whether the tables of studies in a snapshot are those of the studies in force in it."""
    documents = snapshot.scan_parts(Inputs.table_name()).filter(~DECLARES).collect()
    entries = ledger.studies_in_force(ledger.input_entries(documents)).collect()
    recordings = snapshot.scan_parts(Recordings.table_name()).collect()
    return StudiesInForce.of(entries, documents).digest_with(recordings) == snapshot.manifest.studies


def _made(
    studies: StudiesInForce, recordings: pl.DataFrame, chunks: tuple[LiveChunk, ...], root: Path
) -> dict[str, pl.DataFrame]:
    """The tables made anew; those without rows are left out."""
    from afp_nodes.studies.embedders import Embeddings  # noqa: PLC0415 - most stores hold no study
    from afp_nodes.studies.similarity import EmbeddingError  # noqa: PLC0415
    from dataflows.store.embeddings import KeptEmbeddings  # noqa: PLC0415
    from dataflows.studies import tables_of_studies  # noqa: PLC0415

    runs = _run_rows(_active(recordings, studies.run_ids()), chunks, root)
    study_rows = studies.documents.select("study_id", "content_json")
    try:
        tables = tables_of_studies(study_rows, runs, Embeddings(KeptEmbeddings(root).of))
    except EmbeddingError as error:
        raise StoreError(
            f"The answers of studies cannot be compared: {error}.", "Correct or remove the package that offers it."
        ) from error
    return {name: frame for name, frame in tables.items() if not frame.is_empty()}


def _run_rows(active: pl.DataFrame, chunks: tuple[LiveChunk, ...], root: Path) -> pl.DataFrame:
    """The rows of the active recordings, as the chunks hold them; each once."""
    columns = {name: Runs.stored_dtypes()[name] for name in READ_OF_RUNS}
    files = [str(root / chunk.tables["runs"].file) for chunk in chunks]
    if active.is_empty() or not files:
        return pl.DataFrame(schema=columns)
    return (
        pl.scan_parquet(
            files,
            schema=columns,
            extra_columns="ignore",
            missing_columns="insert",
            glob=False,
            hive_partitioning=False,
        )
        .join(active.lazy(), on=["run_id", "recording_sha256"], how="semi")
        .unique("run_id")
        .collect()
    )


def _active(recordings: pl.DataFrame, run_ids: list[str]) -> pl.DataFrame:
    """The runs that are in the store, with the recording that counts for each."""
    return (
        recordings.filter(pl.col("status").cast(pl.String) == DocumentStatus.ACTIVE)
        .select(pl.col("run_id", "recording_sha256").cast(pl.String))
        .filter(pl.col("run_id").is_in(run_ids))
    )


def _judging(named: list[_Named]) -> set[tuple[str, str, bool]]:
    """The embedders and comparators that are named, and whether each is there."""
    from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, comparator  # noqa: PLC0415
    from afp_nodes.studies.embedders import DEFAULT_EMBEDDER, embedder  # noqa: PLC0415
    from afp_nodes.studies.plugins import is_known  # noqa: PLC0415

    embedders = {study.embedder or DEFAULT_EMBEDDER for study in named}
    comparators = {(study.options and study.options.comparator) or DEFAULT_COMPARATOR for study in named}
    return {
        *(("embedder", name, is_known(embedder, name)) for name in embedders),
        *(("comparator", name, is_known(comparator, name)) for name in comparators),
    }
