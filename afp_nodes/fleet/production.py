"""Production: the recorded runs that no study lists. Where the graph over the fleet begins.

`stored` holds every table of the snapshot that is being published, by name, as it is stored.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import FleetFacts, ProductionRuns


def production_runs(stored: dict[str, pl.LazyFrame]) -> dy.LazyFrame[ProductionRuns]:
    """One row per recorded run that is no probe of a study. Rule: product contract, section 6."""
    return stored["runs"].filter(pl.col("study_id").is_null()).pipe(ProductionRuns.cast)


def fleet_facts(stored: dict[str, pl.LazyFrame]) -> dy.LazyFrame[FleetFacts]:
    """One row per production run, with what nights, costs and findings are told by."""
    return stored["runs"].filter(pl.col("study_id").is_null()).pipe(FleetFacts.cast)
