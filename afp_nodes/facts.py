"""Facts: the frames of one chunk of runs, as they were read off the recordings, and what was declared of them.

Where the graph begins. `facts` and `declared` hold one frame for each node here, by name, in the shape its schema
declares.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import (
    Commits,
    DeclaredLists,
    DeclaredTools,
    DeclaredUnits,
    Events,
    Messages,
    Reads,
    RunRecords,
    Scopes,
    States,
    ToolCalls,
    Writes,
)


def run_records(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[RunRecords]:
    """One row per recorded run: what its document says about itself."""
    return facts["run_records"].lazy().pipe(RunRecords.cast)


def states(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[States]:
    """One row per state object of a run."""
    return facts["states"].lazy().pipe(States.cast)


def scopes(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Scopes]:
    """One row per log of a run."""
    return facts["scopes"].lazy().pipe(Scopes.cast)


def commits(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Commits]:
    """One row per commit of a log."""
    return facts["commits"].lazy().pipe(Commits.cast)


def writes(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Writes]:
    """One row per key that a commit wrote."""
    return facts["writes"].lazy().pipe(Writes.cast)


def reads(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Reads]:
    """One row per key that a step read."""
    return facts["reads"].lazy().pipe(Reads.cast)


def events(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Events]:
    """One row per recorded event."""
    return facts["events"].lazy().pipe(Events.cast)


def messages(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Messages]:
    """One row per message of the final history."""
    return facts["messages"].lazy().pipe(Messages.cast)


def tool_calls(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[ToolCalls]:
    """One row per tool call."""
    return facts["tool_calls"].lazy().pipe(ToolCalls.cast)


def declared_tools(declared: dict[str, pl.DataFrame]) -> dy.LazyFrame[DeclaredTools]:
    """One row per tool of a run whose rows the application declares."""
    return declared["declared_tools"].lazy().pipe(DeclaredTools.cast)


def declared_lists(declared: dict[str, pl.DataFrame]) -> dy.LazyFrame[DeclaredLists]:
    """One row per run that has a unit list."""
    return declared["declared_lists"].lazy().pipe(DeclaredLists.cast)


def declared_units(declared: dict[str, pl.DataFrame]) -> dy.LazyFrame[DeclaredUnits]:
    """One row per unit of a side of a run's unit list."""
    return declared["declared_units"].lazy().pipe(DeclaredUnits.cast)
