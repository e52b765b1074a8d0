"""How a place in the record is addressed: by run, by the log of a scope, by what in that log."""

import polars as pl

NAME = pl.Categorical()
"""Dtype of a name: of a run, scope, step, stage or key."""
OWN_LOG = pl.lit("", NAME)
"""The scope of a run's own log."""

MODEL_CALL = "call-llm"
"""Local name of the stage that calls the model."""

LOG_KEY = ["run_id", "scope", "key"]
"""One variable of one log."""
LOG_POSITION = ["run_id", "scope", "commit_idx"]
"""One commit of one log."""
LOG_STEP = ["run_id", "scope", "runtime_stage_id"]
"""One execution step of one log; it may commit more than once."""


def numbered(columns: list[str]) -> pl.Expr:
    """A number for each distinct address in the frame: quicker to sort and join by than its parts."""
    return pl.struct(pl.col(name).to_physical() for name in columns).rank("dense").cast(pl.Int64) - 1


def first_row_of(number: str) -> pl.Expr:
    """Row at which the rows of this row's address begin, in a frame sorted by its number."""
    row = pl.int_range(pl.len())
    return pl.when(pl.col(number).ne_missing(pl.col(number).shift(1))).then(row).forward_fill()


def is_model_call() -> pl.Expr:
    """The commit is that of a model call: the stage's local name is `call-llm`."""
    return (pl.col("stage_id") == MODEL_CALL) | pl.col("stage_id").cat.ends_with(f"/{MODEL_CALL}")


def execution_number(step: str) -> pl.Expr:
    """The number after the last `#` of a step, which counts executions over all logs of a run; NULL = none."""
    return pl.col(step).cast(pl.String).str.extract(r"#([0-9]{1,15})$").cast(pl.Int64)
