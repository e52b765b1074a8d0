"""What holds of any turn an agent plays, and of whatever is left of its recording."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.words import Coverage
from dataflows.derive import tables_of
from tests.context.agent import Agent, Object, Plan, Truth, plans
from tests.context.losses import capped, damaged, events_of, without, without_events
from tests.oracle.context import context_tables
from tests.oracle.javascript import parse, scrubbed
from tests.rows import difference, frame_lines, oracle_lines
from tests.strategies import as_bytes

TABLES = ("context_units", "missing_context", "missing_context_summary", "verdicts")
STRENGTH = list(Coverage)
"""Grades, strongest first."""

LOGS = ("commitLog", "subflowResults")
KINDS = (
    *(("context.injected",), ("context.slot_composed",), ("context.evaluated",), ("stream.llm_start",)),
    *(("memory.retrieved",), ("memory.retrieved", "memory.attached"), ("stream.tool_end",)),
    ("context.injected", "context.slot_composed"),
)
"""Kinds of events that may be missing together."""

Rows = Mapping[str, list[dict[str, object]]]
some_plans = st.lists(plans(), min_size=1, max_size=4)
dice = st.randoms(use_true_random=False)


def legs(played: Iterable[Plan]) -> Iterator[tuple[Plan, int, Object, list[Truth]]]:
    """Each leg of some turns: its plan, its number, its recording, and what its calls were given."""
    for plan in played:
        agent = Agent(plan)
        for number, (document, truths) in enumerate(zip(agent.documents, agent.truths, strict=True)):
            yield plan, number, document, truths


def named(documents: Iterable[Object]) -> dict[str, Object]:
    """Recordings by the ids they are given."""
    runs = {f"run-{number}": deepcopy(document) for number, document in enumerate(documents)}
    for run_id, document in runs.items():
        document["run"]["runId"] = run_id
    return runs


def published(runs: Mapping[str, Object]) -> dict[str, pl.DataFrame]:
    """The tables of some recordings, of verdicts those about context."""
    tables = tables_of([as_bytes(document) for document in runs.values()])
    about_context = tables["verdicts"].filter(pl.col("kind") == "missing-context").select("run_id", "verdict")
    return {name: tables[name] for name in TABLES} | {"verdicts": about_context}


def derived(documents: Iterable[Object]) -> list[Rows]:
    """The rows of each of some recordings."""
    runs = named(documents)
    told: dict[str, dict[str, list[dict[str, object]]]] = {run_id: {name: [] for name in TABLES} for run_id in runs}
    for name, frame in published(runs).items():
        for row in frame.to_dicts():
            told[row["run_id"]][name].append(row)
    return list(told.values())


def batched(rows: list[Rows], size: int) -> list[list[Rows]]:
    """Rows in batches of a size; at least one."""
    return [rows[at : at + size] for at in range(0, len(rows), size)] if rows else [[]]


def verdict(rows: Rows) -> object:
    return rows["verdicts"][0]["verdict"]


def by_iteration(rows: Iterable[dict[str, object]], iteration: int) -> list[dict[str, object]]:
    return [row for row in rows if row["iteration"] == iteration]


def assert_no_lie(rows: Rows, truths: list[Truth]) -> None:
    """Fail where the product says something of a call that was not so."""
    for truth in truths:
        for row in by_iteration(rows["context_units"], truth.iteration):
            assert row["available"] in (None, row["unit_id"] in truth.available), row
            assert row["sent"] in (None, row["unit_id"] in truth.sent), row
        for summary in by_iteration(rows["missing_context_summary"], truth.iteration):
            assert summary["any_dropped"] in (None, bool(truth.dropped)), summary
        gone = [row["unit_id"] for row in by_iteration(rows["missing_context"], truth.iteration)]
        assert set(gone) <= set(truth.dropped), (gone, truth)
    if verdict(rows) != "unknown":
        assert verdict(rows) == ("dropped" if any(truth.dropped for truth in truths) else "none-dropped"), truths


def assert_no_stronger(rows: Rows, than: Rows) -> None:
    """Fail where a call, or a unit of it, is graded better than it is elsewhere."""
    for table, key in (("missing_context_summary", ["iteration"]), ("context_units", ["iteration", "unit_id"])):
        grades = {tuple(row[k] for k in key): row["grade"] for row in than[table]}
        for row in rows[table]:
            before = grades.get(tuple(row[k] for k in key))
            assert before is None or STRENGTH.index(row["grade"]) >= STRENGTH.index(before), (row, before)


@given(some_plans)
def test_a_whole_recording_tells_what_each_call_was_given(played: list[Plan]) -> None:
    every = list(legs(played))
    for (plan, leg, _, truths), rows in zip(every, derived(document for *_, document, _ in every), strict=True):
        assert_no_lie(rows, truths)
        forgets = plan.memory is not None and (plan.is_silent or leg > 0)
        for truth in [] if forgets else truths:
            units = by_iteration(rows["context_units"], truth.iteration)
            assert _order([row["unit_id"] for row in units if row["available"]], leg) == _order(truth.available, leg)
            assert {row["unit_id"] for row in units if row["sent"]} == set(truth.sent)
            gone = by_iteration(rows["missing_context"], truth.iteration)
            assert _order([row["unit_id"] for row in gone], leg) == _order(truth.dropped, leg)
            is_fallback = plan.chart == "classic" and (leg, truth.iteration) != (0, 1)
            (summary,) = by_iteration(rows["missing_context_summary"], truth.iteration)
            assert summary["grade"] == (Coverage.CONSERVATIVE if is_fallback else Coverage.EXACT)
            for row in gone:
                reason = truth.kept_back.get(row["unit_id"])
                words = {"below-threshold", "over-max-entries"}
                expected = "evicted" if row["unit_kind"] == "tool-result" else reason if reason in words else None
                assert row["drop_reason"] == expected


Loss = Callable[[Object, int], Object]

LOST_EVENTS: tuple[Loss, ...] = (
    lambda document, at: capped(document, at, says_so=True),
    lambda document, at: capped(document, at, says_so=False),
    lambda document, _: without(document, "events"),
)
LOST_LOGS: tuple[Loss, ...] = (
    lambda document, at: without(capped(document, at, says_so=True), *LOGS),
    lambda document, at: without(capped(document, at, says_so=False), *LOGS),
    lambda document, at: without(capped(document, at, says_so=False), "initialState"),
    *(lambda document, _, part=part: without(document, part) for part in LOGS),
)


def left_over(
    every: list[tuple[Object, list[Truth]]], losses: tuple[Loss, ...], dice: random.Random
) -> Iterator[tuple[Rows, Rows, list[Truth]]]:
    """What is derived of each recording after each loss, what of it before, and what was so."""
    lost = [lose(document, dice.randrange(len(events_of(document)) + 1)) for lose in losses for document, _ in every]
    whole, *others = batched(derived([*(document for document, _ in every), *lost]), len(every))
    for some in others:
        yield from zip(some, whole, (truths for _, truths in every), strict=True)


@given(some_plans, dice)
def test_events_that_are_lost_make_no_lie_and_no_better_grade(played: list[Plan], dice: random.Random) -> None:
    every = [(document, truths) for *_, document, truths in legs(played)]
    for rows, better, truths in left_over(every, LOST_EVENTS, dice):
        assert_no_lie(rows, truths)
        assert_no_stronger(rows, better)


@given(some_plans, dice)
def test_logs_that_are_lost_make_no_lie(played: list[Plan], dice: random.Random) -> None:
    telling = (plan for plan in played if not plan.is_silent)  # only a log shows a memory that tells nothing
    every = [(document, truths) for *_, document, truths in legs(telling)]
    for rows, _, truths in left_over(every, LOST_LOGS, dice):
        assert_no_lie(rows, truths)


@given(some_plans)
def test_a_recording_without_events_of_some_kind_never_lies(played: list[Plan]) -> None:
    every = [(without_events(document, *kinds), truths) for *_, document, truths in legs(played) for kinds in KINDS]
    for rows, (_, truths) in zip(derived(document for document, _ in every), every, strict=True):
        assert_no_lie(rows, truths)


@given(some_plans, dice)
def test_the_product_says_what_the_oracle_says_of_whatever_is_left(played: list[Plan], dice: random.Random) -> None:
    documents = [document for *_, document, _ in legs(played)]
    runs = named([*documents, *(damaged(document, dice) for document in documents for _ in range(4))])
    tables = published(runs)
    expected = [context_tables(scrubbed(parse(as_bytes(document))), run_id) for run_id, document in runs.items()]
    for name in TABLES:
        rows = [row for told in expected for row in told[name]]
        columns = list(rows[0]) if rows else ["run_id"]
        differs = difference(_lines(tables[name], columns), oracle_lines(rows))
        assert not differs, f"{name}\n{differs}"


@given(some_plans, dice)
def test_runs_never_influence_each_other(played: list[Plan], dice: random.Random) -> None:
    runs = named(damaged(document, dice) for *_, document, _ in legs(played))
    apart = [published({run_id: document}) for run_id, document in runs.items()]
    together = published(runs)
    for name in TABLES:
        columns = together[name].columns
        alone = pl.concat([tables[name] for tables in apart])
        assert not difference(frame_lines(together[name], columns), frame_lines(alone, columns)), name


def _order(units: list[str], leg: int) -> list[str]:
    """Units in an order that can be told: what a later leg tells itself stands before what it was handed."""
    return sorted(units) if leg else units


def _lines(frame: pl.DataFrame, columns: list[str]) -> list[str]:
    """The rows of a frame as lines, with origins that leave out what is not there."""
    if "origin_json" in columns:
        told = frame["origin_json"].map_elements(_told, return_dtype=pl.String)
        frame = frame.with_columns(origin_json=told)
    return frame_lines(frame, columns)


def _told(origin: str) -> str:
    return as_bytes({name: value for name, value in sorted(parse(origin).items()) if value is not None}).decode()
