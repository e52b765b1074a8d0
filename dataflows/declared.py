"""What applications declare, for whoever derives: what is in force, and of it what some runs are derived with.

The digest of what a chunk was derived with stands in the manifest: where it is no longer that of what is in force,
the chunk is derived again.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import polars as pl

from afp_nodes import in_force as nodes
from afp_nodes import ledger
from afp_nodes.record.inputs import entry_texts
from afp_nodes.schemas import DeclaredLists, DeclaredTools, DeclaredUnits, Frame, InForce
from afp_nodes.schemas.declared import ALL_RUNS
from afp_nodes.words import InputKind

NOTHING_DECLARED = {
    "declared_tools": pl.DataFrame(schema=DeclaredTools.stored_dtypes()),
    "declared_lists": pl.DataFrame(schema=DeclaredLists.stored_dtypes()),
    "declared_units": pl.DataFrame(schema=DeclaredUnits.stored_dtypes()),
}
"""What `derive` takes for declared where it is not told."""

DOCUMENT = {"sha256": pl.String, "kind": pl.String, "content_json": pl.String}
"""What of a document tells what it declares."""

DECLARES = pl.col("kind").cast(pl.String) != InputKind.STUDY
"""Whether a document that is no recording declares anything of runs."""

ROW_GROUP_ROWS = 512
"""Entries in one row group of a file in which they are handed over: to read some needs no more memory than these."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of some runs, as `derive` takes it, and its digest; '' where nothing is."""

    frames: dict[str, pl.DataFrame]
    digest: str


NOTHING = Declared(NOTHING_DECLARED, "")


@dataclass(frozen=True, slots=True)
class Declarations:
    """What is in force, and the documents that hold it, in which each is read when it is asked for."""

    in_force: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=InForce.stored_dtypes()))
    documents: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=DOCUMENT))

    @classmethod
    def among(cls, documents: pl.DataFrame) -> Self:
        """Those in force of all documents that are no recordings."""
        declaring = documents.select([*DOCUMENT]).filter(DECLARES)
        if declaring.is_empty():
            return cls()
        return cls(_stored(InForce, ledger.in_force(ledger.input_entries(declaring))), declaring)

    def of_runs(self, run_ids: Collection[str]) -> Declared:
        """What is declared of some runs."""
        here = nodes.in_force_here(self.in_force.lazy().pipe(InForce.cast), _runs(run_ids)).collect()
        if here.is_empty():
            return NOTHING
        frames = {
            "declared_tools": _stored(DeclaredTools, nodes.tools_in_force(here.lazy(), self.documents)),
            "declared_lists": _stored(DeclaredLists, nodes.lists_in_force(here.lazy())),
            "declared_units": _stored(DeclaredUnits, nodes.units_in_force(here.lazy(), self.documents)),
        }
        return Declared(frames, self.digest_of(run_ids))

    def lists_without(self, recorded: Collection[str]) -> Self:
        """Nothing but the unit lists of runs that are not among the recorded ones."""
        lists = self.in_force.filter(pl.col("kind") == InputKind.UNITS, ~pl.col("run_id").is_in([*recorded]))
        return replace(self, in_force=lists)

    def run_ids(self) -> list[str]:
        """Whom it speaks of."""
        return self.in_force["run_id"].unique().to_list()

    def digest_of(self, run_ids: Collection[str]) -> str:
        """The digest of what is declared of some runs; '' where nothing is."""
        return self.digests_of(_runs(run_ids)).get("", "")

    def digests_of(self, chunk_runs: pl.DataFrame) -> dict[str, str]:
        """The digest for the runs (`run_id`) of each `chunk_id`; a chunk of whose runs nothing is declared has none."""
        if self.in_force.is_empty():
            return {}
        said = pl.concat_str(pl.col("run_id").str.len_bytes(), "run_id", "kind", "digest", separator=" ")
        texts = (
            nodes.in_force_here(self.in_force.lazy().pipe(InForce.cast), chunk_runs)
            .with_columns(pl.col("kind").cast(pl.String))
            .join(chunk_runs.lazy(), on="run_id")
            .sort("run_id", "kind")
            .group_by("chunk_id", maintain_order=True)
            .agg(said.str.join("\n"))
            .collect()
        )
        return {chunk_id: hashlib.sha256(text.encode()).hexdigest()[:16] for chunk_id, text in texts.iter_rows()}


def hand_over(declarations: Declarations, recorded: Collection[str], file: Path) -> str | None:
    """Puts what runs to come may need where every worker can read its part of it; None when that is nothing.

    Lists of runs that are recorded stay: of these only another version may come, which is derived again then. Raises
    `OSError`.
    """
    lists = declarations.lists_without(recorded).in_force
    in_force = pl.concat([lists, declarations.in_force.filter(pl.col("kind") == InputKind.DECLARATIONS)])
    if in_force.is_empty():
        return None
    told = in_force.join(_entries(declarations.documents), on=["sha256", "kind", "position"]).sort("run_id")
    told.write_parquet(file, row_group_size=ROW_GROUP_ROWS)
    return str(file)


def handed_over(file: str | None, run_ids: Collection[str]) -> Declared:
    """What is declared of some runs, of what was handed over: there each entry is a document of its own."""
    if file is None:
        return NOTHING
    entries = pl.scan_parquet(file, glob=False).with_columns(sha256="digest", position=pl.lit(0, pl.Int64))
    told = entries.filter(pl.col("run_id").is_in([*run_ids, ALL_RUNS])).collect()
    return Declarations(told.drop("content_json"), told.select([*DOCUMENT])).of_runs(run_ids)


def declared_of_recorded_and_listed(declarations: Declarations, recorded: Collection[str]) -> dict[str, pl.DataFrame]:
    """What is declared of the recorded runs, and the unit lists of the others."""
    lists = declarations.lists_without(recorded)
    parts = [declarations.of_runs(recorded), lists.of_runs(lists.run_ids())]
    return {name: pl.concat([part.frames[name] for part in parts]) for name in NOTHING_DECLARED}


def _entries(documents: pl.DataFrame) -> pl.DataFrame:
    """Each entry of the documents, as if it were one of its own."""
    texts = [
        (sha256, kind, position, text.decode())
        for sha256, kind, content in documents.select([*DOCUMENT]).unique(["sha256", "kind"]).iter_rows()
        for position, text in enumerate(entry_texts(content))
    ]
    columns = {"sha256": pl.String, "kind": pl.String, "position": pl.Int64, "content_json": pl.String}
    return pl.DataFrame(texts, columns, orient="row")


def _stored(schema: type[Frame], frame: pl.LazyFrame) -> pl.DataFrame:
    """A frame in plain types, as frames travel between processes and files."""
    return frame.cast(pl.Schema(schema.stored_dtypes())).collect()


def _runs(run_ids: Collection[str]) -> pl.DataFrame:
    """Runs as those of one chunk."""
    return pl.DataFrame({"chunk_id": "", "run_id": [*run_ids]}, schema={"chunk_id": pl.String, "run_id": pl.String})
