"""`afp run`: the main job."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dataflows.cli.failures import ExitCode, explained
from dataflows.cli.job_story import PLACE_CHARACTERS, SHOWN, accounts, refusals, shell_word, sql_line, standing
from dataflows.cli.lean import be_lean
from dataflows.cli.options import as_json_option, job_options, quiet_option, store_option
from dataflows.cli.output import aside, json_result, result
from dataflows.cli.progress import shown_progress
from dataflows.printable import glimpse

if TYPE_CHECKING:
    from dataflows.summary import Summary


@click.command("run", short_help="Take in recordings, derive every table, publish a snapshot: the main job.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@store_option
@job_options
@quiet_option
@as_json_option
def command(
    *,
    paths: tuple[str, ...],
    store: str,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Take in every recording under each PATH that is new, derive every table, publish one snapshot.

    PATH is a file, a folder (searched through) or a URL. Recordings, studies, unit lists and declarations are
    found in .json, .jsonl and .ndjson, also .gz or .zst, and in .zip and .tar archives. What cannot be read is
    listed with its place and a remedy, and the rest goes on.

    Ends with 0; with 1 when something was refused for the first time; with 2 when nothing could be done.

    \b
    Example:
      afp run recordings/ --store fleet
      afp run monday.jsonl.gz tuesday.zip --store fleet --jobs 2
    """
    summary = _summary(paths, store, quiet=quiet, **options)
    if as_json:
        json_result(asdict(summary))
    elif quiet:
        result(summary.documents_line)
    else:
        result("\n".join(_sentences(summary, store)))
    if summary.newly_quarantined and (quiet or as_json):
        aside("\n".join(refusals(summary, store)))
    return ExitCode.ATTENTION if summary.newly_quarantined else ExitCode.DONE


def _summary(paths: tuple[str, ...], store: str, *, quiet: bool, **options: Any) -> "Summary":
    """What the job did, its progress shown meanwhile."""
    be_lean()
    from dataflows import job  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.extensions import ExtensionError  # noqa: PLC0415
    from dataflows.inputs import NoSuchPathError  # noqa: PLC0415
    from dataflows.store import StoreError  # noqa: PLC0415
    from dataflows.workers import NoClusterError  # noqa: PLC0415

    known = (job.NoDocumentsError, ExtensionError, NoClusterError, NoSuchPathError, StoreError)
    with explained(*known), shown_progress(quiet=quiet) as progress:
        return job.run(paths, store, progress=progress, **options)


def _sentences(summary: "Summary", store: str) -> list[str]:
    """The summary as people read it: the accounts, what needs a look, what stands out, what to do next."""
    return [*accounts(summary, store), standing(summary), *_findings(summary), *_next_commands(store)]


def _findings(summary: "Summary") -> list[str]:
    return [f"  {glimpse(finding, PLACE_CHARACTERS)}" for finding in summary.findings[:SHOWN]]


def _next_commands(store: str) -> list[str]:
    return [
        "next:",
        "  " + sql_line("SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL", store),
        f"  afp runs --store {shell_word(store)}",
        f"  afp tables --store {shell_word(store)}",
    ]
