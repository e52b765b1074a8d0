"""The fleet: what only shows over all recorded runs together.

Made whole with each snapshot off its other tables and its settings. Ids are plain text here. Probe runs of studies are
not production and stay out, unless a schema says otherwise.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.words import ConversationLink

RUN_ID = "id of the run"


class ProductionRuns(Frame):
    """One recorded run that no study lists, with what the fleet is told by."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    session_id = dy.String(nullable=True, description="session it belongs to; NULL = not recorded")
    tenant = dy.String(nullable=True, description="whom it was run for; NULL = not recorded")
    principal = dy.String(nullable=True, description="on whose behalf it was run; NULL = not recorded")
    started_at = dy.Datetime(time_unit="us", time_zone="UTC", nullable=True, description="its start; NULL = unknown")
    ended_at = dy.Datetime(time_unit="us", time_zone="UTC", nullable=True, description="its end; NULL = unknown")
    turn_number = dy.Float64(nullable=True, description="number of its turn; NULL = not recorded")
    resumed_leg = dy.Bool(nullable=True, description="it goes on from a pause; NULL = the record cannot tell")
    initial_state_sha256 = dy.String(nullable=True, description="hash of the state it began with; NULL = none recorded")
    shared_state_sha256 = dy.String(nullable=True, description="hash of the state it left; NULL = none recorded")


class LegLinks(Frame):
    """One resumed leg that goes on from exactly one recorded run."""

    run_id = dy.String(primary_key=True, description="the leg that goes on")
    paused_run_id = dy.String(description="the only run whose state it began with")


class TurnLegs(Frame):
    """One leg of a turn that paused."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    turn_run_id = dy.String(description="first leg of the turn that is recorded")
    leg = dy.Int64(min=0, description="pauses between that leg and this one")
    is_last = dy.Bool(description="no recorded run goes on from it")


class RepeatedWork(Frame):
    """One leg of a turn that paused, with what it repeats of earlier legs."""

    run_id = dy.String(primary_key=True, description=RUN_ID)
    calls = dy.Bool(description="it made tool calls, and each stands in an earlier leg already")
    tokens = dy.Bool(description="it made model calls, and each stands in an earlier leg already")


class Conversations(Table):
    """One run of one conversation.

    Rule: product contract, section 5. Runs of one session, tenant and principal are one conversation, and so are the
    legs of one turn. A run of which neither is recorded stands alone: whether more belongs to it is not known.
    """

    conversation_id = dy.String(primary_key=True, description="least run id of the conversation")
    run_id = dy.String(primary_key=True, description=RUN_ID)
    position = dy.Int64(min=0, description="its place in the order of starts, unknown starts last, then by run id")
    link = dy.Enum(ConversationLink, description="what joins it to the others")
    answer_counted = dy.Bool(description="FALSE where a later leg of its turn gives the turn's answer")
    calls_counted = dy.Bool(description="FALSE where earlier legs of its turn have all its tool calls")
    tokens_counted = dy.Bool(description="FALSE where earlier legs of its turn have all its model calls")
