"""Laws of comparing: a run does not differ from itself, sides can be swapped, and knowing less only makes unknown."""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.comparison.redaction import Redactions
from afp_nodes.comparison.rows import call_rows, context_rows, decision_rows
from afp_nodes.schemas import AlignedLoops, ContextPieces, Frame, LoopCalls, LoopDecisions, SeenLoops, ShownSlots
from afp_nodes.words import LoopSight, Piece, Sameness, Slot
from dataflows.comparison import compared_rows
from dataflows.derive import tables_of

KEY = ["iteration", "moment", "subject_kind", "subject", "slot", "occurrence"]
SWAPPED = {"only-a": "only-b", "only-b": "only-a", "not-shown-a": "not-shown-b", "not-shown-b": "not-shown-a"}
LOOPS = (1, 2)

Rows = list[dict[str, Any]]


def mirrored(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows as they would stand with the two runs exchanged."""
    other = {f"{side}_{what}": f"{far}_{what}" for side, far in ("ab", "ba") for what in ("json", "places_json")}
    return rows.with_columns(pl.col("ground").cast(pl.String).replace(SWAPPED)).rename(other).select(rows.columns)


def flips(more: pl.DataFrame, less: pl.DataFrame) -> Rows:
    """Rows that knowing less turns from `same` into `differs` or the other way, or makes out of nothing."""
    both = more.join(less, on=KEY, how="full", coalesce=True, nulls_equal=True, suffix="_less")
    verdicts = pl.concat_list(pl.col("verdict", "verdict_less").cast(pl.String).fill_null(Sameness.UNKNOWN))
    return both.filter(verdicts.list.set_difference([Sameness.UNKNOWN]).list.len() == 2).to_dicts()


@dataclass(frozen=True)
class Drawn:
    """What the records of two runs show of two loops, a row each, as plain data."""

    pieces: Rows
    slots: Rows
    decisions: Rows
    calls: Rows
    seen: Rows
    sights: Mapping[str, list[str]]

    def compared(self, a: str, b: str) -> pl.DataFrame:
        """The rows of the two runs."""
        sights = [
            {"iteration": loop, "sight_a": self.sights[a][loop - 1], "sight_b": self.sights[b][loop - 1]}
            for loop in LOOPS
        ]
        loops = frame(AlignedLoops, sights)
        rows = [
            context_rows(loops, frame(ContextPieces, self.pieces), frame(ShownSlots, self.slots), a, b),
            decision_rows(loops, frame(LoopDecisions, self.decisions), a, b),
            call_rows(loops, frame(SeenLoops, self.seen), frame(LoopCalls, self.calls), a, b),
        ]
        return pl.concat(rows).collect()


def frame(schema: type[Frame], rows: Rows) -> pl.LazyFrame:
    """Rows as a frame of the schema; what is left out is NULL."""
    return pl.DataFrame(rows, schema=schema.stored_dtypes(), orient="row").lazy().pipe(schema.cast)


TEXTS = st.sampled_from([None, "x", "y"])
FLAGS = st.booleans()


@st.composite
def drawn_pairs(draw: st.DrawFn) -> Drawn:
    """Two runs whose records may show anything, in whole or in part."""
    sights = {run: [draw(st.sampled_from(LoopSight)) for _ in LOOPS] for run in "ab"}
    shown = [
        {"run_id": run, "iteration": loop} for run in "ab" for loop in LOOPS if sights[run][loop - 1] == LoopSight.SHOWN
    ]
    return Drawn(
        [row for loop in shown for row in draw(_pieces(loop))],
        [loop | {"slot": slot, "shows_entries": draw(FLAGS)} for loop in shown for slot in Slot if draw(FLAGS)],
        [loop | draw(_decisions()) for loop in shown],
        [row for loop in shown for row in draw(_calls(loop))],
        [loop | {"call": loop["iteration"] - 1, "is_closed": draw(FLAGS)} for loop in shown],
        sights,
    )


@st.composite
def _pieces(draw: st.DrawFn, loop: dict[str, Any]) -> Rows:
    kinds = st.sampled_from([Piece.INJECTION, Piece.MEMORY, Piece.TOOL_RESULT])
    rows = []
    for position in range(draw(st.integers(0, 4))):
        kind, kept_out = draw(kinds), draw(st.sampled_from([False, False, False, True]))
        names = [None, "u", "v"] if kind == Piece.TOOL_RESULT else ["u", "v"]
        piece = {"slot": draw(st.sampled_from(Slot)), "kind": kind, "name": draw(st.sampled_from(names))}
        content = None if kept_out else draw(TEXTS)
        rows.append(
            loop | piece | {"position": position, "content": content, "kept_out": kept_out, "places_json": "[0]"}
        )
    return rows


@st.composite
def _decisions(draw: st.DrawFn) -> dict[str, Any]:
    count = draw(st.sampled_from([None, 0, 1, 2]))
    calls = draw(st.sampled_from([None, f"[{','.join(['x'] * (count or 0))}]"]))
    told = {"call_count": count, "calls_json": None if count is None else calls, "text": draw(TEXTS)}
    return told | {"kept_out": draw(FLAGS), "places_json": "[]", "route_places_json": "[]"}


@st.composite
def _calls(draw: st.DrawFn, loop: dict[str, Any]) -> Rows:
    rows: Rows = []
    for position in range(draw(st.integers(0, 3))):
        name, kept_out = draw(st.sampled_from([None, "t", "u"])), draw(st.sampled_from([False, False, True]))
        occurrence = sum(row["name"] == name for row in rows)
        ended = {"status": draw(st.sampled_from([None, "returned", "error"])), "error": None}
        result = None if kept_out else draw(TEXTS)
        told = {"name": name, "occurrence": occurrence, "result_json": result, "kept_out": kept_out}
        rows.append(loop | {"position": position, "places_json": "[]"} | told | ended)
    return rows


PAIRS = settings(max_examples=40)


@PAIRS
@given(drawn_pairs())
def test_no_record_differs_from_itself(pair: Drawn) -> None:
    rows = pair.compared("a", "a")
    assert rows.filter(pl.col("verdict") == Sameness.DIFFERS).is_empty()
    assert rows["iteration"].unique().sort().to_list() == list(LOOPS)


@PAIRS
@given(drawn_pairs())
def test_exchanging_the_runs_exchanges_the_sides(pair: Drawn) -> None:
    rows = pair.compared("a", "b")
    assert (
        mirrored(pair.compared("b", "a")).to_dicts() == rows.with_columns(pl.col("ground").cast(pl.String)).to_dicts()
    )


@PAIRS
@given(drawn_pairs(), st.data())
def test_a_record_that_shows_less_only_makes_rows_unknown(pair: Drawn, data: st.DataObject) -> None:
    assert flips(pair.compared("a", "b"), _showing_less(pair, data.draw).compared("a", "b")) == []


def _showing_less(pair: Drawn, draw: Callable[[Any], Any]) -> Drawn:
    """The same with some of what the record of B shows left out, and with that no longer known to be all."""
    cut = {(loop, slot) for loop in LOOPS for slot in Slot if draw(FLAGS)}
    kept = [row for row in pair.pieces if not _is_cut(row, cut) or draw(FLAGS)]
    hidden, first = [loop for loop in LOOPS if draw(FLAGS)], draw(st.integers(0, 2))
    return Drawn(
        kept,
        [row for row in pair.slots if not _is_cut(row, cut)],
        [row | _nothing_told(row, draw) for row in pair.decisions],
        [row for row in pair.calls if not _is_hidden(row, hidden) or row["position"] < first],
        [row | {"is_closed": row["is_closed"] and not _is_hidden(row, hidden)} for row in pair.seen],
        {"a": pair.sights["a"], "b": [_less_seen(sight, draw) for sight in pair.sights["b"]]},
    )


def _less_seen(sight: str, draw: Callable[[Any], Any]) -> str:
    return LoopSight.NOT_SHOWN if sight == LoopSight.ENDED and draw(FLAGS) else sight


def _is_cut(row: dict[str, Any], cut: set[tuple[int, Slot]]) -> bool:
    return row["run_id"] == "b" and (row["iteration"], row["slot"]) in cut


def _is_hidden(row: dict[str, Any], hidden: list[int]) -> bool:
    return row["run_id"] == "b" and row["iteration"] in hidden


def _nothing_told(row: dict[str, Any], draw: Callable[[Any], Any]) -> dict[str, Any]:
    """What is no longer told of a decision of B: its words, or its calls, or how many there are."""
    if row["run_id"] == "a":
        return {}
    names = draw(st.sampled_from([(), ("text",), ("calls_json",), ("call_count", "calls_json", "text")]))
    return dict.fromkeys(names)


SAMPLE = Path(__file__).parents[2] / "data" / "sample" / "runs"
PAIRS_OF_RUNS = [
    ("s-noevents-refunds", "s-dial-wp-full-delta-refunds"),
    ("s-crash-incident", "s-flat-alt-incident"),
    ("s-flat-alt-incident", "s-grouped-alt-incident"),
    ("s-dupid-hr", "s-dropped-hr"),
    ("s-ask-grouped-leg1-travel", "s-ask-grouped-leg2-travel"),
    ("s-flat-par-refunds", "s-evid-guard-refunds"),
    ("s-grouped-rag-tax", "s-toolerr-refunds"),
]
"""Pairs of recordings; most were asked one question."""
NOTHING_REDACTED = Redactions(lambda _: False)

Document = dict[str, Any]


def as_recorded(document: Document) -> Document:
    return document


def without_events(document: Document) -> Document:
    del document["recording"]["events"]
    return document


def with_other_ids(document: Document) -> Document:
    """The document with every call id changed, everywhere."""
    ids = {id_ for id_ in _strings(document) if re.fullmatch(r"(call_|c)\d+", id_)}
    return dict(_renamed(document, {id_: f"of-another-provider-{id_}" for id_ in ids}))


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for member in value.values():
                yield from _strings(member)
        case list():
            for item in value:
                yield from _strings(item)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    match value:
        case str():
            return names.get(value, value)
        case dict():
            return {name: _renamed(member, names) for name, member in value.items()}
        case list():
            return [_renamed(item, names) for item in value]
        case _:
            return value


@cache
def tables(change: Callable[[Document], Document]) -> dict[str, pl.DataFrame]:
    """What the product makes of the recordings, each of them changed."""
    runs = sorted({run for pair in PAIRS_OF_RUNS for run in pair})
    documents = [json.loads(gzip.decompress((SAMPLE / f"{run}.json.gz").read_bytes())) for run in runs]
    return tables_of([json.dumps(change(document)).encode() for document in documents])


def compared(a: str, b: str, change: Callable[[Document], Document] = as_recorded) -> pl.DataFrame:
    """The rows of two recordings, the second of them changed."""
    of_b = {name: table.filter(pl.col("run_id") == b) for name, table in tables(change).items()}
    both = {
        name: pl.concat([table.filter(pl.col("run_id") == a), of_b[name]]) if a != b else of_b[name]
        for name, table in tables(as_recorded).items()
    }
    return compared_rows(both, a, b, NOTHING_REDACTED)[1]


@pytest.mark.parametrize("pair", PAIRS_OF_RUNS, ids=" ".join)
def test_no_recording_differs_from_itself_nor_from_one_with_other_ids(pair: tuple[str, str]) -> None:
    for run in pair:
        assert compared(run, run).filter(pl.col("verdict") == Sameness.DIFFERS).to_dicts() == []
    assert compared(*pair, with_other_ids).to_dicts() == compared(*pair).to_dicts()


@pytest.mark.parametrize("pair", PAIRS_OF_RUNS, ids=" ".join)
def test_exchanging_two_recordings_exchanges_the_sides(pair: tuple[str, str]) -> None:
    rows = compared(*pair).with_columns(pl.col("ground").cast(pl.String))
    assert mirrored(compared(*reversed(pair))).to_dicts() == rows.to_dicts()


@pytest.mark.parametrize("pair", PAIRS_OF_RUNS, ids=" ".join)
def test_a_recording_without_events_only_makes_rows_unknown(pair: tuple[str, str]) -> None:
    rows, fewer = compared(*pair), compared(*pair, without_events)
    assert flips(rows, fewer) == []
    assert (fewer["verdict"] == Sameness.UNKNOWN).sum() > 0
    assert compared(*pair[::-1], without_events).height > 0


def test_other_ids_are_other_ids() -> None:
    ids = [set(tables(change)["tool_calls"]["tool_call_id"]) for change in (as_recorded, with_other_ids)]
    assert ids[0]
    assert not ids[0] & ids[1]
