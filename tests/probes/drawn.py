"""Fleets to plan from, and plans to run, drawn in the test."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from afp_nodes.schemas.probes import FleetArms, FleetRuns, FleetSuspects, FleetUnits
from dataflows.probes.fleet import NotProbed, Scenario

HOSTILE = Path(__file__).with_name("hostile.py")
AFP = (sys.executable, "-c", "from dataflows.cli import main; main()")


class DrawnFleet:
    """A fleet of which each run holds some suspects and missed some units; runs whose number is even are in doubt."""

    def __init__(
        self, held: Mapping[str, Iterable[str]], missed: Mapping[str, Iterable[str]], hidden: Iterable[str] = ()
    ) -> None:
        names = sorted({*held, *missed})
        self.hidden = set(hidden)
        self.runs = pl.LazyFrame(
            {
                "run_id": names,
                "is_doubtful": [number % 2 == 0 for number in range(len(names))],
                "can_be_probed": True,
                "tokens": [float(number) for number in range(len(names))],
                "shows_suspects": True,
                "shows_units": True,
                "shows_manifest": False,
                "arm_id": None,
            },
            schema=FleetRuns.dtypes(),
        )
        suspects = [
            (run, "injection", name, f'{{"kind":"injection","ids":["{name}"]}}') for run in held for name in held[run]
        ]
        units = [(run, name, "memory", f"text of {name}") for run in missed for name in missed[run]]
        self.suspects = pl.LazyFrame(suspects, schema=FleetSuspects.dtypes(), orient="row").unique()
        self.units = pl.LazyFrame(units, schema=FleetUnits.dtypes(), orient="row").unique(["run_id", "unit_id"])
        self.arms = pl.LazyFrame(schema=FleetArms.dtypes())
        self._missed = missed

    def __len__(self) -> int:
        return len(self.runs.collect())

    def scenario(self, run_id: str) -> Scenario:
        """What a run was asked, unless it is one of the hidden."""
        return Scenario(None if run_id in self.hidden else f"question of {run_id}?", f"answer of {run_id}")

    def told(self, _run_id: str, text: str | None) -> str | None:
        """Nothing is redacted."""
        return text

    def units_of(self, run_ids: list[str]) -> dict[str, list[tuple[str, bool]]]:
        """Each run has a unit that it did not miss."""
        return {run: [("sent", False), *((name, True) for name in sorted(set(self._missed[run])))] for run in run_ids}

    def not_probed(self) -> NotProbed:
        """All can be probed."""
        return NotProbed(0, 0, 0)


def line(subject: str, seed: int, **members: Any) -> dict[str, Any]:
    """One line of a plan, of study `s` unless told otherwise."""
    specs = [] if subject == "baseline" else [{"kind": "injection", "excludeInjectionIds": [subject]}]
    told = {"study_id": "s", "kind": "ablation", "subject_id": subject, "seed": seed}
    scenario = {"question": "Where is it?", "original_run_id": "o", "original_output": "answer"}
    rest = {"scenario": scenario, "specs": specs, "restore": [], "facets": {}, "embedder": "lexical"}
    options = {"samples": 3, "flipThreshold": None, "comparator": "default"}
    made = told | {"run_id": f"{members.get('study_id', 's')}-{subject}-{seed}"} | rest | {"options": options}
    return made | members


def write_plan(path: Path, *lines: dict[str, Any]) -> str:
    """The lines as a plan."""
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return str(path)


def plan_of(path: Path, subjects: int, samples: int = 3) -> str:
    """A plan of one study: its baseline, and so many subjects."""
    names = ["baseline", *(f"x{number}" for number in range(subjects))]
    return write_plan(path, *(line(name, seed) for name in names for seed in range(samples)))


def hostile(mode: str, *words: object) -> str:
    """The command of a runner that behaves in some way."""
    return " ".join((sys.executable, str(HOSTILE), mode, *map(str, words)))


def running_for(folder: Path) -> list[str]:
    """The processes whose arguments name a folder."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [args for args in listed.splitlines() if str(folder) in args]


def recording(run_id: str = "its-own", **run: Any) -> dict[str, Any]:
    """A small recording under an id of its own."""
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True, **run},
        "recording": {"snapshot": {"sharedState": {"n": 1.0}, "commitLog": []}, "events": []},
    }
