"""The report of a night: what it says beside another, what of it cannot be told, and findings as people left them."""

import json
import shlex
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.given import FindingNote, GivenNights, as_setting
from afp_nodes.words import NightDoubt, NightRemark
from dataflows import job
from dataflows.report.asked import Asked
from dataflows.report.making import _asked, report_of, reported_nights
from dataflows.report.parts import Report
from dataflows.report.sections.night import DOUBTS, NO_NIGHT, REMARKS, outcome
from dataflows.report.writing import write_reports
from tests.cli.conftest import Afp, event, recording, write_lines
from tests.report.conftest import snapshot_of
from tests.report.test_rows import tables_of, values

FIRST, SECOND, THIRD = date(2026, 1, 10), date(2026, 1, 11), date(2026, 1, 12)
RUNS = 20
MUTED = "missing-context||unit|known||dropped"


def run(night: date, number: int, *, answers: bool) -> dict[str, Any]:
    began = datetime(night.year, night.month, night.day, 12, tzinfo=UTC) + timedelta(minutes=number)
    turn = [event("agent.turn_start", userPrompt="q"), event("stream.llm_start", iteration=1)]
    turn.append(event("stream.llm_end", iteration=1, content="a", toolCallCount=0, usage={"input": 5, "output": 5}))
    if answers:
        turn.append(event("agent.turn_end", finalContent="a"))
    head = {"complete": answers, "startedAt": began.isoformat().replace("+00:00", "Z")}
    return recording(f"{night:%d}-{number:02}", [], events=turn, run=head)


def lists(night: date, unit: str) -> list[dict[str, Any]]:
    """Unit lists of the night's runs: one unit each that was available and not sent."""
    return [{"run_id": f"{night:%d}-{number:02}", "available": [{"id": unit}], "sent": []} for number in range(RUNS)]


def store_in(folder: Path, runs: Iterable[dict[str, Any]], units: list[dict[str, Any]], **settings: Any) -> Path:
    write_lines(folder / "in.jsonl", *runs)
    (folder / "in.units.json").write_text(json.dumps(units))
    given = {"nights": GivenNights("UTC", FIRST, THIRD)} | settings
    told = {name: as_setting(value) for name, value in given.items()}
    job.run(
        [str(folder / "in.jsonl"), str(folder / "in.units.json")], str(folder / "store"), settings_of=lambda _: told
    )
    return folder / "store"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """On the first night all runs answer; on the second most do not, and they miss another unit; the third is empty."""
    runs = [run(FIRST, number, answers=True) for number in range(RUNS)]
    runs += [run(SECOND, number, answers=number < 2) for number in range(RUNS)]
    # a run has one list: those of the first night miss `old`, of the second `new`, but for one each that misses `known`
    units = [
        *lists(FIRST, "old")[1:],
        *lists(FIRST, "known")[:1],
        *lists(SECOND, "new")[1:],
        *lists(SECOND, "known")[:1],
    ]
    return store_in(
        tmp_path_factory.mktemp("nights"), runs, units, findings=[FindingNote(MUTED, "muted", note="we know")]
    )


@pytest.fixture(scope="module")
def second(store: Path) -> Report:
    return report_of(snapshot_of(store), SECOND.isoformat())


def section(report: Report, name: str) -> list[str]:
    [found] = [section for section in report.sections if section.name == name]
    return [sentence.text for sentence in found.sentences]


def test_a_night_is_told_beside_the_one_before(second: Report) -> None:
    assert second.failed == ()
    assert second.headline[0].text == (
        "The night of 2026-01-11 is worse than that of 2026-01-10 beyond noise, in unanswered_rate."
    )
    [row] = [row for row in values(second, "changes") if row["metric"] == "unanswered_rate"]
    assert (row["verdict"], row["before"], row["now"], row["known"]) == ("worse", 0.0, 0.9, RUNS)
    assert values(second, "changes")[0]["verdict"] == "worse"


def test_only_the_runs_of_the_night_are_counted(second: Report) -> None:
    assert {row["ended"]: row["runs"] for row in values(second, "answers")} == {"answered": 2, "no answer": 18}
    ids = {run_id for row in tables_of(second)["answers"].rows for run_id in row.run_ids}
    assert all(run_id.startswith("11-") for run_id in ids)
    assert [row["day"] for row in values(second, "trend")] == ["2026-01-11", "2026-01-10"]


def test_findings_are_new_vanished_or_muted_and_the_muted_only_counted(second: Report) -> None:
    news = {row["subject"]: row["news"] for row in values(second, "findings")}
    assert news == {"old": "vanished", "new": "new"}
    assert second.headline[2].text == "New findings: 1; vanished: 1; muted: 1."
    assert section(second, "findings")[0] == "1 muted finding is counted and not listed."


def test_what_is_not_known_of_a_night_is_counted_and_not_zero(second: Report) -> None:
    unknown = [row["metric"] for row in values(second, "metrics") if row["value"] is None]
    assert "cost" in unknown
    assert f"{len(unknown)} metrics of the night are not known" in " ".join(section(second, "night"))
    assert values(second, "money") == []
    assert tables_of(second)["money"].empty.startswith("No prices are in force")


@pytest.mark.parametrize(("night", "why"), [(FIRST, "no earlier night can be compared with"), (THIRD, "it has no run")])
def test_a_night_that_says_nothing_is_inconclusive_with_its_reason(store: Path, night: date, why: str) -> None:
    report = report_of(snapshot_of(store), night.isoformat())
    assert report.failed == ()
    assert report.headline[0].text.startswith(f"The night of {night} is inconclusive: ")
    assert why in report.headline[0].text
    assert "worse" not in report.headline[0].text


def test_what_an_empty_night_does_not_show_has_not_vanished(store: Path) -> None:
    report = report_of(snapshot_of(store), THIRD.isoformat())
    assert {row["news"] for row in values(report, "findings")} == {"not seen, which says nothing"}
    assert report.headline[1].text == "No run was looked at, so nothing can be said of any."
    assert "vanished: not known" in report.headline[2].text


def test_runs_of_no_night_are_counted(tmp_path: Path) -> None:
    undated = recording("undated", [])
    store = store_in(tmp_path, [undated, run(FIRST, 0, answers=True)], [])
    report = report_of(snapshot_of(store), FIRST.isoformat())
    [row] = tables_of(report)["nightless"].rows
    assert (row.cells, row.run_ids) == ((1,), ("undated",))


def test_the_lines_of_a_night_print_its_rows(store: Path, second: Report, afp: Afp) -> None:
    for table in tables_of(second).values():
        if not table.command.startswith("afp sql"):
            continue
        printed = afp(*shlex.split(table.command)[1:], "--store", str(store))
        assert printed.exit_code == 0, (table.name, printed.output)
        assert len(json.loads(printed.stdout)) == len(table.rows) + table.left_out, table.name


def test_the_files_carry_the_night_in_their_names(store: Path, tmp_path: Path) -> None:
    paths = write_reports(snapshot_of(store), SECOND, tmp_path)
    assert {path.name for path in paths if path.stem != "latest"} == {
        f"report-2026-01-11.{ending}" for ending in ("html", "md", "json")
    }
    write_reports(snapshot_of(store), FIRST, tmp_path, is_latest=False)
    assert (tmp_path / "latest.md").read_bytes() == (tmp_path / "report-2026-01-11.md").read_bytes()
    assert (tmp_path / "report-2026-01-10.md").read_text(encoding="utf-8").startswith("# The night of 2026-01-10")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ((), "# The night of 2026-01-12"),
        (("--night", "2026-01-10"), "# The night of 2026-01-10"),
        (("--night", "all"), "# The fleet"),
    ],
)
def test_the_command_reports_the_last_night_unless_another_or_all_is_asked_for(
    store: Path, afp: Afp, tmp_path: Path, words: tuple[str, ...], title: str
) -> None:
    out = tmp_path / "report.md"
    assert afp("report", "--store", str(store), "--out", str(out), *words).exit_code == 0
    assert out.read_text(encoding="utf-8").splitlines()[0] == title


def test_a_night_that_was_not_reported_is_refused_with_2(
    store: Path, sample_store: Path, afp: Afp, tmp_path: Path
) -> None:
    out = tmp_path / "report.md"
    for where, said in ((store, "Those from 2026-01-10 to 2026-01-12 are."), (sample_store, "No nightly has run")):
        done = afp("report", "--store", str(where), "--out", str(out), "--night", "2026-02-30")
        assert done.exit_code == 2
        assert said in done.stderr
    assert not out.exists()


def test_without_a_nightly_the_report_says_so(report: Report, sample_store: Path) -> None:
    assert section(report, "night") == [NO_NIGHT]
    assert reported_nights(snapshot_of(sample_store)) == []


def test_every_doubt_and_remark_has_its_words() -> None:
    assert list(DOUBTS) == list(NightDoubt)
    assert list(REMARKS) == list(NightRemark)


def test_an_outcome_without_a_worse_metric_never_says_that_all_is_well() -> None:
    said = outcome({"night": "n", "outcome": "ok", "compared_with": "m", "doubts": "none"}, [])
    assert (
        said.text
        == "Nothing is seen to be worse on the night of n than on that of m; that does not prove that nothing is."
    )


def test_a_section_can_ask_for_the_night(store: Path) -> None:
    with _asked(snapshot_of(store), "2026-01-11") as asked:
        made: Callable[..., Any] = Asked.table
        table = made(asked, "n", "n", {"night": "word"}, empty="", sql="SELECT $night AS night")
    assert table.values() == [{"night": "2026-01-11"}]
    assert table.command == "afp sql --format json \"\nSELECT '2026-01-11' AS night\""
