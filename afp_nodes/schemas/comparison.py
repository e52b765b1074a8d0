"""Two runs side by side: what their records show of each loop, and the rows that compare them.

Rule: product contract, section 4. These frames live only while two runs are compared; none is stored.
"""

import dataframely as dy

from afp_nodes.schemas.base import Frame
from afp_nodes.schemas.facts import RUN_ID
from afp_nodes.words import DiffMoment, Facet, Ground, LoopSight, Piece, Sameness, Slot

ITERATION = "the number of the loop's model call, from 1"
KEPT_OUT = "the record redacts some of it"
PLACES = "where that stands in the record: a list of objects, each an event or a commit of a log"


class SeenLoops(Frame):
    """One loop that a record shows: a model call, and the events up to the next one."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    call = dy.Int64(min=0, description="order of the call in its run, from 0")
    start_event_idx = dy.Int64(nullable=True, description="event that starts the call; NULL = none is recorded")
    next_event_idx = dy.Int64(nullable=True, description="event that starts the next call; NULL = none is recorded")
    is_closed = dy.Bool(description="the events show what came after the loop: a next call, or the turn's end")
    scope = dy.Categorical(nullable=True, description="log that holds the call's commit; NULL = none does")
    commit_idx = dy.Int64(nullable=True, description="position of that commit")


class AlignedLoops(Frame):
    """One loop that the record of either run shows, and what each record says of it."""

    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    sight_a = dy.Enum(LoopSight, description="of run A; `ended` = its answer came before")
    sight_b = dy.Enum(LoopSight, description="of run B")


class AskedCalls(Frame):
    """One tool call that the model asked for in a loop, as its record names it."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=0, description=f"{ITERATION}; 0 = asked for in an earlier leg")
    position = dy.Int64(primary_key=True, min=0, description="order in which the model asked")
    tool_call_id = dy.String(nullable=True, description="id the provider gave the call")
    name = dy.String(nullable=True, description="tool and arguments, as canonical JSON; NULL = not named, or redacted")
    kept_out = dy.Bool(description=KEPT_OUT)


class ContextPieces(Frame):
    """One thing that the context of one model call was composed of."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    position = dy.Int64(primary_key=True, min=0, description="order: slot after slot, each as composed")
    slot = dy.Enum(Slot, description="slot it stands in")
    kind = dy.Enum(Piece, description="what it is")
    name = dy.String(
        nullable=True,
        description="id of the unit, name of the tool, or tool and arguments of the call that a result answers, never"
        " its id; '' = has none; NULL = a result whose call the record does not tell",
    )
    content = dy.String(nullable=True, description="its text; NULL = not recorded, or redacted")
    kept_out = dy.Bool(description=KEPT_OUT)
    places_json = dy.String(description=PLACES)


class ShownSlots(Frame):
    """One slot of one model call that its record shows whole: what is not listed there was not sent."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    slot = dy.Enum(Slot, primary_key=True, description="slot")
    shows_entries = dy.Bool(description="it is also known which entries the memories hold that it names as a whole")


class LoopAnswers(Frame):
    """One loop: the model's answer as the log has it, and as the events do."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    committed_calls = dy.String(nullable=True, description="`llmLatestToolCalls` as of the call's commit")
    committed_text = dy.String(nullable=True, description="`llmLatestContent` as of the call's commit")
    scope = dy.Categorical(nullable=True, description="log that holds that commit; NULL = none does")
    commit_idx = dy.Int64(nullable=True, description="that commit; NULL = the log does not show an answer")
    told_count = dy.Int64(nullable=True, description="`toolCallCount` of the call's `stream.llm_end`")
    told_text = dy.String(nullable=True, description="its `content`")
    event_idx = dy.Int64(nullable=True, description="that event; NULL = none is recorded")
    route = dy.String(nullable=True, description="`chosen` of the loop's last `agent.route_decided`")
    route_event_idx = dy.Int64(nullable=True, description="that event; NULL = none is recorded")


class LoopDecisions(Frame):
    """One loop's decision: what the model answered with, and what the agent did then."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    call_count = dy.Int64(nullable=True, min=0, description="tool calls the model asked for; NULL = not recorded")
    calls_json = dy.String(
        nullable=True, description="their tools and arguments in order, as canonical JSON; NULL = not all recorded"
    )
    text = dy.String(nullable=True, description="what the model said; NULL = not recorded, or redacted")
    route = dy.String(nullable=True, description="what the agent did next, as recorded; NULL = not recorded")
    kept_out = dy.Bool(description=KEPT_OUT)
    places_json = dy.String(description=PLACES)
    route_places_json = dy.String(description=PLACES)


class LoopCalls(Frame):
    """One tool call that was made in a loop."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=1, description=ITERATION)
    position = dy.Int64(primary_key=True, min=0, description="order in which the calls were made")
    name = dy.String(nullable=True, description="tool and arguments, as canonical JSON; NULL = not named, or redacted")
    occurrence = dy.Int64(min=0, description="counts equal calls of the loop")
    status = dy.String(nullable=True, description="how it ended; NULL = no end is recorded")
    result_json = dy.String(nullable=True, description="result as canonical JSON; NULL = not recorded, or redacted")
    error = dy.String(nullable=True, description="error as recorded")
    kept_out = dy.Bool(description=KEPT_OUT)
    places_json = dy.String(description=PLACES)


class RunFacets(Frame):
    """One facet of a run as a whole, as its record shows it."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    facet = dy.Enum(Facet, primary_key=True, description="what of the run")
    value = dy.String(nullable=True, description="what is compared; NULL = not known")
    json = dy.String(nullable=True, description="what is shown, as JSON; NULL = not known")
    kept_out = dy.Bool(description=KEPT_OUT)


class DiffRows(Frame):
    """One thing in which two runs are compared. Rule: product contract, section 4.

    In the order in which things happen: loop after loop, context before decision before call.
    """

    position = dy.Int64(primary_key=True, min=0, description="order of the rows")
    iteration = dy.Int64(nullable=True, min=1, description=f"{ITERATION}; NULL = the run as a whole")
    moment = dy.Enum(DiffMoment, description="what of the loop")
    subject_kind = dy.String(description="what is compared; `rest` = all that has no row of its own")
    subject = dy.String(nullable=True, description="which one; NULL = there is only one, or it is not named")
    slot = dy.Enum(Slot, nullable=True, description="slot of a piece of context; NULL = no such piece")
    occurrence = dy.Int64(min=0, description="counts equal calls of a loop")
    verdict = dy.Enum(Sameness, description="`unknown` where a record does not show its side")
    ground = dy.Enum(Ground, description="what that rests on")
    a_json = dy.String(
        nullable=True,
        description="what the record of run A shows, as JSON; the text `null` = it is there, and what it says is not"
        " recorded; NULL = nothing is shown",
    )
    b_json = dy.String(nullable=True, description="what the record of run B shows")
    a_places_json = dy.String(description=f"{PLACES}, of run A")
    b_places_json = dy.String(description=f"{PLACES}, of run B")
