"""Rows: two runs compared loop by loop, context before decision before call. Rule: product contract, section 4.

A row says `same` only where both records show all of what it compares, and `differs` only where what they show cannot
be the same, whatever they do not show. Everything else is `unknown`.
"""

import dataframely as dy
import polars as pl

from afp_nodes.comparison.redaction import WITHHELD_JSON
from afp_nodes.comparison.sides import (
    SIDES,
    as_json,
    as_rows,
    both_sides,
    first_of,
    in_order,
    not_known,
    of_run,
    only_one,
    with_sights,
)
from afp_nodes.schemas import AlignedLoops, ContextPieces, DiffRows, LoopCalls, LoopDecisions, SeenLoops, ShownSlots
from afp_nodes.templates import filled
from afp_nodes.words import DiffMoment, Ground, Piece, Slot

REST, REPLY, ROUTE, CALL = "rest", "reply", "route", "call"
"""Kinds of subject beside those of pieces; `rest` is all that has no row of its own."""
PIECE = ["iteration", "slot", "kind", "name"]
CALL_OF_LOOP = ["iteration", "name", "occurrence"]
LAST = pl.lit(None, pl.Int64)
"""Position of what comes after all that has one."""


def loop_rows(
    context_rows: dy.LazyFrame[DiffRows],
    decision_rows: dy.LazyFrame[DiffRows],
    route_rows: dy.LazyFrame[DiffRows],
    call_rows: dy.LazyFrame[DiffRows],
) -> dy.LazyFrame[DiffRows]:
    """One row per thing that is compared in a loop, in the order in which things happen."""
    return (
        pl.concat([context_rows, decision_rows, route_rows, call_rows])
        .sort("iteration", pl.col("moment").to_physical(), "position", maintain_order=True)
        .with_columns(position=pl.int_range(pl.len()))
        .pipe(DiffRows.cast)
    )


def context_rows(
    aligned_loops: dy.LazyFrame[AlignedLoops],
    context_pieces: dy.LazyFrame[ContextPieces],
    shown_slots: dy.LazyFrame[ShownSlots],
    run_a: str,
    run_b: str,
) -> dy.LazyFrame[DiffRows]:
    """One row per piece of a loop's context, and one for all else that the context may have held.

    Pieces of one kind and name in one slot are compared by their texts, in any order.
    """
    a, b = of_run(context_pieces, run_a), of_run(context_pieces, run_b)
    slots = _known_slots(aligned_loops, of_run(shown_slots, run_a), of_run(shown_slots, run_b))
    pieces = (
        both_sides(_gathered(a), _gathered(b), PIECE)
        .join(_surplus(a, b), on=PIECE, how="left", nulls_equal=True)
        .join(slots, on=["iteration", "slot"], how="left")
        .with_columns(knows_a=_knows_piece("a"), knows_b=_knows_piece("b"))
        .with_columns(position=pl.min_horizontal("position_a", "position_b"), ground=_piece_ground())
    )
    rest = with_sights(slots.group_by("iteration").agg(_all_of(side) for side in SIDES), aligned_loops).with_columns(
        position=LAST, ground=first_of(*only_one("is_shown"), *not_known())
    )
    rows = [
        as_rows(
            pieces,
            DiffMoment.CONTEXT,
            pl.col("kind").cast(pl.String),
            subject=pl.when(pl.col("name") != "").then("name"),
            slot=pl.col("slot"),
            a_json=pl.col("json_a"),
            b_json=pl.col("json_b"),
            a_places_json=pl.col("places_json_a"),
            b_places_json=pl.col("places_json_b"),
        ),
        as_rows(
            rest.with_columns(position=LAST, ground=first_of(*only_one("is_shown"), *not_known())),
            DiffMoment.CONTEXT,
            REST,
        ),
    ]
    return in_order(pl.concat(rows)).pipe(DiffRows.cast)


def decision_rows(
    aligned_loops: dy.LazyFrame[AlignedLoops], loop_decisions: dy.LazyFrame[LoopDecisions], run_a: str, run_b: str
) -> dy.LazyFrame[DiffRows]:
    """One row per loop: what the model answered with, the calls it asked for or else its words.

    Words that stand beside calls are no decision: they come back in the context of the next loop.
    """
    decisions = _of_both(loop_decisions, aligned_loops, run_a, run_b).with_columns(
        knows_a=_tells_decision("a"), knows_b=_tells_decision("b")
    )
    return in_order(
        as_rows(
            decisions.with_columns(position=LAST, ground=_decision_ground()),
            DiffMoment.DECISION,
            REPLY,
            a_json=_decision_json("a"),
            b_json=_decision_json("b"),
            a_places_json=pl.col("places_json_a"),
            b_places_json=pl.col("places_json_b"),
        )
    ).pipe(DiffRows.cast)


def route_rows(
    aligned_loops: dy.LazyFrame[AlignedLoops], loop_decisions: dy.LazyFrame[LoopDecisions], run_a: str, run_b: str
) -> dy.LazyFrame[DiffRows]:
    """One row per loop: what the agent did with the answer, in the record's own word."""
    routes = _of_both(loop_decisions, aligned_loops, run_a, run_b).with_columns(
        (pl.col(f"route_{side}").is_not_null() | pl.col(f"has_ended_{side}")).alias(f"knows_{side}") for side in SIDES
    )
    other = (Ground.OTHER_ROUTE, pl.col("route_a") != pl.col("route_b"))
    return in_order(
        as_rows(
            routes.with_columns(position=LAST, ground=first_of(*only_one("knows"), *not_known(), other)),
            DiffMoment.DECISION,
            ROUTE,
            a_json=as_json(pl.col("route_a")),
            b_json=as_json(pl.col("route_b")),
            a_places_json=pl.col("route_places_json_a"),
            b_places_json=pl.col("route_places_json_b"),
        )
    ).pipe(DiffRows.cast)


def call_rows(
    aligned_loops: dy.LazyFrame[AlignedLoops],
    seen_loops: dy.LazyFrame[SeenLoops],
    loop_calls: dy.LazyFrame[LoopCalls],
    run_a: str,
    run_b: str,
) -> dy.LazyFrame[DiffRows]:
    """One row per tool call of a loop, and one for all other calls that there may have been.

    Calls of one loop match by tool, arguments, and which of the equal ones it is.
    """
    loops = _of_both(seen_loops, aligned_loops, run_a, run_b).select(
        "iteration", knows_a=_shows_all_calls("a"), knows_b=_shows_all_calls("b")
    )
    calls = (
        both_sides(of_run(loop_calls, run_a), of_run(loop_calls, run_b), CALL_OF_LOOP)
        .join(loops, on="iteration", how="left")
        .with_columns(position=pl.min_horizontal("position_a", "position_b"), ground=_call_ground())
    )
    rows = [
        as_rows(
            calls,
            DiffMoment.CALL,
            CALL,
            subject=pl.col("name"),
            occurrence=pl.col("occurrence"),
            a_json=_call_json("a"),
            b_json=_call_json("b"),
            a_places_json=pl.col("places_json_a"),
            b_places_json=pl.col("places_json_b"),
        ),
        as_rows(loops.with_columns(position=LAST, ground=first_of(*not_known())), DiffMoment.CALL, REST),
    ]
    return in_order(pl.concat(rows)).pipe(DiffRows.cast)


def _of_both(of_loops: pl.LazyFrame, aligned_loops: pl.LazyFrame, run_a: str, run_b: str) -> pl.LazyFrame:
    """Frames with a row a loop, of both runs side by side, with what is said of the loop."""
    return with_sights(both_sides(of_run(of_loops, run_a), of_run(of_loops, run_b), ["iteration"]), aligned_loops)


def _known_slots(aligned_loops: pl.LazyFrame, shown_a: pl.LazyFrame, shown_b: pl.LazyFrame) -> pl.LazyFrame:
    """Each slot of each loop: `slot` tells whether all it holds is known, `entries` the same of the memories in it.

    Of a loop before which a run has ended it is known that nothing was sent.
    """
    every_slot = pl.LazyFrame({"slot": list(Slot)}, schema={"slot": pl.Enum(Slot)})
    slots = aligned_loops.select("iteration").join(every_slot, how="cross")
    shown = both_sides(shown_a, shown_b, ["iteration", "slot"])
    known = [
        (pl.col(f"has_ended_{side}") | (pl.col(f"is_shown_{side}") & is_known)).alias(f"{name}_{side}")
        for side in SIDES
        for name, is_known in (
            ("knows_slot", pl.col(f"shows_entries_{side}").is_not_null()),
            ("knows_entries", pl.col(f"shows_entries_{side}").fill_null(value=False)),
        )
    ]
    return with_sights(slots.join(shown, on=["iteration", "slot"], how="left"), aligned_loops).select(
        "iteration", "slot", *known
    )


def _all_of(side: str) -> pl.Expr:
    """Whether all slots of a loop are known, memories included."""
    return pl.all_horizontal(f"knows_slot_{side}", f"knows_entries_{side}").all().alias(f"knows_{side}")


def _gathered(pieces: pl.LazyFrame) -> pl.LazyFrame:
    """The pieces of one run that have their key in common, as one row."""
    text = pl.when("kept_out").then(pl.lit(WITHHELD_JSON)).otherwise(as_json(pl.col("content")).fill_null("null"))
    texts = pl.col("text").str.join(",")
    return (
        pieces.with_columns(text=text)
        .sort("position")
        .group_by(PIECE, maintain_order=True)
        .agg(
            position=pl.col("position").min(),
            count=pl.len().cast(pl.Int64),
            lacks_text=pl.col("content").is_null().any(),
            kept_out=pl.col("kept_out").any(),
            json=pl.when(pl.len() == 1).then(texts).otherwise(filled("[{}]", texts)),
            places_json=_as_one_list(pl.col("places_json")),
        )
    )


def _as_one_list(lists: pl.Expr) -> pl.Expr:
    """JSON lists that hold something, as one."""
    return filled("[{}]", lists.str.head(-1).str.slice(1).str.join(","))


def _surplus(a: pl.LazyFrame, b: pl.LazyFrame) -> pl.LazyFrame:
    """Which run has a text of a key more often than the other."""
    counts = [pieces.drop_nulls("content").group_by(*PIECE, "content").len() for pieces in (a, b)]
    times = both_sides(counts[0], counts[1], [*PIECE, "content"]).with_columns(pl.col("len_a", "len_b").fill_null(0))
    return times.group_by(PIECE).agg(
        surplus_a=(pl.col("len_a") > pl.col("len_b")).any(), surplus_b=(pl.col("len_b") > pl.col("len_a")).any()
    )


def _knows_piece(side: str) -> pl.Expr:
    """Whether a record shows every piece of the key; a result of a call that nothing names may be of any call."""
    is_result = pl.col("kind") == Piece.TOOL_RESULT
    has_unnamed = _has_unnamed(f"count_{side}", is_result).over("iteration")
    knows_entries = (pl.col("kind") != Piece.MEMORY) | pl.col(f"knows_entries_{side}")
    return pl.col(f"knows_slot_{side}") & knows_entries & ~(is_result & has_unnamed)


def _has_unnamed(of_side: str, among: pl.Expr | None = None) -> pl.Expr:
    """Whether a run has something without a name among the rows."""
    unnamed = pl.col("name").is_null() & pl.col(of_side).is_not_null()
    return (unnamed if among is None else unnamed & among).any()


def _piece_ground() -> pl.Expr:
    count_a, count_b = pl.col("count_a").fill_null(0), pl.col("count_b").fill_null(0)
    more_in_a = (count_a > count_b) | (pl.col("surplus_a") & ~pl.col("lacks_text_b").fill_null(value=False))
    more_in_b = (count_b > count_a) | (pl.col("surplus_b") & ~pl.col("lacks_text_a").fill_null(value=False))
    return first_of(
        (Ground.UNNAMED_CALL, pl.col("name").is_null()),
        (Ground.ONLY_A, (count_b == 0) & pl.col("knows_b")),
        (Ground.ONLY_B, (count_a == 0) & pl.col("knows_a")),
        (Ground.OTHER_CONTENT, more_in_a & pl.col("knows_b")),
        (Ground.OTHER_CONTENT, more_in_b & pl.col("knows_a")),
        *not_known(),
        (Ground.REDACTED, pl.col("kept_out_a") | pl.col("kept_out_b")),
        (Ground.NO_TEXT, pl.col("lacks_text_a") | pl.col("lacks_text_b")),
    )


def _tells_decision(side: str) -> pl.Expr:
    """Whether a record tells the whole decision; a run that has ended made none."""
    count = pl.col(f"call_count_{side}")
    told = (count > 0) & pl.col(f"calls_json_{side}").is_not_null() | (count == 0) & pl.col(
        f"text_{side}"
    ).is_not_null()
    return told.fill_null(value=False) | pl.col(f"has_ended_{side}")


def _decision_ground() -> pl.Expr:
    """Counts alone may show a difference, where it is not known what was called or said."""
    count_a, count_b = pl.col("call_count_a"), pl.col("call_count_b")
    hidden = [~pl.col(f"knows_{side}") & pl.col(f"kept_out_{side}") for side in SIDES]
    return first_of(
        *only_one("knows"),
        (Ground.CALLS_OR_WORDS, (count_a == 0) != (count_b == 0)),
        (Ground.OTHER_CALLS, count_a != count_b),
        (Ground.OTHER_CALLS, (count_a > 0) & (pl.col("calls_json_a") != pl.col("calls_json_b"))),
        (Ground.OTHER_WORDS, (count_a == 0) & (count_b == 0) & (pl.col("text_a") != pl.col("text_b"))),
        (Ground.REDACTED, pl.any_horizontal(hidden)),
        *not_known(),
    )


def _decision_json(side: str) -> pl.Expr:
    """Calls as pairs of tool and arguments, else words; where neither is told, what is."""
    count, kept_out = pl.col(f"call_count_{side}"), pl.col(f"kept_out_{side}")
    calls = pl.coalesce(f"calls_json_{side}", pl.when(kept_out).then(pl.lit(WITHHELD_JSON)))
    text = pl.coalesce(as_json(pl.col(f"text_{side}")), pl.when(kept_out).then(pl.lit(WITHHELD_JSON)))
    return pl.coalesce(
        pl.when(count > 0).then(filled('{"calls":{}}', calls)),
        pl.when(count == 0).then(filled('{"text":{}}', text)),
        filled('{"call_count":{}}', count),
        filled('{"call_count":null,"text":{}}', text),
    )


def _shows_all_calls(side: str) -> pl.Expr:
    """Whether the events show every call of a loop: they go on beyond it, or the run has ended before."""
    return (pl.col(f"is_shown_{side}") & pl.col(f"is_closed_{side}")).fill_null(value=False) | pl.col(
        f"has_ended_{side}"
    )


def _call_ground() -> pl.Expr:
    """A call without a name may be any call that the other run made and this one is not seen to make."""
    in_a, in_b = pl.col("position_a").is_not_null(), pl.col("position_b").is_not_null()
    unnamed_in_a, unnamed_in_b = (_has_unnamed(f"position_{side}").over("iteration") for side in SIDES)
    results, errors = (pl.col("result_json_a"), pl.col("result_json_b")), (pl.col("error_a"), pl.col("error_b"))
    return first_of(
        (Ground.UNNAMED_CALL, pl.col("name").is_null()),
        (Ground.UNNAMED_CALL, (~in_a & unnamed_in_a) | (~in_b & unnamed_in_b)),
        (Ground.ONLY_A, ~in_b & pl.col("knows_b")),
        (Ground.ONLY_B, ~in_a & pl.col("knows_a")),
        (Ground.NOT_SHOWN_A, ~in_a),
        (Ground.NOT_SHOWN_B, ~in_b),
        (Ground.NO_END, pl.col("status_a").is_null() | pl.col("status_b").is_null()),
        (Ground.OTHER_STATUS, pl.col("status_a") != pl.col("status_b")),
        (Ground.REDACTED, pl.col("kept_out_a") | pl.col("kept_out_b")),
        (Ground.OTHER_RESULT, (results[0] != results[1]) | (errors[0] != errors[1]).fill_null(value=False)),
        (Ground.NO_TEXT, results[0].is_null() | results[1].is_null() | (errors[0].is_null() != errors[1].is_null())),
    )


def _call_json(side: str) -> pl.Expr:
    kept_out = pl.col(f"kept_out_{side}")
    result = pl.when(kept_out).then(pl.lit(WITHHELD_JSON)).otherwise(pl.col(f"result_json_{side}").fill_null("null"))
    error = filled(',"error":{}', as_json(pl.col(f"error_{side}"))).fill_null("")
    status = as_json(pl.col(f"status_{side}")).fill_null("null")
    text = filled('{"status":{},"result":{}{}}', status, result, error)
    return pl.when(pl.col(f"position_{side}").is_not_null()).then(text)
