"""The graph over the whole fleet: from the other tables of a snapshot and its settings to the fleet tables."""

from functools import cache

import polars as pl
from hamilton import driver

from afp_nodes.fleet import (
    arms,
    conversations,
    costs,
    endings,
    found,
    night_numbers,
    night_reports,
    night_runs,
    observational,
    production,
    windows,
)
from afp_nodes.schemas import NightReports
from afp_nodes.studies.embedders import Embeddings
from afp_nodes.studies.probes import MAKING
from dataflows.derive import Borders, Frames

FLEET_MODULES = (
    production,
    conversations,
    windows,
    costs,
    endings,
    night_runs,
    night_numbers,
    found,
    night_reports,
    arms,
    observational,
)
"""Modules of nodes, in reading order."""

TABLES = ("conversations", "nights", "night_reports", "costs", "findings", "arm_runs")

NODES: dict[str, str] = {**{name: name for name in TABLES}, "verdicts": "fleet_verdicts"}
"""The tables that the fleet has rows of, each with the node that makes them."""


@cache
def fleet_graph(*, validate: bool = False) -> driver.Driver:
    """The driver of the graph over the fleet."""
    return driver.Builder().with_modules(*FLEET_MODULES).with_adapters(Borders(validate=validate)).build()


def tables_of_fleet(
    stored: dict[str, pl.LazyFrame],
    settings: dict[str, str],
    *,
    snapshot_id: str = "",
    earlier_reports: pl.LazyFrame | None = None,
    embeddings: Embeddings = MAKING,
    validate: bool = False,
) -> Frames:
    """The rows that the fleet has in each table.

    `stored` holds every other table of the snapshot, as it is stored; `settings` what people gave that is in force,
    as JSON texts by name; `snapshot_id` names the snapshot that is being made, and `earlier_reports` are the rows of
    `night_reports` in the one before.

    Raises:
        EmbeddingError: an embedder gave something that is no embedding.
    """
    reports = pl.LazyFrame(schema=NightReports.stored_dtypes()) if earlier_reports is None else earlier_reports
    inputs = {
        "stored": stored,
        "settings": settings,
        "snapshot_id": snapshot_id,
        "earlier_reports": reports,
        "embeddings": embeddings,
    }
    made = fleet_graph(validate=validate).execute(list(NODES.values()), inputs=inputs)
    return {table: made[node].collect() for table, node in NODES.items()}
