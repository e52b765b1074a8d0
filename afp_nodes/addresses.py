"""How a place in the record is addressed: by run, by the log of a scope, by what in that log."""

import polars as pl

LOG_KEY = ["run_id", "scope", "key"]
"""One variable of one log."""
LOG_POSITION = ["run_id", "scope", "commit_idx"]
"""One commit of one log."""
LOG_STEP = ["run_id", "scope", "runtime_stage_id"]
"""One execution step of one log; it may commit more than once."""


def first_row_of_key() -> pl.Expr:
    """Row at which the rows of this row's variable begin, in a frame sorted by variable."""
    variable = pl.struct(LOG_KEY)
    row = pl.int_range(pl.len())
    return pl.when(variable.ne_missing(variable.shift(1)) | (row == 0)).then(row).forward_fill()
