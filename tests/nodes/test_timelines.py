"""Timelines, lives and edges on tiny logs."""

import polars as pl
import pytest

from afp_nodes.coverage import coverages
from afp_nodes.lives import fed_edges, fed_lives, life_spans, lives
from afp_nodes.schemas import LocatedCommits, Reads, Scopes, Timelines, Writes
from afp_nodes.timelines import timelines
from afp_nodes.variables import variables
from tests.tables import shown, table

COMMITS = table(
    LocatedCommits,
    """
    run_id | scope | commit_idx | runtime_stage_id
    a      | ''    | 0          | s#0
    a      | ''    | 1          | r#1
    a      | ''    | 2          | r#2
    a      | ''    | 3          | r#2
    a      | in#1  | 0          | s#0
    """,
)
WRITES = table(
    Writes,
    """
    run_id | scope | commit_idx | key | position | verb   | verbs    | entries | read_keys
    a      | ''    | 0          | k   | 0        | set    | [set]    | 1       | []
    a      | ''    | 1          | k   | 0        | append | [append] | 1       | [k]
    a      | ''    | 1          | z   | 1        | set    | [set]    | 1       | [other]
    a      | ''    | 3          | y   | 0        | set    | [set]    | 1       |
    a      | in#1  | 0          | k   | 0        | set    | [set]    | 1       |
    """,
)
READS = table(
    Reads,
    """
    run_id | scope | runtime_stage_id | key  | position | first_position
    a      | ''    | s#0              | k    | 0        | 0
    a      | ''    | r#1              | k    | 0        | 0
    a      | ''    | r#2              | k    | 0        | 0
    a      | ''    | r#2              | seed | 1        | 1
    a      | ''    | r#2              | only |          | 0
    a      | ''    | ghost#9          | k    | 0        | 0
    """,
)


@pytest.fixture(scope="module")
def moments() -> pl.LazyFrame:
    return timelines(COMMITS, WRITES, READS)


def test_at_one_commit_the_read_comes_first_and_sees_the_last_earlier_write(moments: pl.LazyFrame) -> None:
    own = moments.filter(pl.col("scope") == "", pl.col("key") == "k")
    assert shown(own, "position", "kind", "commit_idx", "from_write_idx") == [
        (0, "read", 0, None),
        (1, "write", 0, None),
        (2, "read", 1, 0),
        (3, "write", 1, None),
        (4, "read", 2, 1),
        (5, "read", 3, 1),
    ]


def test_logs_of_one_run_never_mix_and_steps_that_never_commit_read_nothing(moments: pl.LazyFrame) -> None:
    assert shown(moments.group_by("scope", "key").len(), "scope", "key", "len") == [
        ("", "k", 6),
        ("", "seed", 2),
        ("", "y", 1),
        ("", "z", 1),
        ("in#1", "k", 1),
    ]


def test_a_life_reaches_to_the_next_write_and_its_overwriter_still_reads_it(moments: pl.LazyFrame) -> None:
    own = lives(life_spans(moments)).filter(pl.col("scope") == "")
    assert shown(own, "key", "commit_idx", "next_commit_idx", "readers") == [
        ("k", 0, 1, [1]),
        ("k", 1, None, [2, 3]),
        ("k", None, 0, [0]),
        ("seed", None, None, [2, 3]),
        ("y", 3, None, []),
        ("z", 1, None, []),
    ]


def test_a_list_of_reads_decides_alone_and_without_one_the_step_is_all_there_is(moments: pl.LazyFrame) -> None:
    edges = fed_edges(fed_lives(moments), life_spans(moments))
    assert shown(edges, "from_key", "from_commit_idx", "to_key", "to_commit_idx", "basis") == [
        ("k", 0, "k", 1, "per-write"),
        ("k", 1, "y", 3, "stage"),
        ("seed", None, "y", 3, "stage"),
    ]


def test_only_recorded_feeding_lifts_a_variable_above_unknown(moments: pl.LazyFrame) -> None:
    found = coverages(life_spans(moments), fed_lives(moments))
    assert shown(found, "scope", "key", "coverage", "root_commit_idx") == [
        ("", "k", "conservative", 1),
        ("", "seed", "conservative", None),
        ("", "y", "unknown", 3),
        ("", "z", "unknown", 1),
        ("in#1", "k", "conservative", 0),
    ]


def test_notes_say_what_a_reader_must_know(moments: pl.LazyFrame) -> None:
    scopes = table(
        Scopes,
        """
        run_id | scope | position | has_tree | steps | steps_with_reads
        a      | ''    | 0        | T        | 4     | 4
        a      | in#1  | 1        | F        |       |
        """,
    )
    found = variables(moments, coverages(life_spans(moments), fed_lives(moments)), scopes)
    assert shown(found, "scope", "key", "notes", "keys_read_kind") == [
        ("", "k", ["pre-run-origin", "conservative-fed-edges"], "execution-tree"),
        ("", "seed", ["pre-run-origin", "conservative-fed-edges"], "execution-tree"),
        ("", "y", [], "execution-tree"),
        ("", "z", [], "execution-tree"),
        ("in#1", "k", ["reads-not-recorded"], "map"),
    ]


def _chain(length: int) -> pl.LazyFrame:
    """`k0` feeds `k1` feeds `k2` ... , each write listing what it read."""
    commits = pl.DataFrame({"commit_idx": range(length + 1)}).with_columns(
        run_id=pl.lit("a"),
        scope=pl.lit(""),
        runtime_stage_id=pl.format("s#{}", "commit_idx"),
        stage_id=pl.lit("s"),
        stage_name=pl.lit("s"),
        loop_index=pl.lit(None, pl.Int64),
    )
    keys = [f"k{i}" for i in range(length + 1)]
    writes = commits.select("run_id", "scope", "commit_idx", "runtime_stage_id").with_columns(
        key=pl.Series(keys),
        position=pl.lit(0, pl.Int64),
        verb=pl.lit("set"),
        entries=pl.lit(1, pl.Int64),
        read_keys=pl.Series([[], *([key] for key in keys[:-1])], dtype=pl.List(pl.String)),
        verbs=pl.Series([["set"]] * (length + 1)),
        overwrite_json=pl.lit("1"),
        update_json=pl.lit(None, pl.String),
    )
    reads = commits.slice(1).select(
        "run_id",
        "scope",
        "runtime_stage_id",
        position=pl.lit(0, pl.Int64),
        first_position=pl.lit(0, pl.Int64),
        key=pl.Series(keys[:-1]),
    )
    return timelines(
        LocatedCommits.validate(commits.select(LocatedCommits.column_names()), cast=True).lazy(),
        Writes.validate(writes.select(Writes.column_names()), cast=True).lazy(),
        Reads.validate(reads.select(Reads.column_names()), cast=True).lazy(),
    )


@pytest.mark.parametrize(
    ("length", "max_lives", "max_depth", "reached", "truncated"),
    [
        (20, 100, 20, 21, False),
        (21, 100, 20, 21, True),
        (5, 100, 3, 4, True),
        (5, 3, 20, 3, True),
        (5, 6, 20, 6, False),
        (5, 1, 20, 1, True),
        (5, 100, 0, 1, True),
    ],
)
def test_the_slice_ends_at_its_budgets_and_says_so(
    length: int, max_lives: int, max_depth: int, reached: int, truncated: bool
) -> None:
    chain = _chain(length)
    found = coverages(life_spans(chain), fed_lives(chain), max_lives, max_depth).filter(pl.col("key") == "k0")
    assert shown(found, "reached_lives", "truncated") == [(reached, truncated)]


def test_a_timeline_follows_its_schema(moments: pl.LazyFrame) -> None:
    Timelines.validate(moments.collect())
