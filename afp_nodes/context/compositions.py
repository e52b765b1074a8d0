"""Compositions: what the events of each call's stretch say its slots were composed of, and how far that is proven.

A list of records is proven whole by the breakdown of its composition, which counts them; without one, by the record
having kept every event of the stretch. Rule: product contract, section 9.
"""

import dataframely as dy
import polars as pl

from afp_nodes.context.stretches import CALL_SLOT, composed_records, of_calls
from afp_nodes.schemas import ComposedSlots, InjectedRecords, ModelCalls, SlotCompositions
from afp_nodes.words import Sight, Slot


def composed_slots(
    slot_compositions: dy.LazyFrame[SlotCompositions],
    injected_records: dy.LazyFrame[InjectedRecords],
    model_calls: dy.LazyFrame[ModelCalls],
) -> dy.LazyFrame[ComposedSlots]:
    """One row per slot that the events since the call before show; the last composition of it counts."""
    composed = _last_compositions(slot_compositions, model_calls)
    shown = (
        composed_records(injected_records, composed, model_calls).group_by(CALL_SLOT).agg(shown=pl.len().cast(pl.Int64))
    )
    whole = model_calls.select("run_id", "call", "is_whole")
    proven = pl.col("records") == pl.col("shown").fill_null(0)
    return (
        composed.join(shown, on=CALL_SLOT, how="full", coalesce=True)
        .join(whole, on=["run_id", "call"])
        .with_columns(
            sight=pl.when(pl.coalesce(proven, "is_whole")).then(pl.lit(Sight.WHOLE)).otherwise(pl.lit(Sight.PART))
        )
        .select(ComposedSlots.column_names())
        .pipe(ComposedSlots.cast)
    )


def _last_compositions(slot_compositions: pl.LazyFrame, model_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The last composition of each slot in each call's stretch."""
    return (
        of_calls(slot_compositions.filter(pl.col("slot").is_in(list(Slot))), model_calls)
        .with_columns(pl.col("slot").cast(pl.Enum(Slot)))
        .sort("event_idx")
        .unique(CALL_SLOT, keep="last", maintain_order=True)
        .select(*CALL_SLOT, "runtime_stage_id", "records")
    )
