"""Forgetting, as people ask for it: which runs are meant, what is removed, and which reports still name them.

Rule: product contract, sections 4 and 10.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from html import escape
from json import dumps
from pathlib import Path

import polars as pl

from dataflows.printable import glimpse
from dataflows.store import Snapshot, Store, StoreError
from dataflows.store.forgetting import Forgot, finish, forget, preview, runs_named

NAME_CHARACTERS = 200


class NothingToForgetError(Exception):
    """No run is meant by what was asked for; the message says which comes nearest."""


def forget_runs(
    store: str,
    *,
    runs: Collection[str] = (),
    tenants: Collection[str] = (),
    principals: Collection[str] = (),
    dry_run: bool = False,
) -> Forgot:
    """Removes runs by their full ids, by whom they were run for, or on whose behalf, from all that the store holds.

    With `dry_run` nothing is removed, and what would be is told.

    Raises:
        NothingToForgetError: the store knows no such run, tenant or principal.
        StoreError: the store cannot be read or written.
    """
    target = Store(store)
    snapshot = target.snapshot()
    if snapshot is None:
        raise StoreError(f"Nothing was published in {store} yet.", "There is nothing to forget.")
    try:
        meant = _meant(target, snapshot, {"run_id": runs, "tenant": tenants, "principal": principals})
    except NothingToForgetError:
        if not dry_run and snapshot.manifest.forgotten and finish(target):
            return Forgot()
        raise
    if dry_run:
        return preview(snapshot, meant) if meant else Forgot()
    if not meant:
        finish(target)
        return Forgot()
    return forget(target, meant)


def files_that_name(folder: str, run_ids: Iterable[str]) -> list[str]:
    """The files below a folder that hold one of these ids, as text or as JSON and HTML spell it; none is changed."""
    spelled = [spelling.encode() for run_id in run_ids for spelling in _spellings(run_id)]
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return [str(path) for path in files if _holds(path, spelled)]


def _meant(store: Store, snapshot: Snapshot, asked: dict[str, Collection[str]]) -> set[str]:
    """The runs that are meant. Runs that were forgotten before are none, and no error."""
    named = runs_named(store)
    meant: set[str] = set()
    for column, values in asked.items():
        known = set(named[column].drop_nulls())
        for value in values:
            if value in known:
                meant |= set(named.filter(pl.col(column) == value)["run_id"])
            elif not (column == "run_id" and snapshot.manifest.forgotten.has_run(value)):
                raise NothingToForgetError(_unknown(column.removesuffix("_id"), value, known))
    return meant


def _unknown(what: str, value: str, known: set[str]) -> str:
    close = get_close_matches(value, known, n=1)
    meant = f" Did you mean {glimpse(close[0], NAME_CHARACTERS)}?" if close else ""
    name = glimpse(value, NAME_CHARACTERS)
    return f"The store knows no {what} {name}.{meant} A full name is needed, never its beginning."


def _spellings(run_id: str) -> set[str]:
    return {run_id, escape(run_id), dumps(run_id)[1:-1], dumps(run_id, ensure_ascii=False)[1:-1]}


def _holds(path: Path, texts: list[bytes]) -> bool:
    data = path.read_bytes()
    return any(text in data for text in texts)
