"""`afp tables`: what every table and column means."""

import json

import pytest

from afp_nodes.schemas import TABLES
from tests.cli.conftest import Afp


def test_every_table_is_listed_with_its_rows(afp: Afp, store: str) -> None:
    shown = afp("tables", "--store", store)
    listed = {line.split()[0]: line.split()[1] for line in shown.stdout.splitlines()[2:]}
    assert listed.keys() == TABLES.keys()
    assert listed["runs"] == "11"


def test_the_tables_are_described_without_a_store(afp: Afp) -> None:
    shown = afp("tables")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0].split("  ")[0] == "table"
    assert "rows" not in shown.stdout.splitlines()[0]


@pytest.mark.parametrize("table", TABLES)
def test_every_column_of_a_table_has_a_type_and_a_meaning(afp: Afp, store: str, table: str) -> None:
    told = json.loads(afp("tables", table, "--json").stdout)
    columns = json.loads(afp("sql", f"DESCRIBE FROM {table}", "--store", store, "--format", "json").stdout)
    assert [(c["name"], c["kind"]) for c in told["columns"]] == [(c["column_name"], c["column_type"]) for c in columns]
    assert told["grain"]
    assert [column["name"] for column in told["columns"] if not column["meaning"]] == []
    assert set(told["key"]) <= {column["name"] for column in told["columns"]}


def test_one_table_is_explained(afp: Afp, store: str) -> None:
    shown = afp("tables", "moments", "--store", store).stdout
    assert "\none row is  One write or one recorded read of one variable.\n" in shown
    assert "\nkey         run_id, scope, key, position\n" in shown
    assert "one of write read\n" in shown


def test_an_unknown_table_is_met_with_those_that_may_be_meant(afp: Afp) -> None:
    shown = afp("tables", "moment")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "afp: There is no table moment. Did you mean moments" in shown.stderr
