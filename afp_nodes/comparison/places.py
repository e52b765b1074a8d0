"""Places: where in a record something stands, as JSON text."""

import polars as pl

from afp_nodes import javascript
from afp_nodes.distinct import mapped_once

NOWHERE = "[]"


def event(index: str) -> pl.Expr:
    """The place of an event; NULL without one."""
    return pl.concat_str(pl.lit('{"event_idx":'), pl.col(index), pl.lit("}"))


def commit(scope: str, index: str) -> pl.Expr:
    """The place of a commit of a log; NULL without one."""
    log = (
        pl.col(scope)
        .cast(pl.String)
        .map_batches(lambda names: mapped_once(names, javascript.stringify), return_dtype=pl.String)
    )
    return pl.concat_str(pl.lit('{"scope":'), log, pl.lit(',"commit_idx":'), pl.col(index), pl.lit("}"))


def places(*of_each: pl.Expr) -> pl.Expr:
    """The places that are there, as a list."""
    return pl.concat_str(pl.lit("["), pl.concat_str(*of_each, separator=",", ignore_nulls=True), pl.lit("]"))
