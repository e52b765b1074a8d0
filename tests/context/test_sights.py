"""Context sights: how well each side of each kind is shown, and of which kinds there is a trace at all."""

import polars as pl
import pytest

from afp_nodes.context.sights import injection_sights, memory_sights, sent_sights, tool_result_sights
from afp_nodes.schemas import (
    ActiveInjections,
    ContextEvents,
    EngineEvaluations,
    EventHeads,
    HistoryResults,
    MemoryOffers,
    ModelCalls,
    OfferedUnits,
    RunStages,
    SentUnits,
    SlotRecords,
    SlotSights,
    ToolCalls,
    ToolResults,
)
from tests.tables import shown, table

CALL = "run_id | call | iteration | stands | turn_start | start_event_idx | scope | commit_idx\n"
ONE = f"{CALL}r | 0 | 1 | T | 1 | 10 | '' | 5"
HEADS = "run_id | keeps_head | goes_on | may_hide\n"
WHOLE_LEG, LOST, HIDING = (f"{HEADS}r | {told}" for told in ("T | F | F", "F | T | F", "F | T | T"))
NO_STAGES, NO_SENT = "run_id | stage_id", "run_id | call | unit_id | unit_kind | spelling"
SLOTS, RECORDS = "run_id | call | slot | sight", "run_id | call | slot | position | source | source_id"


def sent_kinds(*slots: str, records: tuple[str, ...] = (), units: tuple[str, ...] = ()) -> list[str]:
    """How well the injections, the memory and the tool results are shown that were sent with a call."""
    sights = sent_sights(
        table(ModelCalls, ONE),
        table(SlotSights, "\n".join([SLOTS, *(f"r | 0 | {slot}" for slot in slots)])),
        table(SlotRecords, "\n".join([RECORDS, *(f"r | 0 | tools | {at} | {r}" for at, r in enumerate(records))])),
        table(SentUnits, "\n".join([NO_SENT, *(f"r | 0 | {unit}" for unit in units)])),
    )
    by_kind = dict(sights.select("unit_kind", "sight").collect().rows())
    return [by_kind[kind] for kind in ("injection", "memory", "tool-result")]


@pytest.mark.parametrize(
    ("slots", "sights"),
    [
        ((), ["none", "none", "none"]),
        (("messages | whole",), ["whole", "whole", "whole"]),
        (("system-prompt | whole",), ["whole", "whole", "none"]),
        (("system-prompt | fallback", "messages | whole"), ["fallback", "fallback", "whole"]),
        (("system-prompt | part", "messages | fallback", "tools | none"), ["none", "none", "fallback"]),
    ],
)
def test_tool_results_travel_in_the_messages_other_units_in_any_slot(slots: tuple[str, ...], sights: list[str]) -> None:
    assert sent_kinds(*slots) == sights


@pytest.mark.parametrize(
    ("record", "sights"),
    [
        ("fact | a", ["whole", "whole", "whole"]),
        *(("user | ", ["whole", "whole", "whole"]), ("registry | ", ["whole", "whole", "whole"])),
        *(("fact | ", ["part", "part", "whole"]), (" | ", ["part", "part", "whole"])),
        ("tool-result | ", ["whole", "whole", "part"]),
    ],
)
def test_a_unit_without_an_id_may_be_any_of_its_kind(record: str, sights: list[str]) -> None:
    assert sent_kinds("messages | whole", records=(record,)) == sights


@pytest.mark.parametrize(
    ("units", "sight"),
    [
        (("m | memory | memory:docs#m",), "whole"),
        (("memory:docs | memory | memory:docs",), "part"),
        (("memory:docs | memory | memory:docs", "m | memory | memory:docs"), "fallback"),
        (("memory:a | memory | memory:a", "m | memory | memory:a", "memory:b | memory | memory:b"), "part"),
        (("memory:docs | injection | memory:docs",), "whole"),
    ],
)
def test_a_memory_named_as_a_whole_shows_its_entries_as_far_as_it_attached_some(
    units: tuple[str, ...], sight: str
) -> None:
    assert sent_kinds("messages | whole", units=units) == ["whole", sight, "whole"]


def available(frame: pl.LazyFrame) -> list[object]:
    return [sight for (sight,) in shown(frame, "sight")]


def injections(
    active: str = "", evaluated: str = "", stages: str = "", sent: str = "", heads: str = WHOLE_LEG
) -> list[object]:
    return available(
        injection_sights(
            table(ModelCalls, ONE),
            table(EngineEvaluations, f"run_id | event_idx | position | is_list\n{evaluated}"),
            table(ActiveInjections, f"run_id | call | position | active_id | sight\n{active}"),
            table(RunStages, f"{NO_STAGES}\n{stages}"),
            table(EventHeads, heads),
            table(SentUnits, f"{NO_SENT}\n{sent}"),
        )
    )


@pytest.mark.parametrize(
    ("traces", "sights"),
    [
        *(({}, []), ({"stages": "r | xsf-injection-engine"}, []), ({"sent": "r | 0 | m | memory | m"}, [])),
        *(({"evaluated": "r | 1 | 0 | F"}, ["none"]), ({"sent": "r | 0 | a | injection | a"}, ["none"])),
        *(({"stages": "r | sf-injection-engine"}, ["none"]), ({"stages": "r | a/sf-injection-engine/b"}, ["none"])),
        *(({"heads": HIDING}, ["none"]), ({"heads": LOST}, []), ({"stages": "s | sf-injection-engine"}, [])),
        ({"stages": "r | sf-injection-engine", "active": "r|0|0|a|fallback\nr|0|1|b|fallback"}, ["fallback"]),
        ({"evaluated": "r | 1 | 0 | T", "active": "r|0|0||whole"}, ["whole"]),
    ],
)
def test_injections_count_where_an_engine_ran(traces: dict[str, str], sights: list[str]) -> None:
    assert injections(**traces) == sights


OFFERS = "run_id | event_idx | position | runtime_stage_id | entry_id | is_whole | is_offer"


def memories(
    offers: str = "",
    events: str = "",
    stages: str = "",
    sent: str = "",
    heads: str = WHOLE_LEG,
    turn_start: int = 1,
) -> list[object]:
    calls = f"{CALL}r | 0 | 1 | T | {turn_start} | 10 | '' | 5"
    return available(
        memory_sights(
            table(ModelCalls, calls),
            table(MemoryOffers, f"{OFFERS}\n{offers}"),
            table(ContextEvents, f"run_id | event_idx | type\n{events}"),
            table(RunStages, f"{NO_STAGES}\n{stages}"),
            table(EventHeads, heads),
            table(SentUnits, f"{NO_SENT}\n{sent}"),
        )
    )


READ_A, READ_B = "r | sf-memory-read-a", "r | sf-memory-read-b/x"
TOLD_A, TOLD_B = "r | 3 | 0 | sf-memory-read-a/x#4 | m | T | T", "r | 4 | 0 | sf-memory-read-b#5 | | T | T"
DROPPED_A = "r | 3 | 0 | sf-memory-read-a/x#4 | m | T | F"


@pytest.mark.parametrize(
    ("traces", "sights"),
    [
        *(({}, []), ({"events": "r | 1 | agentfootprint.context.injected"}, []), ({"heads": HIDING}, ["none"])),
        *(({"events": "r | 1 | agentfootprint.memory.odd"}, ["none"]), ({"sent": "r|0|m|memory|m"}, ["none"])),
        *(({"stages": READ_A}, ["none"]), ({"stages": READ_A, "offers": TOLD_A}, ["whole"])),
        ({"stages": f"{READ_A}\n{READ_B}", "offers": TOLD_A}, ["part"]),
        ({"stages": f"{READ_A}\n{READ_B}", "offers": f"{TOLD_A}\n{TOLD_B}"}, ["whole"]),
        ({"stages": READ_A, "offers": TOLD_A.replace("T | T", "F | T")}, ["part"]),
        ({"stages": READ_A, "offers": TOLD_A, "heads": LOST, "turn_start": -1}, ["whole"]),
        ({"stages": READ_A, "offers": DROPPED_A, "heads": LOST, "turn_start": -1}, ["part"]),
        ({"stages": READ_A, "offers": DROPPED_A, "heads": LOST}, ["whole"]),
        ({"stages": READ_A, "offers": DROPPED_A, "turn_start": -1}, ["whole"]),
        ({"stages": READ_A, "offers": TOLD_A, "turn_start": 5}, ["none"]),
    ],
)
def test_memory_is_whole_when_every_memory_that_was_read_tells_what_it_considered(
    traces: dict[str, object], sights: list[str]
) -> None:
    events = {} if "offers" not in traces else {"events": "r | 3 | agentfootprint.memory.retrieved"}
    assert memories(**events, **traces) == sights  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("heads", "turn_start", "sight"),
    [(WHOLE_LEG, -1, "whole"), (LOST, 1, "whole"), (LOST, -1, "part")],
)
def test_without_a_log_memory_is_whole_when_the_turns_start_is_there(heads: str, turn_start: int, sight: str) -> None:
    events = "r | 3 | agentfootprint.memory.retrieved"
    assert memories(TOLD_A, events, heads=heads, turn_start=turn_start) == [sight]


TOOLS = "run_id | tool_call_id | occurrence | status | start_event_idx | end_event_idx"
VALUES = "run_id | scope | commit_idx | position | replaces | is_list | is_named"


def results(
    tools: str = "",
    values: str = "",
    stages: str = "",
    offered: str = "",
    sent: str = "",
    heads: str = WHOLE_LEG,
    calls: str = ONE,
) -> list[object]:
    ended = [line for line in tools.splitlines() if line.split("|")[5].strip()]
    return available(
        tool_result_sights(
            table(ModelCalls, calls),
            table(ToolCalls, f"{TOOLS}\n{tools}"),
            table(ToolResults, "\n".join(["run_id | tool_call_id", *("r | a" for _ in ended[:1])])),
            table(OfferedUnits, f"run_id | call | unit_id | unit_kind\n{offered}"),
            table(HistoryResults, f"{VALUES}\n{values}"),
            table(RunStages, f"{NO_STAGES}\n{stages}"),
            table(EventHeads, heads),
            table(SentUnits, f"{NO_SENT}\n{sent}"),
        )
    )


ENDED, OPEN, NAMELESS, LATE = (
    *("r | a | 0 | x | 3 | 5", "r | b | 0 | x | 6 |", "r | '' | 0 | x | | 7"),
    "r | b | 0 | x | 16 |",
)
OFFER = "r | 0 | a | tool-result"
BEGINS, GROWS, HIDDEN = ("r | '' | 0 | 0 | T | T | T", "r | '' | 2 | 0 | F | T | T", "r | '' | 3 | 0 | T | F | F")


@pytest.mark.parametrize(
    ("traces", "sights"),
    [
        *(({}, []), ({"heads": HIDING}, ["none"]), ({"stages": "r | tool-calls"}, ["whole"])),
        *(({"stages": "r | x/tool-calls", "heads": LOST}, ["none"]), ({"stages": "r | tool-callsx"}, [])),
        *(({"sent": "r|0|a|tool-result|a", "heads": LOST}, ["none"]), ({"tools": ENDED}, ["whole"])),
        *(({"tools": ENDED, "heads": LOST, "offered": OFFER}, ["part"]), ({"tools": ENDED, "heads": LOST}, ["none"])),
        ({"tools": f"{ENDED}\n{OPEN}", "offered": OFFER}, ["part"]),
        ({"tools": f"{ENDED}\n{NAMELESS}", "offered": OFFER}, ["part"]),
        ({"tools": f"{ENDED}\n{LATE}", "offered": OFFER}, ["whole"]),
        ({"tools": ENDED, "heads": f"{HEADS}r | T | T | F", "offered": OFFER}, ["part"]),
    ],
)
def test_tool_results_are_whole_when_the_events_of_the_whole_leg_name_every_end(
    traces: dict[str, str], sights: list[str]
) -> None:
    assert results(**traces) == sights


@pytest.mark.parametrize(
    ("values", "sight"),
    [
        *((BEGINS, "whole"), (GROWS, "none"), (f"{BEGINS}\n{GROWS}", "whole"), (f"{BEGINS}\n{HIDDEN}", "none")),
        (f"{BEGINS}\n{HIDDEN}".replace("| 3 |", "| 7 |"), "whole"),
        (f"{BEGINS}\n{HIDDEN}".replace("| 3 |", "| 5 |"), "whole"),
        ("r | '' | -1 | 0 | T | T | T", "whole"),
        (f"r | '' | -1 | 0 | T | T | F\n{BEGINS}", "none"),
        (BEGINS.replace("''", "loop#2"), "none"),
        (BEGINS.replace("| 0 | 0", "| 5 | 0"), "none"),
    ],
)
def test_tool_results_are_whole_when_the_own_log_shows_the_history_from_its_beginning(values: str, sight: str) -> None:
    assert results(values=values, stages="r | tool-calls", heads=LOST) == [sight]


def test_a_call_in_a_mount_stands_before_the_mount_in_the_own_log() -> None:
    calls = "run_id | call | iteration | stands | scope | commit_idx | own_commit_idx\nr | 0 | 1 | T | loop#2 | 9 | {}"
    for own, sight in ((3, "whole"), (4, "none"), ("", "none")):
        told = results(values=f"{BEGINS}\n{HIDDEN}", stages="r | tool-calls", heads=LOST, calls=calls.format(own))
        assert told == [sight]
