"""Naming: a tool call goes by its tool and its arguments.

The id of a call is the provider's and means nothing in another run, so no call is known by it. Rule: product contract,
section 4.
"""

import polars as pl

from afp_nodes import javascript
from afp_nodes.comparison.sides import LOOP
from afp_nodes.distinct import mapped_once
from afp_nodes.studies.canonical import canonical_json
from afp_nodes.templates import filled

NO_LATER_CALL = 2**62


def made_calls(seen_loops: pl.LazyFrame, tool_calls: pl.LazyFrame) -> pl.LazyFrame:
    """The calls that the events between a loop's model call and the next one show, numbered by `position`."""
    at = pl.coalesce("start_event_idx", "end_event_idx")
    spans = seen_loops.select(
        *LOOP, from_idx="start_event_idx", to_idx=pl.col("next_event_idx").fill_null(NO_LATER_CALL)
    ).drop_nulls("from_idx")
    return (
        tool_calls.drop("iteration")
        .join(spans, on="run_id")
        .filter(at.is_between("from_idx", "to_idx", closed="none"))
        .with_columns(position=pl.int_range(pl.len()).over(LOOP, order_by=at))
    )


def named(tool: pl.Expr, arguments: pl.Expr) -> pl.Expr:
    """A call's name: its tool and its arguments as one canonical text; NULL where either is not recorded."""
    return filled("[{},{}]", tool.map_batches(_quoted, return_dtype=pl.String), canonical(arguments))


def call_name(tool: str, arguments: object) -> str:
    """The same of a call that is at hand."""
    return canonical_json([tool, arguments])


def canonical(texts: pl.Expr) -> pl.Expr:
    """JSON texts as those that are equal for equal values; numbers count as doubles, members in any order."""
    return texts.map_batches(
        lambda column: mapped_once(column, lambda text: canonical_json(javascript.parse(text))),
        return_dtype=pl.String,
    )


def _quoted(texts: pl.Series) -> pl.Series:
    return mapped_once(texts, canonical_json)
