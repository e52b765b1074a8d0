"""`afp nightly` as the pager and the operator see it: exit codes, what is said, and the files it leaves."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dataflows.nightly_lock import holding
from dataflows.store import Store
from tests.cli.conftest import Afp
from tests.nightly.month import run, write

NIGHT = "2026-03-01"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The command over an inbox of six runs."""
    (tmp_path / "inbox").mkdir()
    write(
        tmp_path / "inbox" / "a.jsonl", [run(f"r{each}", datetime(2026, 3, 1, each, tzinfo=UTC)) for each in range(6)]
    )
    places = {"--inbox": tmp_path / "inbox", "--store": tmp_path / "store", "--reports": tmp_path / "reports"}
    return ["nightly", *(str(word) for pair in places.items() for word in pair), "--date", NIGHT]


def test_a_quiet_night_ends_with_0_and_leaves_whole_reports(afp: Afp, words: list[str], tmp_path: Path) -> None:
    done = afp(*words)
    assert done.exit_code == 0
    assert f"night {NIGHT} (UTC): inconclusive, 6 runs" in done.stdout
    assert "inconclusive: no earlier night can be compared with" in done.stdout
    files = {path.name for path in (tmp_path / "reports").iterdir()}
    assert files == {f"{name}.{form}" for name in (f"report-{NIGHT}", "latest") for form in ("html", "md", "json")} | {
        ".nights.json"
    }


def test_a_crossed_threshold_wakes_the_pager_and_is_named(afp: Afp, words: list[str]) -> None:
    done = afp(*words, "--fail-on", "runs>5", "--fail-on", "cost_per_answer>0", "--fail-on", "outage_rate>0")
    assert done.exit_code == 1
    assert "attention: runs>5 is crossed: 6" in done.stdout
    assert "cost_per_answer" not in done.stdout


def test_a_document_refused_for_the_first_time_wakes_the_pager_once(afp: Afp, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "inbox" / "broken.json").write_text("{")
    done = afp(*words, "--quiet")
    assert (done.exit_code, done.stdout.count("\n")) == (1, 1)
    assert "attention: 1 document refused for the first time" in done.stderr
    assert afp(*words, "--quiet").exit_code == 0


@pytest.mark.parametrize(
    ("further", "said"),
    [
        (["--fail-on", "doubt_rat>0.1"], "Did you mean doubt_rate"),
        (["--timezone", "Europe/Pariss"], "Did you mean Europe/Paris"),
        (["--date", "soon"], "is no day"),
        (["--prices", "nowhere.toml"], "cannot be read"),
    ],
)
def test_what_cannot_be_done_ends_with_2_before_anything_is_published(
    afp: Afp, words: list[str], tmp_path: Path, further: list[str], said: str
) -> None:
    done = afp(*words, *further)
    assert (done.exit_code, said in done.stderr) == (2, True)
    assert not (tmp_path / "store").exists() or Store(tmp_path / "store").versions() == []


def test_a_held_store_ends_with_2_and_names_the_holder(afp: Afp, words: list[str], tmp_path: Path) -> None:
    with holding(Store(tmp_path / "store").create().path):
        done = afp(*words)
    assert (done.exit_code, "Another nightly job holds the store: process" in done.stderr) == (2, True)


def test_machines_are_told_the_same(afp: Afp, words: list[str]) -> None:
    done = afp(*words, "--json", "--fail-on", "runs>5")
    told: dict[str, Any] = json.loads(done.stdout)
    assert (done.exit_code, told["night"], told["outcome"], told["metrics"]["runs"]) == (1, NIGHT, "inconclusive", 6)
    assert told["crossed"] == [["runs>5", 6]]
    assert told["job"]["found"] == 6
