"""Pointers: where a fact stands in a record, as JSON. Rule: assessment and routing, section 12.4."""

import polars as pl

from afp_nodes.templates import filled


def event_pointer(event_type: str, path: str) -> pl.Expr:
    """Where a fact stands in the payload of the row's event; the step is named where the event names it."""
    begin = filled('{"kind":"event","index":{},' + f'"type":"{event_type}","path":"{path}"', "event_idx")
    step = pl.struct(runtimeStageId=pl.col("runtime_stage_id").cast(pl.String)).struct.json_encode()
    return begin + pl.when(pl.col("runtime_stage_id").is_null()).then(pl.lit("}")).otherwise("," + step.str.slice(1))


def state_pointer(key: str, path: str) -> pl.Expr:
    """Where a fact stands in the committed state."""
    return pl.lit(f'{{"kind":"state","key":"{key}","path":"{path}"}}')
