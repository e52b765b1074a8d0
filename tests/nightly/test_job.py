"""The nightly job as an operator meets it: twice, killed, at the wrong time, with files that are broken."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dataflows.findings_file import FindingsFileError
from dataflows.given_files import GivenFileError
from dataflows.inputs import NoSuchPathError
from dataflows.nightly import NoSuchNightError, NoSuchTimezoneError
from dataflows.nightly_lock import HeldError, holding
from dataflows.prices_file import prices_setting
from dataflows.store import Store
from dataflows.store.checking import check
from dataflows.thresholds import Threshold, ThresholdError, crossed
from tests.nightly.conftest import Nightly, Written, reports_of, rows
from tests.nightly.month import run, write

NIGHT = date(2026, 3, 1)


def at(hour: int, night: date = NIGHT) -> datetime:
    return datetime(night.year, night.month, night.day, hour, tzinfo=UTC)


def runs(count: int, night: date = NIGHT, **members: Any) -> list[dict[str, Any]]:
    return [run(f"{night}-{each}", at(each % 24, night), **members) for each in range(count)]


def arrive(tmp_path: Path, name: str, documents: list[dict[str, Any]]) -> Path:
    (tmp_path / "inbox").mkdir(exist_ok=True)
    write(tmp_path / "inbox" / f"{name}.jsonl", documents)
    return tmp_path / "inbox" / f"{name}.jsonl"


def test_an_empty_inbox_is_an_empty_night_that_is_published(tmp_path: Path, run_night: Nightly) -> None:
    (tmp_path / "inbox").mkdir()
    summary = run_night(NIGHT)
    assert (summary.outcome, summary.doubts, summary.metrics["runs"]) == ("inconclusive", ["no-runs"], 0)
    assert (summary.job.published, summary.newly_refused, summary.crossed) == (True, 0, [])
    assert set(reports_of(tmp_path / "store")) == {str(NIGHT)}


def test_an_inbox_that_is_not_there_is_no_empty_night(run_night: Nightly) -> None:
    with pytest.raises(NoSuchPathError):
        run_night(NIGHT)


def test_the_same_job_twice_changes_nothing_and_counts_nothing_twice(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(6))
    (tmp_path / "inbox" / "broken.json").write_text("{")
    first, again = run_night(NIGHT), run_night(NIGHT)
    assert (first.newly_refused, again.newly_refused) == (1, 0)
    assert again.job.published is False
    assert again.metrics == first.metrics
    assert again.metrics["quarantined"] == 1


def test_a_changed_file_replaces_its_run_and_a_copy_adds_none(tmp_path: Path, run_night: Nightly) -> None:
    file = arrive(tmp_path, "a", runs(6))
    run_night(NIGHT)
    arrive(tmp_path, "copy", runs(6))
    assert run_night(NIGHT).metrics["runs"] == 6
    write(file, [*runs(5), run(f"{NIGHT}-5", at(5), ends="gives-up"), run("new", at(7))])
    (tmp_path / "inbox" / "copy.jsonl").unlink()
    assert run_night(NIGHT).metrics["runs"] == 7


def test_missed_nights_are_caught_up_with_empty_ones_too(tmp_path: Path, run_night: Nightly, written: Written) -> None:
    arrive(tmp_path, "a", runs(6))
    run_night(NIGHT)
    later = NIGHT + timedelta(days=3)
    arrive(tmp_path, "b", runs(6, NIGHT + timedelta(days=2)) + runs(6, later))
    run_night(later)
    assert written.jobs[-1] == [NIGHT + timedelta(days=each) for each in (1, 2, 3)]
    doubts = {night: row["doubts"] for night, row in reports_of(tmp_path / "store").items()}
    assert doubts == {"2026-03-01": ["no-earlier-night"], "2026-03-02": ["no-runs"], "2026-03-03": [], "2026-03-04": []}


def test_a_first_job_reports_the_nights_with_runs_and_its_own(
    tmp_path: Path, run_night: Nightly, written: Written
) -> None:
    arrive(tmp_path, "a", runs(6) + runs(6, NIGHT + timedelta(days=2)))
    run_night(NIGHT + timedelta(days=4))
    assert written.jobs == [[NIGHT, NIGHT + timedelta(days=2), NIGHT + timedelta(days=4)]]


def test_a_report_that_was_not_written_before_a_crash_is_written_by_the_next_job(
    tmp_path: Path, run_night: Nightly, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrive(tmp_path, "a", runs(6))
    (tmp_path / "inbox" / "broken.json").write_text("{")

    def crash(*_: object) -> list[Path]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dataflows.nightly._write", crash)
        with pytest.raises(KeyboardInterrupt):
            run_night(NIGHT)
    assert not list((tmp_path / "store" / "writers").iterdir())
    following = NIGHT + timedelta(days=1)
    summary = run_night(following)
    assert written.jobs[-1] == [NIGHT, following]
    assert summary.newly_refused == 0
    assert json.loads(reports_of(tmp_path / "store")[str(NIGHT)]["metrics_json"])["quarantined"] == 1


def test_a_date_makes_the_report_of_that_night_again(tmp_path: Path, run_night: Nightly, written: Written) -> None:
    arrive(tmp_path, "a", runs(6) + runs(7, NIGHT + timedelta(days=1)))
    run_night(NIGHT)
    run_night(NIGHT + timedelta(days=1))
    again = run_night(NIGHT + timedelta(days=5), night=str(NIGHT))
    assert written.jobs[-1] == [NIGHT]
    assert (again.night, again.metrics["runs"]) == (str(NIGHT), 6)
    assert not any("latest" in path for path in again.reports)


@pytest.mark.parametrize("night", ["2026-03-03", "yesterday", "2026-02-30"])
def test_a_night_that_has_not_begun_or_is_none_is_refused(tmp_path: Path, run_night: Nightly, night: str) -> None:
    arrive(tmp_path, "a", runs(1))
    with pytest.raises(NoSuchNightError):
        run_night(NIGHT, night=night)
    assert Store(tmp_path / "store").versions() == []


def test_another_timezone_rewrites_every_night_and_stays_in_force(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", [run("late", at(23)), run("early", at(1))])
    run_night(NIGHT)
    assert {row["run_id"]: row["night"] for row in rows(tmp_path / "store", "nights")} == {
        "late": NIGHT,
        "early": NIGHT,
    }
    for options in ({"timezone": "Europe/Berlin"}, {}):
        assert run_night(NIGHT + timedelta(days=1), **options).timezone == "Europe/Berlin"
        nights = {row["run_id"]: row["night"] for row in rows(tmp_path / "store", "nights")}
        assert nights == {"late": NIGHT + timedelta(days=1), "early": NIGHT}
    assert {row["timezone"] for row in rows(tmp_path / "store", "night_reports")} == {"Europe/Berlin"}


def test_an_unknown_timezone_is_refused_with_the_nearest(tmp_path: Path, run_night: Nightly) -> None:
    with pytest.raises(NoSuchTimezoneError, match="Did you mean Europe/Berlin"):
        run_night(NIGHT, timezone="Europe/Berlim")
    assert not (tmp_path / "store").exists()


def test_a_run_without_any_time_is_counted_as_of_no_night(tmp_path: Path, run_night: Nightly) -> None:
    timeless = run("timeless", None)
    timeless["recording"]["events"] = []
    arrive(tmp_path, "a", [timeless, *runs(2)])
    summary = run_night(NIGHT)
    assert (summary.undated_runs, summary.metrics["runs"]) == (1, 2)


def test_a_night_of_mostly_refused_documents_is_inconclusive(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(6))
    run_night(NIGHT)
    following = NIGHT + timedelta(days=1)
    arrive(tmp_path, "b", runs(6, following))
    (tmp_path / "inbox" / "c.jsonl").write_text("{\n" * 7)
    summary = run_night(following)
    assert (summary.outcome, summary.doubts) == ("inconclusive", ["mostly-refused"])
    assert summary.newly_refused == 7


def test_a_night_recorded_with_other_dials_is_inconclusive(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(8))
    run_night(NIGHT)
    following = NIGHT + timedelta(days=1)
    blind = runs(8, following)
    for each in blind:
        each["recording"]["snapshot"]["commitLog"] = []
        each["recording"]["snapshot"]["writeProvenance"] = "full"
    arrive(tmp_path, "b", blind)
    assert run_night(following).doubts == ["other-dials"]


def test_other_questions_are_said(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(8, question="One?"))
    run_night(NIGHT)
    following = NIGHT + timedelta(days=1)
    arrive(tmp_path, "b", runs(8, following, question="Two?"))
    summary = run_night(following)
    assert (summary.outcome, summary.remarks) == ("ok", ["other-questions"])


def test_what_people_say_of_findings_is_in_force_with_the_next_job(tmp_path: Path, run_night: Nightly) -> None:
    listed = [{"run_id": each["run"]["runId"], "available": [{"id": "price"}], "sent": []} for each in runs(6)]
    arrive(tmp_path, "a", runs(6))
    (tmp_path / "inbox" / "lists.units.json").write_text(json.dumps(listed))
    run_night(NIGHT)
    notes = tmp_path / "store" / "findings.toml"
    name = "missing-context||unit|price||dropped"
    [found] = rows(tmp_path / "store", "findings")
    assert (found["finding_id"], found["state"], found["runs"], found["nights"]) == (name, "open", 6, 1)
    assert (found["first_night"], found["last_night"], found["first_run_id"]) == (NIGHT, NIGHT, f"{NIGHT}-0")
    notes.write_text(f'[[finding]]\nid = "{name}"\nstate = "muted"\nnote = "known"\nuntil = {NIGHT}\n')
    muted = run_night(NIGHT)
    assert muted.idle_notes == []
    assert (muted.metrics["muted_findings"], muted.metrics["findings"]) == (1, 0)
    [found] = rows(tmp_path / "store", "findings")
    assert (found["state"], found["note"], found["until"]) == ("muted", "known", NIGHT)
    following = NIGHT + timedelta(days=1)
    listed = [{**each, "run_id": each["run_id"].replace(str(NIGHT), str(following))} for each in listed]
    arrive(tmp_path, "b", runs(6, following))
    (tmp_path / "inbox" / "more.units.json").write_text(json.dumps(listed))
    ended = run_night(following)
    assert (ended.metrics["muted_findings"], ended.metrics["findings"], ended.metrics["new_findings"]) == (0, 1, 0)
    notes.write_text('[[finding]]\nid = "mistyped"\nstate = "muted"\n')
    assert run_night(following).idle_notes == ["mistyped"]
    arrive(tmp_path, "c", runs(6, following + timedelta(days=1)))
    assert run_night(following + timedelta(days=1)).metrics["vanished_findings"] == 1
    [found] = rows(tmp_path / "store", "findings")
    assert (found["state"], found["last_night"]) == ("gone", following)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[[finding]\n", "is not TOML: .*line 1"),
        ('[[finding]]\nstate = "open"\n', r"number 1: id is missing"),
        ('[[finding]]\nid = "a"\nstate = "shut"\n', r"number 1: state must be one of open"),
        ('[[finding]]\nid = "a"\nstate = "open"\nuntil = "soon"\n', "until must be a date"),
        ('[[finding]]\nid = "a"\nstate = "open"\nuntill = 2026-01-01\n', "untill is not known"),
        (
            '[[finding]]\nid="a"\nstate="open"\n[[finding]]\nid="a"\nstate="muted"\n',
            "number 2: id has an entry already",
        ),
        ('[[findings]]\nid="a"\n', "holds 'findings'"),
    ],
)
def test_a_malformed_file_of_findings_stops_the_job_and_says_where(
    tmp_path: Path, run_night: Nightly, text: str, where: str
) -> None:
    arrive(tmp_path, "a", runs(1))
    (tmp_path / "store").mkdir()
    Store(tmp_path / "store").create()
    (tmp_path / "store" / "findings.toml").write_text(text)
    with pytest.raises(FindingsFileError, match=where):
        run_night(NIGHT)
    assert Store(tmp_path / "store").versions() == []


PRICE = '[[price]]\nprovider="acme"\nmodel="m1"\nvalid_from=2026-01-01\ninput=1\noutput=2\ncurrency="EUR"\n'


def test_prices_stay_in_force_until_others_are_given(tmp_path: Path, run_night: Nightly) -> None:
    (tmp_path / "prices.toml").write_text(PRICE)
    arrive(tmp_path, "a", runs(6))
    first = run_night(NIGHT, prices=prices_setting(str(tmp_path / "prices.toml")))
    assert first.metrics["cost_per_answer"] == pytest.approx((100 * 1 + 10 * 2) / 1e6)
    assert run_night(NIGHT).metrics == first.metrics
    (tmp_path / "prices.toml").write_text(PRICE.replace("EUR", "USD").replace("2026-01-01", "2026-03-01T04:00:00Z"))
    other = run_night(NIGHT, prices=prices_setting(str(tmp_path / "prices.toml")))
    assert (other.metrics["not_priced_rate"], other.remarks) == (pytest.approx(4 / 6), ["runs-not-priced"])
    both = PRICE + PRICE.replace("EUR", "USD").replace("2026-01-01", "2026-03-01T04:00:00Z")
    (tmp_path / "prices.toml").write_text(both)
    mixed = run_night(NIGHT, prices=prices_setting(str(tmp_path / "prices.toml")))
    assert (mixed.metrics["cost_per_answer"], mixed.metrics["cost"]) == (None, None)
    assert mixed.remarks == ["several-currencies"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (PRICE.replace("input=1\n", ""), r"\[\[price\]\] number 1: input is missing"),
        (PRICE.replace("input=1", "input=-1"), "input must be a number from 0 on"),
        (PRICE.replace("input=1", "input=true"), "input must be a number"),
        (PRICE + PRICE, "number 2: valid_from has a price of that model already"),
        (PRICE.replace("2026-01-01", "2026-01-01T00:00:00"), "valid_from must be a date, or a time with its offset"),
        (PRICE.replace("2026-01-01", "5"), "valid_from must be a date"),
        ("price = 5", "has no list of prices"),
        ("price", "is not TOML"),
    ],
)
def test_a_malformed_file_of_prices_is_refused_with_entry_and_field(tmp_path: Path, text: str, where: str) -> None:
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(GivenFileError, match=where):
        prices_setting(str(tmp_path / "prices.toml"))


def test_a_threshold_is_crossed_only_by_a_metric_that_is_known_and_above_it() -> None:
    thresholds = [Threshold.of(text) for text in ("runs>5", "runs > 6", "cost>0", "standing.not-sure>0.5")]
    metrics = {"runs": 6, "cost": None, "standing.not-sure": 0.75}
    assert [str(threshold) for threshold, _ in crossed(thresholds, metrics)] == ["runs>5", "standing.not-sure>0.5"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("doubt_rat>0.1", "Did you mean doubt_rate"),
        ("runs", "is no threshold"),
        ("runs<5", "is no threshold"),
        ("runs>many", "is no number"),
        ("runs>nan", "is no number"),
    ],
)
def test_a_threshold_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(ThresholdError, match=said):
        Threshold.of(text)


def test_a_second_job_is_told_who_holds_the_store(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(1))
    store = Store(tmp_path / "store").create()
    with holding(store.path), pytest.raises(HeldError, match=rf"process {os.getpid()} on .*, since 2.*: "):
        run_night(NIGHT)
    assert run_night(NIGHT).metrics["runs"] == 1
    assert list((tmp_path / "store" / "writers").iterdir()) == []


def test_a_dead_holder_does_not_stand_in_the_way(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(1))
    Store(tmp_path / "store").create()
    (tmp_path / "store" / "writers" / "nightly.lock").write_text('{"pid": 1, "host": "gone"')
    assert run_night(NIGHT).metrics["runs"] == 1


def test_a_holder_that_has_not_said_who_it_is_holds_all_the_same(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(1))
    Store(tmp_path / "store").create()
    with (tmp_path / "store" / "writers" / "nightly.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(HeldError, match="it has not said who it is"):
            run_night(NIGHT)


@pytest.mark.slow
def test_a_job_killed_at_any_moment_leaves_the_next_one_a_whole_store(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(40))
    words = ["nightly", "--inbox", str(tmp_path / "inbox"), "--store", str(tmp_path / "store")]
    words += ["--reports", str(tmp_path / "out"), "--date", str(NIGHT), "--quiet"]
    killed = 0
    for wait in (0.6, 1.0, 1.3, 1.6, 1.9):
        program = [sys.executable, "-c", "from dataflows.cli import main; main()", *words]
        with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(wait)
            killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
        for report in (tmp_path / "out").glob("*.json"):
            json.loads(report.read_text())
    assert killed
    assert run_night(NIGHT).metrics["runs"] == 40
    assert check(Store(tmp_path / "store")) == []


def test_an_inbox_unreadable_in_part_is_a_night_with_something_refused(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(6))
    (tmp_path / "inbox" / "b.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / "inbox" / "c.json.gz").write_bytes(b"\x1f\x8b\x08")
    summary = run_night(NIGHT)
    assert summary.metrics["runs"] == 6
    assert summary.newly_refused >= 1


def test_nights_past_the_kept_days_go_and_are_never_told_as_empty(
    tmp_path: Path, run_night: Nightly, written: Written
) -> None:
    nights = [NIGHT + timedelta(days=each) for each in range(4)]
    for night in nights:
        arrive(tmp_path, str(night), runs(6, night))
        last = run_night(night, keep_days=2)
    assert (last.dropped_runs, last.kept_from) == (6, str(nights[2]))
    assert set(reports_of(tmp_path / "store")) == {str(night) for night in nights[2:]}
    assert {row["night"] for row in rows(tmp_path / "store", "nights")} == set(nights[2:])
    assert written.jobs == [[night] for night in nights], "what was dropped makes no report again"
    again = run_night(nights[3], keep_days=2)
    assert (again.metrics["runs"], again.dropped_runs) == (6, 0)
    with pytest.raises(NoSuchNightError, match="were dropped"):
        run_night(nights[3], night=str(nights[0]))


def test_snapshots_that_are_old_are_removed(tmp_path: Path, run_night: Nightly) -> None:
    arrive(tmp_path, "a", runs(6))
    run_night(NIGHT)
    store = Store(tmp_path / "store")
    long_ago = time.time() - timedelta(days=8).total_seconds()
    for manifest in (store.path / "manifests").iterdir():
        os.utime(manifest, (long_ago, long_ago))
    arrive(tmp_path, "b", runs(6, NIGHT + timedelta(days=1)))
    assert run_night(NIGHT + timedelta(days=1)).removed_snapshots == 1
    assert len(store.versions()) == 1
    assert check(store) == []
