"""What was available to each model call, what was sent, and what was not. Rule: product contract, section 9."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.facts import RUN_ID, STEP
from afp_nodes.words import Coverage, DropReason, Side, Sight, Slot, UnitKind

CALL = "number of the call among those of the chunk, in the order of execution within its run"
ITERATION = "the call's own `iteration`, else its ordinal; 0 holds the lists that an application made"
NUMBER = "number of the step, which counts executions over all logs; NULL = it has none"
EVENT = "position in the recording's events"
CONTENT = "content as recorded; JSON text where it is not text; NULL = not recorded, or redacted"


class BegunValues(Frame):
    """One value of the state that a leg began with, of a key that tells of context."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    key = dy.Categorical(
        primary_key=True, description="`iteration`, `history`, `compactions`, `activeInjections` or a slot's key"
    )
    value_json = dy.String(description="the value as JSON text")


class EventHeads(Frame):
    """What is known of the beginning of one run's events; they are lost at the head only."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    opened_at = dy.Int64(nullable=True, description="first own event that opens a leg; NULL = none is there")
    nothing_dropped = dy.Bool(description="the record says that no event was dropped")
    keeps_head = dy.Bool(description="the events are there from the start of the leg")
    goes_on = dy.Bool(description="the leg goes on another, or may")
    events_may_hide = dy.Bool(
        description="what no event shows may still have been: the head is lost, or in another leg"
    )
    may_hide = dy.Bool(description="so may what is shown nowhere, since there is no log either")


class ModelCalls(Frame):
    """One model call of a run, as its events and its log show it.

    Events show a call from its `stream.llm_start`, the log from the commit of its step; either may be missing.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    iteration = dy.Int64(min=1, description="the call's own `iteration`, else its ordinal from where the leg starts")
    stands = dy.Bool(description="no later call of the run has the same iteration")
    turn_start = dy.Int64(nullable=True, description="event that opens its turn; -1 = none; NULL = no event")
    start_event_idx = dy.Int64(nullable=True, description="its `stream.llm_start`; NULL = no event")
    is_whole = dy.Bool(description="every event between the call before and this one was retained")
    number = dy.Int64(nullable=True, description=NUMBER)
    scope = dy.Categorical(nullable=True, description="log that holds the call's commit; NULL = none does")
    commit_idx = dy.Int64(nullable=True, description="position of that commit, in that log")
    own_commit_idx = dy.Int64(
        nullable=True, description="position in the run's own log that the call stands before; NULL = not in it yet"
    )


class ContextEvents(Frame):
    """One own event that tells of context. Rule: record format, section 3."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    call = dy.Int64(nullable=True, description="call in whose stretch it lies; NULL = no call starts after it")
    type = dy.String(description="full type name")
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)
    payload_json = dy.String(description="payload as recorded")


class InjectedRecords(Frame):
    """One record that an own `context.injected` event put into a slot. Rule: record format, section 3."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    call = ContextEvents.call
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)
    slot = dy.String(nullable=True, description="slot it went to, as recorded")
    source = dy.String(nullable=True, description="who put it there, as recorded")
    source_id = dy.String(nullable=True, description="id of the unit, as slots spell it; NULL = the record has none")
    content = dy.String(nullable=True, description=CONTENT)
    content_hash = dy.String(nullable=True, description="hash the library gave the record; NULL = none")


class EvictedResults(Frame):
    """One tool result that an own `context.evicted` event names, by the hash under which it had been composed."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    tool_call_id = dy.String(primary_key=True, description="call whose result was evicted")
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)


class SlotCompositions(Frame):
    """One own `context.slot_composed` event. Rule: record format, section 3."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    call = ContextEvents.call
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)
    slot = dy.String(nullable=True, description="slot that was composed, as recorded")
    records = dy.Int64(nullable=True, description="records its breakdown counts; NULL = no breakdown that counts")


class EngineEvaluations(Frame):
    """One id that an own `context.evaluated` event says the injection engine found active.

    An event that lists none has one row without an id.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    position = dy.Int64(primary_key=True, min=0, description="order in the event's list")
    call = ContextEvents.call
    active_id = dy.String(nullable=True, description="id found active; NULL = the list holds none")
    reason = dy.String(nullable=True, description="why the event says it gave way or was passed over")
    is_list = dy.Bool(description="the event holds a list")
    is_whole = dy.Bool(description="it holds a list, and every entry of it is an id")


class MemoryOffers(Frame):
    """One entry that memory or retrieval considered for a turn.

    A candidate of `memory.retrieved`, or an id that `memory.strategy_applied` says it dropped.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    position = dy.Int64(primary_key=True, min=0, description="order in the event's list")
    runtime_stage_id = dy.Categorical(nullable=True, description=STEP)
    entry_id = dy.String(nullable=True, description="bare id of the entry; NULL = the event names none")
    reason = dy.String(nullable=True, description="why it was not admitted, as recorded")
    is_whole = dy.Bool(description="the event lists all it considered, each by its id")
    is_offer = dy.Bool(description="the event lists what was considered, and not only what was dropped of it")


class AttachedEntries(Frame):
    """One entry that a memory put into what it hands on, by an own `memory.attached` event."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    memory_id = dy.String(nullable=True, description="memory it comes from, by the step that read it; NULL = not told")
    entry_id = dy.String(nullable=True, description="bare id of the entry; NULL = the event names none")


class HistoryResults(Frame):
    """One tool result in one value of `history` that a commit wrote, or that a leg began with.

    Only of logs that hold model calls: the run's own, and the mounts that are loops. A value without a result has one
    row without a call.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description="log the commit lies in")
    commit_idx = dy.Int64(primary_key=True, min=-1, description="position in that log; -1 = what the leg began with")
    position = dy.Int64(primary_key=True, min=0, description="order of the result in the value")
    number = dy.Int64(nullable=True, description=NUMBER)
    runtime_stage_id = dy.Categorical(description=STEP)
    replaces = dy.Bool(description="the value begins anew here, instead of growing")
    is_list = dy.Bool(description="what was written is a list; a placeholder is none")
    is_named = dy.Bool(description="it is a list in which every result has an id, and nothing was taken from it before")
    tool_call_id = dy.String(nullable=True, description="call whose result it is; NULL = the value holds no result")
    content = dy.String(nullable=True, description=CONTENT)


class ResultSightings(Frame):
    """One tool result in one log: the first value of its history that holds it."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description="log that holds it")
    tool_call_id = dy.String(primary_key=True, description="id of the call; '' is an id")
    commit_idx = dy.Int64(min=-1, description="position in that log; -1 = what the leg began with")
    number = dy.Int64(nullable=True, description=NUMBER)
    listed = dy.Int64(min=0, description="order of the sightings")
    content = dy.String(nullable=True, description=CONTENT)


class ToolResults(Frame):
    """One tool call whose result a run's record shows, with where it shows first."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    tool_call_id = dy.String(primary_key=True, description="id of the call; '' is an id")
    event_idx = dy.Int64(nullable=True, description="event that ends the call; NULL = none does")
    event_content = dy.String(nullable=True, description=CONTENT)
    log_commit_idx = dy.Int64(nullable=True, description="position in the own log, -1 as above; NULL = not in it")
    log_number = dy.Int64(nullable=True, description=NUMBER)
    log_listed = dy.Int64(nullable=True, description="order in the own log")
    log_content = dy.String(nullable=True, description=CONTENT)
    mount_scope = dy.Categorical(nullable=True, description="mount whose log shows it first; NULL = none does")
    mount_commit_idx = dy.Int64(nullable=True, description="position in that log")
    mount_number = dy.Int64(nullable=True, description=NUMBER)
    mount_listed = dy.Int64(nullable=True, description="order among the mounts")
    mount_content = dy.String(nullable=True, description=CONTENT)


class Evictions(Frame):
    """One tool result that a commit left out of a history that held it before.

    Rule: product contract, section 9: a window or a compaction commits a shorter history.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description="log the commit lies in")
    commit_idx = dy.Int64(primary_key=True, min=0, description="position of the commit that left it out")
    tool_call_id = dy.String(primary_key=True, description="call whose result was left out")
    number = dy.Int64(nullable=True, description=NUMBER)
    runtime_stage_id = dy.Categorical(description=STEP)


class ComposedRecords(Frame):
    """One record that the events of one call's stretch put into a slot."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description=EVENT)
    call = dy.Int64(description=CALL)
    slot = dy.Enum(Slot, description="slot it went to")
    source = dy.String(nullable=True, description="who put it there, as recorded")
    source_id = dy.String(nullable=True, description="id of the unit, as slots spell it; NULL = the record has none")
    content = dy.String(nullable=True, description=CONTENT)


class ComposedSlots(Frame):
    """One slot that the events of one call's stretch show, wholly or in part."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    slot = dy.Enum(Slot, primary_key=True, description="slot that was composed")
    sight = dy.Enum(Sight, description="`whole` when every record is proven to be there, else `part`")


class ContextGaps(Frame):
    """One committed value that is wanted at one call because its events do not show it wholly."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    key = dy.Categorical(primary_key=True, description="slot key, or `activeInjections`")
    scope = dy.Categorical(description="log that holds the call's commit")
    fold_commit_idx = dy.Int64(description="last position before that commit; -1 = none")


class CommittedContext(Frame):
    """One committed value that stands for missing events at one call, as it was when the call was made."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    key = dy.Categorical(primary_key=True, description="slot key, or `activeInjections`")
    value_json = dy.String(nullable=True, description="the value as JSON text; NULL = absent")
    commit_idx = dy.Int64(nullable=True, description="last commit it was made from; NULL = none of this leg")


class ActiveInjections(Frame):
    """One id that the injection engine found active for one call, by an event or by its log.

    A list without ids has one row without an id.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    position = dy.Int64(primary_key=True, min=0, description="order in the list")
    active_id = dy.String(nullable=True, description="id found active; NULL = the list holds none")
    reason = EngineEvaluations.reason
    event_idx = dy.Int64(nullable=True, description="event that lists it; NULL = a commit does")
    commit_idx = dy.Int64(nullable=True, description="last commit the list was made from; NULL = none of this leg")
    sight = dy.Enum(Sight, description="how well the list is shown")


class SlotRecords(Frame):
    """One record of a slot at one call, from whichever source stands for that slot."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    slot = dy.Enum(Slot, primary_key=True, description="slot that holds it")
    position = dy.Int64(primary_key=True, min=0, description="order in the slot")
    source = dy.String(nullable=True, description="who put it there, as recorded")
    source_id = dy.String(nullable=True, description="id as the slot spells it; NULL = the record has none")
    content = dy.String(nullable=True, description=CONTENT)
    event_idx = dy.Int64(nullable=True, description="event that shows it; NULL = a committed slot does")
    commit_idx = dy.Int64(nullable=True, description="commit that shows it, in the call's log; NULL = none")


class SlotSights(Frame):
    """How well the record shows one slot at one call; no row = the run shows no trace of the slot."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    slot = dy.Enum(Slot, primary_key=True, description="slot")
    sight = dy.Enum(Sight, description="how well it is shown")


class SentUnits(Frame):
    """One unit that a call's context was composed of."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    unit_id = dy.String(primary_key=True, description="id of the unit; memory by its bare entry id")
    unit_kind = dy.Enum(UnitKind, description="what kind of unit it is")
    position = dy.Int64(min=0, description="order of first appearance")
    spelling = dy.String(description="id as the slot spells it")
    content = dy.String(nullable=True, description=CONTENT)
    event_idx = dy.Int64(nullable=True, description="event that shows it; NULL = a committed slot does")
    commit_idx = dy.Int64(nullable=True, description="commit that shows it, in the call's log; NULL = none")


class OfferedUnits(Frame):
    """One unit that was available to a call."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    unit_id = dy.String(primary_key=True, description="id of the unit")
    unit_kind = dy.Enum(UnitKind, description="what kind of unit it is")
    position = dy.Int64(min=0, description="order: injections, memory, tool results, each as first listed")
    drop_reason = dy.String(nullable=True, description="why it would not be sent, as recorded where it is offered")
    content = dy.String(nullable=True, description=CONTENT)
    event_idx = dy.Int64(nullable=True, description="event that shows it; NULL = none")
    commit_idx = dy.Int64(nullable=True, description="commit that shows it; NULL = none")
    commit_scope = dy.Categorical(nullable=True, description="log that the commit lies in; NULL = none")


class RunStages(Frame):
    """One stage that commits in some log of one run."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    stage_id = dy.Categorical(primary_key=True, description="stable id of the stage, with the subflow prefix")


class ContextSights(Frame):
    """How well the record shows one side of one kind of unit at one call; no row = no trace of the kind."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    unit_kind = dy.Enum(UnitKind, primary_key=True, description="kind of unit")
    side = dy.Enum(Side, primary_key=True, description="which side")
    sight = dy.Enum(Sight, description="how well it is shown")


class UnitEvictions(Frame):
    """One tool result offered to one call, with what took it away before."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    call = dy.Int64(primary_key=True, min=0, description=CALL)
    unit_id = dy.String(primary_key=True, description="id of the call whose result it is")
    evicted_by = dy.Categorical(nullable=True, description="step that took it away; NULL = not told")
    evicted_scope = dy.Categorical(nullable=True, description="log in which a commit did; NULL = an event says so")
    evicted_commit = dy.Int64(nullable=True, description="position of that commit")
    evicted_event = dy.Int64(nullable=True, description="event that says so; NULL = none does")


class ContextUnits(Table):
    """One unit that was available to a model call or was sent with it. Rule: product contract, section 9.

    `available` and `sent` are NULL where the record does not show that side: not listed is not "no".
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=0, description=ITERATION)
    unit_id = dy.String(primary_key=True, description="id of the unit; memory by its bare entry id")
    position = dy.Int64(min=0, description="order: units as they were available, then those that were only sent")
    unit_kind = dy.Enum(UnitKind, description="what kind of unit it is")
    content = dy.String(nullable=True, description=CONTENT)
    available = dy.Bool(nullable=True, description="it was available; NULL = the record does not show that side")
    sent = dy.Bool(nullable=True, description="it was sent; NULL = the record does not show that side")
    drop_reason = dy.Enum(DropReason, nullable=True, description="why it was dropped, where the record says so")
    grade = dy.Enum(Coverage, description="weaker of the two sides: `exact`, `conservative` (a fallback), `unknown`")
    origin_json = dy.String(description="where each side stands in the record, both spellings, and what removed it")


class MissingContext(Table):
    """One unit that was available to a model call and was not sent: a candidate, never a cause.

    Rule: product contract, section 9; record format, section 21.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=0, description=ITERATION)
    position = dy.Int64(primary_key=True, min=0, description="order in which the units were available")
    unit_id = ContextUnits.unit_id
    unit_kind = ContextUnits.unit_kind
    content = ContextUnits.content
    drop_reason = ContextUnits.drop_reason
    grade = ContextUnits.grade


class MissingContextSummary(Table):
    """One model call, or one unit list: how much was available, sent and dropped.

    Where a side of some kind is not shown, the counts are of what is shown, and NULL when nothing is.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    iteration = dy.Int64(primary_key=True, min=0, description=ITERATION)
    available_count = dy.Int64(nullable=True, description="distinct units available; NULL = not shown")
    sent_count = dy.Int64(
        nullable=True, description="distinct units sent, listed as available or not; NULL = not shown"
    )
    dropped_count = dy.Int64(nullable=True, description="units dropped; at least so many where the grade is `unknown`")
    any_dropped = dy.Bool(nullable=True, description="a unit was dropped; NULL = none is known, and one may be")
    grade = dy.Enum(Coverage, description="weakest over the kinds of which the record shows a trace")
    loop_index = dy.Int64(nullable=True, description="loop whose body holds the call; NULL = the log does not show it")
