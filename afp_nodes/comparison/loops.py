"""Loops side by side: which loops each record shows, and where a record says that there was no further one.

Loops are aligned by the number of their model call. Rule: product contract, section 4.
"""

import dataframely as dy
import polars as pl

from afp_nodes.comparison.sides import of_run
from afp_nodes.schemas import AlignedLoops, ModelCalls, RunRecords, SeenLoops
from afp_nodes.words import LoopSight


def seen_loops(model_calls: dy.LazyFrame[ModelCalls], run_records: dy.LazyFrame[RunRecords]) -> dy.LazyFrame[SeenLoops]:
    """One row per loop that a record shows; of calls with one number the last.

    A loop is closed where the events show what came after it. Before that, what they do not show may still have come.
    """
    starts, answered = pl.col("start_event_idx"), pl.col("answered").fill_null(value=False)
    next_start = starts.shift(-1).fill_null(strategy="backward").over("run_id", order_by="call")
    return (
        model_calls.with_columns(next_event_idx=next_start)
        .filter("stands")
        .join(run_records.select("run_id", "answered"), on="run_id")
        .with_columns(is_closed=starts.is_not_null() & (pl.col("next_event_idx").is_not_null() | answered))
        .select(SeenLoops.column_names())
        .pipe(SeenLoops.cast)
    )


def aligned_loops(
    seen_loops: dy.LazyFrame[SeenLoops], run_records: dy.LazyFrame[RunRecords], run_a: str, run_b: str
) -> dy.LazyFrame[AlignedLoops]:
    """One row per loop that either record shows, with what each says of it.

    A run has ended before a loop where its record shows the turn's end, and no call with that number or a later one.
    Of a run that was cut off, that crashed or that waits, nobody knows what would have come; nor does a later leg show
    the loops of an earlier one.
    """
    a, b = _last_loops(seen_loops, run_records, run_a), _last_loops(seen_loops, run_records, run_b)
    loops_a, loops_b = (
        of_run(seen_loops, run).select("iteration", pl.lit(value=True).alias(side))
        for run, side in ((run_a, "a"), (run_b, "b"))
    )
    return (
        loops_a.join(loops_b, on="iteration", how="full", coalesce=True)
        .join(a.select(last_a="last"), how="cross")
        .join(b.select(last_b="last"), how="cross")
        .select("iteration", sight_a=_sight("a"), sight_b=_sight("b"))
        .sort("iteration")
        .pipe(AlignedLoops.cast)
    )


def _last_loops(seen_loops: pl.LazyFrame, run_records: pl.LazyFrame, run_id: str) -> pl.LazyFrame:
    """One row: the last loop of a run, where its record says that there was no further one; else NULL."""
    has_ended = pl.col("answered").fill_null(value=False) & pl.col("complete").fill_null(value=True)
    ends = of_run(run_records, run_id).select(has_ended=has_ended.any())
    last = of_run(seen_loops, run_id).select(last=pl.col("iteration").max())
    return pl.concat([ends, last], how="horizontal").select(last=pl.when("has_ended").then("last"))


def _sight(side: str) -> pl.Expr:
    return (
        pl.when(side)
        .then(pl.lit(LoopSight.SHOWN))
        .when(pl.col("iteration") > pl.col(f"last_{side}"))
        .then(pl.lit(LoopSight.ENDED))
        .otherwise(pl.lit(LoopSight.NOT_SHOWN))
    )
