"""Facts of the record: what a recording says, before anything is derived from it."""

import dataframely as dy

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.words import CallStatus, Chart, StateKind

RUN_ID = "run this row belongs to"
SCOPE = "log the positions count in: '' is the run's own, else the mount id of a subflow"
STEP = "execution step, `stage#index`; '' is a real id"


class RunRecords(Frame):
    """One recorded run: what its document says about itself.

    Everything of `runs` that is read and not derived. `chart`, `loops`, `commits` and `reads_recorded` are
    derived from the logs by the node `runs`.
    """

    run_id = dy.Categorical(primary_key=True, description="id of the run, as recorded; never changed, never a path")
    recording_sha256 = dy.String(description="SHA-256 of the decompressed document the run was read from")
    agentfootprint_version = dy.String(nullable=True, description="version of agentfootprint that recorded the run")
    footprintjs_version = dy.String(nullable=True, description="version of footprintjs that recorded the run")
    session_id = dy.String(nullable=True, description="session the run belongs to; NULL = nobody said")
    principal = dy.String(nullable=True, description="who the run acted for; NULL = nobody said")
    tenant = dy.String(nullable=True, description="tenant the run belongs to; NULL = nobody said")
    started_at = dy.Datetime(
        time_unit="us",
        time_zone="UTC",
        nullable=True,
        description="stated start, else the first event's clock where the head of the events is known to be there",
    )
    ended_at = dy.Datetime(time_unit="us", time_zone="UTC", nullable=True, description="stated end")
    complete = dy.Bool(nullable=True, description="the caller's word that the run ended; NULL = not stated")
    dropped_events = dy.Int64(nullable=True, description="events lost at the head of the stream; NULL = not known")
    first_retained_event_index = dy.Int64(
        nullable=True, description="index of the first event that was kept; NULL = not proven"
    )
    agent_id = dy.String(nullable=True, description="agent that ran")
    provider = dy.String(nullable=True, description="model provider named in the manifest")
    model = dy.String(nullable=True, description="model named in the manifest")
    react_mode = dy.String(nullable=True, description="react mode named in the manifest")
    window = dy.String(nullable=True, description="window strategy named in the manifest")
    evidence_gate = dy.String(nullable=True, description="evidence gate posture named in the manifest")
    skill_scorer = dy.String(nullable=True, description="skill graph: scorer")
    skill_routing = dy.String(nullable=True, description="skill graph: routing posture")
    skill_continuity = dy.String(nullable=True, description="skill graph: continuity")
    manifest_json = dy.String(nullable=True, description="manifest as recorded; NULL = no manifest recorded")
    write_provenance = dy.String(nullable=True, description="the snapshot's word for whether writes list their reads")
    llm_calls = dy.Int64(nullable=True, description="`stream.llm_end` events; NULL = events are missing")
    events = dy.Int64(nullable=True, description="all events, tokens included; NULL = events are missing")
    token_events = dy.Int64(nullable=True, description="token events, counted and not stored")
    foreign_events = dy.Int64(
        nullable=True, description="events of other runs that share the recorder; NULL = events are missing"
    )
    unread_events = dy.Int64(
        nullable=True, description="entries without a type or with no object as payload; NULL = events are missing"
    )
    odd_values = dy.Int64(description="values or list entries of a wrong type, which read as absent")
    replaced_characters = dy.Int64(description="lone surrogates, kept as U+FFFD")
    redacted_paths = dy.Int64(description="paths the log says were scrubbed, all scopes")
    redacted_names = dy.List(
        dy.String(), description="last name of each scrubbed path, and the names under which events repeat it"
    )
    redacted_but_in_events = dy.Bool(
        nullable=True,
        description="TRUE when the record redacts state and an event still shows something under the name of a"
        " redacted path; NULL = state is redacted and events are missing",
    )
    turn_number = dy.Float64(nullable=True, description="`sharedState.turnNumber`")
    question = dy.String(
        nullable=True,
        description="what was asked: last own `turn_start`, else `userMessage`; NULL = not recorded, or redacted",
    )
    answer = dy.String(
        nullable=True,
        description="`finalContent` of the last own `turn_end`, never from state; NULL = not recorded, or redacted",
    )
    answered = dy.Bool(
        nullable=True, description="a `turn_end` is recorded; NULL = events are missing or their end may be"
    )
    input_tokens = dy.Float64(nullable=True, description="sum over own `llm_end` events; NULL = events are missing")
    output_tokens = dy.Float64(nullable=True, description="sum over own `llm_end` events; NULL = events are missing")
    resumed_leg = dy.Bool(nullable=True, description="the run goes on after a pause; NULL = events are missing")


class Runs(Table):
    """One recorded run.

    Rule: product contract, section 5; `chart` and `loops` by record format, section 10.
    """

    run_id = RunRecords.run_id
    recording_sha256 = RunRecords.recording_sha256
    agentfootprint_version = RunRecords.agentfootprint_version
    footprintjs_version = RunRecords.footprintjs_version
    session_id = RunRecords.session_id
    principal = RunRecords.principal
    tenant = RunRecords.tenant
    started_at = RunRecords.started_at
    ended_at = RunRecords.ended_at
    complete = RunRecords.complete
    dropped_events = RunRecords.dropped_events
    first_retained_event_index = RunRecords.first_retained_event_index
    agent_id = RunRecords.agent_id
    provider = RunRecords.provider
    model = RunRecords.model
    react_mode = RunRecords.react_mode
    window = RunRecords.window
    evidence_gate = RunRecords.evidence_gate
    skill_scorer = RunRecords.skill_scorer
    skill_routing = RunRecords.skill_routing
    skill_continuity = RunRecords.skill_continuity
    manifest_json = RunRecords.manifest_json
    chart = dy.Enum(Chart, description="`none` when no commit log is recorded")
    write_provenance = RunRecords.write_provenance
    reads_recorded = dy.Bool(description="at least one read is recorded in the run's own execution tree")
    loops = dy.Int64(min=0, description="rows of `loops`")
    llm_calls = RunRecords.llm_calls
    commits = dy.Int64(min=0, description="commits of the run's own log")
    events = RunRecords.events
    token_events = RunRecords.token_events
    foreign_events = RunRecords.foreign_events
    unread_events = RunRecords.unread_events
    odd_values = RunRecords.odd_values
    replaced_characters = RunRecords.replaced_characters
    redacted_paths = RunRecords.redacted_paths
    redacted_names = RunRecords.redacted_names
    redacted_but_in_events = RunRecords.redacted_but_in_events
    turn_number = RunRecords.turn_number
    question = RunRecords.question
    answer = RunRecords.answer
    answered = RunRecords.answered
    input_tokens = RunRecords.input_tokens
    output_tokens = RunRecords.output_tokens
    resumed_leg = RunRecords.resumed_leg
    initial_state_sha256 = dy.String(
        nullable=True, description="hash of the state before the first commit, as text; NULL = not recorded"
    )
    shared_state_sha256 = dy.String(nullable=True, description="hash of the final state, as text; NULL = not recorded")


class States(Table):
    """One state object of one run: what later derivations need without the recording."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    which = dy.Enum(
        StateKind,
        primary_key=True,
        description="`shared` at the end, `initial` before the first commit, `redaction` the marker row",
    )
    state_json = dy.String(description="the object as recorded, white space removed")
    from_checkpoint = dy.Bool(description="the final state of a checkpoint, for want of one in the snapshot")


class Scopes(Table):
    """One log of one run: its own, or that of a subflow mount whose name holds a `#`.

    Rule: record format, sections 8 and 10.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    position = dy.Int64(min=0, description="0 for the run's own log, then the order of `subflowResults`")
    is_call_mount = dy.Bool(description="the mount is an `sf-llm-call`: a loop of a grouped run")
    mount_number = dy.Int64(nullable=True, description="the integer after the last `#`; NULL where there is none")
    has_tree = dy.Bool(description="an execution tree is recorded for this log")
    steps = dy.Int64(nullable=True, description="tree nodes with an id, repeats counted; NULL without a tree")
    steps_with_reads = dy.Int64(nullable=True, description="distinct ids with a recorded read; NULL without a tree")


class Commits(Table):
    """One commit: a bundle of the commit log. Rule: record format, section 5."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    commit_idx = dy.Int64(primary_key=True, min=0, description="array position in the scope's log")
    runtime_stage_id = dy.Categorical(description=STEP)
    stage_id = dy.Categorical(description="stable id of the stage, with the subflow prefix")
    stage_name = dy.Categorical(description="display name; a loop adds a suffix")
    untracked_sources = dy.List(
        dy.String(), nullable=True, description="untracked inputs of the step (`args`, `env`, `silent`); NULL = none"
    )


class Writes(Table):
    """One key written by one commit. Rule: record format, sections 5 and 6.

    All entries of one commit for one key read the same committed text, so it stands here once.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    commit_idx = dy.Int64(primary_key=True, min=0, description="position of the commit in the scope's log")
    key = dy.Categorical(primary_key=True, description="path of the key; segments joined by U+001F")
    runtime_stage_id = dy.Categorical(description=STEP)
    position = dy.Int64(min=0, description="order in which the commit first touched the key")
    verb = dy.Categorical(
        description="verb of the last entry: `set` `merge` `append` `delete`, or what the record says"
    )
    read_keys = dy.List(
        dy.String(), nullable=True, description="keys read before the last entry; NULL when the dial was off"
    )
    entries = dy.Int64(min=1, description="trace entries of this commit for this key")
    verbs = dy.List(dy.String(), description="verb of each entry, in order")
    overwrite_json = dy.String(nullable=True, description="committed value of `set` and `append`; NULL = absent")
    update_json = dy.String(nullable=True, description="committed delta of `merge`; NULL = absent")


class Reads(Table):
    """One key read by one step. Rule: record format, section 8 (two readings of one tree)."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    scope = dy.Categorical(primary_key=True, description=SCOPE)
    runtime_stage_id = dy.Categorical(primary_key=True, description=STEP)
    key = dy.Categorical(primary_key=True, description="key read; nested reads are dotted, as recorded")
    position = dy.Int64(
        nullable=True, description="order among the step's last-wins reads (lives); NULL = only first-wins has it"
    )
    first_position = dy.Int64(
        nullable=True, description="order among the step's first-wins reads (frames); NULL = only last-wins has it"
    )


class Events(Table):
    """One recorded event; token events are counted in `runs` and not stored unless asked for."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    event_idx = dy.Int64(primary_key=True, min=0, description="position in the recording's events, tokens counted")
    type = dy.String(nullable=True, description="full type name; NULL = not recorded as text")
    runtime_stage_id = dy.Categorical(
        nullable=True, description="step the event names; inner steps carry their subflow"
    )
    wall_clock_ms = dy.Float64(nullable=True, description="clock of the event, milliseconds since 1970 UTC")
    payload_json = dy.String(
        nullable=True,
        description="payload as recorded, white space removed; NULL = no object; `{}` where a redacted record keeps it"
        " out",
    )
    own = dy.Bool(description="the event is the run's own, not another run's that shares the recorder")
    event_run_id = dy.String(nullable=True, description="run the event's meta names")


class Messages(Table):
    """One message of the final `history`."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    message_idx = dy.Int64(primary_key=True, min=0, description="position in the final history")
    role = dy.String(nullable=True, description="role as recorded")
    content = dy.String(nullable=True, description="text; JSON text where the recorded content is not text")
    tool_call_id = dy.String(nullable=True, description="call a tool message answers")
    tool_name = dy.String(nullable=True, description="tool a tool message comes from")
    injected_by = dy.String(nullable=True, description="what put the message there; JSON text where it is not text")
    said_by_person = dy.Bool(
        description="role `user`, text content, nobody injected it, and not one of the library's own notices"
    )


class ToolCalls(Table):
    """One tool call: a start, its end, or both, joined through the call id."""

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    tool_call_id = dy.String(primary_key=True, description="id the provider gave the call")
    occurrence = dy.Int64(primary_key=True, min=0, description="counts calls that reuse an id")
    tool_name = dy.String(nullable=True, description="name at the start; NULL = not recorded, never invented")
    args_json = dy.String(nullable=True, description="arguments as recorded; NULL = absent")
    result_json = dy.String(nullable=True, description="result as recorded; NULL = absent")
    error = dy.String(nullable=True, description="error as recorded; JSON text where it is not text")
    status = dy.String(description="the record's own status, else one of: " + ", ".join(f"`{s}`" for s in CallStatus))
    duration_ms = dy.Float64(nullable=True, description="recorded duration, else end clock minus start clock")
    iteration = dy.Float64(nullable=True, description="iteration of the last own `llm_start` before the call")
    start_event_idx = dy.Int64(nullable=True, description="event that starts the call; NULL = not recorded")
    end_event_idx = dy.Int64(nullable=True, description="event that ends the call; NULL = not recorded")
