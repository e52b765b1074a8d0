"""Calls: the tool calls that were made in each loop, and how each ended. Rule: product contract, section 4."""

import dataframely as dy
import polars as pl

from afp_nodes.comparison.naming import canonical, made_calls, named
from afp_nodes.comparison.places import event, places
from afp_nodes.comparison.redaction import Redactions, redacted_under, touched
from afp_nodes.comparison.sides import LOOP
from afp_nodes.schemas import LoopCalls, RunRecords, SeenLoops, ToolCalls
from afp_nodes.words import CallStatus

ARGUMENT_NAMES = ("args", "toolCalls", "llmLatestToolCalls")
RESULT_NAMES = ("result", "lastToolResult", "toolResults", "history")
"""Names under which a redacted record takes out what a tool was called with, and what it gave."""


def loop_calls(
    seen_loops: dy.LazyFrame[SeenLoops],
    tool_calls: dy.LazyFrame[ToolCalls],
    run_records: dy.LazyFrame[RunRecords],
    redactions: Redactions,
) -> dy.LazyFrame[LoopCalls]:
    """One row per tool call made in a loop.

    A call whose start is not recorded, or not its arguments, has no name. One that began in an earlier leg belongs to a
    loop of that leg: here its result shows in the context.
    """
    result = canonical(pl.col("result_json"))
    hidden_result = redacted_under(RESULT_NAMES) | touched(result, redactions) | touched(pl.col("error"), redactions)
    name = named(pl.col("tool_name"), pl.col("args_json"))
    hidden_name = redacted_under(ARGUMENT_NAMES) | touched(name, redactions)
    return (
        made_calls(seen_loops, tool_calls)
        .join(run_records.select("run_id", "redacted_names"), on="run_id")
        .with_columns(name=pl.when(~hidden_name).then(name), kept_out=hidden_result)
        .with_columns(
            occurrence=pl.int_range(pl.len()).over(*LOOP, "name", order_by="position"),
            status=pl.when(pl.col("status") != CallStatus.UNKNOWN).then("status"),
            result_json=pl.when(~pl.col("kept_out")).then(result),
            error=pl.when(~pl.col("kept_out")).then("error"),
            places_json=places(event("start_event_idx"), event("end_event_idx")),
        )
        .select(LoopCalls.column_names())
        .pipe(LoopCalls.cast)
    )
