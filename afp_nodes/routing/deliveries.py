"""Deliveries: which skills the system prompt held, and whether the record shows all of them.

That a skill was not given to the model is a claim of absence, so it needs proof: every composition up to the answer is
recorded, and holds as many skill records as it counts itself. Rule: assessment and routing, sections 13 and 16.
"""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import (
    DeliveredSkills,
    DeliveryProofs,
    Legs,
    PromptCompositions,
    RoutingChecks,
    RoutingVerdicts,
    SkillInjections,
)
from afp_nodes.words import CheckState, DeliveredVerdict

LIBRARY_DECISIONS = ("entry", "intent", "continuity", "decider")
"""Who decides on a skill that the library then has to deliver."""


def delivered_skills(skill_injections: dy.LazyFrame[SkillInjections]) -> dy.LazyFrame[DeliveredSkills]:
    """One row per skill that a run's system prompt held at some time, at its first record."""
    return (
        skill_injections.sort("event_idx")
        .unique(["run_id", "skill_id"], keep="first", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()).over("run_id"))
        .select(DeliveredSkills.column_names())
        .pipe(DeliveredSkills.cast)
    )


def delivery_proofs(
    legs: dy.LazyFrame[Legs],
    prompt_compositions: dy.LazyFrame[PromptCompositions],
    skill_injections: dy.LazyFrame[SkillInjections],
) -> dy.LazyFrame[DeliveryProofs]:
    """One row per run whose record shows every skill its system prompts held, from iteration 1 to the answering one.

    The last composition of an iteration counts, with the skill records of its step: rows are counted, not skills.
    Where a redacted record keeps out what would be read, nothing is proven.
    """
    step = ["run_id", "runtime_stage_id"]
    records = skill_injections.group_by(step).agg(records=pl.len())
    is_last = pl.col("event_idx") == pl.col("event_idx").max().over("run_id", "iteration")
    is_asked = pl.col("iteration").is_between(1, pl.col("answering_iteration")) & (pl.col("iteration") % 1 == 0)
    is_whole = pl.col("skill_rows") == pl.col("records").fill_null(0)
    return (
        prompt_compositions.join(legs.filter(~pl.col("delivery_kept_out")), on="run_id")
        .join(records, on=step, how="left", nulls_equal=True)
        .with_columns(shows=is_last & is_asked & is_whole)
        .group_by("run_id")
        .agg(
            shown=pl.col("shows").sum(),
            asked=pl.col("answering_iteration").first().floor(),
            pointers=pl.col("pointer").sort_by("event_idx").str.join(","),
        )
        .filter(pl.col("asked") >= 1, pl.col("shown") == pl.col("asked"))
        .select(DeliveryProofs.column_names())
        .pipe(DeliveryProofs.cast)
    )


def routing_checks(
    routing_verdicts: dy.LazyFrame[RoutingVerdicts],
    delivered_skills: dy.LazyFrame[DeliveredSkills],
    delivery_proofs: dy.LazyFrame[DeliveryProofs],
) -> dy.LazyFrame[RoutingChecks]:
    """One row per verdict, with whether the decided skill was given to the model.

    Given at any time of the leg is given, before the verdict too. Not given is said only with a proof.
    """
    decided = pl.col("decided_by").is_in(LIBRARY_DECISIONS)
    given = delivered_skills.select("run_id", asked_skill="skill_id", given_pointer="pointer")
    is_asked, is_given = pl.col("asked_skill").is_not_null(), pl.col("given_pointer").is_not_null()
    is_withheld = is_asked & ~is_given & pl.col("pointers").is_not_null()
    return (
        routing_verdicts.filter(pl.col("decided_by").is_not_null())
        .with_columns(asked_skill=pl.when(decided).then("to_skill"))
        .join(given, on=["run_id", "asked_skill"], how="left")
        .join(delivery_proofs, on="run_id", how="left")
        .with_columns(
            check_state=pl.when(is_given | is_withheld)
            .then(pl.lit(CheckState.REACHABLE))
            .when(is_asked | (decided & pl.col("to_kept_out")))
            .then(pl.lit(CheckState.UNREACHABLE))
            .otherwise(pl.lit(CheckState.NOT_APPLICABLE)),
            delivered_verdict=pl.when(is_given)
            .then(pl.lit(DeliveredVerdict.DELIVERED))
            .when(is_withheld)
            .then(pl.lit(DeliveredVerdict.NOT_DELIVERED)),
            check_pointers=pl.concat_str("to_pointer", "given_pointer", separator=",", ignore_nulls=True),
            signal_pointers=pl.when(is_withheld).then("pointers"),
        )
        .select(RoutingChecks.column_names())
        .pipe(RoutingChecks.cast)
    )
