"""Suspects: which removable source each committed value names, and the ablation that would remove it.

Rule: record format, sections 12 and 16. Whoever brings another classifier gives it to the graph as `classifier`.
"""

from collections.abc import Sequence

import dataframely as dy
import polars as pl

from afp_nodes.addresses import LOG_KEY, OWN_LOG
from afp_nodes.classifier import DEFAULT_CLASSIFIER, Classifier, Seed
from afp_nodes.schemas import AblationHooks, ContextSources, LoopFrames, Moments, Suspects, SuspectWrites, ValueIndex


def suspects(
    context_sources: dy.LazyFrame[ContextSources], classifier: Classifier = DEFAULT_CLASSIFIER
) -> dy.LazyFrame[Suspects]:
    """One row per source that a committed value names, whoever committed it.

    Of several with one id the first stands, whatever its kind. A value that names nothing removable has no row.
    """
    values = context_sources.select("key", "value_json").drop_nulls()
    if classifier.keys is not None:
        values = values.filter(pl.col("key").is_in(classifier.keys))
    rows = [
        (key, value_json, rank, seed.kind, seed.suspect_id, seed.ablation_spec())
        for key, value_json in values.unique().sort("key", "value_json").collect().rows()
        for rank, seed in enumerate(_first_of_each_id(classifier.seeds(key, value_json)))
    ]
    return pl.LazyFrame(rows, schema=Suspects.stored_dtypes(), orient="row").pipe(Suspects.cast)


def suspect_writes(
    value_index: dy.LazyFrame[ValueIndex],
    context_sources: dy.LazyFrame[ContextSources],
    loop_frames: dy.LazyFrame[LoopFrames],
    suspects: dy.LazyFrame[Suspects],
) -> dy.LazyFrame[SuspectWrites]:
    """One row per suspect that a step introduced by writing a key.

    Only values that some model call drew on are known, so a write that none read introduces no suspect, however
    plain its content. In the run's own log the value is the one the first such loop saw; in a mount that is a loop
    it is the one that loop saw.
    """
    own = value_index.select("run_id", "key", "writer_id", "value_json", scope=OWN_LOG)
    mounted = (
        context_sources.join(loop_frames.filter(pl.col("scope") != ""), on=["run_id", "loop_index"])
        .drop_nulls("writer_id")
        .unique(["run_id", "scope", "key", "writer_id"])
    )
    columns = [*LOG_KEY, "writer_id", "value_json"]
    return (
        pl.concat([own.select(columns), mounted.select(columns)])
        .join(suspects, on=["key", "value_json"])
        .select(SuspectWrites.column_names())
        .pipe(SuspectWrites.cast)
    )


def ablation_hooks(
    moments: dy.LazyFrame[Moments], suspect_writes: dy.LazyFrame[SuspectWrites]
) -> dy.LazyFrame[AblationHooks]:
    """One row per step and suspect of a variable's life, in the order of first appearance."""
    return (
        moments.filter(pl.col("suspect_id").is_not_null())
        .group_by(*LOG_KEY, writer_id="runtime_stage_id")
        .agg(first_moment=pl.col("position").min())
        .join(suspect_writes, on=[*LOG_KEY, "writer_id"])
        .sort(*LOG_KEY, "first_moment", "suspect_rank")
        .with_columns(position=pl.int_range(pl.len()).over(LOG_KEY))
        .select(AblationHooks.column_names())
        .pipe(AblationHooks.cast)
    )


def _first_of_each_id(seeds: Sequence[Seed]) -> list[Seed]:
    first: dict[str, Seed] = {}
    for seed in seeds:
        first.setdefault(seed.suspect_id, seed)
    return list(first.values())
