"""Places: where in a record something stands, as JSON text."""

import polars as pl

from afp_nodes import javascript
from afp_nodes.distinct import mapped_once
from afp_nodes.templates import filled

NOWHERE = "[]"


def event(index: str) -> pl.Expr:
    """The place of an event; NULL without one."""
    return filled('{"event_idx":{}}', index)


def commit(scope: str, index: str) -> pl.Expr:
    """The place of a commit of a log; NULL without one."""
    log = pl.col(scope).cast(pl.String)
    quoted = log.map_batches(lambda names: mapped_once(names, javascript.stringify), return_dtype=pl.String)
    return filled('{"scope":{},"commit_idx":{}}', quoted, index)


def places(*of_each: pl.Expr) -> pl.Expr:
    """The places that are there, as a list."""
    return filled("[{}]", pl.concat_str(*of_each, separator=",", ignore_nulls=True))
