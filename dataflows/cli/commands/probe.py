"""`afp probe`: from suspicion to cause. Plans what to run again, and runs it."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from dataflows.cli.failures import CommandError, ExitCode, explained
from dataflows.cli.options import as_json_option, newest_snapshot, quiet_option, store_option, text_width
from dataflows.cli.output import aside, json_result, result, written
from dataflows.masking import masked_data
from dataflows.printable import glimpse, printable
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.probes.planning import Placed, Plan, PlannedStudy
    from dataflows.probes.running import ProbeSummary

SHOWN = 15
"""Subjects and failures that are listed; --json lists all."""

NAME_CHARACTERS = 200
REASON_CHARACTERS = 300
STDOUT = "-"


@click.group("probe", short_help="From suspicion to cause: plan seeded reruns of your agent, and run them.")
def command() -> None:
    """From suspicion to cause: plan seeded reruns of your agent, and run them.

    What stands beside doubtful answers is only suspected. A probe asks the same question again without the suspect,
    with the missing unit put back, or under another configuration; `afp run` reads the verdicts off the results.

    \b
    Example:
      afp probe plan --store fleet --out plan.jsonl --budget 60
      afp probe run plan.jsonl --runner "python my_runner.py" --out probes
      afp run probes --store fleet
    """


@command.command("plan", short_help="Turn suspects, missing units and arms into probes, most promising first.")
@store_option
@click.option("--out", metavar="FILE", required=True, help="Write the plan there, one probe a line; `-` is stdout.")
@click.option(
    "--budget",
    metavar="N",
    type=click.IntRange(min=1),
    help="Plan at most N lines. A subject is in whole, with its baseline, or out.  [default: no limit]",
)
@click.option(
    "--samples",
    metavar="N",
    type=click.IntRange(min=2),
    default=3,
    show_default=True,
    help="Runs of each subject and of each baseline, with the seeds 0 to N-1. Of an agent that is noisy by itself, 2 or"
    " 3 confirm by chance in more than 5 of 100 studies: take 5 or more.",
)
@click.option(
    "--where",
    metavar="SQL",
    help="Plan only from runs for which this condition on the columns of `runs` holds. It can do what `afp sql` can.",
)
@click.option(
    "--arms",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help='Plan arms, too: {"arms": [{"id", "facets"}], "baseline": ID}.',
)
@click.option(
    "--embedder", metavar="NAME", default="lexical", show_default=True, help="What says how alike two answers are."
)
@click.option(
    "--comparator",
    metavar="NAME",
    default="default",
    show_default=True,
    help="What says whether an answer changed: default, exact, first-word, casefold, json, or an installed one.",
)
@click.option(
    "--flip-threshold",
    metavar="X",
    type=click.FloatRange(0, 1),
    help="Least similarity that comparator `default` takes for no change.  [default: 0.8]",
)
@quiet_option
@as_json_option
def plan_command(
    *,
    store: str,
    out: str,
    budget: int | None,
    samples: int,
    where: str | None,
    arms: str | None,
    embedder: str,
    comparator: str,
    flip_threshold: float | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Turn suspects, missing units and arms of the whole fleet into probes, and write them as a plan.

    A subject is planned once, however many runs hold it, on one run that it would change: on a run whose answer is in
    doubt, if there is one. Subjects are ranked by how many doubtful runs they stand beside, beyond what the other runs
    would lead one to expect, and by how sharply that sets them apart. That is an association: it says what to test
    first. Probe runs of studies are not planned from.

    The plan is for machines. It holds questions, answers and units as they are recorded, secrets too, since they are
    to be asked again: keep it as safe as the recordings. A run whose question or answer is not recorded, or is
    redacted, is not probed.

    \b
    Example:
      afp probe plan --store fleet --out plan.jsonl --budget 60
      afp probe plan --store fleet --out plan.jsonl --where "model = 'm-2' AND started_at > '2026-01-31'"
      afp probe plan --store fleet --out - --samples 5 | wc -l
    """
    if out == STDOUT and as_json:
        raise CommandError("Both the plan and --json go to stdout.", "Write the plan into a file: --out plan.jsonl")
    plan = _plan(
        store,
        where,
        arms,
        budget=budget,
        samples=samples,
        embedder=embedder,
        comparator=comparator,
        flip_threshold=flip_threshold,
    )
    with nullcontext(sys.stdout.buffer) if out == STDOUT else written(out) as file:
        lines = _write(plan, file)
        file.flush()
    if as_json:
        json_result(masked_data(_told(plan, lines)))
    elif not quiet:
        (aside if out == STDOUT else result)("\n".join(_sentences(plan, lines, out)))


@command.command("run", short_help="Give the probes of a plan to your agent, and keep what comes of them.")
@click.argument("plan", type=click.Path(exists=True, dir_okay=False))
@click.option("--runner", metavar="CMD", required=True, help="The command that runs your agent; it is no shell.")
@click.option("--out", metavar="DIR", required=True, help="Keep results, recordings and studies there.")
@click.option(
    "--jobs", metavar="N", type=click.IntRange(min=1), default=1, show_default=True, help="Runners that work at once."
)
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds that a runner has for a probe; then it is ended and another is started.",
)
@click.option(
    "--retries",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Try a probe that fails so many times more.",
)
@click.option("--again", is_flag=True, help="Run those probes again that failed before.")
@quiet_option
@as_json_option
def run_command(
    *,
    plan: str,
    runner: str,
    out: str,
    jobs: int,
    timeout: float,
    retries: int,
    again: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Give each probe of PLAN to a runner, and write what comes of it as studies and recordings into DIR.

    A runner reads a probe, one line of JSON, from stdin, and answers with one line of JSON on stdout: {"output",
    "cost", "recording" or "recording_path", "error"}, all but the output optional. It is started once for each of the
    jobs. docs/probes.md says more; data/runners holds one in Python and one in Node.

    Stop it at any moment and start it again: a probe that has a result is not run again. A runner that fails, hangs or
    prints rubbish gives a failed probe with the reason, and never a verdict.

    Ends with 0; with 1 when probes failed; with 2 when nothing could be run.

    \b
    Example:
      afp probe run plan.jsonl --runner "python my_runner.py" --out probes
      afp probe run plan.jsonl --runner "node runner.mjs" --out probes --jobs 4 --timeout 120 --retries 2
    """
    from dataflows.cli.probe_progress import shown_probe_progress  # noqa: PLC0415 - `--help` needs no bar
    from dataflows.probes.errors import ProbeError  # noqa: PLC0415
    from dataflows.probes.running import RunOptions, run_probes  # noqa: PLC0415

    options = RunOptions(runner, jobs=jobs, seconds=timeout, retries=retries, again=again)
    with explained(ProbeError), shown_probe_progress(quiet=quiet) as progress:
        summary = run_probes(plan, out, options, progress)
    if as_json:
        json_result(masked_data(asdict(summary)))
    else:
        result("\n".join(_accounts(summary, out, quiet=quiet)))
    if summary.unreadable_results:
        aside(f"{counted(summary.unreadable_results, 'result')} in {out} cannot be read: those probes were run again")
    return ExitCode.ATTENTION if summary.failed else ExitCode.DONE


def _plan(store: str, where: str | None, arms: str | None, **options: Any) -> "Plan":
    """The plan for the newest snapshot of a store."""
    from dataflows.cli.interruption import interrupting  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.cli.options import readable  # noqa: PLC0415
    from dataflows.probes.arms import DeclaredArms  # noqa: PLC0415
    from dataflows.probes.errors import ProbeError  # noqa: PLC0415
    from dataflows.probes.fleet import Fleet  # noqa: PLC0415
    from dataflows.probes.planning import PlanOptions, planned  # noqa: PLC0415
    from dataflows.questions import questions_to  # noqa: PLC0415

    with explained(ProbeError):
        declared = DeclaredArms.read(arms) if arms else DeclaredArms()
        wanted = PlanOptions(**options)
        snapshot = newest_snapshot(store)
        with readable(store), questions_to(snapshot) as connection, interrupting(connection):
            return planned(Fleet(connection, snapshot, where, declared), wanted)


def _write(plan: "Plan", file: BinaryIO) -> int:
    """Write the probes, one a line; returns how many there are."""
    lines = 0
    for line in plan.lines():
        file.write(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n".encode())
        lines += 1
    return lines


def _told(plan: "Plan", lines: int) -> dict[str, Any]:
    """The plan as plain data, without what is asked and answered."""
    return {
        "lines": lines,
        "runs": plan.runs,
        "not_probed": asdict(plan.not_probed),
        "studies": [study.study_id for study in plan.studies],
        "not_placed": sum(placed.study is None for placed in plan.subjects),
        "subjects": [_subject(placed, placed.study) for placed in plan.subjects if placed.study],
    }


def _subject(placed: "Placed", study: "PlannedStudy") -> dict[str, Any]:
    """A subject with what speaks for it. One that is probed on no run is not named: its name may be redacted."""
    subject = placed.subject
    return {
        "study_kind": subject.study_kind,
        "subject_kind": subject.subject_kind,
        "subject_id": subject.subject_id,
        "planned": placed.is_planned,
        "study_id": study.study_id if placed.is_planned else None,
        "original_run_id": study.original_run_id,
        "tier": "correlational",
        "runs": subject.runs,
        "judged_runs": subject.judged_runs,
        "doubtful_runs": subject.doubtful_runs,
        "judged_others": subject.judged_others,
        "doubtful_others": subject.doubtful_others,
        "difference": subject.difference,
        "score": subject.score,
    }


def _sentences(plan: "Plan", lines: int, out: str) -> Iterator[str]:
    """What was planned, as people read it."""
    planned = sum(placed.is_planned for placed in plan.subjects)
    homeless = sum(placed.study is None for placed in plan.subjects)
    yield (
        f"planned: {counted(lines, 'probe')} of {counted(planned, 'subject')} in {_studies(len(plan.studies))},"
        f" from {counted(plan.runs, 'run')}"
    )
    if over := len(plan.subjects) - planned - homeless:
        yield f"left out for the budget: {counted(over, 'subject')}"
    if homeless:
        yield f"not planned, for no run that they would change can be probed: {counted(homeless, 'subject')}"
    yield from _not_probed(plan)
    placed = [each for each in plan.subjects if each.study]
    if placed:
        yield "doubtful runs with and without each subject, an association of tier correlational:"
        yield _table(placed[:SHOWN])
    if len(placed) > SHOWN:
        yield f"and {counted(len(placed) - SHOWN, 'subject')} more: --json lists all"
    if lines == 0:
        yield _nothing(plan, placed)
    if planned and out != STDOUT:
        yield f'next: afp probe run {_shell(out)} --runner "CMD" --out probes'


def _nothing(plan: "Plan", placed: "list[Placed]") -> str:
    """Why nothing is planned."""
    if placed:
        return "the budget is too small for any subject with its baseline: raise --budget, or lower --samples"
    if plan.subjects:
        return "nothing is planned: no run that a subject would change can be probed"
    return "nothing is planned: these runs name no suspects, missed no units, and no arms are declared"


def _not_probed(plan: "Plan") -> Iterator[str]:
    """How many runs cannot be probed, and why."""
    told = plan.not_probed
    reasons = (
        (told.question_withheld, "the record redacts their question"),
        (told.question_unknown, "no question is recorded"),
        (told.answer_unknown, "no answer is recorded that a probe could be compared with"),
    )
    for runs, why in reasons:
        if runs:
            yield f"cannot be probed: {counted(runs, 'run')}, since {why}"


def _table(subjects: "list[Placed]") -> str:
    from dataflows.cli.formats.text_table import Column, text_table  # noqa: PLC0415 - `--help` needs no tables

    columns = [
        Column("#", to_the_right=True),
        Column("study"),
        Column("kind"),
        Column("subject"),
        Column("runs", to_the_right=True),
        Column("doubtful with", to_the_right=True),
        Column("without", to_the_right=True),
        Column("difference", to_the_right=True),
        Column("planned"),
        Column("on run"),
    ]
    return text_table(columns, [_line(placed) for placed in subjects], text_width())


def _line(placed: "Placed") -> list[str]:
    subject = placed.subject
    return [
        str(subject.rank + 1),
        subject.study_kind,
        subject.subject_kind,
        subject.subject_id,
        f"{subject.runs:,}",
        f"{subject.doubtful_runs:,} of {subject.judged_runs:,}",
        f"{subject.doubtful_others:,} of {subject.judged_others:,}",
        "unknown" if subject.difference is None else f"{subject.difference:+.2f}",
        "yes" if placed.is_planned else "no",
        placed.study.original_run_id if placed.study else "none",
    ]


def _accounts(summary: "ProbeSummary", out: str, *, quiet: bool) -> Iterator[str]:
    """What became of the probes, as people read it."""
    yield (
        f"probes: {summary.probes:,} planned = {summary.run_now:,} run now + {summary.run_before:,} run before;"
        f" {len(summary.failed):,} failed"
    )
    if quiet:
        return
    for run_id, reason in list(summary.failed.items())[:SHOWN]:
        yield f"  {glimpse(run_id, NAME_CHARACTERS)}: {glimpse(reason, REASON_CHARACTERS)}"
    if len(summary.failed) > SHOWN:
        yield f"  and {len(summary.failed) - SHOWN:,} more: --json lists all"
    if summary.failed:
        yield "  to do: look after the runner, then run them again with --again"
    if summary.probes:
        recordings = counted(summary.recordings, "recording")
        yield f"written: {_studies(summary.studies)} and {recordings}, in {printable(out)}"
        yield f"next: afp run {_shell(out)} --store DIR"


def _studies(number: int) -> str:
    return f"{number:,} {'study' if number == 1 else 'studies'}"


def _shell(word: str) -> str:
    """A word as a shell takes it, and a terminal shows it."""
    return printable(quote(word))
