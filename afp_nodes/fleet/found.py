"""Findings: what stands out in production runs, or came of a study, under one name over nights.

Rule: product contract, section 5. People say in `STORE/findings.toml` what becomes of them.
"""

from datetime import date

import dataframely as dy
import polars as pl

from afp_nodes.given import FindingNote, nights_given, notes_given
from afp_nodes.schemas import Findings, FleetFacts, NightBases, NightFindings, RunNights
from afp_nodes.verdict_ids import ESCAPES, SEPARATOR
from afp_nodes.words import (
    CostVerdict,
    Coverage,
    DeliveredVerdict,
    FindingState,
    FindingSubject,
    MissingContextVerdict,
    ProbeVerdict,
    Standing,
    Tier,
    UnitKind,
    VerdictKind,
)

FOUND_BY_STUDIES = (ProbeVerdict.CONFIRMED, CostVerdict.COST_CAUSE)
"""Verdicts that claim something of a subject; the others say that nothing was shown."""

IDENTIFYING = ("kind", "study_id", "subject_kind", "subject_id", "reason", "verdict")
CALL = ["run_id", "tool_call_id"]
SUBJECT = ["finding_id", "kind", "subject_kind", "subject_id", "reason", "verdict"]
NOTE = {"finding_id": pl.String, "said": pl.String, "note": pl.String, "until": pl.Date}


def night_findings(
    fleet_facts: dy.LazyFrame[FleetFacts], run_nights: dy.LazyFrame[RunNights], stored: dict[str, pl.LazyFrame]
) -> dy.LazyFrame[NightFindings]:
    """One row per finding and night on which some run shows it, and one for its runs without a night."""
    runs = fleet_facts.select("run_id").join(run_nights, on="run_id", how="left").collect().lazy()
    found = [_units(stored), _skills(stored), _tools(stored), _variables(stored)]
    subject = SUBJECT[1:]
    first = pl.struct(pl.col("began_at"), pl.col("run_id")).sort_by("began_at", "run_id").first()
    by_night = [
        rows.join(runs, on="run_id").group_by(*subject, "night").agg(runs=pl.col("run_id").n_unique(), first=first)
        for rows in found
    ]
    return (
        pl.concat(by_night)
        .with_columns(
            finding_id=_finding_id(study=False),
            first_began_at=pl.col("first").struct.field("began_at"),
            first_run_id=pl.col("first").struct.field("run_id"),
            runs=pl.col("runs").cast(pl.Int64),
        )
        .select(NightFindings.column_names())
        .pipe(NightFindings.cast)
    )


def findings(
    night_findings: dy.LazyFrame[NightFindings],
    night_bases: dy.LazyFrame[NightBases],
    stored: dict[str, pl.LazyFrame],
    settings: dict[str, str],
) -> dy.LazyFrame[Findings]:
    """One row per finding, with what people say of it."""
    given = nights_given(settings)
    notes = [_note(note) for note in notes_given(settings)]
    telling = night_bases.filter(pl.col("doubts").list.len() == 0).select(pl.col("night").max()).collect().item()
    shown = (
        night_findings.with_columns(pl.col("kind", "subject_kind").cast(pl.String))
        .group_by(SUBJECT)
        .agg(
            first_night=pl.col("night").min(),
            last_night=pl.col("night").max(),
            runs=pl.col("runs").sum(),
            nights=pl.col("night").drop_nulls().n_unique().cast(pl.Int64),
            first_run_id=pl.col("first_run_id").sort_by("first_began_at", "first_run_id", nulls_last=True).first(),
        )
    )
    of_runs = shown.with_columns(tier=pl.lit(Tier.STRUCTURAL), study_id=pl.lit(None, pl.String))
    return (
        pl.concat([of_runs, _of_studies(stored["verdicts"])], how="diagonal")
        .join(pl.LazyFrame(notes, schema=NOTE, orient="row"), on="finding_id", how="left")
        .with_columns(pl.col("nights").fill_null(0), state=_state(telling, given.last if given else None))
        .sort("finding_id")
        .select(Findings.column_names())
        .pipe(Findings.cast)
    )


def _units(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Units that some call went without. What a tool gave goes by the tool: the ids of calls say nothing."""
    dropped = stored["missing_context"].select("run_id", "unit_id", "unit_kind", "drop_reason").collect().lazy()
    results = dropped.filter(pl.col("unit_kind") == UnitKind.TOOL_RESULT).select("run_id").unique()
    tools = (
        stored["tool_calls"]
        .select(*CALL, "tool_name")
        .join(results, on="run_id", how="semi")
        .group_by(CALL)
        .agg(pl.col("tool_name").min())
    )
    named = dropped.join(tools, left_on=["run_id", "unit_id"], right_on=CALL, how="left")
    result = pl.concat_str(pl.lit("result of "), pl.col("tool_name").fill_null("a call without a name"))
    return named.select(
        "run_id",
        kind=pl.lit(VerdictKind.MISSING_CONTEXT),
        subject_kind=pl.lit(FindingSubject.UNIT),
        subject_id=pl.when(pl.col("unit_kind") == UnitKind.TOOL_RESULT).then(result).otherwise("unit_id"),
        reason="drop_reason",
        verdict=pl.lit(MissingContextVerdict.DROPPED),
    ).pipe(_plain)


def _skills(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Skills that were decided on and proven not to have reached the model."""
    routing = stored["routing"].select("run_id", "to_skill", "delivered_verdict")
    return (
        routing.filter(pl.col("delivered_verdict") == DeliveredVerdict.NOT_DELIVERED)
        .select(
            "run_id",
            kind=pl.lit(VerdictKind.ROUTING),
            subject_kind=pl.lit(FindingSubject.SKILL),
            subject_id=pl.col("to_skill").fill_null("a skill that is not recorded"),
            reason=pl.lit(None, pl.String),
            verdict="delivered_verdict",
        )
        .pipe(_plain)
    )


def _tools(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Tools whose calls leave an answer, or a question to a person, in doubt."""
    shown = stored["standings"].select("run_id", "answered", "standing")
    shown = shown.filter(pl.col("answered") | (pl.col("standing") == Standing.ASK)).select("run_id")
    reasons = stored["reasons"].select("run_id", "reason", "class")
    return (
        stored["reason_calls"]
        .select("run_id", "reason", "tool_name")
        .join(shown, on="run_id", how="semi")
        .join(reasons, on=["run_id", "reason"])
        .select(
            "run_id",
            kind=pl.lit(VerdictKind.STANDING),
            subject_kind=pl.lit(FindingSubject.TOOL),
            subject_id="tool_name",
            reason="reason",
            verdict="class",
        )
        .pipe(_plain)
    )


def _variables(stored: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Variables of the runs' own logs that were read, and of which the record does not say what they fed."""
    variables = stored["variables"].select("run_id", "scope", "key", "coverage", "reads")
    is_found = (pl.col("coverage") == Coverage.UNKNOWN) & (pl.col("reads") > 0) & (pl.col("scope") == "")
    return (
        variables.filter(is_found)
        .select(
            "run_id",
            kind=pl.lit(VerdictKind.COVERAGE),
            subject_kind=pl.lit(FindingSubject.VARIABLE),
            subject_id="key",
            reason=pl.lit(None, pl.String),
            verdict="coverage",
        )
        .pipe(_plain)
    )


def _plain(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.with_columns(pl.col("kind", "subject_kind", "verdict").cast(pl.String))


def _of_studies(verdicts: pl.LazyFrame) -> pl.LazyFrame:
    """What studies found, in the columns of findings."""
    columns = ["kind", "study_id", "subject_kind", "subject_id", "verdict", "tier", "samples"]
    return (
        verdicts.select(columns)
        .filter(pl.col("study_id").is_not_null(), pl.col("verdict").is_in([str(word) for word in FOUND_BY_STUDIES]))
        .with_columns(reason=pl.lit(None, pl.String), runs=pl.col("samples").fill_null(0), nights=pl.lit(0, pl.Int64))
        .with_columns(finding_id=_finding_id(study=True))
        .drop("samples")
    )


def _finding_id(*, study: bool) -> pl.Expr:
    """The parts that tell findings apart, joined; what would blur the joints is escaped."""
    columns = [pl.col(name) if study or name != "study_id" else pl.lit("") for name in IDENTIFYING]
    parts = [column.cast(pl.String).fill_null("").str.replace_many(ESCAPES) for column in columns]
    return pl.concat_str(*parts, separator=SEPARATOR)


def _state(telling: date | None, last: date | None) -> pl.Expr:
    """What is said of a finding, judged by the last night that says anything, and by the last that was reported."""
    is_gone = (pl.col("last_night") < pl.lit(telling, pl.Date)).fill_null(value=False)
    is_over = (pl.col("until") < pl.lit(last, pl.Date)).fill_null(value=False)
    return (
        pl.when(is_gone)
        .then(pl.lit(FindingState.GONE))
        .when(pl.col("said").is_null() | (pl.col("said") == FindingState.GONE))
        .then(pl.lit(FindingState.OPEN))
        .when((pl.col("said") == FindingState.MUTED) & is_over)
        .then(pl.lit(FindingState.OPEN))
        .otherwise("said")
    )


def _note(note: FindingNote) -> tuple[object, ...]:
    return note.id, note.state, note.note, note.until
