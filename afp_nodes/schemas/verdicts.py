"""Verdicts: every claim the product makes, one row each, with the rows it rests on."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.words import SubjectKind, Tier, VerdictKind


class Claims(Frame):
    """One claim read off the record, before it gets its place among the verdicts."""

    run_id = dy.Categorical(description="run the claim is about")
    scope = dy.Categorical(nullable=True, description="log of the subject; NULL = the claim is about no log")
    kind = dy.Enum(VerdictKind, description="which question it answers")
    subject_kind = dy.Enum(SubjectKind, description="what `subject_id` names")
    subject_id = dy.Categorical(description="variable, or run")
    verdict = dy.String(description="the word")
    evidence_json = dy.String(description="rows the claim rests on: a list of objects")


class Verdicts(Table):
    """One claim about one subject.

    Only a row of tier `causal` with the word `confirmed` says what causes what.
    """

    verdict_id = dy.String(primary_key=True, description="kind, study, run, scope and subject, escaped; never changes")
    tier = dy.Enum(Tier, description="what the row may claim")
    kind = dy.Enum(VerdictKind, description="which question the row answers")
    study_id = dy.String(nullable=True, description="study the claim comes from; NULL on structural rows")
    run_id = dy.Categorical(nullable=True, description="run the claim is about; NULL on study rows")
    scope = dy.Categorical(nullable=True, description="log of the subject, on `coverage` rows")
    subject_kind = dy.Enum(SubjectKind, description="what `subject_id` names")
    subject_id = dy.Categorical(description="variable, run, arm, spec or unit")
    verdict = dy.String(description="the word; each kind has its own closed list")
    samples = dy.Int64(nullable=True, description="good probe runs")
    flips = dy.Int64(nullable=True, description="good probe runs whose answer changed")
    similarity_mean = dy.Float64(nullable=True, description="mean similarity to the reference answer")
    similarity_min = dy.Float64(nullable=True, description="least similarity to the reference answer")
    similarity_max = dy.Float64(nullable=True, description="greatest similarity to the reference answer")
    similarity_stdev = dy.Float64(nullable=True, description="standard deviation of the similarity")
    baseline_stable = dy.Bool(nullable=True, description="no baseline run flipped")
    outside_null_band = dy.Bool(nullable=True, description="mean similarity below the floor of the null band")
    manifests_seen = dy.Int64(nullable=True, description="probe runs that reported a manifest")
    manifest_checked = dy.Bool(nullable=True, description="the arm declares facets and a manifest was seen")
    manifest_applied = dy.Bool(nullable=True, description="every manifest seen matches the arm")
    loops_saved = dy.Float64(nullable=True, description="loops saved by removing the suspect, median")
    tokens_saved = dy.Float64(nullable=True, description="tokens saved by removing the suspect, median")
    cost_stable = dy.Bool(nullable=True, description="the placebo band is not empty and the suspect is consistent")
    reduced_cost_on_removal = dy.Bool(nullable=True, description="loops saved go beyond the placebo band")
    suspect_class = dy.String(nullable=True, description="content and cost taken together")
    flip_rate_low = dy.Float64(nullable=True, description="Wilson interval of the flip rate, lower bound")
    flip_rate_high = dy.Float64(nullable=True, description="Wilson interval of the flip rate, upper bound")
    effect = dy.Float64(nullable=True, description="observational and fleet rows: size of the difference")
    effect_low = dy.Float64(nullable=True, description="lower bound of its interval")
    effect_high = dy.Float64(nullable=True, description="upper bound of its interval")
    q_value = dy.Float64(nullable=True, description="p-value after control for many comparisons")
    false_rate = dy.Float64(
        nullable=True, description="how often the rule says this word when nothing differs, at the worst noise"
    )
    evidence_json = dy.String(description="rows the claim rests on: a list of objects")
