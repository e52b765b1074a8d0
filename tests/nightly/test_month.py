"""A month of nights: what is planted is said on its night, and nothing is said on the others."""

import json
import shutil
from pathlib import Path

import pytest

from dataflows.nightly import nightly
from dataflows.store import Store
from dataflows.store.checking import check
from tests.nightly.conftest import Written, reports_of, rows
from tests.nightly.month import EMPTY, LATE, NIGHTS, OUTAGE, REGRESSION, UPGRADE, day, folder_of, write_month

JOB = {"night_reports", "snapshots", "files", "recordings", "inputs", "quarantine"}


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store after thirty nights, in `store`; the same files in one run, in `once`. `jobs.json` holds what was due."""
    root = tmp_path_factory.mktemp("month")
    write_month(root / "all")
    reports = Written()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dataflows.nightly._write", reports.write)
        for number in range(1, NIGHTS + 1):
            _arrive(root, number)
            reports.jobs.append([])
            nightly(str(root / "inbox"), str(root / "store"), str(root / "reports"), today=day(number + 1))
        reports.jobs.append([])
        nightly(str(root / "all"), str(root / "once"), str(root / "reports-once"), today=day(NIGHTS + 1))
    (root / "jobs.json").write_text(json.dumps([[str(each) for each in due] for due in reports.jobs]))
    return root


def _arrive(root: Path, number: int) -> None:
    """The files of a night, and the late ones of two nights before."""
    inbox = root / "inbox" / f"{number}"
    inbox.mkdir(parents=True)
    came = [folder_of(root / "all", number) / "night.jsonl"]
    came += [folder_of(root / "all", LATE) / "late.jsonl"] if number == LATE + 2 else []
    for file in came:
        if file.exists():
            shutil.copy(file, inbox)


def test_each_night_says_what_was_planted_and_the_others_say_nothing(month: Path) -> None:
    said = {
        night: (row["outcome"], row["doubts"], [r for r in row["remarks"] if r != "unchecked-versions"])
        for night, row in reports_of(month / "store").items()
    }
    expected = {str(day(number)): ("ok", [], []) for number in range(1, NIGHTS + 1)}
    expected |= {
        str(day(1)): ("inconclusive", ["no-earlier-night"], []),
        str(day(OUTAGE)): ("inconclusive", ["outage"], []),
        str(day(OUTAGE + 1)): ("ok", [], ["not-the-night-before"]),
        str(day(EMPTY)): ("inconclusive", ["no-runs"], []),
        str(day(EMPTY + 1)): ("ok", [], ["not-the-night-before"]),
        str(day(REGRESSION)): ("worse", [], []),
        str(day(UPGRADE)): ("ok", [], ["other-versions"]),
    }
    assert said == expected


def test_what_got_worse_is_named_with_an_interval_that_leaves_out_no_difference(month: Path) -> None:
    row = reports_of(month / "store")[str(day(REGRESSION))]
    worse = {change["metric"]: change for change in json.loads(row["changes_json"]) if change["verdict"] == "worse"}
    assert set(worse) == {"unanswered_rate", "tool_error_rate"}
    assert worse["unanswered_rate"]["now"] == 0.8
    assert 0 < worse["unanswered_rate"]["low"] < 0.8 < worse["unanswered_rate"]["high"]
    back = json.loads(reports_of(month / "store")[str(day(REGRESSION + 2))]["changes_json"])
    assert {change["metric"] for change in back if change["verdict"] == "better"} >= {"unanswered_rate"}


def test_a_newer_library_is_named_and_said_not_to_be_checked(month: Path) -> None:
    reports = reports_of(month / "store")
    unchecked = {night for night, row in reports.items() if "unchecked-versions" in row["remarks"]}
    assert unchecked == {str(day(number)) for number in range(UPGRADE, NIGHTS + 1)}
    versions = json.loads(reports[str(day(UPGRADE))]["versions_json"])
    assert {"library": "agentfootprint", "version": "9.63.0", "runs": 15, "standing": "newer"} in versions


def test_the_store_is_that_of_one_run_over_all_files(month: Path) -> None:
    by_night, once = Store(month / "store").snapshot(), Store(month / "once").snapshot()
    assert by_night
    assert once
    for table in set(by_night.tables()) - JOB:
        assert sorted(map(str, by_night.scan(table).collect().rows())) == sorted(
            map(str, once.scan(table).collect().rows())
        ), table
    same = [
        {**row, "snapshot_id": "", "metrics_json": _but_quarantined(row)}
        for row in rows(month / "store", "night_reports")
    ]
    assert same == [
        {**row, "snapshot_id": "", "metrics_json": _but_quarantined(row)}
        for row in rows(month / "once", "night_reports")
    ]
    assert check(Store(month / "store")) == []


def _but_quarantined(row: dict[str, str]) -> dict[str, float | None]:
    return {name: value for name, value in json.loads(row["metrics_json"]).items() if name != "quarantined"}


def test_a_job_writes_its_night_and_those_that_late_files_changed(month: Path) -> None:
    jobs = json.loads((month / "jobs.json").read_text())
    due = {str(day(number)): jobs[number - 1] for number in range(1, NIGHTS + 1)}
    late = str(day(LATE + 2))
    assert due.pop(late) == [str(day(LATE)), str(day(LATE + 1)), late]
    assert all(written == [night] for night, written in due.items())
    assert jobs[-1][-1] == str(day(NIGHTS))
    assert str(day(EMPTY)) not in jobs[-1], "a night before the first that was asked for, without a run"


def test_runs_belong_to_one_night_each_and_costs_tell_that_nothing_is_priced(month: Path) -> None:
    nights = rows(month / "store", "nights")
    assert len(nights) == len({row["run_id"] for row in nights}) == (NIGHTS - 1) * 15
    assert all(row["run_id"].startswith(f"n{(row['night'] - day(1)).days + 1:02}-") for row in nights)
    costs = rows(month / "store", "costs")
    assert {(row["priced"], row["input_cost"]) for row in costs} == {(False, None)}


def test_the_first_night_counts_no_finding_as_new(month: Path) -> None:
    first, second = (json.loads(reports_of(month / "store")[str(day(n))]["metrics_json"]) for n in (1, 2))
    assert first["new_findings"] is None
    assert second["new_findings"] == 0
