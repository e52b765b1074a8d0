"""Facts of an explanation: what the tables hold of one run, as people may read it.

Rules: product contract, sections 4 and 5; assessment and routing, section 19 (when a standing is shown).
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import duckdb

from afp_nodes.javascript import ABSENT, stringify
from afp_nodes.words import Standing
from dataflows.pointers import Pointer, Record
from dataflows.shown import FETCHED_CHARACTERS, ShownRun, Value

WORDS = frozenset(
    {"started_at", "ended_at", "chart", "redacted_names", "type"}
    | {"status", "check_state", "unreachable_reason", "delivered_verdict", "configured", "before_pause", "form"}
    | {"assessment", "standing", "turn_from", "kept_out", "check_name", "reason", "reason_class", "source_kind"}
    | {"witnesses_json", "pointers_json", "unit_kind", "drop_reason", "grade", "suspect_kind", "incomplete_sources"}
)
"""Columns that hold words of our own, names of keys, or pointers: no value of a recording stands there."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run as a whole. Counts that events tell are NULL without them, and lower bounds where some were dropped."""

    run_id: str
    started_at: str | None
    ended_at: str | None
    agent_id: str | None
    provider: str | None
    model: str | None
    react_mode: str | None
    tenant: str | None
    session_id: str | None
    study_id: str | None
    arm_id: str | None
    chart: str
    complete: bool | None
    resumed_leg: bool | None
    loops: int
    llm_calls: int | None
    tool_calls: int | None
    input_tokens: float | None
    output_tokens: float | None
    events: int | None
    dropped_events: int | None
    foreign_events: int | None
    unread_events: int | None
    odd_values: int
    replaced_characters: int
    reads_recorded: bool
    variables: int
    exact_variables: int
    conservative_variables: int
    redacted_paths: int
    redacted_names: list[str]
    redacted_but_in_events: bool | None
    redacts: bool
    state_recorded: bool
    question_withheld: bool
    question: Value
    answered: bool | None
    answer: Value


@dataclass(frozen=True, slots=True)
class Error:
    """One error that an event tells."""

    event_idx: int
    type: str
    error: Value


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal to read a skill."""

    requested_skill: str
    refused_by: str
    form: str
    event_idx: int
    of_decided_skill: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the record that something rests on, and the leaf that stands there; `leaf` is NULL where none does."""

    pointer: Pointer
    leaf: Value | None


@dataclass(frozen=True, slots=True)
class RoutingFacts:
    """How the question was routed, and whether what was decided reached the model."""

    status: str
    check_state: str
    unreachable_reason: str | None
    delivered_verdict: str | None
    configured: str | None
    routing: str | None
    continuity: str | None
    configured_scorer: str | None
    decided_by: str | None
    from_skill: str | None
    to_skill: str | None
    decisive: bool | None
    scorer: str | None
    witness: str | None
    offered: int | None
    decider_model: str | None
    held: bool | None
    before_pause: str | None
    top_score: float | None
    next_score: float | None
    next_skill: str | None
    all_others_equal: bool | None
    delivered_skills: list[str] | None
    other_skill: str | None
    answering_iteration: float | None
    refusals: tuple[Refusal, ...]
    places: dict[str, tuple[Place, ...]]


@dataclass(frozen=True, slots=True)
class Check:
    """One check whose outcome the state holds: how many of how many reached one."""

    layer: int
    check_name: str
    ran: int
    out_of: int


@dataclass(frozen=True, slots=True)
class Call:
    """One named call that a reason rests on."""

    tool_call_id: str
    tool_name: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why the answer is not known to stand. `unnamed` counts the calls that the record does not name."""

    reason: str
    layer: int | None
    reason_class: str
    source_kind: str
    unnamed: int | None
    calls: tuple[Call, ...]
    witnesses: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class StandingFacts:
    """Where the answer stands."""

    assessment: str
    standing: str
    turn_from: str
    kept_out: list[str] | None
    checks: tuple[Check, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class SentUnits:
    """The units of one kind that were sent with a call."""

    unit_kind: str
    unit_ids: list[str]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call. What is NULL is not recorded; `name_in_history` stands in for a name that no event tells."""

    tool_call_id: str
    tool_name: str | None
    name_in_history: str | None
    status: str
    duration_ms: float | None
    start_event_idx: int | None
    end_event_idx: int | None
    args: Value
    result: Value
    error: Value


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop: what its model call was sent, and what it did.

    `iteration` is NULL where the log shows a loop whose call is not known, `loop_index` where the log shows none.
    `asked_calls` counts the tool calls that the model asked for; `told_by_event` says whether an event tells so.
    """

    iteration: int | None
    loop_index: int | None
    step: str | None
    start_event_idx: int | None
    end_event_idx: int | None
    told_by_event: bool
    said: Value
    stop_reason: str | None
    asked_calls: int | None
    asked_tools: list[str] | None
    input_tokens: float | None
    output_tokens: float | None
    incomplete_sources: list[str] | None
    context_told: bool
    available_count: int | None
    sent_count: int | None
    dropped_count: int | None
    grade: str | None
    sent: tuple[SentUnits, ...]
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class DroppedUnit:
    """One unit that calls went without although it was available; iteration 0 stands for an application's list."""

    unit_kind: str
    unit_id: str
    drop_reason: str | None
    recorded_reason: str | None
    evicted_by: str | None
    grade: str
    iterations: list[int]
    content: Value


@dataclass(frozen=True, slots=True)
class UnitList:
    """The list of units that an application made for the run."""

    available_count: int
    sent_count: int
    dropped_count: int


@dataclass(frozen=True, slots=True)
class UnclearUnits:
    """One kind of unit of which calls do not show a side."""

    unit_kind: str
    unclear_available: list[int] | None
    unclear_sent: list[int] | None


@dataclass(frozen=True, slots=True)
class Suspect:
    """One source that could be taken out of the context, and the spec of a rerun without it."""

    suspect_kind: str
    suspect_id: str
    spec_json: str
    keys: list[str]
    steps: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """One run. `standing` is NULL where none may be shown: no answer is on the record and the run waits for nobody."""

    run: RunFacts
    errors: tuple[Error, ...]
    standing: StandingFacts | None
    routing: RoutingFacts
    loops: tuple[Loop, ...]
    other_calls: tuple[ToolCall, ...]
    unit_list: UnitList | None
    dropped: tuple[DroppedUnit, ...]
    unclear: tuple[UnclearUnits, ...]
    suspects: tuple[Suspect, ...]


def explanation_of(connection: duckdb.DuckDBPyConnection, run_id: str) -> Explanation:
    """What the tables hold of a run that the store knows."""
    shown = ShownRun(connection, run_id)
    [about] = shown.rows("explained_run", words=WORDS, characters=FETCHED_CHARACTERS)
    run = RunFacts(**about)
    loops, other_calls = _loops(shown)
    return Explanation(
        run=run,
        errors=tuple(Error(**row) for row in shown.rows("run_errors", words=WORDS, characters=FETCHED_CHARACTERS)),
        standing=_standing(shown, run),
        routing=_routing(shown),
        loops=loops,
        other_calls=other_calls,
        unit_list=next((UnitList(**row) for row in shown.rows("run_unit_list")), None),
        dropped=tuple(
            DroppedUnit(**row) for row in shown.rows("run_dropped_units", words=WORDS, characters=FETCHED_CHARACTERS)
        ),
        unclear=tuple(UnclearUnits(**row) for row in shown.rows("run_unclear_units", words=WORDS)),
        suspects=tuple(Suspect(**row) for row in shown.rows("run_suspects", words=WORDS)),
    )


def _routing(shown: ShownRun) -> RoutingFacts:
    [row] = shown.rows("explained_routing", words=WORDS)
    pointers: dict[str, list[Pointer]] = json.loads(row.pop("pointers_json"))
    record = Record.of(shown.connection, shown.run_id, [pointer for each in pointers.values() for pointer in each])
    return RoutingFacts(
        **row,
        refusals=tuple(Refusal(**refusal) for refusal in shown.rows("refused_skills", words=WORDS)),
        places={about: _places(shown, record, each) for about, each in pointers.items()},
    )


def _standing(shown: ShownRun, run: RunFacts) -> StandingFacts | None:
    """Where the answer stands; None where there is no answer to speak of, or no state that could speak for it."""
    [row] = shown.rows("explained_standing", words=WORDS)
    if not (row["standing"] == Standing.ASK or (run.answered and run.state_recorded)):
        return None
    reasons = shown.rows("run_reasons", words=WORDS)
    witnesses: list[list[Pointer]] = [json.loads(reason.pop("witnesses_json")) for reason in reasons]
    record = Record.of(shown.connection, shown.run_id, [pointer for each in witnesses for pointer in each])
    calls: dict[str, tuple[Call, ...]] = defaultdict(tuple)
    for call in shown.rows("run_reason_calls", words=WORDS):
        calls[call.pop("reason")] += (Call(**call),)
    return StandingFacts(
        **row,
        checks=tuple(Check(**check) for check in shown.rows("run_checks", words=WORDS)),
        reasons=tuple(
            Reason(**reason, calls=calls[reason["reason"]], witnesses=_places(shown, record, each))
            for reason, each in zip(reasons, witnesses, strict=True)
        ),
    )


def _places(shown: ShownRun, record: Record, pointers: list[Pointer]) -> tuple[Place, ...]:
    return tuple(Place(shown.data(pointer), _leaf(shown, record.leaf(pointer))) for pointer in pointers)


def _leaf(shown: ShownRun, leaf: Any) -> Value | None:
    if leaf is ABSENT:
        return None
    text = stringify(leaf)
    return shown.value(text[:FETCHED_CHARACTERS], len(text))


def _loops(shown: ShownRun) -> tuple[tuple[Loop, ...], tuple[ToolCall, ...]]:
    """The loops, and the tool calls that belong to none that is recorded."""
    sent: dict[int, tuple[SentUnits, ...]] = defaultdict(tuple)
    for row in shown.rows("run_sent_units", words=WORDS):
        sent[row.pop("iteration")] += (SentUnits(**row),)
    calls: dict[int | None, tuple[ToolCall, ...]] = defaultdict(tuple)
    for row in shown.rows("run_tool_calls", characters=FETCHED_CHARACTERS):
        calls[row.pop("iteration")] += (ToolCall(**row),)
    rows = shown.rows("run_loops", words=WORDS, characters=FETCHED_CHARACTERS)
    loops = tuple(
        Loop(
            **row,
            sent=sent[row["iteration"]],
            calls=() if row["iteration"] is None else calls.pop(row["iteration"], ()),
        )
        for row in rows
    )
    return loops, tuple(call for others in calls.values() for call in others)
