"""How each answer stands: what its record says for and against it, and what that rests on.

Rules: assessment and routing, sections 6 to 10.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.facts import RUN_ID, Runs
from afp_nodes.words import Assessment, Reason, ReasonClass, SourceKind, Standing, StandingCheck, TurnFrom

LAYERS = "1 choosing the tools, 2 their inputs, 3 their results, 4 the answer"
WITNESSES = (
    "places it rests on, in order: a list of `{kind:'state',key,path}` and `{kind:'history',index,path,toolCallId}`,"
    " with RFC 6901 paths; a place may be empty"
)


class Assessments(Frame):
    """One run, as its committed state was folded.

    Runs with the same state and the same declarations are folded once. Rule: assessment and routing, section 7.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    assessment = dy.Enum(
        Assessment,
        description="`unknown` with a reason, else `known` with support, else `unrefuted` where a check ran, else"
        " `not-applicable`: nothing could be looked at, or no state is recorded",
    )
    standing = dy.Enum(Standing, description="the word for people; `ask` when the turn waits for a person")
    turn_from = dy.Enum(
        TurnFrom, description="`person`: results after a person's last message count; `whole-history`: all do"
    )
    support_digest = dy.String(
        nullable=True, description="digest of the answer that an enforced validation passed; NULL = not `known`"
    )
    kept_out = dy.List(
        dy.String(),
        nullable=True,
        description="members of the state that were needed and that the record keeps out, sorted: then nothing is"
        " assessed; NULL = none was kept out",
    )
    checks = dy.List(
        dy.Struct(
            {
                "layer": dy.Int64(),
                "check_name": dy.String(),
                "ran": dy.Int64(),
                "of": dy.Int64(),
                "witnesses_json": dy.String(),
            }
        ),
        description="the checks, as in `standing_checks`, in the order in which they ran",
    )
    reasons = dy.List(
        dy.Struct(
            {
                "reason": dy.String(),
                "layer": dy.Int64(nullable=True),
                "class": dy.String(),
                "source_kind": dy.String(),
                "unnamed": dy.Int64(nullable=True),
                "witnesses_json": dy.String(),
                "calls": dy.List(dy.Struct({"tool_call_id": dy.String(), "tool_name": dy.String()})),
            }
        ),
        description="the reasons, as in `reasons`, each with its calls as in `reason_calls`",
    )


class Standings(Table):
    """How the answer of one run stands, also of a run that gave none.

    Rules: assessment and routing, sections 1 to 7. Where the run gave no answer and waits for nobody, the row tells
    of no answer: people are shown it, and fleets counted, only where `answered` or the standing is `ask`.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    answered = Runs.answered
    assessment = Assessments.assessment
    standing = Assessments.standing
    turn_from = Assessments.turn_from
    support_digest = Assessments.support_digest
    kept_out = Assessments.kept_out


class StandingChecks(Table):
    """One check whose outcome a run's state holds. Rule: assessment and routing, section 6.

    A check that could not run at all has no row: that is not a check that found nothing.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    layer = dy.Int64(primary_key=True, min=1, max=4, description=f"what it looks at: {LAYERS}")
    check_name = dy.Enum(StandingCheck, primary_key=True, description="the check")
    ran = dy.Int64(min=0, description="how many reached an outcome")
    of = dy.Int64(min=1, description="out of how many")
    witnesses_json = dy.String(description=f"{WITNESSES}: of those that reached an outcome")


class Reasons(Table):
    """One reason why a run's answer is not known to stand. Rules: assessment and routing, sections 8 to 10."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    position = dy.Int64(primary_key=True, min=0, description="order of the reasons: that of their table")
    reason = dy.Enum(Reason, description="the reason")
    layer = dy.Int64(nullable=True, min=1, max=4, description=f"what it is about: {LAYERS}; NULL = none of them")
    reason_class = dy.Enum(ReasonClass, alias="class", description="what it makes of the standing")
    source_kind = dy.Enum(SourceKind, description="what it rests on: `calls` are in `reason_calls`")
    unnamed = dy.Int64(
        nullable=True,
        min=0,
        description="calls it rests on that the record does not name, or not with their tool, as far as they can be"
        " told apart; NULL = it does not rest on calls",
    )
    witnesses_json = dy.String(description=WITNESSES)


class ReasonCalls(Table):
    """One named call that a reason rests on. Rule: assessment and routing, section 10."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    reason = dy.Enum(Reason, primary_key=True, description="reason of the run; a reason is given once")
    position = dy.Int64(primary_key=True, min=0, description="order in which its places name the calls")
    tool_call_id = dy.String(description="call; '' is an id")
    tool_name = dy.String(description="tool it ran")
