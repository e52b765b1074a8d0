"""`afp run`: the main job."""

import os
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING

import click

from dataflows.cli.failures import ExitCode, explained
from dataflows.cli.options import as_json_option, quiet_option, store_option
from dataflows.cli.output import aside, json_result, result
from dataflows.cli.progress import shown_progress
from dataflows.printable import glimpse, printable
from dataflows.wording import counted

if TYPE_CHECKING:
    from afp_nodes.refusals import Refusal
    from dataflows.summary import Summary

LEAN = {"POLARS_MAX_THREADS": "1", "HAMILTON_AUTOLOAD_EXTENSIONS": "0"}
"""Set before these libraries are loaded, here and in the workers: a worker reads, derives and writes at once, so more
threads only take memory, and Hamilton's extensions for other libraries only take time."""
for name, value in LEAN.items():
    os.environ.setdefault(name, value)

SHOWN = 10
"""Refusals, conflicts and findings that are listed; a query shows the rest."""

PLACE_CHARACTERS = 400
"""A place or a message longer than this is cut."""


@click.command("run", short_help="Take in recordings, derive every table, publish a snapshot: the main job.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@store_option
@click.option(
    "--jobs", metavar="N", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that work at once."
)
@click.option("--keep-tokens", is_flag=True, help="Store token events too, not only their number.")
@click.option("--split-runs", is_flag=True, help="Take a bare document that holds several runs as several.")
@click.option(
    "--max-document-mb",
    metavar="N",
    type=click.IntRange(min=1),
    default=512,
    show_default=True,
    help="Refuse a document larger than this once it is decompressed.",
)
@click.option(
    "--arms",
    metavar="FILE",
    help="Configurations to group recorded runs under, by their own manifests; in force until others are given.",
)
@click.option(
    "--executor",
    type=click.Choice(("local", "ray")),
    default="local",
    show_default=True,
    help="Where the work is done: in processes of this machine, or on a Ray cluster that sees the same files.",
)
@quiet_option
@as_json_option
def command(
    *,
    paths: tuple[str, ...],
    store: str,
    jobs: int,
    keep_tokens: bool,
    split_runs: bool,
    max_document_mb: int,
    arms: str | None,
    executor: str,
    quiet: bool,
    as_json: bool,
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
    summary = _summary(
        paths,
        store,
        jobs,
        executor,
        keep_tokens=keep_tokens,
        split_runs=split_runs,
        max_document_mb=max_document_mb,
        arms=arms,
        quiet=quiet,
    )
    if as_json:
        json_result(asdict(summary))
    elif quiet:
        result(summary.documents_line)
    else:
        result("\n".join(_sentences(summary, store)))
    if summary.newly_quarantined and (quiet or as_json):
        aside("\n".join(_refusals(summary.refusals, store)))
    return ExitCode.ATTENTION if summary.newly_quarantined else ExitCode.DONE


def _summary(
    paths: tuple[str, ...],
    store: str,
    jobs: int,
    executor: str,
    *,
    keep_tokens: bool,
    split_runs: bool,
    max_document_mb: int,
    arms: str | None,
    quiet: bool,
) -> "Summary":
    """What the job did, its progress shown meanwhile."""
    from dataflows import job  # noqa: PLC0415 - `--help` needs no data frames
    from dataflows.inputs import NoSuchPathError  # noqa: PLC0415
    from dataflows.store import StoreError  # noqa: PLC0415
    from dataflows.workers import NoClusterError  # noqa: PLC0415

    with (
        explained(job.NoDocumentsError, NoClusterError, NoSuchPathError, StoreError),
        shown_progress(quiet=quiet) as progress,
    ):
        return job.run(
            paths,
            store,
            jobs=jobs,
            executor=executor,
            keep_tokens=keep_tokens,
            split_runs=split_runs,
            max_document_mb=max_document_mb,
            arms=arms,
            progress=progress,
        )


def _sentences(summary: "Summary", store: str) -> list[str]:
    """The summary as people read it: the accounts, what needs a look, what stands out, what to do next."""
    return [
        summary.documents_line,
        *_ignored(summary),
        *_refusals(summary.refusals, store),
        *_conflicts(summary.conflicts, store),
        _standing(summary),
        *_findings(summary),
        *_next_commands(store),
    ]


def _ignored(summary: "Summary") -> list[str]:
    if not summary.ignored_files:
        return []
    return [f"ignored: {counted(summary.ignored_files, 'file')} of other endings"]


def _refusals(refusals: "list[Refusal]", store: str) -> list[str]:
    """Each refusal with its place, its reason and its remedy; the rest of a long list by a query."""
    if not refusals:
        return []
    lines = [f"refused: {len(refusals):,}"]
    for refusal in refusals[:SHOWN]:
        lines.append(f"  {glimpse(refusal.source_uri, PLACE_CHARACTERS)}, document {refusal.position}: {refusal.code}")
        lines.append(f"    {glimpse(refusal.message, PLACE_CHARACTERS)}")
        lines.append(f"    to do: {glimpse(refusal.remedy, PLACE_CHARACTERS)}")
    return lines + _rest(len(refusals), "FROM quarantine", store)


def _conflicts(run_ids: list[str], store: str) -> list[str]:
    if not run_ids:
        return []
    lines = [f"conflicts: {counted(len(run_ids), 'run')} with recordings that differ, where only the hash decided"]
    lines += [f"  {glimpse(run_id, PLACE_CHARACTERS)}" for run_id in run_ids[:SHOWN]]
    return lines + _rest(len(run_ids), "FROM recordings WHERE conflict", store)


def _rest(count: int, query: str, store: str) -> list[str]:
    return [f"  and {count - SHOWN:,} more: {_sql(query, store)}"] if count > SHOWN else []


def _standing(summary: "Summary") -> str:
    runs = counted(summary.runs, "run")
    if not summary.published:
        return f"nothing new: snapshot {summary.snapshot_id or 'none'} stays the newest, with {runs}"
    again = f", {counted(summary.rederived_chunks, 'chunk')} derived again" if summary.rederived_chunks else ""
    return f"published: snapshot {summary.snapshot_id} with {runs}{again}, in {summary.seconds:,.1f} s"


def _findings(summary: "Summary") -> list[str]:
    return [f"  {glimpse(finding, PLACE_CHARACTERS)}" for finding in summary.findings[:SHOWN]]


def _next_commands(store: str) -> list[str]:
    return [
        "next:",
        "  " + _sql("SELECT kind, verdict, count(*) FROM verdicts GROUP BY ALL", store),
        f"  afp runs --store {_shell(store)}",
        f"  afp tables --store {_shell(store)}",
    ]


def _sql(query: str, store: str) -> str:
    return f'afp sql "{query}" --store {_shell(store)}'


def _shell(word: str) -> str:
    """A word as a shell takes it, and a terminal shows it."""
    return printable(quote(word))
