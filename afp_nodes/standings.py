"""Standings: how the answer of each run stands, folded from the state it committed.

Rules: assessment and routing, sections 1 to 10 and 19. The fold itself is `afp_nodes.assessment`.
"""

from collections.abc import Iterator
from typing import Any

import dataframely as dy
import msgspec
import polars as pl

from afp_nodes.assessment import Assessed, GivenReason, assess, read_state
from afp_nodes.assessment.pointers import pointers_json
from afp_nodes.schemas import (
    Assessments,
    DeclaredTools,
    ReasonCalls,
    Reasons,
    RunRecords,
    Runs,
    StandingChecks,
    Standings,
    States,
)
from afp_nodes.words import SourceKind, StateKind

NO_STATE = "{}"
"""What is folded where no state is recorded."""


def assessments(
    run_records: dy.LazyFrame[RunRecords], states: dy.LazyFrame[States], declared_tools: dy.LazyFrame[DeclaredTools]
) -> dy.LazyFrame[Assessments]:
    """One row per run.

    A placeholder is kept out only in a record that a redaction policy marked; in any other it is a value.
    """
    marked = states.filter(pl.col("which") == StateKind.REDACTION).select("run_id", redacted=True)
    shared = states.filter(pl.col("which") == StateKind.SHARED).select("run_id", "state_json")
    folded = (
        run_records.select("run_id")
        .join(shared, on="run_id", how="left")
        .join(_rows_at(declared_tools), on="run_id", how="left")
        .join(marked, on="run_id", how="left")
        .with_columns(pl.col("state_json").fill_null(NO_STATE), pl.col("redacted").fill_null(value=False))
        .group_by("state_json", "rows_at_json", "redacted")
        .agg("run_id")
        .collect()
    )
    rows = [_row(*inputs) for inputs in folded.select("state_json", "rows_at_json", "redacted").iter_rows()]
    told = {n: t for n, t in Assessments.stored_dtypes().items() if n != "run_id"}
    return (
        pl.LazyFrame(rows, schema=told, orient="row")
        .with_columns(folded["run_id"])
        .explode("run_id")
        .sort("run_id")
        .select(Assessments.column_names())
        .pipe(Assessments.cast)
    )


def standings(assessments: dy.LazyFrame[Assessments], runs: dy.LazyFrame[Runs]) -> dy.LazyFrame[Standings]:
    """One row per run, whether it gave an answer or not."""
    return (
        assessments.join(runs.select("run_id", "answered"), on="run_id")
        .select(Standings.column_names())
        .pipe(Standings.cast)
    )


def standing_checks(assessments: dy.LazyFrame[Assessments]) -> dy.LazyFrame[StandingChecks]:
    """One row per check of a run whose outcome its state holds."""
    return _exploded(assessments, "checks").select(StandingChecks.column_names()).pipe(StandingChecks.cast)


def reasons(assessments: dy.LazyFrame[Assessments]) -> dy.LazyFrame[Reasons]:
    """One row per reason why the answer of a run is not known to stand."""
    return _exploded(assessments, "reasons").select(Reasons.column_names()).pipe(Reasons.cast)


def reason_calls(assessments: dy.LazyFrame[Assessments]) -> dy.LazyFrame[ReasonCalls]:
    """One row per named call that a reason rests on."""
    return (
        _exploded(assessments, "reasons")
        .select("run_id", "reason", "calls")
        .pipe(_exploded, "calls", "run_id", "reason")
        .select(ReasonCalls.column_names())
        .pipe(ReasonCalls.cast)
    )


def _exploded(frame: pl.LazyFrame, column: str, *key: str) -> pl.LazyFrame:
    """One row per item of a list of structs, with the item's members and its position."""
    return (
        frame.select(*(key or ("run_id",)), column)
        .filter(pl.col(column).list.len() > 0)
        .with_columns(position=pl.int_ranges(pl.col(column).list.len()))
        .explode(column, "position")
        .unnest(column)
    )


def _rows_at(declared_tools: dy.LazyFrame[DeclaredTools]) -> pl.LazyFrame:
    """The declared tools of each run as one text, `{"tools":[{"tool_name":...,"rows_at":...}]}`, sorted by name."""
    tool = pl.struct("tool_name", "rows_at").sort_by("tool_name")
    return (
        declared_tools.group_by("run_id")
        .agg(tools=tool)
        .select("run_id", rows_at_json=pl.struct("tools").struct.json_encode())
    )


def _row(state_json: str, rows_at_json: str | None, redacted: bool) -> tuple[Any, ...]:
    """What the fold says of a state, as a row of `Assessments` without the runs."""
    tools = msgspec.json.decode(rows_at_json)["tools"] if rows_at_json else []
    rows_at = {tool["tool_name"]: tool["rows_at"] for tool in tools}
    assessed = assess(read_state(state_json), rows_at, redacted=redacted)
    return (
        assessed.assessment,
        assessed.standing,
        assessed.turn_from,
        assessed.support_digest,
        list(assessed.kept_out) or None,
        list(_checks(assessed)),
        [_reason(given) for given in assessed.reasons],
    )


def _checks(assessed: Assessed) -> Iterator[dict[str, Any]]:
    for check in assessed.checked:
        yield {
            "layer": check.layer,
            "check_name": check.check,
            "ran": check.ran,
            "of": check.of,
            "witnesses_json": pointers_json(check.witness),
        }


def _reason(given: GivenReason) -> dict[str, Any]:
    entry, source = given.entry, given.source
    return {
        "reason": given.reason,
        "layer": entry.layer,
        "class": entry.reason_class,
        "source_kind": source.kind,
        "unnamed": source.unnamed if source.kind == SourceKind.CALLS else None,
        "witnesses_json": pointers_json(given.witness),
        "calls": [call._asdict() for call in source.calls],
    }
