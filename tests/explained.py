"""What `afp explain` prints of a few sample runs, kept to be read: `python -m tests.explained` writes it again."""

import tempfile
from pathlib import Path

from click.testing import CliRunner

from dataflows import job
from dataflows.cli.program import program

SAMPLE = Path(__file__).parents[1] / "data" / "sample"
FOLDER = Path(__file__).parent / "data" / "explained"
SOURCES = (
    *("runs/warehouse.jsonl", "warehouse.units.json", "warehouse.declarations.json"),
    *("runs/s-win-slide-refunds.json.gz", "runs/s-ask-grouped-leg1-travel.json.gz", "runs/s-dropped-hr.json.gz"),
)
RUNS = ("w-stock-4", "s-win-slide-refunds", "s-ask-grouped-leg1-travel", "s-dropped-hr")


def explained_store(path: Path) -> str:
    """A store of the runs that are explained."""
    job.run([str(SAMPLE / source) for source in SOURCES], str(path))
    return str(path)


def explained(store: str, run: str) -> str:
    """What the command prints of one run."""
    shown = CliRunner().invoke(program, ["explain", run, "--store", store, "--limit", "3"])
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def main() -> None:
    """Write every text again."""
    with tempfile.TemporaryDirectory() as folder:
        store = explained_store(Path(folder) / "store")
        for run in RUNS:
            (FOLDER / f"{run}.txt").write_text(explained(store, run), encoding="utf-8")


if __name__ == "__main__":
    main()
