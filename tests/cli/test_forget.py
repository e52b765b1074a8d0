"""`afp forget`: what it removed is said, what it does not know ends with 2, and what it left alone is listed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Afp, recording, sets

RUNS = [recording("order-77", [sets(k=1)], run={"tenant": "acme"}), recording("order-78", [sets(k=2)])]


@pytest.fixture
def path(store_of: Callable[..., str]) -> str:
    """A store of two runs."""
    return store_of(*RUNS)


def test_what_was_removed_is_said_and_the_rest_stays(afp: Afp, path: str) -> None:
    shown = afp("forget", "--store", path, "--run", "order-77")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("forgotten: 1 run\n  order-77\nrows: ")
    assert ", runs 1" in shown.stdout
    assert "also removed: 1 older snapshot, " in shown.stdout
    assert [run["run_id"] for run in json.loads(afp("runs", "--store", path, "--json").stdout)] == ["order-78"]
    assert afp("store", "check", "--store", path).exit_code == 0
    again = afp("forget", "--store", path, "--run", "order-77")
    assert (again.exit_code, again.stdout) == (0, "forgotten before: nothing more is held\n")


def test_a_dry_run_says_what_would_go_and_leaves_it(afp: Afp, path: str) -> None:
    shown = afp("forget", "--store", path, "--tenant", "acme", "--dry-run", "--json")
    assert json.loads(shown.stdout)["runs"] == ["order-77"]
    told = json.loads(afp("store", "history", "--store", path, "--json").stdout)
    assert [each["rows"]["runs"] for each in told] == [2]


def test_the_beginning_of_an_id_is_none_and_the_nearest_is_named(afp: Afp, path: str) -> None:
    shown = afp("forget", "--store", path, "--run", "order-7")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "The store knows no run order-7. Did you mean order-7" in shown.stderr


def test_nothing_named_is_nothing_forgotten(afp: Afp, path: str) -> None:
    shown = afp("forget", "--store", path)
    assert shown.exit_code == 2
    assert "Name it with --run, --tenant or --principal." in shown.stderr


def test_reports_that_name_the_run_are_listed_and_left(afp: Afp, path: str, tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "one.html").write_text("<td>order-77</td>")
    (reports / "other.html").write_text("<td>order-78</td>")
    shown = afp("forget", "--store", path, "--run", "order-77", "--reports", str(reports))
    assert shown.stdout.endswith(f"reports that still name them: 1\n  {reports / 'one.html'}\n")
    assert (reports / "one.html").read_text() == "<td>order-77</td>"
