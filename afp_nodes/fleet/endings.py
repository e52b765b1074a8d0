"""Endings: how the record of each run ends: a provider that was down is not an agent that got worse."""

import dataframely as dy
import polars as pl

from afp_nodes.record.run_facts import LLM_END
from afp_nodes.schemas import FleetFacts, RunEndings
from afp_nodes.words import Ending

LLM_START = "agentfootprint.stream.llm_start"
PAUSES = ("agentfootprint.pause.request", "agentfootprint.checkin.request")
ERRORS = ("agentfootprint.error.fatal", "agentfootprint.reliability.fail_fast")
"""Events that a run ends with when a model call failed and nothing could be done about it."""


def run_endings(fleet_facts: dy.LazyFrame[FleetFacts], stored: dict[str, pl.LazyFrame]) -> dy.LazyFrame[RunEndings]:
    """One row per production run.

    A call that failed and was tried again ends in the record; one that stays open has no end. An open call without an
    error after it may be a failure, or a recording that was cut off there: that cannot be told. Either shows even where
    the record cannot tell whether there was an answer.
    """
    runs = fleet_facts.select("run_id", "answered").collect()
    unanswered = runs.filter(~pl.col("answered").fill_null(value=False))["run_id"].to_list()
    last = {
        name: pl.col("event_idx").filter(pl.col("type").is_in(types)).max()
        for name, types in (
            ("start", [LLM_START]),
            ("end", [LLM_END]),
            ("pause", list(PAUSES)),
            ("error", list(ERRORS)),
        )
    }
    lasts = (
        stored["events"]
        .filter(pl.col("run_id").is_in(unanswered), "own", pl.col("type").is_in([LLM_START, LLM_END, *PAUSES, *ERRORS]))
        .group_by("run_id")
        .agg(**last)
    )
    is_open = pl.col("start") > pl.col("end").fill_null(-1)
    ending = (
        pl.when("answered")
        .then(pl.lit(Ending.ANSWER))
        .when(pl.col("pause") > pl.col("start").fill_null(-1))
        .then(pl.lit(Ending.PAUSE))
        .when(is_open & (pl.col("error") > pl.col("start")))
        .then(pl.lit(Ending.FAILED_CALL))
        .when(is_open)
        .then(pl.lit(Ending.OPEN_CALL))
        .when(pl.col("answered").is_null())
        .then(pl.lit(Ending.UNKNOWN))
        .otherwise(pl.lit(Ending.OTHER))
    )
    return runs.lazy().join(lasts, on="run_id", how="left").select("run_id", ending=ending).pipe(RunEndings.cast)
