"""Compositions: what the events of each call's stretch say its slots were composed of, and how far that is proven.

A list of records is proven whole by the breakdown of its composition, which counts them; without one, by the record
having kept every event of the stretch. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import ComposedRecords, ComposedSlots, InjectedRecords, ModelCalls, SlotCompositions
from afp_nodes.words import Sight, Slot

CALL_SLOT = ["call", "slot"]
"""One slot of one model call."""


def last_compositions(slot_compositions: dy.LazyFrame[SlotCompositions]) -> dy.LazyFrame[SlotCompositions]:
    """One row per slot that was composed in a call's stretch: the last composition of it counts."""
    return (
        slot_compositions.filter(pl.col("call").is_not_null(), pl.col("slot").is_in(list(Slot)))
        .sort("event_idx")
        .unique(CALL_SLOT, keep="last", maintain_order=True)
        .pipe(SlotCompositions.cast)
    )


def composed_records(
    injected_records: dy.LazyFrame[InjectedRecords], last_compositions: dy.LazyFrame[SlotCompositions]
) -> dy.LazyFrame[ComposedRecords]:
    """One row per record that the events of a call's stretch put into a slot.

    Where the slot was composed there, those of its last composition.
    """
    last = last_compositions.select(*CALL_SLOT, last_stage_id="runtime_stage_id", is_composed=pl.lit(value=True))
    of_last = pl.col("runtime_stage_id").eq_missing(pl.col("last_stage_id"))
    return (
        injected_records.filter(pl.col("call").is_not_null(), pl.col("slot").is_in(list(Slot)))
        .join(last, on=CALL_SLOT, how="left")
        .filter(of_last | pl.col("is_composed").is_null())
        .select(ComposedRecords.column_names())
        .pipe(ComposedRecords.cast)
    )


def composed_slots(
    last_compositions: dy.LazyFrame[SlotCompositions],
    composed_records: dy.LazyFrame[ComposedRecords],
    injected_records: dy.LazyFrame[InjectedRecords],
    model_calls: dy.LazyFrame[ModelCalls],
) -> dy.LazyFrame[ComposedSlots]:
    """One row per slot that the events since the call before show.

    Where no breakdown counts, a record that does not say its slot may belong to any.
    """
    composed = last_compositions.select("run_id", "call", pl.col("slot").cast(pl.Enum(Slot)), "records")
    shown = composed_records.group_by("run_id", *CALL_SLOT).agg(shown=pl.len().cast(pl.Int64))
    unplaced = injected_records.filter(pl.col("slot").is_null()).select("call", is_unplaced=pl.lit(value=True)).unique()
    proven = pl.col("records") == pl.col("shown").fill_null(0)
    kept = pl.col("is_whole") & pl.col("is_unplaced").is_null()
    return (
        composed.join(shown, on=["run_id", *CALL_SLOT], how="full", coalesce=True)
        .join(model_calls.select("call", "is_whole"), on="call")
        .join(unplaced, on="call", how="left")
        .with_columns(sight=pl.when(pl.coalesce(proven, kept)).then(pl.lit(Sight.WHOLE)).otherwise(pl.lit(Sight.PART)))
        .select(ComposedSlots.column_names())
        .pipe(ComposedSlots.cast)
    )
