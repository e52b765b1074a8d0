"""Refused skills: every time the reading of a skill was refused, by the skill graph or by a permission.

Rule: assessment and routing, sections 13 and 16.
"""

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.distinct import told_by
from afp_nodes.event_payloads import PERMISSION_CHECK, REJECTED, Row, cut, is_type, may_hold, text
from afp_nodes.schemas import RoutingChecks, RoutingEvents, RoutingRefusals
from afp_nodes.words import RefusalForm

SKILL_GRAPH = "skill-graph"
PERMISSION = "permission"
"""What refuses where no rule is named."""
SKILL_READ = "skill_read"
SKILL_PREFIX = "skill:"
REFUSING_RESULTS = ("deny", "halt")
LINES = 3
"""Rules that are told of the decided skill."""


def routing_refusals(
    routing_events: dy.LazyFrame[RoutingEvents], routing_checks: dy.LazyFrame[RoutingChecks]
) -> dy.LazyFrame[RoutingRefusals]:
    """One row per refusal: all of the skill graph, then all of permissions.

    Where a permission lets a reading proceed it refuses nothing. A rule that is called `permission` counts as the
    one that is not named.
    """
    by_graph, by_rule = is_type(REJECTED), is_type(PERMISSION_CHECK)
    told = dict.fromkeys(("refused_skill", "refusing", "form"), pl.String())
    return (
        routing_events.filter(by_graph | (by_rule & may_hold(SKILL_READ)))
        .with_columns(
            rejected=told_by(pl.when(by_graph).then("payload_json"), _rejected, told),
            refused=told_by(pl.when(by_rule).then("payload_json"), _refused, told),
        )
        .with_columns(pl.when(by_graph).then("rejected").otherwise("refused").alias("told"))
        .unnest("told")
        .filter(pl.col("refused_skill").is_not_null())
        .join(routing_checks.select("run_id", "asked_skill"), on="run_id", how="left")
        .sort(by_rule, "event_idx")
        .with_columns(
            position=pl.int_range(pl.len()).over("run_id"),
            of_decided_skill=(pl.col("refused_skill") == pl.col("asked_skill")).fill_null(value=False),
            named=pl.col("form") == RefusalForm.REFUSED,
        )
        .with_columns(line=_line(), requested_skill=cut("refused_skill"), refused_by=cut("refusing"))
        .select(RoutingRefusals.column_names())
        .pipe(RoutingRefusals.cast)
    )


def _line() -> pl.Expr:
    """The place of a rule among those that refused the decided skill, on its last refusal; NULL elsewhere."""
    asked, rule = ["run_id", "of_decided_skill"], ["run_id", "of_decided_skill", "type", "refusing"]
    rank = pl.col("position").min().over(rule).rank("dense").over(asked).cast(pl.Int64) - 1
    is_last = pl.col("position") == pl.col("position").max().over(rule)
    return pl.when(pl.col("of_decided_skill") & is_last & (rank < LINES)).then(rank)


def _rejected(payload_json: str) -> Row | None:
    requested = text(javascript.parse_as_spelled(payload_json).get("requestedId"))
    return None if requested is None else (requested, SKILL_GRAPH, RefusalForm.REJECTED)


def _refused(payload_json: str) -> Row | None:
    check = javascript.parse_as_spelled(payload_json)
    target, rule = text(check.get("target")), text(check.get("policyRuleId"))
    if check.get("capability") != SKILL_READ or target is None or text(check.get("result")) not in REFUSING_RESULTS:
        return None
    form = RefusalForm.REFUSED_UNNAMED if rule is None else RefusalForm.REFUSED
    return target.removeprefix(SKILL_PREFIX), PERMISSION if rule is None else rule, form
