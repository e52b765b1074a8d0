"""Missing context: what was available to a model call and was not sent with it.

A dropped unit is a candidate, never a cause: most of what is dropped is dropped rightly. Rule: product contract,
section 9; record format, section 21.
"""

import dataframely as dy
import polars as pl

from afp_nodes.addresses import first_row_of, is_model_call
from afp_nodes.context.offered import UNIT
from afp_nodes.context.sent import UNIT_KIND
from afp_nodes.context.stretches import is_before_call
from afp_nodes.schemas import (
    ContextSights,
    ContextUnits,
    DeclaredLists,
    DeclaredUnits,
    EvictedResults,
    Evictions,
    FrameCommits,
    MissingContext,
    MissingContextSummary,
    ModelCalls,
    OfferedUnits,
    RunRecords,
    SentUnits,
    UnitEvictions,
)
from afp_nodes.words import Coverage, DropReason, Side, Sight, UnitKind

ITERATION = ["run_id", "iteration"]
"""One model call as people number it; 0 is the list of an application."""
GRADE = pl.Enum(Coverage)
"""Grades in order of strength, so that the weaker of two is the greater."""
GRADES = {
    Sight.WHOLE: Coverage.EXACT,
    Sight.FALLBACK: Coverage.CONSERVATIVE,
    Sight.PART: Coverage.UNKNOWN,
    Sight.NONE: Coverage.UNKNOWN,
}
"""What a side as a whole is worth."""
WORTH = pl.col("sight").replace_strict(GRADES, return_dtype=GRADE)
CONSERVATIVE, UNKNOWN = (pl.lit(grade, GRADE) for grade in (Coverage.CONSERVATIVE, Coverage.UNKNOWN))
CONTENT_NAMES = {
    UnitKind.INJECTION: ("rawContent",),
    UnitKind.MEMORY: ("rawContent",),
    UnitKind.TOOL_RESULT: ("result", "history", "lastToolResult"),
}
"""Names under which a redacted record takes a unit's content out: it is not shown from another place either."""


def context_units(
    recorded_units: dy.LazyFrame[ContextUnits], declared_context: dy.LazyFrame[ContextUnits]
) -> dy.LazyFrame[ContextUnits]:
    """One row per unit of a model call or of a unit list, available or sent."""
    return pl.concat([declared_context, recorded_units]).pipe(ContextUnits.cast)


def declared_context(
    declared_lists: dy.LazyFrame[DeclaredLists], declared_units: dy.LazyFrame[DeclaredUnits]
) -> dy.LazyFrame[ContextUnits]:
    """One row per unit of a list that an application made, as iteration 0.

    Of repeated ids the first stands, with its content. A list shows both its sides wholly.
    """
    first = (
        declared_units.join(declared_lists, on="run_id", how="semi")
        .sort("run_id", "position")
        .unique(["run_id", "side", "unit_id"], keep="first", maintain_order=True)
    )
    available = first.filter(pl.col("side") == Side.AVAILABLE)
    sent = first.filter(pl.col("side") == Side.SENT)
    return (
        available.join(sent, on=["run_id", "unit_id"], how="full", coalesce=True, suffix="_sent")
        .sort("run_id", "position", "position_sent", nulls_last=True)
        .select(
            "run_id",
            "unit_id",
            iteration=pl.lit(0, pl.Int64),
            position=pl.int_range(pl.len()).over("run_id"),
            unit_kind=pl.lit(UnitKind.DECLARED),
            content=pl.coalesce("content", "content_sent"),
            available=pl.col("side").is_not_null(),
            sent=pl.col("side_sent").is_not_null(),
            drop_reason=pl.lit(None, pl.String),
            grade=pl.lit(Coverage.EXACT),
            origin_json=pl.struct(available_position="position", sent_position="position_sent").struct.json_encode(),
        )
        .select(ContextUnits.column_names())
        .pipe(ContextUnits.cast)
    )


def recorded_units(
    model_calls: dy.LazyFrame[ModelCalls],
    offered_units: dy.LazyFrame[OfferedUnits],
    sent_units: dy.LazyFrame[SentUnits],
    context_sights: dy.LazyFrame[ContextSights],
    unit_evictions: dy.LazyFrame[UnitEvictions],
    run_records: dy.LazyFrame[RunRecords],
) -> dy.LazyFrame[ContextUnits]:
    """One row per unit of a model call, as the record shows it.

    A unit is dropped when it was available and is known not to have been sent. What is listed is known even where
    its list may be cut; what is not listed is "no" only where the whole side is shown.
    """
    both = offered_units.join(
        sent_units.rename({"position": "sent_position", "content": "sent_content"}),
        on=["run_id", *UNIT],
        how="full",
        coalesce=True,
        suffix="_sent",
    ).with_columns(unit_kind=pl.coalesce("unit_kind", "unit_kind_sent"))
    return (
        both.join(_worths(context_sights), on=["call", "unit_kind"], how="left")
        .with_columns(*_side(Side.AVAILABLE, "position"), *_side(Side.SENT, "sent_position"))
        .with_columns(is_dropped=(pl.col("available") & ~pl.col("sent")).fill_null(value=False))
        .join(unit_evictions.drop("run_id"), on=UNIT, how="left")
        .join(_contents(sent_units), on=["run_id", "unit_id", "unit_kind"], how="left")
        .join(_hidden_contents(run_records), on=["run_id", "unit_kind"], how="left")
        .join(model_calls.select("call", "iteration", "scope"), on="call")
        .with_columns(
            content=pl.when(pl.col("is_hidden").is_null()).then(
                pl.coalesce("sent_content", "content", "known_content")
            ),
            drop_reason=pl.when("is_dropped").then(_drop_reason()),
            grade=pl.max_horizontal("available_grade", "sent_grade"),
            origin_json=_origin(),
        )
        .sort("call", "position", "sent_position", nulls_last=True)
        .with_columns(position=pl.int_range(pl.len()) - first_row_of("call"))
        .select(ContextUnits.column_names())
        .pipe(ContextUnits.cast)
    )


def unit_evictions(
    model_calls: dy.LazyFrame[ModelCalls],
    offered_units: dy.LazyFrame[OfferedUnits],
    evictions: dy.LazyFrame[Evictions],
    evicted_results: dy.LazyFrame[EvictedResults],
) -> dy.LazyFrame[UnitEvictions]:
    """One row per tool result offered to a call that a commit or an event took away before it; the last one counts."""
    calls = model_calls.filter("stands").rename({"commit_idx": "call_commit_idx", "number": "call_number"})
    results = offered_units.filter(pl.col("unit_kind") == UnitKind.TOOL_RESULT).select(*UNIT)
    offered = calls.join(results, on="call")
    left_out = evictions.select(
        "run_id",
        "number",
        unit_id="tool_call_id",
        evicted_by="runtime_stage_id",
        evicted_scope="scope",
        evicted_commit="commit_idx",
    )
    committed = (
        offered.join(left_out, on=["run_id", "unit_id"])
        .filter(is_before_call(pl.col("evicted_scope"), "evicted_commit", "number"))
        .sort("number", "evicted_commit", descending=True, nulls_last=False)
        .unique(UNIT, keep="first", maintain_order=True)
    )
    told = (
        offered.join(
            evicted_results.select(
                "run_id", unit_id="tool_call_id", evicted_event="event_idx", evicting_step="runtime_stage_id"
            ),
            on=["run_id", "unit_id"],
        )
        .filter(pl.col("evicted_event") < pl.col("start_event_idx"))
        .sort("evicted_event")
        .unique(UNIT, keep="last", maintain_order=True)
    )
    return (
        committed.select("run_id", *UNIT, "evicted_by", "evicted_scope", "evicted_commit")
        .join(
            told.select("run_id", *UNIT, "evicted_event", "evicting_step"),
            on=["run_id", *UNIT],
            how="full",
            coalesce=True,
        )
        .with_columns(evicted_by=pl.coalesce("evicted_by", "evicting_step"))
        .select(UnitEvictions.column_names())
        .pipe(UnitEvictions.cast)
    )


def missing_context(context_units: dy.LazyFrame[ContextUnits]) -> dy.LazyFrame[MissingContext]:
    """One row per unit that was available and was not sent, in the order in which units were available."""
    return (
        context_units.filter(pl.col("available"), ~pl.col("sent"))
        .sort(*ITERATION, "position")
        .with_columns(position=pl.int_range(pl.len()).over(ITERATION))
        .select(MissingContext.column_names())
        .pipe(MissingContext.cast)
    )


def missing_context_summary(
    context_units: dy.LazyFrame[ContextUnits],
    model_calls: dy.LazyFrame[ModelCalls],
    context_sights: dy.LazyFrame[ContextSights],
    declared_lists: dy.LazyFrame[DeclaredLists],
    frame_commits: dy.LazyFrame[FrameCommits],
) -> dy.LazyFrame[MissingContextSummary]:
    """One row per model call, and one per unit list as iteration 0."""
    counts = context_units.group_by(ITERATION).agg(
        available_count=pl.col("available").sum().cast(pl.Int64),
        sent_count=pl.col("sent").sum().cast(pl.Int64),
        dropped_count=(pl.col("available") & ~pl.col("sent")).sum().cast(pl.Int64),
    )
    placed = frame_commits.filter(is_model_call()).select("run_id", "scope", "commit_idx", "loop_index")
    recorded = (
        model_calls.filter("stands")
        .join(_call_grades(context_sights), on="call")
        .join(placed, on=["run_id", "scope", "commit_idx"], how="left")
    )
    declared = declared_lists.select(
        "run_id",
        iteration=pl.lit(0, pl.Int64),
        loop_index=pl.lit(None, pl.Int64),
        grade=pl.lit(Coverage.EXACT, GRADE),
        shows_available=pl.lit(value=True),
        shows_sent=pl.lit(value=True),
    )
    columns = [*ITERATION, "loop_index", "grade", "shows_available", "shows_sent"]
    some_known = (pl.col("dropped_count") > 0) | (pl.col("grade") != Coverage.UNKNOWN)
    return (
        pl.concat([declared.select(columns), recorded.select(columns)])
        .join(counts, on=ITERATION, how="left")
        .with_columns(pl.col("available_count", "sent_count", "dropped_count").fill_null(0))
        .with_columns(
            available_count=pl.when("shows_available").then("available_count"),
            sent_count=pl.when("shows_sent").then("sent_count"),
            dropped_count=pl.when(some_known).then("dropped_count"),
            any_dropped=pl.when(some_known).then(pl.col("dropped_count") > 0),
        )
        .select(MissingContextSummary.column_names())
        .pipe(MissingContextSummary.cast)
    )


def _worths(context_sights: pl.LazyFrame) -> pl.LazyFrame:
    """What each side of each kind is worth, one row per call and kind."""
    by_side = [
        context_sights.filter(pl.col("side") == side).select("call", "unit_kind", WORTH.alias(f"{side}_worth"))
        for side in Side
    ]
    return by_side[0].join(by_side[1], on=["call", "unit_kind"], how="full", coalesce=True)


def _side(side: Side, listed_at: str) -> tuple[pl.Expr, pl.Expr]:
    """What one side says of a unit, and what that is worth.

    A unit that is listed is known, if only from a part of the side.
    """
    worth, is_listed = pl.col(f"{side}_worth").fill_null(UNKNOWN), pl.col(listed_at).is_not_null()
    known = pl.when(is_listed).then(pl.lit(value=True)).when(worth != UNKNOWN).then(pl.lit(value=False))
    grade = pl.when(is_listed & (worth == UNKNOWN)).then(CONSERVATIVE).otherwise(worth)
    return known.alias(side), grade.alias(f"{side}_grade")


def _drop_reason() -> pl.Expr:
    """The recorded reason where it is one of the known words; a result that was taken away was evicted."""
    evicted = pl.col("evicted_commit").is_not_null() | pl.col("evicted_event").is_not_null()
    word = pl.when(pl.col("drop_reason").is_in(list(DropReason))).then("drop_reason")
    return pl.when(evicted).then(pl.lit(DropReason.EVICTED)).otherwise(word)


def _contents(sent_units: pl.LazyFrame) -> pl.LazyFrame:
    """The content under which each unit was first sent in its run."""
    return (
        sent_units.drop_nulls("content")
        .sort("call")
        .unique(["run_id", "unit_id", "unit_kind"], keep="first", maintain_order=True)
        .select("run_id", "unit_id", "unit_kind", known_content="content")
    )


def _hidden_contents(run_records: pl.LazyFrame) -> pl.LazyFrame:
    """The kinds of units whose content a run's record takes out."""
    names = pl.LazyFrame(
        [(kind, name) for kind, names in CONTENT_NAMES.items() for name in names],
        schema={"unit_kind": UNIT_KIND, "redacted_names": pl.String},
        orient="row",
    )
    return (
        run_records.select("run_id", "redacted_names")
        .filter(pl.col("redacted_names").list.len() > 0)
        .explode("redacted_names")
        .join(names, on="redacted_names")
        .select("run_id", "unit_kind", is_hidden=pl.lit(value=True))
        .unique()
    )


def _origin() -> pl.Expr:
    """Where both sides stand in the record, the id of a memory in both spellings, and what took the unit away."""
    is_memory = pl.col("unit_kind") == UnitKind.MEMORY
    sent_elsewhere = pl.col("commit_idx_sent").is_not_null() & (pl.col("scope") != "")
    return pl.struct(
        available_event="event_idx",
        available_scope=pl.when(pl.col("commit_scope") != "").then(pl.col("commit_scope").cast(pl.String)),
        available_commit="commit_idx",
        sent_event="event_idx_sent",
        sent_scope=pl.when(sent_elsewhere).then(pl.col("scope").cast(pl.String)),
        sent_commit="commit_idx_sent",
        entry=pl.when(is_memory).then("unit_id"),
        spelling="spelling",
        reason="drop_reason",
        evicted_by=pl.when("is_dropped").then(pl.col("evicted_by").cast(pl.String)),
        evicted_scope=pl.when("is_dropped").then(pl.col("evicted_scope").cast(pl.String)),
        evicted_commit=pl.when("is_dropped").then("evicted_commit"),
        evicted_event=pl.when("is_dropped").then("evicted_event"),
    ).struct.json_encode()


def _call_grades(context_sights: pl.LazyFrame) -> pl.LazyFrame:
    """The grade of each call, and whether anything of either side is shown.

    Only kinds with a trace on the available side weaken it; where there is none, what was sent decides.
    """
    is_available = pl.col("side") == Side.AVAILABLE
    traced = context_sights.filter(is_available).select("call", "unit_kind", is_traced=pl.lit(value=True))
    shown, no_kind = pl.col("sight") != Sight.NONE, pl.col("is_traced").is_null().all()
    of_injections = pl.col("unit_kind") == UnitKind.INJECTION
    weakest = [pl.col("sight").filter(which).max() for which in (pl.col("is_traced"), of_injections)]
    return (
        context_sights.join(traced, on=["call", "unit_kind"], how="left")
        .group_by("call")
        .agg(
            grade=pl.coalesce(weakest),
            shows_available=(is_available & shown).any() | (no_kind & shown.all()),
            shows_sent=(~is_available & shown).any(),
        )
        .rename({"grade": "sight"})
        .with_columns(grade=WORTH)
    )
