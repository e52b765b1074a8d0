"""Running: every probe of a plan that has no result yet is given to a runner, and what comes of it is kept.

Rule: product contract, section 7. Of one probe at a time, in this order: its recording is written out of sight, its
result synced, its study written, its recording shown. So a crash costs the probes under way and nothing else, and the
folder can be taken in at any moment.
"""

import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from afp_nodes.refusals import RefusedError
from afp_nodes.studies.documents import study_of as read_study
from afp_nodes.studies.fitness import refuse_unfit_study
from dataflows.probes.crew import Crew, Outcome
from dataflows.probes.errors import ProbeError
from dataflows.probes.plan_file import PlannedProbe, read_plan
from dataflows.probes.recordings import FOLDER, Recordings
from dataflows.probes.results import Result, ResultLog, result_log
from dataflows.probes.study_files import spelled, study_of, write_study


class ProbeProgress(Protocol):
    """Whoever shows how far the probes are."""

    def begin(self, probes: int, known: int) -> None:
        """So many probes lie ahead, and so many more have a result."""

    def advance(self, run_id: str, error: str | None) -> None:
        """One more has a result: an answer, or why there is none."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How probes are run: `again` runs those again that failed."""

    runner: str
    jobs: int = 1
    seconds: float = 600.0
    retries: int = 0
    again: bool = False


@dataclass(frozen=True, slots=True)
class ProbeSummary:
    """What became of the probes of a plan."""

    probes: int
    run_now: int
    run_before: int
    studies: int
    recordings: int
    unreadable_results: int
    failed: dict[str, str] = field(default_factory=dict)
    """Why each probe failed, by run id, in the order of the plan."""


def run_probes(plan: str, out: str, options: RunOptions, progress: ProbeProgress | None = None) -> ProbeSummary:
    """Run the probes of a plan that have no result in the folder `out` yet, and write their studies there.

    Raises `ProbeError` where nothing could be run.
    """
    words = _words(options.runner)
    planned = read_plan(plan)
    studies = _studies(planned)
    folder = _folder(out)
    with result_log(folder) as log:
        _refuse_others(planned, log, folder)
        kept = _Kept(folder, log, studies)
        kept.tidy()
        waiting = [p for p in planned if _is_waiting(p, log, options)]
        before = len(planned) - len(waiting)
        if progress:
            progress.begin(len(waiting), before)
        crew = Crew(words, options.jobs, options.seconds, options.retries)
        with closing(crew.outcomes(waiting)) as outcomes:
            for outcome in outcomes:
                result = kept.keep(outcome)
                if progress:
                    progress.advance(result.run_id, result.error)
        results = [log.results[p.probe.run_id] for p in planned]
        return ProbeSummary(
            probes=len(planned),
            run_now=len(waiting),
            run_before=before,
            studies=len(studies),
            recordings=sum(result.recorded for result in results),
            unreadable_results=log.unreadable,
            failed={result.run_id: result.error for result in results if result.error is not None},
        )


@dataclass(frozen=True)
class _Kept:
    """What is kept of the probes in a folder: the log, the recordings and the studies."""

    folder: Path
    log: ResultLog
    studies: dict[str, list[PlannedProbe]]

    @cached_property
    def recordings(self) -> Recordings:
        """The recordings of the folder."""
        return Recordings(self.folder)

    def tidy(self) -> None:
        """Finish what a crash interrupted, and remove what it left behind."""
        for leftover in (*self.folder.glob(".*.tmp"), *(self.folder / FOLDER).glob(".*.tmp")):
            leftover.unlink()
        recorded = {run_id for run_id, result in self.log.results.items() if result.recorded}
        self.recordings.clear(recorded)
        for planned in self.studies.values():
            run_ids = [p.probe.run_id for p in planned]
            if any(run_id in self.log.results for run_id in run_ids):
                write_study(self.folder, planned, self.log.results)
            for run_id in recorded.intersection(run_ids):
                self.recordings.show(run_id)

    def keep(self, outcome: Outcome) -> Result:
        """Keep what came of one probe, for good."""
        result = _result(outcome)
        if outcome.recording is not None:
            self.recordings.hide(result.run_id, outcome.recording)
        self.log.add(result)
        write_study(self.folder, self.studies[result.study_id], self.log.results)
        if outcome.recording is not None:
            self.recordings.show(result.run_id)
        return result


def _result(outcome: Outcome) -> Result:
    probe, answer = outcome.planned.probe, outcome.answer
    return Result(
        run_id=probe.run_id,
        study_id=probe.study_id,
        subject_id=probe.subject_id,
        seed=probe.seed,
        probe_sha256=outcome.planned.digest,
        output=answer.output if answer else None,
        cost=answer.cost if answer else None,
        error=None if answer else _reason(outcome.failures),
        failures=outcome.failures,
        recorded=outcome.recording is not None,
    )


def _reason(failures: Sequence[str]) -> str:
    """Why a probe failed: for the reason of its last attempt."""
    return failures[-1] if len(failures) == 1 else f"{failures[-1]} (the last of {len(failures)} attempts)"


def _is_waiting(planned: PlannedProbe, log: ResultLog, options: RunOptions) -> bool:
    """It has no result, or one that is asked for again."""
    result = log.results.get(planned.probe.run_id)
    return result is None or (options.again and result.error is not None)


def _studies(planned: list[PlannedProbe]) -> dict[str, list[PlannedProbe]]:
    """The probes of each study. Raises `ProbeError` where no verdict could come of one."""
    studies: dict[str, list[PlannedProbe]] = {}
    for probe in planned:
        studies.setdefault(probe.probe.study_id, []).append(probe)
    for study_id, probes in studies.items():
        try:
            refuse_unfit_study(read_study(spelled(study_of(probes, [])).decode()))
        except (RefusedError, ValueError) as error:
            raise ProbeError(f"Study {study_id[:200]!r} of the plan: {error}.", "Correct the plan.") from error
    return studies


def _refuse_others(planned: list[PlannedProbe], log: ResultLog, folder: Path) -> None:
    """Results of other probes under the same run ids would be taken for theirs. Raises `ProbeError`."""
    for probe in planned:
        known = log.results.get(probe.probe.run_id)
        if known and known.probe_sha256 != probe.digest:
            raise ProbeError(
                f"{folder} holds the result of another probe under the run id {probe.probe.run_id[:200]!r}.",
                "Choose another --out for this plan.",
            )


def _words(command: str) -> list[str]:
    """The words of the user's command."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProbeError(f"--runner is no command: {error}.", "Quote it as a shell would.") from error
    if not words:
        raise ProbeError("--runner is empty.", 'Name the command that starts your agent: --runner "python runner.py"')
    return words


def _folder(out: str) -> Path:
    """The folder of the results, made if need be."""
    folder = Path(out).absolute()
    if folder.exists() and not folder.is_dir():
        raise ProbeError(f"{out} is no folder.", "Name a folder for the results.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
