"""Stores that reports are made of. Tests read them."""

from pathlib import Path

import pytest

from dataflows import job
from dataflows.report.making import report_of
from dataflows.report.parts import Report
from dataflows.report.writing import FORMATS
from dataflows.store import Snapshot, Store
from tests.cli.conftest import afp, store_of

__all__ = ["afp", "store_of"]

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


def snapshot_of(store: Path) -> Snapshot:
    """The newest snapshot of a store."""
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample fleet, and of files that are refused."""
    store = tmp_path_factory.mktemp("report") / "store"
    job.run([str(SAMPLE), str(SAMPLE.parent / "odd")], str(store))
    return store


@pytest.fixture(scope="session")
def report(sample_store: Path) -> Report:
    """The report of the sample fleet."""
    return report_of(snapshot_of(sample_store))


@pytest.fixture(scope="session")
def written(report: Report) -> dict[str, str]:
    """That report in each format, by the ending of its file."""
    return {ending: rendered(report) for ending, rendered in FORMATS.items()}
