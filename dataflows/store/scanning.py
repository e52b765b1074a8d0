"""A snapshot's tables as lazy frames: what `root` holds, as `manifest` lists it."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from polars.datatypes import DataTypeClass

from dataflows.store.columns import dtypes_of, in_shape
from dataflows.store.errors import StoreError
from dataflows.store.grouping import Group, groups_of
from dataflows.store.manifest import Manifest


def scan_table(root: Path, manifest: Manifest, table: str) -> pl.LazyFrame:
    """The table as readers see it: no superseded runs, and all columns even when there are no rows.

    `runs` has the columns that other documents and settings give it, too. Raises `StoreError` for a table that is not
    there.
    """
    rows = scan_parts(root, manifest, table)
    return _labelled(rows, root, manifest) if table == "runs" else rows


def scan_parts(root: Path, manifest: Manifest, table: str) -> pl.LazyFrame:
    """The table as its parts hold it, superseded runs left out."""
    if table not in manifest.columns:
        raise StoreError(f"There is no table {table!r}.", f"Tables: {', '.join(manifest.columns)}.")
    dtypes = dtypes_of(manifest.columns[table])
    groups = [_rows(group, dtypes) for group in groups_of(root, manifest, table)]
    return pl.concat([pl.LazyFrame(schema=dtypes), *groups])


def scan_files(files: tuple[str, ...]) -> pl.LazyFrame:
    """Parts as they lie; their paths are taken literally."""
    return pl.scan_parquet(list(files), glob=False, hive_partitioning=False)


def live(superseded: tuple[str, ...]) -> pl.Expr:
    """Whether a row's run still lives; rows of no run do."""
    return ~pl.col("run_id").is_in(list(superseded)).fill_null(False)


def _rows(group: Group, wanted: Mapping[str, pl.DataType | DataTypeClass]) -> pl.LazyFrame:
    """The group's live rows with the wanted columns; one that it was written without is NULL."""
    rows = scan_files(group.files)
    rows = rows.filter(live(group.superseded)) if group.superseded else rows
    return rows.select(in_shape(wanted, group.columns))


def _labelled(runs: pl.LazyFrame, root: Path, manifest: Manifest) -> pl.LazyFrame:
    """`runs` with the arm and the study of each, NULL where there is none."""
    studies = scan_parts(root, manifest, "study_runs").group_by("run_id").agg(pl.col("study_id").min())
    for label in (_arms(root, manifest), studies):
        runs = runs.join(label, on="run_id", how="left", maintain_order="left")
    return runs


def _arms(root: Path, manifest: Manifest) -> pl.LazyFrame:
    """The arm of each run that has one; none in a snapshot from before arms were known."""
    if "arm_runs" not in manifest.columns:
        return pl.LazyFrame(schema={"run_id": pl.String, "arm_id": pl.String})
    return scan_parts(root, manifest, "arm_runs").select("run_id", "arm_id")
