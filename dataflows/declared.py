"""What applications declare, for whoever derives: what is in force, and of it what some runs are derived with.

The digest of what a chunk was derived with stands in the manifest: where it is no longer that of what is in force,
the chunk is derived again.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from afp_nodes import in_force as nodes
from afp_nodes import ledger
from afp_nodes.schemas import DeclaredLists, DeclaredTools, DeclaredUnits, Frame, InForce
from afp_nodes.schemas.declared import ALL_RUNS
from afp_nodes.words import InputKind

ROW_GROUP_ROWS = 512
"""Unit lists of one row group of a file in which they are handed over: reading some needs no more memory than this."""

NOTHING_DECLARED = {
    "declared_tools": pl.DataFrame(schema=DeclaredTools.stored_dtypes()),
    "declared_lists": pl.DataFrame(schema=DeclaredLists.stored_dtypes()),
    "declared_units": pl.DataFrame(schema=DeclaredUnits.stored_dtypes()),
}
NOTHING_IN_FORCE = pl.DataFrame(schema=InForce.stored_dtypes())


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of some runs, as `derive` takes it, and its digest; '' where nothing is."""

    frames: dict[str, pl.DataFrame]
    digest: str


NOTHING = Declared(NOTHING_DECLARED, "")


def declares(inputs: pl.DataFrame) -> bool:
    """Whether some documents that are not recordings declare anything of runs; studies do not."""
    return not inputs.filter(pl.col("kind").cast(pl.String) != InputKind.STUDY).is_empty()


def in_force_in(inputs: pl.DataFrame) -> pl.DataFrame:
    """What is in force, of all the documents that are not recordings."""
    if not declares(inputs):
        return NOTHING_IN_FORCE
    return _stored(InForce, ledger.in_force(ledger.input_entries(inputs)))


def declared_of(in_force: pl.LazyFrame, run_ids: Collection[str]) -> Declared:
    """What is declared of some runs."""
    speaking = in_force.filter(pl.col("run_id").is_in([*run_ids, ALL_RUNS])).collect()
    if speaking.is_empty():
        return NOTHING
    here = nodes.in_force_here(speaking.lazy().pipe(InForce.cast), _runs(run_ids)).collect().lazy()
    frames = {
        "declared_tools": _stored(DeclaredTools, nodes.tools_in_force(here)),
        "declared_lists": _stored(DeclaredLists, nodes.lists_in_force(here)),
        "declared_units": _stored(DeclaredUnits, nodes.units_in_force(here)),
    }
    return Declared(frames, digest_of(speaking, run_ids))


def lists_without_runs(in_force: pl.DataFrame, recorded: Collection[str]) -> pl.DataFrame:
    """The unit lists in force whose runs are not among the recorded ones."""
    return in_force.filter(pl.col("kind") == InputKind.UNITS, ~pl.col("run_id").is_in([*recorded]))


def declared_of_recorded_and_listed(in_force: pl.DataFrame, recorded: Collection[str]) -> dict[str, pl.DataFrame]:
    """What is declared of the recorded runs, and the unit lists of the others."""
    lists = lists_without_runs(in_force, recorded)
    parts = [declared_of(in_force.lazy(), recorded), declared_of(lists.lazy(), lists["run_id"].to_list())]
    return {name: pl.concat([part.frames[name] for part in parts]) for name in NOTHING_DECLARED}


def digest_of(in_force: pl.DataFrame, run_ids: Collection[str]) -> str:
    """The digest of what is declared of some runs; '' where nothing is."""
    return digests_of(in_force, _runs(run_ids)).get("", "")


def digests_of(in_force: pl.DataFrame, chunk_runs: pl.DataFrame) -> dict[str, str]:
    """The digest of what is declared of the runs of each chunk; none for a chunk of whose runs nothing is.

    `chunk_runs` names the runs (`run_id`) of each `chunk_id`.
    """
    if in_force.is_empty():
        return {}
    said = pl.concat_str(pl.col("run_id").str.len_bytes(), "run_id", "kind", "digest", separator=" ")
    texts = (
        nodes.in_force_here(in_force.lazy().pipe(InForce.cast), chunk_runs)
        .with_columns(pl.col("kind").cast(pl.String))
        .join(chunk_runs.lazy(), on="run_id")
        .sort("run_id", "kind")
        .group_by("chunk_id", maintain_order=True)
        .agg(said.str.join("\n"))
        .collect()
    )
    return {chunk_id: hashlib.sha256(text.encode()).hexdigest()[:16] for chunk_id, text in texts.iter_rows()}


def _stored(schema: type[Frame], frame: pl.LazyFrame) -> pl.DataFrame:
    """A frame in plain types, as frames travel between processes and files."""
    return frame.cast(pl.Schema(schema.stored_dtypes())).collect()


def _runs(run_ids: Collection[str]) -> pl.DataFrame:
    """Runs as those of one chunk."""
    return pl.DataFrame({"chunk_id": "", "run_id": [*run_ids]}, schema={"chunk_id": pl.String, "run_id": pl.String})


def hand_over(in_force: pl.DataFrame, file: Path) -> str | None:
    """Puts what is in force where every worker can read its part of it; None when nothing is. Raises `OSError`."""
    if in_force.is_empty():
        return None
    in_force.sort("run_id").write_parquet(file, row_group_size=ROW_GROUP_ROWS)
    return str(file)


def handed_over(file: str | None, run_ids: Collection[str]) -> Declared:
    """What is declared of some runs, of what was handed over."""
    return declared_of(pl.scan_parquet(file, glob=False), run_ids) if file else NOTHING
