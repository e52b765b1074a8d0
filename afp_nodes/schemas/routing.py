"""Routing: how the question of a turn came to a skill, and whether the decided skill reached the model."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.facts import RUN_ID, STEP
from afp_nodes.words import (
    BeforePause,
    CheckState,
    Configured,
    DeliveredVerdict,
    RefusalForm,
    RoutingStatus,
    UnreachableReason,
)

EVENT = "position of the event in the recording's events"


class RoutingEvents(Frame):
    """One own event of a run that routing reads. Rule: assessment and routing, sections 12.1 and 12.2."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    type = dy.String(description="full type name")
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)
    payload_json = dy.String(description="payload; in a redacted record without the members it keeps out")
    kept_out = dy.List(
        dy.String(), nullable=True, description="members a redacted record keeps out; [] = all, NULL = none"
    )


class Legs(Frame):
    """One run with an own event: where in its turn the recording lies. Rule: assessment and routing, section 12.3."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    resumed_leg = dy.Bool(description="a `pause.resume` is recorded, or a turn's end without its start")
    answering_iteration = dy.Float64(
        nullable=True, description="iteration of the last model call before the last turn's end; NULL = no number"
    )
    delivery_kept_out = dy.Bool(description="a redacted record keeps out some of what would tell of deliveries")


class SkillGraphs(Frame):
    """One run whose configuration is recorded: what it says of a skill graph.

    Rule: assessment and routing, section 13.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    configured = dy.Enum(
        Configured, nullable=True, description="whether a graph is configured; NULL = the record keeps it out"
    )
    routing = dy.String(nullable=True, description="the graph's routing posture")
    continuity = dy.String(nullable=True, description="the graph's continuity")
    configured_scorer = dy.String(nullable=True, description="the graph's scorer")
    pointer = dy.String(nullable=True, description="where it stands, as a JSON object")


class HeldRoutes(Frame):
    """One resumed leg whose final state holds the route it paused with, unchanged.

    Rule: assessment and routing, section 12.4.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    route_json = dy.String(
        description="the route, with the `entryScores` and the `entryScorer` that are unchanged, else null; in a"
        " redacted record without the members it keeps out"
    )
    kept_out = RoutingEvents.kept_out


class RoutingVerdicts(Frame):
    """One run whose record holds a routing verdict, or a verdict event that does not say who decided.

    Rule: assessment and routing, sections 12.4 and 15.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    held = dy.Bool(description="read from the state the run paused with, not from an event")
    is_unread = dy.Bool(description="the first verdict event does not say who decided")
    decided_by = dy.String(nullable=True, description="who decided, as recorded; NULL = no verdict")
    from_skill = dy.String(nullable=True, description="skill the turn came with")
    to_skill = dy.String(nullable=True, description="skill that was decided on")
    to_kept_out = dy.Bool(description="a redacted record keeps out which skill was decided on")
    decisive = dy.Bool(nullable=True, description="the verdict's own word; a held verdict has none")
    scorer = dy.String(nullable=True, description="scorer behind the numbers")
    witness = dy.String(nullable=True, description="the person's words that a rule matched")
    offered = dy.Int64(nullable=True, description="skills that a menu offered")
    decider_model = dy.String(nullable=True, description="model that decided; a held verdict has none")
    top_score = dy.Float64(nullable=True, description="score of the decided skill, where it is the best")
    next_score = dy.Float64(nullable=True, description="score of the second")
    next_skill = dy.String(nullable=True, description="the second")
    all_others_equal = dy.Bool(nullable=True, description="all from the second on have the same score")
    by_pointer = dy.String(description="where it says who decided, as a JSON object")
    to_pointer = dy.String(description="where it says what was decided on, or would say it")
    score_pointers = dy.String(description="where the first two scores stand, joined by a comma")


class SkillInjections(Frame):
    """One record that put a skill into the system prompt. Rule: assessment and routing, section 13."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    runtime_stage_id = dy.Categorical(nullable=True, description="step that composed the prompt")
    skill_id = dy.String(description="the skill")
    pointer = dy.String(description="where it is named, as a JSON object")


class PromptCompositions(Frame):
    """One composition of the system prompt. Rule: assessment and routing, section 16."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    runtime_stage_id = dy.Categorical(nullable=True, description="step that composed the prompt")
    iteration = dy.Float64(nullable=True, description="iteration it was made for; NULL = no finite number")
    skill_rows = dy.Float64(nullable=True, description="skill records it counts; NULL = it does not say")
    pointer = dy.String(description="where its slot is named, as a JSON object")


class DeliveredSkills(Frame):
    """One skill that the system prompt of a run held at some time, in the order of first appearance.

    Rule: assessment and routing, section 13.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    skill_id = dy.String(primary_key=True, description="the skill")
    position = dy.Int64(min=0, description="order of first appearance")
    pointer = dy.String(description="where it is first named, as a JSON object")


class DeliveryProofs(Frame):
    """One run whose record shows every skill that its system prompts held, up to the answer.

    Rule: assessment and routing, section 16.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    pointers = dy.String(description="where each composition of the system prompt names its slot, joined by commas")


class RoutingChecks(Frame):
    """One verdict, with what the record says of the delivery of the decided skill.

    Rule: assessment and routing, section 16.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    asked_skill = dy.String(nullable=True, description="skill that was decided on and has to be delivered")
    check_state = dy.Enum(CheckState, description="whether the record can tell")
    delivered_verdict = dy.Enum(DeliveredVerdict, nullable=True, description="what it tells")
    check_pointers = dy.String(description="what the check rests on, joined by commas")
    signal_pointers = dy.String(nullable=True, description="what a proof of non-delivery rests on, joined by commas")


class Routing(Table):
    """How one run's question was routed, and whether the decided skill reached the model.

    Rule: assessment and routing, sections 13 to 16. A run without own events has a row, too: nothing is told there.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    status = dy.Enum(RoutingStatus, description="whether a verdict is recorded; `not-applicable` = no skill graph")
    check_state = dy.Enum(
        CheckState, description="whether the record can say if the decided skill was given to the model"
    )
    unreachable_reason = dy.Enum(
        UnreachableReason, nullable=True, description="what cannot be told, and why; NULL unless `unreachable`"
    )
    delivered_verdict = dy.Enum(
        DeliveredVerdict, nullable=True, description="`not-delivered` only where it is proven; NULL = not told"
    )
    configured = dy.Enum(
        Configured, nullable=True, description="whether a skill graph is configured; NULL = not recorded"
    )
    routing = SkillGraphs.routing
    continuity = SkillGraphs.continuity
    configured_scorer = SkillGraphs.configured_scorer
    decided_by = dy.String(nullable=True, description="who decided, as recorded; NULL = no verdict")
    from_skill = RoutingVerdicts.from_skill
    to_skill = RoutingVerdicts.to_skill
    decisive = RoutingVerdicts.decisive
    scorer = RoutingVerdicts.scorer
    witness = dy.String(
        nullable=True, description="the person's words that a rule matched; NULL = not recorded, or redacted"
    )
    offered = RoutingVerdicts.offered
    decider_model = RoutingVerdicts.decider_model
    held = dy.Bool(
        nullable=True, description="the verdict is read from the state the run paused with; NULL = no verdict"
    )
    before_pause = dy.Enum(
        BeforePause,
        nullable=True,
        description="of a resumed leg: whether the verdict from before the pause is still there; NULL = does not ask",
    )
    top_score = dy.Float64(
        nullable=True, description="the application's score of the decided skill, the best; no confidence"
    )
    next_score = RoutingVerdicts.next_score
    next_skill = RoutingVerdicts.next_skill
    all_others_equal = RoutingVerdicts.all_others_equal
    delivered_skills = dy.List(
        dy.String(),
        nullable=True,
        description="first 12 skills the system prompt held, each cut at 200 UTF-16 units; NULL = no own event",
    )
    other_skill = dy.String(
        nullable=True, description="first skill the system prompt held in place of one proven not to be delivered"
    )
    answering_iteration = Legs.answering_iteration
    unread = dy.Int64(
        min=0,
        description="entries that are no event, and a verdict event that does not say who decided; 0 without events",
    )
    foreign_events = dy.Int64(min=0, description="events of other runs that share the recorder; 0 without events")
    pointers_json = dy.String(
        description="where it stands in the record: lists of pointers `configured`, `verdict`, `scores`, `delivered`,"
        " `check`, `signal`"
    )


class RoutingRefusals(Table):
    """One refusal to read a skill. Rule: assessment and routing, sections 13 and 16.

    Those of the skill graph come first, then those of permissions, each in the order of events.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    position = dy.Int64(primary_key=True, min=0, description="order of the run's refusals")
    requested_skill = dy.String(description="skill that was asked for, cut at 200 UTF-16 units")
    refused_by = dy.String(
        description="`skill-graph`, the rule that refused, or `permission` where it is not named; cut alike"
    )
    named = dy.Bool(description="the event names the rule that refused")
    form = dy.Enum(RefusalForm, description="by the graph, by a named rule, or by one that is not named")
    event_idx = dy.Int64(min=0, description=EVENT)
    of_decided_skill = dy.Bool(description="the refused skill is the one that was decided on and looked for")
    line = dy.Int64(
        nullable=True,
        description="the last refusal of each rule stands for it: its place among the first three rules that refused"
        " the decided skill",
    )
