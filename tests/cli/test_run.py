"""`afp run`: the accounts, what needs a look, and how it ends."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.refusals import Refusal
from afp_nodes.words import QuarantineCode
from dataflows import job
from dataflows.summary import Progress, Summary
from tests.cli.conftest import Afp, recording, sets, write_lines

SUMMARY: dict[str, Any] = {
    "found": 3,
    "loaded": 3,
    "duplicate": 0,
    "superseded": 0,
    "quarantined": 0,
    "newly_quarantined": 0,
    "ignored_files": 0,
    "published": True,
    "snapshot_id": "7",
    "runs": 1200,
    "rederived_chunks": 0,
    "seconds": 1.25,
}


@pytest.fixture
def summarised(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a summary in the place of the job, which is then asked with what the command passed on."""
    asked: dict[str, Any] = {}

    def set_to(**members: Any) -> dict[str, Any]:
        def run(paths: tuple[str, ...], store: str, *, progress: Progress | None, **options: Any) -> Summary:
            asked.update(options, paths=paths, store=store, progress=progress)
            return Summary(**SUMMARY | members)

        monkeypatch.setattr(job, "run", run)
        return asked

    return set_to


def refusals(number: int) -> list[Refusal]:
    return [
        Refusal("/in/\x1b[31mx", n, QuarantineCode.TRUNCATED, f"cut at {n}", "copy it again") for n in range(number)
    ]


def test_the_summary_accounts_for_every_document_and_says_what_to_do_next(afp: Afp, summarised: Any) -> None:
    summarised(findings=["1 run gave no answer"], ignored_files=2)
    shown = afp("run", "in", "--store", "my store")
    assert shown.exit_code == 0
    assert shown.stdout == (
        "documents: 3 found = 3 loaded + 0 duplicate + 0 superseded + 0 quarantined\n"
        "ignored: 2 files of other endings\n"
        "published: snapshot 7 with 1,200 runs, in 1.2 s\n"
        "  1 run gave no answer\n"
        "next:\n"
        "  afp sql \"SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL\" --store 'my store'\n"
        "  afp runs --store 'my store'\n"
        "  afp tables --store 'my store'\n"
    )


def test_a_new_refusal_ends_with_1_and_is_named_with_its_remedy(afp: Afp, summarised: Any) -> None:
    summarised(quarantined=1, newly_quarantined=1, refusals=refusals(1))
    shown = afp("run", "in", "--store", "s")
    assert shown.exit_code == 1
    assert (
        "refused: 1\n  /in/\\x1b[31mx, document 0: truncated\n    cut at 0\n    to do: copy it again\n" in shown.stdout
    )


def test_a_refusal_that_was_known_ends_with_0(afp: Afp, summarised: Any) -> None:
    summarised(quarantined=1, refusals=refusals(1))
    assert afp("run", "in", "--store", "s").exit_code == 0


def test_a_long_list_of_refusals_is_shortened_with_the_query_for_the_rest(afp: Afp, summarised: Any) -> None:
    summarised(newly_quarantined=40, refusals=refusals(40))
    shown = afp("run", "in", "--store", "s").stdout
    assert "document 9: truncated" in shown
    assert "document 10: truncated" not in shown
    assert '  and 30 more: afp sql "FROM quarantine" --store s\n' in shown


def test_conflicts_are_named(afp: Afp, summarised: Any) -> None:
    summarised(conflicts=["run-1"])
    shown = afp("run", "in", "--store", "s").stdout
    assert "conflicts: 1 " in shown
    assert "\n  run-1\n" in shown


def test_nothing_new_is_said(afp: Afp, summarised: Any) -> None:
    summarised(published=False)
    assert "nothing new: snapshot 7 stays the newest" in afp("run", "in", "--store", "s").stdout


def test_quiet_says_the_accounts_and_new_refusals_only(afp: Afp, summarised: Any) -> None:
    asked = summarised(newly_quarantined=1, refusals=refusals(1))
    shown = afp("run", "in", "--store", "s", "--quiet")
    assert shown.exit_code == 1
    assert shown.stdout == "documents: 3 found = 3 loaded + 0 duplicate + 0 superseded + 0 quarantined\n"
    assert shown.stderr.startswith("refused: 1\n")
    assert asked["progress"] is None


def test_json_is_the_whole_summary(afp: Afp, summarised: Any) -> None:
    summarised(newly_quarantined=1, refusals=refusals(12))
    shown = afp("run", "in", "--store", "s", "--json")
    told = json.loads(shown.stdout)
    assert {name: told[name] for name in SUMMARY} == SUMMARY | {"newly_quarantined": 1}
    assert [refusal["position"] for refusal in told["refusals"]] == list(range(12))


def test_every_option_reaches_the_job(afp: Afp, summarised: Any) -> None:
    asked = summarised()
    afp("run", "a", "b", "--store", "s", "--jobs", "3", "--keep-tokens", "--split-runs", "--max-document-mb", "9")
    del asked["progress"]
    assert asked == {
        "paths": ("a", "b"),
        "store": "s",
        "jobs": 3,
        "executor": "local",
        "keep_tokens": True,
        "split_runs": True,
        "max_document_mb": 9,
        "arms": None,
        "nodes": (),
        "classifier": "recorded",
    }


def test_a_cluster_that_cannot_be_had_ends_with_2_and_says_what_to_install(
    afp: Afp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "one.json").write_text(json.dumps(recording("one", [])))
    shown = afp("run", str(tmp_path / "one.json"), "--store", str(tmp_path / "store"), "--executor", "ray")
    assert shown.exit_code == 2
    assert "pip install 'afp-fleet[ray]'" in shown.stderr


def test_nothing_to_take_in_ends_with_2_and_makes_no_store(afp: Afp, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "missing"):
        shown = afp("run", str(path), "--store", str(tmp_path / "store"))
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert str(path) in shown.stderr
    assert not (tmp_path / "store").exists()


def test_a_folder_that_is_no_store_is_left_alone(afp: Afp, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    inbox = write_lines(tmp_path / "in.jsonl", recording("r", [sets(k=1)]))
    shown = afp("run", str(inbox), "--store", str(tmp_path))
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "is not a store" in shown.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in.jsonl", "mine.txt"]


def test_the_job_runs_from_files_to_tables(afp: Afp, tmp_path: Path) -> None:
    inbox = write_lines(tmp_path / "in.jsonl", recording("r-1", [sets(k=1)]), recording("r-2", [sets(k=2)]))
    (tmp_path / "torn.json").write_text('{"format": ')
    first = afp("run", str(tmp_path), "--store", str(tmp_path / "store"))
    assert first.exit_code == 1
    assert first.stdout.startswith("documents: 3 found = 2 loaded + 0 duplicate + 0 superseded + 1 quarantined\n")
    assert f"{tmp_path}/torn.json, document 0: truncated" in first.stdout
    assert first.stderr == f"reading 2 files, {inbox.stat().st_size / 1e6:,.1f} MB\n"
    again = afp("run", str(tmp_path), "--store", str(tmp_path / "store"))
    assert again.exit_code == 0
    assert again.stdout.startswith("documents: 3 found = 0 loaded + 2 duplicate + 0 superseded + 1 quarantined\n")
