"""Facts for tests that need none, or few."""

import polars as pl

from afp_nodes.schemas import FACT_TABLES, RunRecords


def no_facts() -> dict[str, pl.DataFrame]:
    """Every fact frame, with all columns and no row."""
    frames = {schema.table_name(): pl.DataFrame(schema=schema.stored_dtypes()) for schema in FACT_TABLES}
    return frames | {"run_records": pl.DataFrame(schema=RunRecords.stored_dtypes())}
