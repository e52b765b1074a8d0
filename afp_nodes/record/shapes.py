"""What is read of a recorded document: typed members, with every value kept as the text it was recorded in.

Every member may be missing or null; members not named here are passed over. `UNSET` tells a missing member from
a null one where the difference says which shape a document has.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field, json

NOTHING = Raw(b"")
"""A value that is not recorded."""

CUT_NAME = "(cut)"
"""Name of the one member of an object that stands for a piece cut out of a document nested too deeply."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
"""A whole number that fits a stored column."""


class TraceRow(Struct, gc=False, rename="camel"):
    """One entry of a commit: what was done to one path."""

    path: str | None = None
    verb: str | None = None
    read_keys: list[str] | None = None


class Commit(Struct, gc=False, rename="camel"):
    """One bundle of a commit log. Its trace, a list of `TraceRow`, repeats from loop to loop and is kept as text."""

    overwrite: dict[str, Raw] | None = None
    updates: dict[str, Raw] | None = None
    redacted_paths: list[str] | None = None
    trace: Raw = NOTHING
    stage: str | None = None
    stage_id: str | None = None
    runtime_stage_id: str | None = None
    untracked_sources: list[str] | None = None


class Node(Struct, gc=False, rename="camel"):
    """One executed step of a tree, with the names of what it read: they repeat, too, and are kept as text.

    Seen by the garbage collector, unlike the others: so a chain of any length is freed without recursion.
    """

    runtime_stage_id: str | None = None
    stage_reads: Raw = NOTHING
    children: "list[Node] | None" = None
    next: "Node | None" = None
    cut: str | None = field(default=None, name=CUT_NAME)


class TreeContext(Struct, gc=False, rename="camel"):
    """What a subflow mount recorded: its own log and its own tree."""

    history: list[Commit] | None = None
    stage_contexts: Node | None = None


class Subflow(Struct, gc=False, rename="camel"):
    """One subflow mount."""

    tree_context: TreeContext | None = None


class Snapshot(Struct, gc=False, rename="camel"):
    """The state, log and tree of a run."""

    shared_state: Raw | UnsetType = UNSET
    initial_state: Raw = NOTHING
    commit_log: list[Commit] | UnsetType | None = UNSET
    execution_tree: Node | None = None
    subflow_results: dict[str, Subflow | None] | None = None
    write_provenance: str | None = None
    run_id: str | None = None
    recorders: list[Raw] | None = None


class EventMeta(Struct, gc=False, rename="camel"):
    """Where, when and for which run an event fired."""

    wall_clock_ms: float | None = None
    runtime_stage_id: str | None = None
    run_id: str | None = None
    session_id: str | None = None


class Event(Struct, gc=False, rename="camel"):
    """One recorded event."""

    type: str | None = None
    payload: Raw = NOTHING
    meta: EventMeta | None = None


class Checkpoint(Struct, gc=False, rename="camel"):
    """What a paused run left behind."""

    shared_state: Raw = NOTHING


class Recording(Snapshot, gc=False, rename="camel"):
    """A recording in any of its shapes: bare, a snapshot alone, or a checkpoint."""

    snapshot: Snapshot | UnsetType | None = UNSET
    events: list[Event] | UnsetType | None = UNSET
    checkpoint: Checkpoint | UnsetType | None = UNSET


class Producer(Struct, gc=False, rename="camel"):
    """Which library versions wrote the recording."""

    agentfootprint_version: str | None = None
    footprintjs_version: str | None = None


class RunHeader(Struct, gc=False, rename="camel"):
    """What the envelope says about the run."""

    run_id: str | None = None
    session_id: str | None = None
    principal: str | None = None
    tenant: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    complete: bool | None = None
    dropped_events: Count | None = None
    first_retained_event_index: Count | None = None


class Configuration(Struct, gc=False, rename="camel"):
    """How the agent was set up."""

    agent_id: str | None = None
    manifest: Raw = NOTHING


class Document(Recording, gc=False, rename="camel"):
    """A whole document: an envelope, or a recording without one."""

    format: str | None = None
    producer: Producer | None = None
    run: RunHeader | None = None
    configuration: Configuration | None = None
    recording: Recording | UnsetType | None = UNSET
    study_id: Raw | UnsetType = field(default=UNSET, name="study_id")
    runs: Raw | UnsetType = UNSET


class Recorder(Struct, gc=False):
    """One attached recorder's data, of which only the name is read."""

    id: str | None = None


class Message(Struct, gc=False, rename="camel"):
    """One message of a history."""

    role: str | None = None
    content: Raw = NOTHING
    tool_call_id: str | None = None
    tool_name: str | None = None
    injected_by: Raw = NOTHING


class SharedState(Struct, gc=False, rename="camel"):
    """What is read of a run's state by name."""

    history: list[Message] | None = None
    turn_number: float | None = None
    user_message: str | None = None


class Llm(Struct, gc=False):
    """The model named in a manifest."""

    provider: str | None = None
    model: str | None = None


class SkillGraph(Struct, gc=False):
    """The skill graph named in a manifest."""

    scorer: str | None = None
    routing: str | None = None
    continuity: str | None = None


class Manifest(Struct, gc=False, rename="camel"):
    """How the agent was configured, by the names of its parts."""

    agent_id: str | None = None
    llm: Llm | None = None
    react_mode: str | None = None
    window: str | None = None
    evidence_gate: str | None = None
    skill_graph: SkillGraph | None = None


class TurnStart(Struct, gc=False, rename="camel"):
    """Payload of the event that opens a turn."""

    user_prompt: str | None = None


class TurnEnd(Struct, gc=False, rename="camel"):
    """Payload of the event that ends a turn."""

    final_content: str | None = None


class LlmStart(Struct, gc=False):
    """Payload of the event that opens a model call."""

    iteration: float | None = None


class Usage(Struct, gc=False):
    """Tokens of one model call."""

    input: float | None = None
    output: float | None = None


class LlmEnd(Struct, gc=False):
    """Payload of the event that ends a model call."""

    usage: Usage | None = None


class ToolStart(Struct, gc=False, rename="camel"):
    """Payload of the event that opens a tool call."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    args: Raw = NOTHING


class ToolEnd(Struct, gc=False, rename="camel"):
    """Payload of the event that ends a tool call."""

    tool_call_id: str | None = None
    result: Raw = NOTHING
    error: Raw = NOTHING
    status: str | None = None
    duration_ms: float | None = None


def is_object(raw: Raw) -> bool:
    """Whether a kept value is a JSON object."""
    return json.encode(raw).startswith(b"{")
