"""Sides: what all rows of a comparison share, whatever they compare.

Frames of two runs side by side have columns that end with `_a` and `_b`. `knows_a` says that the record of run A shows
all of what a row compares.
"""

import polars as pl

from afp_nodes import javascript
from afp_nodes.comparison.places import NOWHERE
from afp_nodes.distinct import mapped_once
from afp_nodes.schemas import DiffRows
from afp_nodes.words import DiffMoment, Ground, LoopSight, Sameness, Slot

LOOP = ["run_id", "iteration"]
"""One loop of one run."""
SIDES = ("a", "b")
SAMENESS = {
    **dict.fromkeys(Ground, Sameness.DIFFERS),
    Ground.ALIKE: Sameness.SAME,
    **dict.fromkeys((Ground.REDACTED, Ground.NO_TEXT, Ground.UNNAMED_CALL, Ground.NO_END), Sameness.UNKNOWN),
    **dict.fromkeys((Ground.NOT_SHOWN_A, Ground.NOT_SHOWN_B, Ground.NOT_SHOWN), Sameness.UNKNOWN),
}
"""What a row says that rests on each ground."""

Held = tuple[Ground, pl.Expr]
"""A ground, and the condition under which it holds."""


def of_run(rows: pl.LazyFrame, run_id: str) -> pl.LazyFrame:
    """The rows of one run, without its id."""
    return rows.filter(pl.col("run_id").cast(pl.String) == run_id).drop("run_id")


def both_sides(a: pl.LazyFrame, b: pl.LazyFrame, key: list[str]) -> pl.LazyFrame:
    """The rows of two runs side by side, by a key that may be NULL."""
    named = [
        rows.rename({name: f"{name}_{side}" for name in rows.collect_schema().names() if name not in key})
        for side, rows in zip(SIDES, (a, b), strict=True)
    ]
    return named[0].join(named[1], on=key, how="full", coalesce=True, nulls_equal=True)


def with_sights(rows: pl.LazyFrame, aligned_loops: pl.LazyFrame) -> pl.LazyFrame:
    """Rows with `is_shown` and `has_ended` of their loop, for both runs."""
    said = [
        (pl.col(f"sight_{side}") == sight).alias(f"{name}_{side}")
        for side in SIDES
        for name, sight in (("is_shown", LoopSight.SHOWN), ("has_ended", LoopSight.ENDED))
    ]
    return rows.join(aligned_loops.select("iteration", *said), on="iteration", how="left")


def first_of(*grounds: Held) -> pl.Expr:
    """The first ground that holds, else that both are alike; a condition that is NULL does not hold."""
    held = (pl.when(holds).then(pl.lit(ground)) for ground, holds in grounds)
    return pl.coalesce(*held, pl.lit(Ground.ALIKE)).cast(pl.Enum(Ground))


def only_one(has: str) -> list[Held]:
    """One run has what is compared, by the columns `has_a` and `has_b`; the other had ended before the loop."""
    return [
        (Ground.ONLY_A, pl.col(f"{has}_a") & pl.col("has_ended_b")),
        (Ground.ONLY_B, pl.col(f"{has}_b") & pl.col("has_ended_a")),
    ]


def not_known() -> list[Held]:
    """A record does not show all of its side."""
    a, b = ~pl.col("knows_a"), ~pl.col("knows_b")
    return [(Ground.NOT_SHOWN, a & b), (Ground.NOT_SHOWN_A, a), (Ground.NOT_SHOWN_B, b)]


def as_json(texts: pl.Expr) -> pl.Expr:
    """Each text as JSON."""
    return texts.map_batches(lambda column: mapped_once(column, javascript.stringify), return_dtype=pl.String)


def as_rows(compared: pl.LazyFrame, moment: DiffMoment, kind: str | pl.Expr, **columns: pl.Expr) -> pl.LazyFrame:
    """Compared things as rows of a comparison.

    `compared` has `iteration`, `position` and `ground`; `columns` are others of `DiffRows`, by default NULL, 0, or
    nowhere.
    """
    nothing = {
        "subject": pl.lit(None, pl.String),
        "slot": pl.lit(None, pl.Enum(Slot)),
        "occurrence": pl.lit(0, pl.Int64),
        **dict.fromkeys(("a_json", "b_json"), pl.lit(None, pl.String)),
        **dict.fromkeys(("a_places_json", "b_places_json"), pl.lit(NOWHERE)),
    }
    return (
        compared.with_columns(moment=pl.lit(moment), subject_kind=pl.lit(kind) if isinstance(kind, str) else kind)
        .with_columns(**nothing | columns)
        .with_columns(
            pl.col("a_places_json", "b_places_json").fill_null(NOWHERE),
            verdict=pl.col("ground").replace_strict(SAMENESS, return_dtype=pl.Enum(Sameness)),
        )
        .select(DiffRows.column_names())
    )


def in_order(rows: pl.LazyFrame) -> pl.LazyFrame:
    """The rows of one moment, loop after loop; what has no position comes last."""
    order = ["iteration", pl.col("slot").to_physical(), "position", "subject", "occurrence"]
    return rows.sort(order, nulls_last=True).with_columns(position=pl.int_range(pl.len()))
