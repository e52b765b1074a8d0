"""Arms of recorded runs: which configuration a production run had, and how answers differ between configurations.

Rule: product contract, section 6, `--arms`. Nobody dealt the runs out to the arms: a difference is an association.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.verdicts import Verdicts

RUN_ID = "id of the run"
ARM_ID = "arm in force"


class ArmRuns(Table):
    """One production run with the arm that its own manifest matches.

    Rule: product contract, section 6, `--arms`. Runs whose manifest matches no arm, or two alike, have no row.
    """

    run_id = dy.String(primary_key=True, description=RUN_ID)
    arm_id = dy.String(description="arm in force that declares most and is contradicted in nothing")


class ArmAnswers(Frame):
    """One answered run of one arm, with what it was asked."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    arm_id = dy.String(description=ARM_ID)
    question = dy.String(description="what was asked, without what does not change a question")
    answer = dy.String(description="what it answered")
    doubtful = dy.Bool(nullable=True, description="its standing is `not-sure` or `ask`; NULL = not assessed")


class ArmContrasts(Frame):
    """One arm but the baseline, compared with it over all questions that both answered.

    Bounds and chance are NULL where there are fewer than two questions.
    """

    arm_id = dy.String(primary_key=True, description=ARM_ID)
    reason = dy.String(nullable=True, description="why the two cannot be compared; NULL where they can")
    runs = dy.Int64(min=0, description="answered runs of the arm that are compared")
    similarity = dy.Float64(nullable=True, description="mean similarity of its answers to the baseline's")
    effect = dy.Float64(nullable=True, description="that, less the mean similarity of the baseline's own answers")
    effect_low = dy.Float64(nullable=True, description="lower bound, questions as clusters")
    effect_high = dy.Float64(nullable=True, description="upper bound, questions as clusters")
    p_value = dy.Float64(nullable=True, description="how often runs dealt out anew differ as much")
    rests_on = dy.List(dy.String(), description="objects: what was compared, and each question with its runs")


class ArmVerdicts(Frame):
    """One claim about one arm, before it gets its place among the verdicts."""

    kind = Verdicts.kind
    tier = Verdicts.tier
    subject_kind = Verdicts.subject_kind
    subject_id = dy.String(primary_key=True, description=ARM_ID)
    verdict = Verdicts.verdict
    samples = Verdicts.samples
    similarity_mean = Verdicts.similarity_mean
    effect = Verdicts.effect
    effect_low = Verdicts.effect_low
    effect_high = Verdicts.effect_high
    q_value = Verdicts.q_value
    evidence_json = Verdicts.evidence_json
