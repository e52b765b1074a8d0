"""A nightly job as the tests run it: reports are written only where a test is about them."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from dataflows import nightly as job
from dataflows.nightly import NightlySummary, nightly
from dataflows.store import Store

Nightly = Callable[..., NightlySummary]


class Written:
    """The nights whose reports were to be written, job by job."""

    def __init__(self) -> None:
        self.jobs: list[list[date]] = []

    def write(self, _snapshot: Any, night: date, folder: Path, last: date, _complain: Any) -> list[Path]:
        """Stands for a report."""
        self.jobs[-1].append(night)
        (folder / f"report-{night}.json").write_text("{}", encoding="utf-8")
        return [folder / f"report-{night}.json", *([folder / "latest.json"] if night == last else [])]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    reports = Written()
    monkeypatch.setattr(job, "_write", reports.write)
    return reports


@pytest.fixture
def run_night(tmp_path: Path, written: Written) -> Nightly:
    """Runs a nightly job on the morning after a night, over `inbox`, into `store`."""

    def run(after: date, **options: Any) -> NightlySummary:
        written.jobs.append([])
        options = {"today": after + timedelta(days=1), **options}
        inbox = options.pop("inbox", tmp_path / "inbox")
        return nightly(str(inbox), str(tmp_path / "store"), str(tmp_path / "reports"), **options)

    return run


def rows(store: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table of the newest snapshot, by their keys."""
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot.scan(table).collect().to_dicts()


def reports_of(store: Path) -> dict[str, dict[str, Any]]:
    """`night_reports` by night."""
    return {str(row["night"]): row for row in rows(store, "night_reports")}
