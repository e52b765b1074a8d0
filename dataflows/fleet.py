"""The graph over the whole fleet: from the other tables of a snapshot and its settings to the fleet tables."""

from functools import cache

import polars as pl
from hamilton import driver

from afp_nodes.fleet import conversations, production
from dataflows.derive import Borders, Frames

FLEET_MODULES = (production, conversations)
"""Modules of nodes, in reading order."""

NODES: dict[str, str] = {"conversations": "conversations"}
"""The tables that the fleet has rows of, each with the node that makes them."""


@cache
def fleet_graph(*, validate: bool = False) -> driver.Driver:
    """The driver of the graph over the fleet."""
    return driver.Builder().with_modules(*FLEET_MODULES).with_adapters(Borders(validate=validate)).build()


def tables_of_fleet(stored: dict[str, pl.LazyFrame], settings: dict[str, str], *, validate: bool = False) -> Frames:
    """The rows that the fleet has in each table.

    `stored` holds every other table of the snapshot, as it is stored; `settings` what people gave that is in force,
    as JSON texts by name.
    """
    inputs = {"stored": stored, "settings": settings}
    made = fleet_graph(validate=validate).execute(list(NODES.values()), inputs=inputs)
    return {table: made[node].collect() for table, node in NODES.items()}
