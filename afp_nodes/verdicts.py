"""Verdicts: every claim as one row, with the rows of the record it rests on."""

import dataframely as dy
import msgspec
import polars as pl

from afp_nodes.addresses import NAME
from afp_nodes.distinct import mapped_once
from afp_nodes.schemas import (
    Claims,
    Coverages,
    MissingContext,
    MissingContextSummary,
    ModelCalls,
    Reasons,
    Routing,
    RunRecords,
    StandingChecks,
    Standings,
    Verdicts,
)
from afp_nodes.templates import filled
from afp_nodes.verdict_ids import verdict_id
from afp_nodes.words import Coverage, MissingContextVerdict, SubjectKind, Tier, VerdictKind


def coverage_claims(coverages: dy.LazyFrame[Coverages]) -> dy.LazyFrame[Claims]:
    """One row per variable and scope: how exactly the record says what its value fed.

    It rests on the commit that began the life asked about, and on the commits that read it:
    `{"written_at": position or null, "read_at": [positions], "lives": how many the slice holds}`.
    """
    evidence = filled(
        '[{"written_at":{},"read_at":[{}],"lives":{}}]',
        pl.col("root_commit_idx").cast(pl.String).fill_null("null"),
        pl.col("root_readers").cast(pl.List(pl.String)).list.join(","),
        "reached_lives",
    )
    return coverages.select(
        "run_id",
        "scope",
        kind=pl.lit(VerdictKind.COVERAGE),
        subject_kind=pl.lit(SubjectKind.VARIABLE),
        subject_id="key",
        verdict=pl.col("coverage").cast(pl.String),
        evidence_json=evidence,
    ).pipe(_claims)


def missing_context_claims(
    missing_context_summary: dy.LazyFrame[MissingContextSummary],
    missing_context: dy.LazyFrame[MissingContext],
    model_calls: dy.LazyFrame[ModelCalls],
    run_records: dy.LazyFrame[RunRecords],
) -> dy.LazyFrame[Claims]:
    """One row per run: whether some call, or its unit list, went without a unit that was available.

    `unknown` beats `none-dropped`: where one call cannot tell, nobody can say that nothing was dropped. It rests on
    the calls: `{"iteration", "grade", "event", "scope", "commit", "dropped": [units]}`; iteration 0 is a list.
    Rule: product contract, section 5.
    """
    call = ["run_id", "iteration"]
    dropped = missing_context.sort(*call, "position").group_by(call, maintain_order=True).agg(dropped="unit_id")
    places = model_calls.filter("stands").select(
        *call, event="start_event_idx", scope=pl.col("scope").cast(pl.String), commit="commit_idx"
    )
    rests_on = pl.struct("iteration", "grade", "event", "scope", "commit", "dropped").struct.json_encode()
    summed = (
        missing_context_summary.join(places, on=call, how="left")
        .join(dropped, on=call, how="left")
        .sort(call)
        .with_columns(pl.col("dropped").fill_null([]), pl.col("grade").cast(pl.String))
        .group_by("run_id", maintain_order=True)
        .agg(
            drops=pl.col("any_dropped").fill_null(value=False).any(),
            cannot_tell=(pl.col("grade") == Coverage.UNKNOWN).any(),
            rests_on=rests_on.str.join(","),
        )
    )
    verdict = (
        pl.when("drops")
        .then(pl.lit(MissingContextVerdict.DROPPED))
        .when(pl.col("cannot_tell").fill_null(value=True))
        .then(pl.lit(MissingContextVerdict.UNKNOWN))
        .otherwise(pl.lit(MissingContextVerdict.NONE_DROPPED))
    )
    evidence = filled("[{}]", pl.col("rests_on").fill_null(""))
    return (
        run_records.select("run_id")
        .join(summed, on="run_id", how="left")
        .pipe(_run_claims, VerdictKind.MISSING_CONTEXT, verdict, evidence)
    )


def routing_claims(routing: dy.LazyFrame[Routing]) -> dy.LazyFrame[Claims]:
    """One row per run: whether the decided skill reached the model, else whether that can be told.

    It rests on the pointers of the routing row, each once.
    """
    verdict = pl.coalesce(pl.col("delivered_verdict", "check_state").cast(pl.String))
    evidence = pl.col("pointers_json").map_batches(
        lambda pointers: mapped_once(pointers, _flattened), return_dtype=pl.String
    )
    return routing.pipe(_run_claims, VerdictKind.ROUTING, verdict, evidence)


def standing_claims(
    standings: dy.LazyFrame[Standings],
    reasons: dy.LazyFrame[Reasons],
    standing_checks: dy.LazyFrame[StandingChecks],
) -> dy.LazyFrame[Claims]:
    """One row per run: where its answer stands, a run that gave none included.

    It rests on its reasons, `{"reason", "witnesses": [pointers]}`, and on the checks that ran, `{"check", "ran",
    "of", "witnesses": [pointers]}`.
    """
    fired = reasons.sort("run_id", "position").select(
        "run_id",
        rests_on=filled('{"reason":"{}","witnesses":{}}', "reason", "witnesses_json"),
    )
    looked = standing_checks.sort("run_id", "layer", "check_name").select(
        "run_id",
        rests_on=filled(
            '{"check":"{}","ran":{},"of":{},"witnesses":{}}',
            "check_name",
            "ran",
            "of",
            "witnesses_json",
        ),
    )
    rests_on = pl.concat([fired, looked]).group_by("run_id", maintain_order=True).agg(pl.col("rests_on").str.join(","))
    return standings.join(rests_on, on="run_id", how="left").pipe(
        _run_claims,
        VerdictKind.STANDING,
        pl.col("standing").cast(pl.String),
        filled("[{}]", pl.col("rests_on").fill_null("")),
    )


def verdicts(
    coverage_claims: dy.LazyFrame[Claims],
    missing_context_claims: dy.LazyFrame[Claims],
    routing_claims: dy.LazyFrame[Claims],
    standing_claims: dy.LazyFrame[Claims],
) -> dy.LazyFrame[Verdicts]:
    """One row per claim. These are read off the record; nothing here says what caused what."""
    nothing = {n: pl.lit(None, t) for n, t in Verdicts.stored_dtypes().items() if n not in FILLED}
    return (
        pl.concat([coverage_claims, missing_context_claims, routing_claims, standing_claims])
        .with_columns(verdict_id=verdict_id(frozenset(Claims.column_names())), tier=pl.lit(Tier.STRUCTURAL), **nothing)
        .select(Verdicts.column_names())
        .pipe(Verdicts.cast)
    )


FILLED = frozenset(("verdict_id", "tier", *Claims.column_names()))
"""Columns a structural row fills; the others are NULL on it."""


def _run_claims(rows: pl.LazyFrame, kind: VerdictKind, verdict: pl.Expr, evidence: pl.Expr) -> dy.LazyFrame[Claims]:
    """Claims about whole runs."""
    return rows.select(
        "run_id",
        scope=pl.lit(None, NAME),
        kind=pl.lit(kind),
        subject_kind=pl.lit(SubjectKind.RUN),
        subject_id="run_id",
        verdict=verdict,
        evidence_json=evidence,
    ).pipe(_claims)


def _claims(rows: pl.LazyFrame) -> dy.LazyFrame[Claims]:
    return rows.select(Claims.column_names()).pipe(Claims.cast)


def _flattened(pointers: str) -> str:
    """The pointers of all purposes as one list, each once."""
    by_purpose = msgspec.json.decode(pointers, type=dict[str, list[msgspec.Raw]])
    distinct = dict.fromkeys(bytes(pointer) for listed in by_purpose.values() for pointer in listed)
    return f"[{b','.join(distinct).decode()}]"
