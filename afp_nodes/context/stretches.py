"""Stretches: which rows of a record belong to which model call. Rule: product contract, section 9."""

import polars as pl

from afp_nodes.words import Place, Slot

LEG_STARTS = (
    "agentfootprint.agent.run_configured",
    "agentfootprint.agent.turn_start",
    "agentfootprint.pause.resume",
)
"""Events that open a leg: whatever was composed in it comes after them."""
TURN_START = "agentfootprint.agent.turn_start"
CALL = ["run_id", "call"]
"""One model call."""
CALL_SLOT = ["run_id", "call", "slot"]
"""One slot of one model call."""
MEMORY_READ = r"(?:^|/)sf-memory-read-([^/#]*)"
"""The step that reads a memory, in the id of a stage or of a step inside it; it ends with the memory's own id."""


def of_calls(rows: pl.LazyFrame, model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """Rows of events with the `call` in whose stretch they lie; those after the last start lie in none."""
    starts = model_calls.drop_nulls("start_event_idx").select("run_id", "call", "start_event_idx")
    return (
        rows.sort("event_idx")
        .join_asof(
            starts.sort("start_event_idx"),
            left_on="event_idx",
            right_on="start_event_idx",
            by="run_id",
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .drop_nulls("call")
    )


def of_turn(calls: pl.LazyFrame, rows: pl.LazyFrame, events: pl.LazyFrame) -> pl.LazyFrame:
    """Rows of events with each `call` of the same turn that started after them."""
    turns = events.filter(pl.col("own"), pl.col("type") == TURN_START).select("run_id", turn_start="event_idx")
    return (
        calls.drop_nulls("start_event_idx")
        .sort("start_event_idx")
        .join_asof(
            turns.sort("turn_start"),
            left_on="start_event_idx",
            right_on="turn_start",
            by="run_id",
            strategy="backward",
            check_sortedness=False,
        )
        .select("run_id", "call", "start_event_idx", turn_start=pl.col("turn_start").fill_null(-1))
        .join(rows, on="run_id")
        .filter(pl.col("event_idx").is_between("turn_start", "start_event_idx", closed="none"))
    )


def composed_records(injected_records: pl.LazyFrame, composed: pl.LazyFrame, model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The records of each call's slots, those of the last composition where there is one, in recorded order."""
    last = composed.select(*CALL_SLOT, last_stage_id="runtime_stage_id", is_composed=pl.lit(value=True))
    of_last = pl.col("runtime_stage_id").eq_missing(pl.col("last_stage_id"))
    return (
        of_calls(injected_records.filter(pl.col("slot").is_in(list(Slot))), model_calls)
        .with_columns(pl.col("slot").cast(pl.Enum(Slot)))
        .join(last, on=CALL_SLOT, how="left")
        .filter(of_last | pl.col("is_composed").is_null())
    )


def results_before(calls: pl.LazyFrame, tool_sightings: pl.LazyFrame) -> pl.LazyFrame:
    """Where each call's record shows tool results before the call."""
    place, log_idx = (
        pl.col("place"),
        pl.when(pl.col("place_scope") == "").then("own_commit_idx").otherwise("commit_idx"),
    )
    in_its_log = (pl.col("place_scope") == "") | (pl.col("place_scope") == pl.col("scope"))
    not_committed_yet = pl.col("own_commit_idx").is_null() & (pl.col("place_scope") == "")
    logged_before = pl.col("scope").is_not_null() & in_its_log & ((pl.col("idx") < log_idx) | not_committed_yet)
    shown = (
        pl.when(place == Place.EVENT)
        .then(pl.col("idx") < pl.col("start_event_idx"))
        .when(place == Place.LOG)
        .then(logged_before)
        .otherwise(pl.lit(value=True))
    )
    return calls.join(tool_sightings.rename({"scope": "place_scope"}), on="run_id").filter(shown.fill_null(value=False))


def kept_heads(events: pl.LazyFrame, run_records: pl.LazyFrame) -> pl.LazyFrame:
    """Whether the events of each run are there from the start of its leg, and whether the leg goes on another."""
    opened = (
        events.filter("own", pl.col("type").is_in(LEG_STARTS))
        .group_by("run_id")
        .agg(has_start=pl.lit(value=True).first())
    )
    nothing_dropped = (pl.col("dropped_events") == 0) | (pl.col("first_retained_event_index") == 0)
    not_said = pl.col("dropped_events").is_null() & pl.col("has_start").fill_null(value=False)
    return run_records.join(opened, on="run_id", how="left").select(
        "run_id",
        keeps_head=(nothing_dropped.fill_null(value=False) | not_said) & pl.col("events").is_not_null(),
        goes_on=pl.col("resumed_leg").fill_null(value=True),
    )


def memory_of(step: str) -> pl.Expr:
    """The memory that a step, or a step inside it, reads; NULL for any other step."""
    return pl.col(step).cast(pl.String).str.extract(MEMORY_READ)
