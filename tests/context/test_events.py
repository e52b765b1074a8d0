"""Context events: what a payload tells, with what is of a wrong type, or kept out, read as absent."""

import json
from typing import Any

import polars as pl
import pytest

from afp_nodes.context.events import (
    attached_entries,
    context_events,
    engine_evaluations,
    evicted_results,
    injected_records,
    memory_offers,
    slot_compositions,
)
from afp_nodes.schemas import ContextEvents, Events, ModelCalls
from tests.tables import shown, table

PREFIX = "agentfootprint."


def told(kind: str, *payloads: Any, step: str = "compose#1") -> pl.LazyFrame:
    """Events of one kind that lie in the stretch of call 0."""
    rows = [
        {
            "run_id": "r",
            "event_idx": at,
            "call": 0,
            "type": PREFIX + kind,
            "runtime_stage_id": step,
            "payload_json": json.dumps(payload),
        }
        for at, payload in enumerate(payloads)
    ]
    return ContextEvents.validate(pl.DataFrame(rows, schema=ContextEvents.stored_dtypes()), cast=True).lazy()


def test_an_event_lies_in_the_stretch_of_the_call_that_starts_next_after_it() -> None:
    events = table(
        Events,
        """
        run_id | event_idx | type                               | payload_json | own
        r      | 0         | agentfootprint.context.injected    | {}           | T
        r      | 3         | agentfootprint.context.evaluated   | {}           | T
        r      | 4         | agentfootprint.memory.considered   | {}           | T
        r      | 5         | agentfootprint.memory.written      | {}           | T
        r      | 6         | agentfootprint.stream.tool_end     | {}           | T
        r      | 7         | agentfootprint.context.injected    | {}           | F
        r      | 8         | agentfootprint.context.injected    |              | T
        r      | 9         | agentfootprint.context.evicted     | {}           | T
        s      | 1         | agentfootprint.context.injected    | {}           | T
        """,
    )
    calls = table(ModelCalls, "run_id|call|start_event_idx|iteration\nr|0|2|1\nr|1|5|2\ns|2||1\ns|3|0|2")
    rows = shown(context_events(events, calls), "run_id", "event_idx", "call")
    assert rows == [("r", 0, 0), ("r", 3, 1), ("r", 4, 1), ("r", 9, None), ("s", 1, None)]


@pytest.mark.parametrize(
    ("payload", "record"),
    [
        (
            {"slot": "tools", "source": "fact", "sourceId": "a", "rawContent": "x", "contentHash": "h"},
            ("tools", "fact", "a", "x", "h"),
        ),
        ({"slot": 1, "source": None, "sourceId": ["a"], "contentHash": {}}, (None, None, None, None, None)),
        (
            {"slot": "[REDACTED]", "source": "[REDACTED]", "sourceId": "REDACTED"},
            (None, "[REDACTED]", None, None, None),
        ),
        ({"sourceId": "", "contentSummary": "short"}, (None, None, "", "short", None)),
        ({"rawContent": None, "contentSummary": "short"}, (None, None, None, "short", None)),
        ({"rawContent": "[REDACTED]", "contentSummary": "short"}, (None, None, None, None, None)),
        ({"rawContent": {"b": 1.0, "10": [True]}}, (None, None, None, '{"10":[true],"b":1}', None)),
    ],
)
def test_a_record_is_read_member_by_member(payload: Any, record: tuple[Any, ...]) -> None:
    columns = ("slot", "source", "source_id", "content", "content_hash")
    assert shown(injected_records(told("context.injected", payload)), *columns) == [record]


@pytest.mark.parametrize(
    ("breakdown", "records"),
    [
        *(({}, 0), ({"a": {"count": 2}, "b": {"count": 1.0}}, 3), ({"a": {"count": 0}}, 0)),
        *((None, None), ([], None), ("a", None), ({"a": 1}, None), ({"a": {}}, None), ({"a": {"count": "1"}}, None)),
        *(({"a": {"count": 1.5}}, None), ({"a": {"count": -1}}, None), ({"a": {"count": 1e308}}, None)),
        ({"a": {"count": True}}, None),
    ],
)
def test_a_breakdown_counts_only_where_every_source_has_a_whole_number(breakdown: Any, records: int | None) -> None:
    composed = told("context.slot_composed", {"slot": "tools", "sourceBreakdown": breakdown})
    assert shown(slot_compositions(composed), "slot", "records") == [("tools", records)]


@pytest.mark.parametrize(
    ("payload", "rows"),
    [
        ({"activeIds": ["b", "a", "b"]}, [("a", None, True), ("b", None, True), ("b", None, True)]),
        ({"activeIds": []}, [(None, None, True)]),
        ({"activeIds": ["a", 1]}, [("a", None, False)]),
        ({"activeIds": ["[REDACTED]"]}, [(None, None, False)]),
        (
            {"activeIds": ["a", "b", "c"], "supersededIds": ["a"], "skippedDetails": [{"id": "a"}, {"id": "b"}, 1]},
            [("a", "superseded", True), ("b", "skipped", True), ("c", None, True)],
        ),
    ],
)
def test_the_engine_lists_what_it_found_active(payload: Any, rows: list[Any]) -> None:
    assert shown(engine_evaluations(told("context.evaluated", payload)), "active_id", "reason", "is_whole") == rows


@pytest.mark.parametrize("active", [None, "a", {"a": 1}])
def test_what_is_no_list_lists_nothing(active: Any) -> None:
    evaluations = engine_evaluations(told("context.evaluated", {"activeIds": active}))
    assert shown(evaluations, "active_id", "is_list", "is_whole") == [(None, False, False)]


@pytest.mark.parametrize(
    ("payload", "rows"),
    [
        ({"candidates": [{"id": "b"}, {"id": "a", "reason": "why"}]}, [(0, "b", None, True), (1, "a", "why", True)]),
        ({"candidates": [{"id": "a"}], "candidatesComplete": False}, [(0, "a", None, False)]),
        ({"candidates": [{"id": "a"}, {"id": 2}, 3]}, [(0, "a", None, False)]),
        ({"candidates": [{"id": "REDACTED"}]}, [(0, None, None, False)]),
        ({"candidates": []}, [(0, None, None, True)]),
        ({"candidates": None}, [(0, None, None, False)]),
    ],
)
def test_a_memory_lists_what_it_considered_admitted_or_not(payload: Any, rows: list[Any]) -> None:
    offers = memory_offers(told("memory.retrieved", payload))
    assert shown(offers, "position", "entry_id", "reason", "is_whole") == rows


def test_a_strategy_lists_what_it_dropped_with_its_own_reason() -> None:
    offers = memory_offers(told("memory.strategy_applied", {"droppedIds": ["a", "b"], "reason": "over-budget"}, {}))
    assert shown(offers, "event_idx", "entry_id", "reason", "is_whole", "is_offer") == [
        (0, "a", "over-budget", True, False),
        (0, "b", "over-budget", True, False),
        (1, None, None, False, False),
    ]


@pytest.mark.parametrize(
    ("step", "memory"),
    [
        ("sf-memory-read-docs/format#5", "docs"),
        ("outer/sf-memory-read-docs#2", "docs"),
        ("xsf-memory-read-docs#2", None),
        ("sf-memory-read-#2", ""),
    ],
)
def test_an_attached_entry_comes_from_the_memory_whose_step_tells_of_it(step: str, memory: str | None) -> None:
    entries = attached_entries(told("memory.attached", {"memoryId": "a"}, {"memoryId": 1}, step=step))
    assert shown(entries, "memory_id", "entry_id") == sorted([(memory, "a"), (memory, None)], key=str)


def test_an_evicted_result_is_found_by_the_hash_under_which_it_was_composed_before() -> None:
    composed = injected_records(
        told(
            "context.injected",
            {"source": "tool-result", "sourceId": "call_1", "contentHash": "h1"},
            {"source": "tool-result", "sourceId": "call_2", "contentHash": "h2"},
            {"source": "user", "sourceId": "u", "contentHash": "h1"},
            {"source": "tool-result", "contentHash": "h1"},
            {"source": "tool-result", "sourceId": "call_9", "contentHash": None},
        )
    )
    hashes = ["h1", "h2", "h3", None, "[REDACTED]", "h2"]
    evicted = told("context.evicted", *({"contentHash": each} for each in hashes))
    assert shown(evicted_results(evicted, composed), "event_idx", "tool_call_id") == [(5, "call_2")]
    later = evicted.with_columns(event_idx=pl.col("event_idx") + 10)
    assert shown(evicted_results(later, composed), "event_idx", "tool_call_id") == [
        (10, "call_1"),
        (11, "call_2"),
        (15, "call_2"),
    ]
