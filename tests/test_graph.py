"""The graph itself: every table is a node, every edge joins one schema, every frame is what its type declares."""

import dataframely as dy
import polars as pl
import pytest
from hamilton import ad_hoc_utils, driver

from afp_nodes.schemas import TABLES, Commits, Loops, RunRecords, Runs
from dataflows.derive import CHUNK_TABLES, NODE_MODULES, Borders, SchemaError, derive
from dataflows.drawing import MODULES, CannotDrawError, dot_source, draw, node_inputs, node_lines
from tests.facts import no_facts


def test_every_table_is_a_node_and_every_node_says_what_a_row_is() -> None:
    nodes = driver.Builder().with_modules(*MODULES).build().graph.get_nodes()
    assert set(TABLES) <= set(node_inputs())
    for node in nodes:
        assert node.user_defined or (node.documentation or "").startswith("One row per"), node.name


def test_a_node_that_reads_the_wrong_frame_does_not_build() -> None:
    def reader(commits: dy.LazyFrame[Loops]) -> dy.LazyFrame[Loops]: ...

    wrong = ad_hoc_utils.create_temporary_module(reader, module_name="wrong_reader")
    with pytest.raises(ValueError, match="expecting commits"):
        driver.Builder().with_modules(*NODE_MODULES, wrong).build()


def test_a_frame_that_its_type_does_not_declare_stops_the_run_and_names_the_column() -> None:
    def short_commits(facts: dict[str, pl.DataFrame]) -> dy.LazyFrame[Commits]:
        return facts["commits"].lazy().drop("stage_id").with_columns(commit_idx=pl.lit("0"))

    wrong = ad_hoc_utils.create_temporary_module(short_commits, module_name="short_commits")
    graph = driver.Builder().with_modules(wrong).with_adapters(Borders()).build()
    with pytest.raises(SchemaError, match=r"short_commits does not follow Commits: .*commit_idx.*stage_id") as caught:
        graph.execute(["short_commits"], inputs={"facts": no_facts()})
    assert "column 'commit_idx' is String; it should be Int64" in str(caught.value)


def test_nothing_in_gives_every_table_with_all_its_columns() -> None:
    tables = derive(no_facts(), validate=True)
    assert set(tables) == set(CHUNK_TABLES)
    for name, frame in tables.items():
        assert frame.is_empty()
        assert frame.columns == TABLES[name].column_names()


def test_the_drawing_is_the_same_each_time_and_holds_every_node(tmp_path) -> None:
    assert dot_source() == dot_source()
    for node in node_inputs():
        assert f'"{node}"' in dot_source()
    assert "runs <- call_mounts, commits, loops, reads, run_records, states" in node_lines()
    draw(tmp_path / "dag.dot")
    assert (tmp_path / "dag.dot").read_text() == dot_source()


def test_a_drawing_that_cannot_be_made_says_what_to_do(tmp_path) -> None:
    with pytest.raises(CannotDrawError, match="Make it first"):
        draw(tmp_path / "missing" / "dag.png")
    with pytest.raises(CannotDrawError, match=r"use an ending such as|apt-get install graphviz"):
        draw(tmp_path / "dag.unheard-of")


def test_what_a_run_says_of_itself_is_part_of_its_row() -> None:
    assert set(RunRecords.column_names()) < set(Runs.column_names())
