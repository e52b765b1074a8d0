"""Missing context: what was available to a model call and was not sent with it.

A dropped unit is a candidate, never a cause: most of what is dropped is dropped rightly. Rule: product contract,
section 9; record format, section 21.
"""

from functools import reduce

import dataframely as dy
import polars as pl

from afp_nodes.context.stretches import CALL
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
)
from afp_nodes.words import Coverage, DropReason, Side, Sight, UnitKind

ITERATION = ["run_id", "iteration"]
"""One model call as people number it; 0 is the list of an application."""
GRADES = {
    Sight.WHOLE: Coverage.EXACT,
    Sight.FALLBACK: Coverage.CONSERVATIVE,
    Sight.PART: Coverage.UNKNOWN,
    Sight.NONE: Coverage.UNKNOWN,
}
"""What a side as a whole is worth."""
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
    evictions: dy.LazyFrame[Evictions],
    evicted_results: dy.LazyFrame[EvictedResults],
    run_records: dy.LazyFrame[RunRecords],
) -> dy.LazyFrame[ContextUnits]:
    """One row per unit of a model call, as the record shows it.

    A unit is dropped when it was available and is known not to have been sent. What is listed is known even where
    its list may be cut; what is not listed is "no" only where the whole side is shown.
    """
    both = offered_units.join(
        sent_units.rename({"position": "sent_position", "content": "sent_content"}),
        on=[*CALL, "unit_id"],
        how="full",
        coalesce=True,
        suffix="_sent",
    ).with_columns(unit_kind=pl.coalesce("unit_kind", "unit_kind_sent"))
    sided = reduce(lambda units, side: _with_side(units, side, context_sights), (Side.AVAILABLE, Side.SENT), both)
    called = sided.join(model_calls.filter("stands"), on=CALL).pipe(_with_evictions, evictions, evicted_results)
    is_dropped = pl.col("available") & ~pl.col("sent")
    grade = pl.when(pl.col("available").is_null() | pl.col("sent").is_null()).then(pl.lit(Coverage.UNKNOWN, GRADE))
    return (
        called.join(_contents(sent_units), on=["run_id", "unit_id"], how="left")
        .join(run_records.select("run_id", "redacted_names"), on="run_id")
        .sort(*CALL, "position", "sent_position", nulls_last=True)
        .with_columns(
            position=pl.int_range(pl.len()).over(CALL),
            content=_content(),
            drop_reason=pl.when(is_dropped).then(_drop_reason()),
            grade=grade.otherwise(pl.max_horizontal("available_grade", "sent_grade")),
            origin_json=_origin(),
        )
        .select(ContextUnits.column_names())
        .pipe(ContextUnits.cast)
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
    placed = frame_commits.select("run_id", "scope", "commit_idx", "loop_index")
    recorded = (
        model_calls.filter("stands")
        .join(_call_grades(context_sights), on=CALL)
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


GRADE = pl.Enum(Coverage)
"""Grades in order of strength, so that the weaker of two is the greater."""


def _with_side(units: pl.LazyFrame, side: Side, context_sights: pl.LazyFrame) -> pl.LazyFrame:
    """The units with what one side says of each, and what that is worth.

    A unit that is listed is known, if only from a part of the side.
    """
    is_listed = pl.col("position" if side is Side.AVAILABLE else "sent_position").is_not_null()
    worth = pl.col("sight").replace_strict(GRADES, return_dtype=GRADE)
    sights = context_sights.filter(pl.col("side") == side).select(*CALL, "unit_kind", "sight")
    known = pl.when(is_listed).then(pl.lit(value=True)).when(worth != Coverage.UNKNOWN).then(pl.lit(value=False))
    listed_worth = pl.when(worth == Coverage.UNKNOWN).then(pl.lit(Coverage.CONSERVATIVE, GRADE)).otherwise(worth)
    return (
        units.join(sights, on=[*CALL, "unit_kind"], how="left")
        .with_columns(pl.col("sight").fill_null(pl.lit(Sight.NONE)))
        .with_columns(known.alias(side), pl.when(is_listed).then(listed_worth).otherwise(worth).alias(f"{side}_grade"))
        .drop("sight")
    )


def _with_evictions(units: pl.LazyFrame, evictions: pl.LazyFrame, evicted_results: pl.LazyFrame) -> pl.LazyFrame:
    """The units with the last commit, and the last event, that took a tool result away before the call."""
    unit = [*CALL, "unit_id"]
    gone = units.filter(pl.col("unit_kind") == UnitKind.TOOL_RESULT, "available", ~pl.col("sent")).select(
        *unit, "scope", "commit_idx", "own_commit_idx", "start_event_idx"
    )
    in_own = (pl.col("log") == "") & (pl.col("evicted_at") < pl.col("own_commit_idx"))
    in_mount = (pl.col("log") == pl.col("scope")) & (pl.col("evicted_at") < pl.col("commit_idx"))
    committed = (
        gone.join(
            evictions.select(
                "run_id", unit_id="tool_call_id", log="scope", evicted_at="commit_idx", evicted_by="runtime_stage_id"
            ),
            on=["run_id", "unit_id"],
        )
        .filter(in_own | in_mount)
        .sort("evicted_at")
        .unique(unit, keep="last", maintain_order=True)
        .select(*unit, "log", "evicted_at", "evicted_by")
    )
    told = (
        gone.join(
            evicted_results.select(
                "run_id", unit_id="tool_call_id", evicted_event="event_idx", evicting_step="runtime_stage_id"
            ),
            on=["run_id", "unit_id"],
        )
        .filter(pl.col("evicted_event") < pl.col("start_event_idx"))
        .sort("evicted_event")
        .unique(unit, keep="last", maintain_order=True)
        .select(*unit, "evicted_event", "evicting_step")
    )
    return units.join(committed, on=unit, how="left").join(told, on=unit, how="left")


def _drop_reason() -> pl.Expr:
    """The recorded reason where it is one of the known words; a result that was taken away was evicted."""
    evicted = pl.coalesce("evicted_at", "evicted_event").is_not_null()
    word = pl.when(pl.col("drop_reason").is_in(list(DropReason))).then("drop_reason")
    return pl.when(evicted).then(pl.lit(DropReason.EVICTED)).otherwise(word)


def _contents(sent_units: pl.LazyFrame) -> pl.LazyFrame:
    """The content under which each unit was first sent in its run."""
    return (
        sent_units.drop_nulls("content")
        .sort("call", "position")
        .unique(["run_id", "unit_id"], keep="first", maintain_order=True)
        .select("run_id", "unit_id", known_content="content")
    )


def _content() -> pl.Expr:
    """What was sent, else what was offered, else what was sent at another call; never what the record redacts."""
    names = pl.col("redacted_names")
    hidden = pl.any_horizontal(
        (pl.col("unit_kind") == kind) & names.list.contains(name)
        for kind, taken in CONTENT_NAMES.items()
        for name in taken
    )
    return pl.when(~hidden.fill_null(value=False)).then(pl.coalesce("sent_content", "content", "known_content"))


def _origin() -> pl.Expr:
    """Where both sides stand in the record, the id as slots spell it, and what took the unit away."""
    return pl.struct(
        available_event="event_idx",
        available_commit="commit_idx",
        sent_event="event_idx_sent",
        sent_commit="commit_idx_sent",
        spelling="spelling",
        reason="drop_reason",
        evicted_by=pl.coalesce("evicted_by", "evicting_step").cast(pl.String),
        evicted_scope=pl.col("log").cast(pl.String),
        evicted_commit="evicted_at",
        evicted_event="evicted_event",
    ).struct.json_encode()


def _call_grades(context_sights: pl.LazyFrame) -> pl.LazyFrame:
    """The grade of each call, and whether anything of either side is shown.

    Only kinds with a trace on the available side weaken it; where there is none, what was sent decides.
    """
    worth = pl.col("sight").replace_strict(GRADES, return_dtype=GRADE)
    is_available = pl.col("side") == Side.AVAILABLE
    no_kind = ~is_available.any()
    shown = pl.col("sight") != Sight.NONE
    return (
        context_sights.with_columns(worth=worth, is_traced=is_available.any().over(*CALL, "unit_kind"))
        .group_by(CALL)
        .agg(
            grade=pl.coalesce(
                pl.col("worth").filter("is_traced").max(),
                pl.col("worth").filter(pl.col("unit_kind") == UnitKind.INJECTION).max(),
            ),
            shows_available=(is_available & shown).any() | (no_kind & shown.all()),
            shows_sent=(~is_available & shown).any(),
        )
    )
