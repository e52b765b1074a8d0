"""The graph over all studies in force: from their documents and the recorded runs they name to the frames of tables.

It is made whole: a study speaks of runs of any chunk, and few runs are probes.
"""

from functools import cache

import polars as pl
from hamilton import driver

from afp_nodes.schemas import STUDY_TABLES, Verdicts
from afp_nodes.studies import (
    applications,
    costs,
    evidence,
    outcomes,
    pooled,
    probes,
    rulings,
    stated,
    subjects,
    verdicts,
)
from afp_nodes.studies.embedders import Embeddings
from afp_nodes.studies.probes import MAKING
from dataflows.derive import Borders, Frames

STUDY_MODULES = (stated, outcomes, probes, subjects, applications, rulings, costs, evidence, verdicts, pooled)
"""Modules of nodes, in reading order."""

NODES = {schema.table_name(): schema.table_name() for schema in STUDY_TABLES} | {
    Verdicts.table_name(): "study_verdicts"
}
"""The tables that studies have rows of, each with the node that makes them."""


@cache
def study_graph(*, validate: bool = False) -> driver.Driver:
    """The driver of the graph over studies."""
    return driver.Builder().with_modules(*STUDY_MODULES).with_adapters(Borders(validate=validate)).build()


def tables_of_studies(
    study_rows: pl.DataFrame, run_rows: pl.DataFrame, embeddings: Embeddings = MAKING, *, validate: bool = False
) -> Frames:
    """The rows that studies have in each table.

    `study_rows` holds the studies in force (`study_id`, `content_json`), `run_rows` rows of `runs`, those at least
    that a study lists or names as its original.

    Raises:
        EmbeddingError: an embedder gave something that is no embedding.
    """
    inputs = {"study_rows": study_rows, "run_rows": run_rows, "embeddings": embeddings}
    made = study_graph(validate=validate).execute(list(NODES.values()), inputs=inputs)
    return {table: made[node].collect() for table, node in NODES.items()}
