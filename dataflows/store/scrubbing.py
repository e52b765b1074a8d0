"""Scrubbing: documents that name runs, without what they say of some of them. Rule: product contract, section 10.

A study loses its runs of that id, and what it tells of an original run of that id; a unit list goes; a declaration
speaks of the others only. What is left empty by that goes as a whole.
"""

from collections.abc import Callable
from typing import Any

import polars as pl

from afp_nodes.javascript import parse, stringify
from afp_nodes.words import InputKind

Gone = Callable[[str], bool]
"""Whether a run is one of those of which nothing may be said."""

ORIGINAL = ("original_run_id", "original_output")


def scrubbed_inputs(inputs: pl.DataFrame, gone: Gone) -> pl.DataFrame:
    """The documents that are no recordings, each without what it says of these runs."""
    kept = [scrubbed(kind, text, gone) for kind, text in inputs.select("kind", "content_json").iter_rows()]
    return inputs.with_columns(content_json=pl.Series(kept, dtype=pl.String)).drop_nulls("content_json")


def scrubbed(kind: str, text: str, gone: Gone) -> str | None:
    """One document without what it says of these runs; None where nothing is left, itself where it names none."""
    document = parse(text)
    made = {InputKind.STUDY: _study, InputKind.UNITS: _units, InputKind.DECLARATIONS: _declarations}[InputKind(kind)]
    left = made(document, gone)
    if left is None:
        return None
    return text if left == document else stringify(left)


def _study(study: dict[str, Any], gone: Gone) -> dict[str, Any] | None:
    runs = [run for run in study["runs"] if not gone(run["run_id"])]
    if not runs and study["runs"]:
        return None
    original = study.get("original_run_id")
    told_of_original = isinstance(original, str) and gone(original)
    rest = {name: member for name, member in study.items() if not (told_of_original and name in ORIGINAL)}
    return rest | {"runs": runs}


def _units(lists: Any, gone: Gone) -> Any:
    return _entries(lists, lambda entry: None if gone(entry["run_id"]) else entry)


def _declarations(declarations: Any, gone: Gone) -> Any:
    def spoken_of(entry: dict[str, Any]) -> dict[str, Any] | None:
        if not isinstance(entry["run_ids"], list):
            return entry
        left = [run_id for run_id in entry["run_ids"] if not gone(run_id)]
        return entry | {"run_ids": left} if left or not entry["run_ids"] else None

    return _entries(declarations, spoken_of)


def _entries(document: Any, left_of: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Any:
    """A document of one entry or a list of them; None where none is left."""
    if not isinstance(document, list):
        return left_of(document)
    return [left for entry in document if (left := left_of(entry)) is not None] or None
