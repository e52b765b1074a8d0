"""One variable's life, read from the tables: every write and read, what each value introduced and fed."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from afp_nodes.signs import PATH_SEPARATOR
from dataflows.shown import FETCHED_CHARACTERS, KEPT_OUT, NO_VALUE, ShownRun, Value

WORDS = frozenset({"kind", "verb", "written_by", "basis", "suspect_kind", "chart", "missing", "coverage", "notes"})
"""Columns that hold words of the record's format and our own."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A source that a written value introduced, and the ablation spec that would remove it."""

    suspect_kind: str
    suspect_id: str
    spec_json: str


@dataclass(frozen=True, slots=True)
class Fed:
    """A value that another fed: a step read the one and wrote the other."""

    key: str
    commit_idx: int
    stage_name: str | None
    basis: str


@dataclass(frozen=True, slots=True)
class Moment:
    """One write or one recorded read.

    Of a read, `value` is what the last write before it committed, `written_by` that write's verb, and
    `from_write_idx` its commit, NULL for a value from before the run. `readers` counts the commits that read what a
    write left, NULL on reads.
    """

    kind: str
    commit_idx: int
    runtime_stage_id: str
    stage_name: str
    loop_index: int | None
    verb: str | None
    from_write_idx: int | None
    written_by: str | None
    value: Value
    suspect_kind: str | None
    suspect_id: str | None
    hooks: tuple[Hook, ...]
    fed: tuple[Fed, ...]
    readers: int | None


@dataclass(frozen=True, slots=True)
class VariableLife:
    """One variable of one log of one run. `question` is NULL where none is recorded or the record redacts it."""

    run_id: str
    scope: str
    key: str
    question: str | None
    question_withheld: bool
    chart: str
    missing: str | None
    coverage: str
    writes: int
    reads: int
    notes: tuple[str, ...]
    keys_read_kind: str
    steps: int | None
    steps_with_reads: int | None
    other_scopes: tuple[str, ...]
    moments: tuple[Moment, ...]
    fed_before_run: tuple[Fed, ...]


def variable_life(connection: duckdb.DuckDBPyConnection, run_id: str, scope: str, key: str) -> VariableLife:
    """The life of a variable that the store knows."""
    run = ShownRun(connection, run_id)
    place: dict[str, Any] = {"scope": scope, "key": key}
    [about] = run.rows("variable", words=WORDS, **place, pointer=_pointer(key))
    redacts, kept_out = about.pop("redacts"), about.pop("kept_out")
    scopes = [row["scope"] for row in run.rows("variable_scopes", words=("scope",), key=key)]
    fed = _fed(run, place)
    initial = KEPT_OUT if redacts else _initial_value(run, scope, key)
    moments = _moments(run, place, fed, initial)
    return VariableLife(
        run_id=run.text(run_id),
        **run.data(place),
        **about | {"notes": tuple(about["notes"])},
        other_scopes=tuple(run.text(other) for other in scopes if other != scope),
        moments=tuple(replace(moment, value=KEPT_OUT) for moment in moments) if kept_out else moments,
        fed_before_run=fed[None],
    )


def _moments(
    run: ShownRun, place: dict[str, Any], fed: dict[int | None, tuple[Fed, ...]], initial: Value
) -> tuple[Moment, ...]:
    hooks = _hooks(run, place)
    readers = {row["commit_idx"]: row["readers"] for row in run.rows("variable_lives", **place)}
    moments = []
    for row in run.rows("variable_moments", words=WORDS, **place, characters=FETCHED_CHARACTERS):
        is_write = row["kind"] == "write"
        before_run = not is_write and row["from_write_idx"] is None
        moments.append(
            Moment(
                **row | ({"value": initial} if before_run else {}),
                hooks=hooks.pop(row["runtime_stage_id"], ()) if is_write else (),
                fed=fed[row["commit_idx"]] if is_write else (),
                readers=readers.get(row["commit_idx"], 0) if is_write else None,
            )
        )
    return tuple(moments)


def _hooks(run: ShownRun, place: dict[str, Any]) -> dict[str, tuple[Hook, ...]]:
    """The hooks of each step that wrote the variable."""
    hooks: dict[str, tuple[Hook, ...]] = defaultdict(tuple)
    for row in run.rows("variable_hooks", words=WORDS, **place):
        hooks[row.pop("writer_id")] += (Hook(**row),)
    return dict(hooks)


def _fed(run: ShownRun, place: dict[str, Any]) -> dict[int | None, tuple[Fed, ...]]:
    """What the value of each write fed; None stands for the value from before the run."""
    fed: dict[int | None, tuple[Fed, ...]] = defaultdict(tuple)
    for row in run.rows("variable_fed", words=WORDS, **place):
        fed[row["from_commit_idx"]] += (Fed(row["to_key"], row["to_commit_idx"], row["stage_name"], row["basis"]),)
    return fed


def _initial_value(run: ShownRun, scope: str, key: str) -> Value:
    """What the key held before the first commit; only the run's own log has a recorded starting state."""
    if scope:
        return NO_VALUE
    rows = run.rows("initial_value", pointer=_pointer(key), characters=FETCHED_CHARACTERS)
    value: Value = rows[0]["value"] if rows else NO_VALUE
    return value


def _pointer(key: str) -> str:
    """The RFC 6901 pointer of a key."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in key.split(PATH_SEPARATOR))
