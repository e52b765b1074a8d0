"""Lookups: what a person typed, as the store spells it; else the command says what may have been meant."""

from typing import Any

import duckdb

from dataflows.cli.failures import CommandError
from dataflows.printable import glimpse, recorded_key, shown_key
from dataflows.questions import answer

NAME_CHARACTERS = 200
EXACT, LONGER, ALIKE = range(3)
"""How far an id of the store is from the one that was typed: the same, one that begins so, one spelled like it."""


def known_run(connection: duckdb.DuckDBPyConnection, typed: str) -> str:
    """The run of that id, or the only one whose id begins so.

    Raises:
        CommandError: there is none, or more than one.
    """
    candidates = answer(connection, "run_ids", id=typed)
    return _known("run", "runs", typed, candidates, "`afp runs` lists the runs of the store.")


def known_study(connection: duckdb.DuckDBPyConnection, typed: str) -> str:
    """The study of that id, or the only one whose id begins so.

    Raises:
        CommandError: there is none, or more than one.
    """
    candidates = answer(connection, "study_ids", id=typed)
    if not candidates and not answer(connection, "study_ids", id=""):
        raise CommandError("The store holds no study.", "`afp run` takes study documents in beside their recordings.")
    return _known("study", "studies", typed, candidates, 'The studies: afp sql "SELECT study_id, kind FROM studies"')


def known_variable(connection: duckdb.DuckDBPyConnection, run_id: str, typed: str, scope: str) -> str:
    """The key of that name in one log of a run; its segments may be set apart as people see them.

    Raises:
        CommandError: this log knows no such key.
    """
    for key in (typed, recorded_key(typed)):
        scopes = [row["scope"] for row in answer(connection, "variable_scopes", run_id=run_id, key=key)]
        if scope in scopes:
            return key
        if scopes:
            others = ", ".join(_name(other) if other else "the run's own ('')" for other in scopes)
            raise CommandError(
                f"That log of {_name(run_id)} knows no key {_name(shown_key(key))}; others do: {others}.",
                "Choose one with --scope.",
            )
    close = [_name(shown_key(row["key"])) for row in answer(connection, "keys_like", run_id=run_id, key=typed)]
    hint = f"Did you mean {' or '.join(close)}?" if close else _keys_query(run_id)
    raise CommandError(
        f"No write and no read of a key {_name(shown_key(typed))} is recorded in {_name(run_id)}."
        " Where a record lacks its reads, that is not the same as nobody reading it.",
        hint,
    )


def _known(noun: str, nouns: str, typed: str, candidates: list[dict[str, Any]], hint: str) -> str:
    """The only one that was meant, of those that a typed id may mean."""
    if not candidates:
        raise CommandError(f"There is no {noun} {_name(typed)}.", hint)
    distance, ids = candidates[0]["distance"], [str(row[f"{noun}_id"]) for row in candidates]
    names = [_name(each) for each in ids]
    if distance == ALIKE:
        raise CommandError(f"There is no {noun} {_name(typed)}.", f"Did you mean {' or '.join(names)}?")
    if len(candidates) > 1:
        raise CommandError(
            f"{candidates[0]['candidates']:,} {nouns} begin with {_name(typed)}: {', '.join(names)}"
            f"{' ...' if candidates[0]['candidates'] > len(names) else '.'}",
            "Type more of the id.",
        )
    return ids[0]


def _keys_query(run_id: str) -> str:
    literal = run_id.replace("'", "''")
    return (
        f"Its keys: afp sql \"SELECT DISTINCT key FROM variables WHERE run_id = '{glimpse(literal, NAME_CHARACTERS)}'\""
    )


def _name(name: str) -> str:
    return glimpse(name, NAME_CHARACTERS)
