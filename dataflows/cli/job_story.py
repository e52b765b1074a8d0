"""The story of a job as people read it: what became of the documents, and what to look at. No data frames here."""

from shlex import quote
from typing import TYPE_CHECKING

from dataflows.printable import glimpse, printable
from dataflows.wording import counted

if TYPE_CHECKING:
    from dataflows.summary import Summary

SHOWN = 10
"""Refusals, conflicts and findings that are listed; a query shows the rest."""

PLACE_CHARACTERS = 400
"""A place or a message longer than this is cut."""


def accounts(summary: "Summary", store: str) -> list[str]:
    """What became of every document, and which of them need a look."""
    return [
        summary.documents_line,
        *_ignored(summary),
        *refusals(summary, store),
        *_conflicts(summary.conflicts, store),
    ]


def refusals(summary: "Summary", store: str) -> list[str]:
    """Each refusal with its place, its reason and its remedy; the rest of a long list by a query."""
    if not summary.refusals:
        return []
    lines = [f"refused: {len(summary.refusals):,}"]
    for refusal in summary.refusals[:SHOWN]:
        lines.append(f"  {glimpse(refusal.source_uri, PLACE_CHARACTERS)}, document {refusal.position}: {refusal.code}")
        lines.append(f"    {glimpse(refusal.message, PLACE_CHARACTERS)}")
        lines.append(f"    to do: {glimpse(refusal.remedy, PLACE_CHARACTERS)}")
    return lines + _rest(len(summary.refusals), "FROM quarantine", store)


def standing(summary: "Summary") -> str:
    """Which snapshot is the newest now."""
    runs = counted(summary.runs, "run")
    if not summary.published:
        return f"nothing new: snapshot {summary.snapshot_id or 'none'} stays the newest, with {runs}"
    again = f", {counted(summary.rederived_chunks, 'chunk')} derived again" if summary.rederived_chunks else ""
    return f"published: snapshot {summary.snapshot_id} with {runs}{again}, in {summary.seconds:,.1f} s"


def sql_line(query: str, store: str) -> str:
    """The command that asks a query."""
    return f'afp sql "{query}" --store {shell_word(store)}'


def shell_word(word: str) -> str:
    """A word as a shell takes it, and a terminal shows it."""
    return printable(quote(word))


def _ignored(summary: "Summary") -> list[str]:
    if not summary.ignored_files:
        return []
    return [f"ignored: {counted(summary.ignored_files, 'file')} of other endings"]


def _conflicts(run_ids: list[str], store: str) -> list[str]:
    if not run_ids:
        return []
    lines = [f"conflicts: {counted(len(run_ids), 'run')} with recordings that differ, where only the hash decided"]
    lines += [f"  {glimpse(run_id, PLACE_CHARACTERS)}" for run_id in run_ids[:SHOWN]]
    return lines + _rest(len(run_ids), "FROM recordings WHERE conflict", store)


def _rest(count: int, query: str, store: str) -> list[str]:
    return [f"  and {count - SHOWN:,} more: {sql_line(query, store)}"] if count > SHOWN else []
