"""The fleet that is planned from: production runs, what each holds, and what of it may be asked again.

Rules: product contract, sections 6 (probe runs are not production) and 7. A condition of the user's is held to what
`afp sql` may do.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dataframely as dy
import duckdb
import polars as pl

from afp_nodes.schemas.probes import FleetArms, FleetRuns, FleetSuspects, FleetUnits
from dataflows.probes.arms import DeclaredArms
from dataflows.probes.errors import ProbeError
from dataflows.questions import answer
from dataflows.store import Snapshot, StoreError
from dataflows.store.catalog import read_only
from dataflows.store.statements import refuse_writes
from dataflows.withheld import Withheld


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a run was asked and what it answered, as recorded; NULL where that is not known or may not be told."""

    question: str | None
    answer: str | None

    @property
    def is_whole(self) -> bool:
        """It can be asked again, and there is an answer to compare with."""
        return self.question is not None and self.answer is not None


@dataclass(frozen=True, slots=True)
class NotProbed:
    """Production runs that cannot be probed, by the first reason that holds."""

    question_withheld: int
    question_unknown: int
    answer_unknown: int


class Fleet:
    """The production runs of a snapshot that a condition lets through.

    The connection can do nothing but read the snapshot from now on.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, snapshot: Snapshot, where: str | None, arms: DeclaredArms
    ) -> None:
        read_only(connection, snapshot)
        _ask_for_runs(connection, where)
        self._connection, self._snapshot, self._arms = connection, snapshot, arms
        self._rows = {row["run_id"]: row for row in answer(connection, "probe_fleet")}
        self._withheld: dict[str, Withheld] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def runs(self) -> dy.LazyFrame[FleetRuns]:
        """The node `fleet_runs`."""
        told = [
            row
            | {
                "can_be_probed": _stated(row).is_whole,
                "shows_manifest": row["manifest_json"] is not None,
                "arm_id": self._arms.arm_of(row["manifest_json"]),
            }
            for row in self._rows.values()
        ]
        schema = FleetRuns.dtypes()
        return pl.LazyFrame([{name: row[name] for name in schema} for row in told], schema=schema, orient="row").pipe(
            FleetRuns.cast
        )

    @cached_property
    def suspects(self) -> dy.LazyFrame[FleetSuspects]:
        """The node `fleet_suspects`."""
        return self._of_fleet("ablation_hooks").select(FleetSuspects.column_names()).unique().pipe(FleetSuspects.cast)

    @cached_property
    def units(self) -> dy.LazyFrame[FleetUnits]:
        """The node `fleet_units`."""
        return (
            self._of_fleet("missing_context")
            .sort("run_id", "iteration", "position")
            .group_by("run_id", "unit_id")
            .agg(pl.col("unit_kind").first(), pl.col("content").drop_nulls().first())
            .select(FleetUnits.column_names())
            .pipe(FleetUnits.cast)
        )

    @cached_property
    def arms(self) -> dy.LazyFrame[FleetArms]:
        """The node `fleet_arms`."""
        return pl.LazyFrame(self._arms.changes(), schema=FleetArms.dtypes(), orient="row").pipe(FleetArms.cast)

    def scenario(self, run_id: str) -> Scenario:
        """What a run was asked and answered, but for what its record redacts anywhere."""
        stated = _stated(self._rows[run_id])
        return Scenario(self.told(run_id, stated.question), self.told(run_id, stated.answer))

    def told(self, run_id: str, text: str | None) -> str | None:
        """A text of a run; None where some of it is what the record of the run redacts."""
        if text is None or not self._rows[run_id]["redacts"]:
            return text
        if run_id not in self._withheld:
            self._withheld[run_id] = Withheld.of(self._connection, run_id)
        return text if self._withheld[run_id].hide(text) == text else None

    def units_of(self, run_ids: list[str]) -> dict[str, list[tuple[str, bool]]]:
        """Of each run its units in the order in which they were met, each with whether some call missed it.

        A unit whose id is what the record redacts is left out.
        """
        units: dict[str, list[tuple[str, bool]]] = {run_id: [] for run_id in run_ids}
        for row in answer(self._connection, "probe_units", run_ids=run_ids) if run_ids else []:
            if self.told(row["run_id"], row["unit_id"]) is not None:
                units[row["run_id"]].append((row["unit_id"], row["is_missed"]))
        return units

    def not_probed(self) -> NotProbed:
        """How many runs cannot be probed, and why; those that were looked at closely are counted by what was found."""
        withheld = unknown = unanswered = 0
        for run_id, row in self._rows.items():
            scenario = self.scenario(run_id) if run_id in self._withheld else _stated(row)
            if row["question_withheld"] or (row["question"] is not None and scenario.question is None):
                withheld += 1
            elif scenario.question is None:
                unknown += 1
            elif scenario.answer is None:
                unanswered += 1
        return NotProbed(withheld, unknown, unanswered)

    def _of_fleet(self, table: str) -> pl.LazyFrame:
        return self._snapshot.scan(table).join(self.runs.select("run_id"), on="run_id", how="semi")


def _stated(row: dict[str, Any]) -> Scenario:
    return Scenario(None if row["question_withheld"] else row["question"], row["answer"])


def _ask_for_runs(connection: duckdb.DuckDBPyConnection, where: str | None) -> None:
    """Make the table `asked_runs` of the runs that a condition lets through.

    Raises `ProbeError` where it is no condition, or would do more than read.
    """
    query = f"SELECT run_id FROM runs WHERE (\n{'true' if where is None else where}\n)"
    try:
        statements = connection.extract_statements(query)
        if len(statements) != 1 or statements[0].named_parameters:
            raise ProbeError("--where is not one condition.", "Write what could stand behind WHERE in `FROM runs`.")
        refuse_writes(connection, query)
        connection.execute(f"CREATE TEMP TABLE asked_runs AS {query}")
    except duckdb.InterruptException:
        raise
    except (duckdb.Error, StoreError) as error:
        raise ProbeError(f"--where cannot be used: {error}", "`afp tables runs` lists the columns of runs.") from error
