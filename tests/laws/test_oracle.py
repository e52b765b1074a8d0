"""The product says what the oracle says, row by row, of any recording."""

import random
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.schemas import TABLES
from dataflows.derive import tables_of
from tests.oracle.javascript import parse
from tests.oracle.tables import tables
from tests.reference.notation import chain, commit, snapshot
from tests.rows import difference, frame_lines, oracle_lines
from tests.strategies import Object, as_bytes, batches, envelope, spoiled

Rows = dict[str, list[dict[str, Any]]]


def expected(batch: Mapping[str, Object], **budgets: int) -> Rows:
    """The oracle's rows of a whole batch, by table."""
    rows: Rows = defaultdict(list)
    for run_id, document in batch.items():
        for name, body in tables(parse(as_bytes(document)), run_id, **budgets).items():
            rows[name] += body
    return rows


def hold_together(batch: Mapping[str, Object], **budgets: int) -> None:
    """Fail where the product's tables and the oracle's differ."""
    published = tables_of([as_bytes(document) for document in batch.values()], **budgets)
    for name, rows in expected(batch, **budgets).items():
        columns = list(rows[0]) if rows else ["run_id"]
        differs = difference(frame_lines(published[name], columns), oracle_lines(rows))
        assert not differs, f"{name}\n{differs}"


@pytest.mark.parametrize("budgets", [{}, {"max_lives": 3, "max_depth": 2}], ids=str)
def test_the_product_says_what_the_oracle_says_of_a_sample(
    sample: Mapping[str, Object], budgets: dict[str, int]
) -> None:
    hold_together(sample, **budgets)


def test_what_is_of_a_wrong_type_reads_as_absent(sample: Mapping[str, Object]) -> None:
    dice = random.Random(7)
    hold_together({run_id: spoiled(document, dice) for run_id, document in sample.items()})


@given(batches(max_size=3))
def test_the_product_says_what_the_oracle_says(batch: dict[str, Object]) -> None:
    hold_together(batch)


@given(batches(max_size=3), st.integers(1, 6), st.integers(1, 3))
def test_coverage_keeps_the_horizon_of_any_budget(batch: dict[str, Object], max_lives: int, max_depth: int) -> None:
    hold_together(batch, max_lives=max_lives, max_depth=max_depth)


def test_the_budget_of_lives_is_spent_reader_by_reader() -> None:
    log = [
        commit("s#0", {"k": 1}, ["set k[]"]),
        commit("r#1", {"a": 1, "b": 1}, ["set a[k]", "set b[k]"]),
        commit("r#2", {"c": 1}, ["set c"]),
    ]
    tree = chain("s#0", ("r#1", ["k"]), ("r#2", ["k"]))
    hold_together({"run": envelope(snapshot(log, tree), "run")}, max_lives=3)


def test_the_oracle_states_every_column_of_the_tables_it_knows(sample: Mapping[str, Object]) -> None:
    for name, rows in expected(sample).items():
        assert set(rows[0]) == set(TABLES[name].column_names()), name


def test_the_oracle_imports_nothing_of_the_product() -> None:
    modules = list((Path(__file__).parents[1] / "oracle").glob("*.py"))
    assert modules
    for module in modules:
        imported = re.findall(r"^\s*(?:from|import) (\w+)", module.read_text(encoding="utf-8"), re.MULTILINE)
        assert not {"afp_nodes", "dataflows"} & set(imported), module.name
