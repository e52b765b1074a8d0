"""In force: what applications declare of some runs, read from the documents that hold for them.

Rule: product contract, sections 3, 6 and 9. A declaration that names a run holds for it alone and whole; one for `*`
holds for the runs that no other names.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dataframely as dy
import polars as pl
from msgspec import UNSET, Raw, json

from afp_nodes.record.inputs import Declaration, UnitList, entry_texts
from afp_nodes.schemas import DeclaredLists, DeclaredTools, DeclaredUnits, InForce
from afp_nodes.schemas.declared import ALL_RUNS
from afp_nodes.words import InputKind, Side


def in_force_here(in_force: dy.LazyFrame[InForce], run_ids: pl.DataFrame) -> dy.LazyFrame[InForce]:
    """One row per run of `run_ids` and kind of document that holds for it."""
    here = run_ids.lazy().select("run_id").unique()
    declares = pl.col("kind") == InputKind.DECLARATIONS
    own = in_force.join(here, on="run_id", how="semi")
    of_all = in_force.filter(declares, pl.col("run_id") == ALL_RUNS).drop("run_id")
    others = here.join(own.filter(declares), on="run_id", how="anti").join(of_all, how="cross")
    return pl.concat([own, others], how="diagonal").pipe(InForce.cast)


def tools_in_force(in_force_here: dy.LazyFrame[InForce], documents: pl.DataFrame) -> dy.LazyFrame[DeclaredTools]:
    """One row per tool of a run whose rows are declared."""
    columns = {"tool_name": pl.String, "rows_at": pl.String}
    return _read_once(in_force_here, documents, InputKind.DECLARATIONS, _tools, columns).pipe(DeclaredTools.cast)


def lists_in_force(in_force_here: dy.LazyFrame[InForce]) -> dy.LazyFrame[DeclaredLists]:
    """One row per run that has a unit list."""
    return in_force_here.filter(pl.col("kind") == InputKind.UNITS).select("run_id").pipe(DeclaredLists.cast)


def units_in_force(in_force_here: dy.LazyFrame[InForce], documents: pl.DataFrame) -> dy.LazyFrame[DeclaredUnits]:
    """One row per unit of a side of a run's unit list; repeats stay."""
    columns = {"side": pl.String, "position": pl.Int64, "unit_id": pl.String, "content": pl.String}
    return _read_once(in_force_here, documents, InputKind.UNITS, _units, columns).pipe(DeclaredUnits.cast)


def _read_once(
    in_force_here: pl.LazyFrame,
    documents: pl.DataFrame,
    kind: InputKind,
    rows_of: Callable[[bytes], Iterator[tuple[Any, ...]]],
    columns: Mapping[str, type[pl.DataType]],
) -> pl.LazyFrame:
    """The rows that each list or declaration holds, for every run it holds for; it is read once."""
    of_kind = pl.col("kind").cast(pl.String) == kind
    entries = in_force_here.filter(of_kind).select("run_id", "sha256", entry="position").collect()
    wanted = entries.select("sha256", "entry").unique().group_by("sha256").agg("entry")
    held = documents.filter(of_kind).select("sha256", "content_json").unique("sha256").join(wanted, on="sha256")
    rows = [
        (sha256, entry, *row)
        for sha256, content, listed in held.iter_rows()
        for texts in [entry_texts(content)]
        for entry in listed
        for row in rows_of(texts[entry])
    ]
    read = pl.LazyFrame(rows, schema={"sha256": pl.String, "entry": pl.Int64, **columns}, orient="row")
    return entries.lazy().join(read, on=["sha256", "entry"]).select("run_id", *columns)


def _tools(entry_json: bytes) -> Iterator[tuple[str, str]]:
    """Each tool whose rows a declaration names, with the member that holds them."""
    tools = json.decode(entry_json, type=Declaration).tools
    for name, tool in ({} if tools is UNSET else tools).items():
        if tool.rows_at is not UNSET:
            yield name, tool.rows_at


def _units(entry_json: bytes) -> Iterator[tuple[Side, int, str, str | None]]:
    """Each unit of both sides of a unit list with its position and its content."""
    units = json.decode(entry_json, type=UnitList)
    for side, listed in ((Side.AVAILABLE, units.available), (Side.SENT, units.sent)):
        for position, unit in enumerate(listed):
            yield side, position, unit.id, _content(unit.content)


def _content(content: Raw) -> str | None:
    """A unit's content as text: compact JSON where it is none, NULL where there is none."""
    spelled = bytes(content)
    if spelled in (b"", b"null"):
        return None
    return json.decode(spelled, type=str) if spelled.startswith(b'"') else spelled.decode()
