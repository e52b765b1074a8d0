"""Results: whether what came back was empty, and whether its tool said what it had covered.

Rules: assessment and routing, sections 6.5 and 6.7.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from afp_nodes.assessment.coverage_rows import CoverageRow
from afp_nodes.assessment.emptiness import Door, Emptiness, EmptinessReading, emptiness_of
from afp_nodes.assessment.envelopes import Declared, declared_in
from afp_nodes.assessment.outcomes import Checked, Fired, Outcome
from afp_nodes.assessment.pointers import Pointer
from afp_nodes.assessment.turn import TurnResult
from afp_nodes.words import Reason, StandingCheck


class ReadResult(NamedTuple):
    """A result with the coverage rows of its call; where there are none, with what its own envelope declares."""

    result: TurnResult
    rows: Sequence[CoverageRow]
    own: Declared | None


def read_results(results: Sequence[TurnResult], coverage: Sequence[CoverageRow]) -> list[ReadResult]:
    """The results of the turn, each with what was declared of it."""
    by_call: dict[str | None, list[CoverageRow]] = defaultdict(list)
    for row in coverage:
        if row.tool_call_id is not None:
            by_call[row.tool_call_id].append(row)
    of_results = [by_call.get(result.tool_call_id, []) for result in results]
    return [
        ReadResult(result, rows, None if rows else declared_in(result.data))
        for result, rows in zip(results, of_results, strict=True)
    ]


def calls_of(reads: Sequence[ReadResult], coverage: Sequence[CoverageRow]) -> frozenset[str]:
    """The calls of the turn: those of results and those of coverage rows."""
    named = [read.result.tool_call_id for read in reads] + [row.tool_call_id for row in coverage]
    return frozenset(call for call in named if call is not None)


def coverage_check(reads: Sequence[ReadResult], coverage: Sequence[CoverageRow]) -> Iterator[Checked]:
    """How many calls declared what they covered; what names no call counts as one of its own."""
    declaring = [read.result for read in reads if read.own is not None]
    declared = {row.tool_call_id for row in coverage if row.tool_call_id} | {
        result.tool_call_id for result in declaring if result.tool_call_id is not None
    }
    nameless_rows = sum(row.tool_call_id is None for row in coverage)
    nameless_declaring = sum(result.tool_call_id is None for result in declaring)
    nameless_results = sum(read.result.tool_call_id is None for read in reads)
    of = len(calls_of(reads, coverage)) + nameless_rows + nameless_results
    if of:
        ran = len(declared) + nameless_rows + nameless_declaring
        witness = [row.pointer for row in coverage] + [result.pointer for result in declaring]
        yield Checked(StandingCheck.TOOL_COVERAGE, ran, of, tuple(witness))


def result_outcomes(reads: Sequence[ReadResult], rows_at: Mapping[str, str]) -> Iterator[Outcome]:
    """What each result says beyond its coverage rows, and how many could be read at all."""
    readable: list[Pointer] = []
    for read in reads:
        reading = _reading(read, rows_at)
        if reading.emptiness is not Emptiness.UNKNOWN:
            readable.append(read.result.pointer)
        yield from (Fired(reason, read.result.pointer) for reason in _reasons(read, reading))
    if reads:
        yield Checked(StandingCheck.RESULT_SHAPE, len(readable), len(reads), tuple(readable))


def _reading(read: ReadResult, rows_at: Mapping[str, str]) -> EmptinessReading:
    """Coverage rows are the door; without any, the result's own envelope is."""
    absent, bounded = _kinds(read.rows)
    door = Door(absent, bounded) if read.rows else None
    name = read.result.tool_name
    return emptiness_of(read.result.data, None if name is None else rows_at.get(name), door)


def _reasons(read: ReadResult, reading: EmptinessReading) -> Iterator[Reason]:
    absent, _ = _kinds(read.rows)
    if reading.emptiness is Emptiness.DECLARED_ABSENT and not absent:
        yield Reason.DECLARED_ABSENT
    if reading.emptiness is Emptiness.UNDECLARED_EMPTY and not read.rows:
        yield Reason.EMPTY_UNDECLARED
    if read.own is not None and read.own.gap:
        yield Reason.COVERAGE_GAP


def _kinds(rows: Sequence[CoverageRow]) -> tuple[bool, bool]:
    """Whether some row is an absence, and whether some row is the ledger of a boundary."""
    return any(row.is_absence for row in rows), any(not row.is_absence for row in rows)
