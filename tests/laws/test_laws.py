"""What holds of any batch of recordings, whatever the rules say."""

from collections.abc import Iterable, Mapping

import polars as pl
from hypothesis import given
from polars.testing import assert_frame_equal

from afp_nodes.schemas import TABLES
from dataflows.derive import CHUNK_TABLES, tables_of
from tests.strategies import Object, as_bytes, batches

Tables = Mapping[str, pl.DataFrame]


def published(documents: Iterable[Object], indent: int | None = None) -> Tables:
    return tables_of([as_bytes(document, indent) for document in documents])


def assert_same_rows(left: Tables, right: Tables, *, without: tuple[str, ...] = ()) -> None:
    """Fail where a table differs in its rows, in whatever order they stand."""
    for name in CHUNK_TABLES:
        kept = [column for column in left[name].columns if column not in without]
        assert_frame_equal(_in_order(left[name].select(kept)), _in_order(right[name].select(kept)))


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort(frame.select(pl.struct(pl.all()).struct.json_encode()).to_series()) if frame.height else frame


@given(batches())
def test_runs_never_influence_each_other(batch: dict[str, Object]) -> None:
    apart = [published([document]) for document in batch.values()]
    joined = {name: pl.concat([tables[name] for tables in apart]) for name in CHUNK_TABLES}
    assert_same_rows(published(batch.values()), joined)


@given(batches())
def test_the_order_of_documents_changes_nothing(batch: dict[str, Object]) -> None:
    documents = list(batch.values())
    assert_same_rows(published(documents), published(reversed(documents)))


@given(batches(max_size=2))
def test_white_space_in_a_document_changes_nothing_but_its_digest(batch: dict[str, Object]) -> None:
    documents = list(batch.values())
    assert_same_rows(published(documents), published(documents, indent=2), without=("recording_sha256",))


def test_every_table_is_what_its_schema_says(sampled_tables: Tables) -> None:
    for name in CHUNK_TABLES:
        TABLES[name].validate(sampled_tables[name], cast=True)


def test_prelude_and_loop_bodies_make_up_the_log_of_a_flat_run(sampled_tables: Tables) -> None:
    for run_id in sampled_tables["runs"].filter(pl.col("chart") == "flat")["run_id"]:
        log = _of_run(sampled_tables["commits"], run_id).filter(pl.col("scope") == "").sort("commit_idx")
        loops = _of_run(sampled_tables["loops"], run_id).sort("loop_index")
        prelude = log.head(loops["head_commit_idx"].first() if loops.height else log.height)
        bodies = [step for body in loops["body_ids"] for step in body]
        assert [*prelude["runtime_stage_id"], *bodies] == log["runtime_stage_id"].to_list()


def test_a_read_saw_the_last_strictly_earlier_write(sampled_tables: Tables) -> None:
    for variable in sampled_tables["moments"].partition_by("run_id", "scope", "key"):
        writes = variable.filter(pl.col("kind") == "write")["commit_idx"]
        for at, seen in variable.filter(pl.col("kind") == "read").select("commit_idx", "from_write_idx").rows():
            assert seen == writes.filter(writes < at).max()


def test_lives_are_read_by_the_moments_that_saw_them(sampled_tables: Tables) -> None:
    key = ["run_id", "scope", "key"]
    read = sampled_tables["lives"].explode("readers").drop_nulls("readers").select(*key, "commit_idx", "readers")
    seen = sampled_tables["moments"].filter(pl.col("kind") == "read").select(*key, "from_write_idx", "commit_idx")
    assert sorted(read.rows(), key=str) == sorted(seen.rows(), key=str)


def test_nothing_in_gives_empty_tables_with_all_columns() -> None:
    tables = tables_of([])
    for name in CHUNK_TABLES:
        assert (tables[name].height, tables[name].columns) == (0, TABLES[name].column_names())


def _of_run(frame: pl.DataFrame, run_id: str) -> pl.DataFrame:
    return frame.filter(pl.col("run_id") == run_id)
