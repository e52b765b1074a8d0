"""Values: what a key held after a commit, folded from the writes up to it.

Rule: record format, sections 6 and 7. A log stores deltas: the value starts at the last `set` or `delete`, appends
lengthen a list, every other verb merges. Lists are lengthened as text, for whole frames at once; only keys that
were ever merged are folded row by row, because a merge needs JavaScript's reading of the values.
"""

from collections.abc import Iterator

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.addresses import LOG_KEY, first_row_of, numbered
from afp_nodes.schemas import FoldedValues, FoldPoints, Writes


def folded_values(writes: dy.LazyFrame[Writes], fold_points: dy.LazyFrame[FoldPoints]) -> dy.LazyFrame[FoldedValues]:
    """One row per wanted position of a key, with the value after it as JSON text.

    NULL is absent: never set, deleted, or set to nothing. The fold starts from nothing, never from the state the
    run began with: merges and appends onto a seeded key start from absent, as in the reference.
    """
    entries = (
        writes.join(fold_points, on=LOG_KEY, how="semi")
        .select(*LOG_KEY, "commit_idx", "verbs", "overwrite_json", "update_json")
        .explode("verbs", empty_as_null=False)
        .rename({"verbs": "verb"})
        .with_columns(merges=~pl.col("verb").is_in(["set", "delete", "append"]))
        .with_columns(variable=numbered(LOG_KEY))
        .with_columns(
            ever_merged=pl.col("merges").any().over("variable"),
            stored_json=pl.when("merges").then("update_json").when(pl.col("verb") != "delete").then("overwrite_json"),
        )
        .sort("variable", "commit_idx", maintain_order=True)
        .collect()
    )
    merged, listed = entries.partition_by("ever_merged", as_dict=True), entries.filter(~pl.col("ever_merged"))
    folds = [_concatenated(listed, fold_points), *(_merged(f, fold_points) for (m,), f in merged.items() if m)]
    return pl.concat(folds).pipe(FoldedValues.cast)


def _concatenated(entries: pl.DataFrame, fold_points: pl.LazyFrame) -> pl.LazyFrame:
    """Folds of keys that were only set, deleted and appended to.

    Rows of one key are contiguous and in log order, so a value is made of the rows from its base to its last write.
    """
    rows = entries.lazy().with_columns(base_row=_base_row()).with_row_index("row")
    spans = _last_entries(rows.select(*LOG_KEY, "commit_idx", "row", "base_row"), fold_points)
    parts = rows.select(part_row=pl.col("row").cast(pl.Int64), part_idx="commit_idx", part_json="stored_json")
    inner = pl.col("part_json").str.slice(1, pl.col("part_json").str.len_chars() - 2)
    return (
        spans.with_columns(part_row=pl.int_ranges(pl.col("base_row").cast(pl.Int64), pl.col("row").cast(pl.Int64) + 1))
        .explode("part_row", empty_as_null=False)
        .join(parts, on="part_row", maintain_order="left")
        .group_by(*LOG_KEY, "fold_commit_idx", maintain_order=True)
        .agg(
            value_json=pl.when(pl.len() == 1)
            .then(pl.col("part_json").first())
            .otherwise(pl.concat_str(pl.lit("["), inner.filter(inner != "").str.join(","), pl.lit("]"))),
            basis=pl.col("part_idx").unique().sort(),
        )
    )


def _base_row() -> pl.Expr:
    """Row a value starts from: the last `set` or `delete`, or the last append that had no list to lengthen."""
    holds_list = (pl.col("verb") != "delete") & pl.col("stored_json").str.starts_with("[").fill_null(value=False)
    had_list = holds_list.shift(1, fill_value=False) & (pl.int_range(pl.len()) != first_row_of("variable"))
    lengthens = (pl.col("verb") == "append") & holds_list & had_list
    return pl.when(~lengthens).then(pl.int_range(pl.len())).forward_fill()


def _last_entries(rows: pl.LazyFrame, fold_points: pl.LazyFrame) -> pl.LazyFrame:
    """For each wanted position, the last entry of its key at or before it."""
    return (
        fold_points.sort("fold_commit_idx")
        .join_asof(
            rows.sort("commit_idx", maintain_order=True).unique(
                [*LOG_KEY, "commit_idx"], keep="last", maintain_order=True
            ),
            left_on="fold_commit_idx",
            right_on="commit_idx",
            by=LOG_KEY,
            strategy="backward",
            check_sortedness=False,
        )
        .drop_nulls("commit_idx")
    )


def _merged(entries: pl.DataFrame, fold_points: pl.LazyFrame) -> pl.LazyFrame:
    """Folds of keys that were merged into at least once."""
    values, bases = [], []
    for value, basis in _folds(entries):
        values.append(value)
        bases.append(basis)
    rows = entries.lazy().with_columns(
        value_json=pl.Series(values, dtype=pl.String), basis=pl.Series(bases, dtype=pl.List(pl.Int64))
    )
    return _last_entries(rows, fold_points).select(FoldedValues.column_names())


def _folds(entries: pl.DataFrame) -> Iterator[tuple[str | None, list[int]]]:
    """Value and basis after each entry, in row order; each distinct step of a fold is computed once."""
    steps: dict[tuple[str | None, str, str | None], str | None] = {}
    key: tuple[str, ...] | None = None
    value: str | None = None
    basis: list[int] = []
    for *row_key, commit_idx, verb, stored in entries.select(*LOG_KEY, "commit_idx", "verb", "stored_json").iter_rows():
        if tuple(row_key) != key:
            key, value, basis = tuple(row_key), None, []
        restarts = verb in ("set", "delete") or (verb == "append" and not (_is_list(value) and _is_list(stored)))
        step = (value, verb, stored)
        if step not in steps:
            steps[step] = _folded(*step)
        value = steps[step]
        basis = [commit_idx] if restarts else sorted({*basis, commit_idx})
        yield value, basis


def _folded(value: str | None, verb: str, stored: str | None) -> str | None:
    """The value after one more entry."""
    match verb:
        case "set":
            return stored
        case "delete":
            return None
        case "append" if value is not None and stored is not None and _is_list(value) and _is_list(stored):
            return f"[{','.join(filter(None, (value[1:-1], stored[1:-1])))}]"
        case "append":
            return stored
        case _:
            parsed = [javascript.ABSENT if text is None else javascript.parse(text) for text in (value, stored)]
            merged = javascript.merge(*parsed)
            return None if merged is javascript.ABSENT else javascript.stringify(merged)


def _is_list(text: str | None) -> bool:
    return text is not None and text.startswith("[")
