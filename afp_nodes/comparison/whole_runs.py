"""Whole runs side by side: question and configuration, and what came out. Rule: product contract, section 4."""

import dataframely as dy
import polars as pl

from afp_nodes.comparison.naming import canonical
from afp_nodes.comparison.redaction import WITHHELD_JSON, Redactions, redacted_under, touched
from afp_nodes.comparison.sides import as_json, as_rows, both_sides, first_of, in_order, not_known, of_run
from afp_nodes.context.stretches import kept_heads
from afp_nodes.distinct import mapped_once
from afp_nodes.same_question import normalised_question
from afp_nodes.schemas import DiffRows, Events, Routing, RunFacets, RunRecords, SeenLoops, Standings
from afp_nodes.templates import filled
from afp_nodes.words import CheckState, DiffMoment, Facet, Ground, RoutingStatus, Standing

REDACTED_UNDER = {
    Facet.QUESTION: ("userMessage", "userPrompt", "history"),
    Facet.ROUTING: ("turnRoute", "currentSkillId", "to"),
    Facet.ANSWER: ("finalContent", "llmLatestContent", "content", "history"),
}
"""Names under which a redacted record takes out what a facet tells."""
NONE_JSON = "null"
"""What is shown where a record tells that there is none."""


def run_facets(
    run_records: dy.LazyFrame[RunRecords],
    events: dy.LazyFrame[Events],
    seen_loops: dy.LazyFrame[SeenLoops],
    routing: dy.LazyFrame[Routing],
    standings: dy.LazyFrame[Standings],
    redactions: Redactions,
) -> dy.LazyFrame[RunFacets]:
    """One row per run and facet, with what the record shows of it.

    Totals are known where the events are kept from the leg's start to the turn's end. A turn without an answer has no
    standing, unless it asks; where nothing of an answer was assessed, nobody knows how it stands.
    """
    calls = seen_loops.group_by("run_id").agg(calls=pl.len())
    runs = (
        run_records.join(kept_heads(events, run_records), on="run_id")
        .join(calls, on="run_id", how="left")
        .join(routing.drop("routing"), on="run_id", how="left")
        .join(standings.select("run_id", "standing"), on="run_id", how="left")
    )
    told = [
        runs.select("run_id", "redacted_names", facet=pl.lit(facet), json=json, value=_compared(facet, json))
        for facet, json in _told().items()
    ]
    return (
        pl.concat([_without_redacted(facet, rows, redactions) for facet, rows in zip(_told(), told, strict=True)])
        .select(RunFacets.column_names())
        .pipe(RunFacets.cast)
    )


def run_rows(run_facets: dy.LazyFrame[RunFacets], run_a: str, run_b: str) -> dy.LazyFrame[DiffRows]:
    """One row per facet of the two runs. Questions are compared without capitals and white space."""
    facets = both_sides(of_run(run_facets, run_a), of_run(run_facets, run_b), ["facet"]).with_columns(
        knows_a=pl.col("value_a").is_not_null(),
        knows_b=pl.col("value_b").is_not_null(),
        iteration=pl.lit(None, pl.Int64),
        position=pl.col("facet").to_physical().cast(pl.Int64),
    )
    ground = first_of(
        (Ground.REDACTED, pl.col("kept_out_a") | pl.col("kept_out_b")),
        *not_known(),
        (Ground.OTHER_CONTENT, pl.col("value_a") != pl.col("value_b")),
    )
    return in_order(
        as_rows(
            facets.with_columns(ground=ground),
            DiffMoment.RUN,
            pl.col("facet").cast(pl.String),
            a_json=pl.col("json_a"),
            b_json=pl.col("json_b"),
        )
    ).pipe(DiffRows.cast)


def _told() -> dict[Facet, pl.Expr]:
    """What the record of a run tells of each facet, as JSON; NULL = nothing."""
    answered = pl.col("answered")
    unanswered = ~answered & pl.col("complete") & pl.col("keeps_head") & (pl.col("events") > 0)
    is_whole = answered & pl.col("complete").fill_null(value=True) & pl.col("keeps_head")
    is_routed = pl.col("status") == RoutingStatus.RECORDED
    reachable = pl.col("check_state") == CheckState.REACHABLE
    assessed = pl.col("standing") != Standing.NOT_ASSESSED
    spent = (pl.col(name).cast(pl.Int64) for name in ("input_tokens", "output_tokens"))
    tokens = filled('{"input":{},"output":{}}', *spent)
    none = pl.lit(NONE_JSON)
    return {
        Facet.QUESTION: as_json(pl.col("question")),
        Facet.CONFIGURATION: canonical(pl.col("manifest_json")),
        Facet.ROUTING: pl.when(is_routed)
        .then(pl.struct(by="decided_by", to="to_skill").struct.json_encode())
        .when(pl.col("status") == RoutingStatus.NOT_APPLICABLE)
        .then(none),
        Facet.DELIVERY: pl.when(reachable)
        .then(as_json(pl.col("delivered_verdict").cast(pl.String)))
        .when(pl.col("check_state") == CheckState.NOT_APPLICABLE)
        .then(none),
        Facet.ANSWER: pl.when(answered).then(as_json(pl.col("answer"))).when(unanswered).then(none),
        Facet.STANDING: pl.when((answered & assessed) | (pl.col("standing") == Standing.ASK))
        .then(as_json(pl.col("standing").cast(pl.String)))
        .when(unanswered)
        .then(none),
        Facet.MODEL_CALLS: pl.when(is_whole).then(pl.col("calls").fill_null(0).cast(pl.String)),
        Facet.TOKENS: pl.when(is_whole).then(tokens),
    }


def _compared(facet: Facet, json: pl.Expr) -> pl.Expr:
    """What of a facet is compared: all that is shown, but of a question only what makes it another."""
    if facet is not Facet.QUESTION:
        return json
    return pl.col("question").map_batches(lambda texts: mapped_once(texts, normalised_question), return_dtype=pl.String)


def _without_redacted(facet: Facet, rows: pl.LazyFrame, redactions: Redactions) -> pl.LazyFrame:
    hidden = touched(pl.col("json"), redactions)
    if facet in REDACTED_UNDER:
        hidden = hidden | redacted_under(REDACTED_UNDER[facet])
    return rows.with_columns(kept_out=hidden).with_columns(
        value=pl.when(~pl.col("kept_out")).then("value"),
        json=pl.when("kept_out").then(pl.lit(WITHHELD_JSON)).otherwise("json"),
    )
