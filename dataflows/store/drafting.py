"""Drafting: a contribution and a snapshot as a draft in which everything was derived with what is in force."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl

from dataflows.store.folder import Snapshot
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import Chunk
from dataflows.store.merging import Contribution, Draft, merged
from dataflows.store.rederiving import derived_again
from dataflows.store.rewriting import new_chunk_without
from dataflows.store.scrubbing import scrubbed_inputs


def drafted(
    newest: Snapshot | None, contribution: Contribution, root: Path, batch_id: str, code_version: str
) -> tuple[Contribution, Draft]:
    """The contribution merged into a snapshot, and itself with the chunks that had to be derived again for it.

    What they were derived with may no longer be in force: another document came, in this job or another, or went.
    Raises `StoreError`, see `merged` and `derived_again`.
    """
    draft = merged(newest, contribution, root, code_version)
    while draft.stale:
        again = {chunk.id: derived_again(root, batch_id, chunk, draft.declarations) for chunk in draft.stale}
        contribution = replace(contribution, replaced_chunks={**contribution.replaced_chunks, **again})
        draft = merged(newest, contribution, root, code_version)
    return contribution, draft


def without_forgotten(root: Path, batch_id: str, contribution: Contribution, forgotten: Forgotten) -> Contribution:
    """A contribution without what was forgotten while it was made; its files are written anew where they held some.

    Raises `StoreError` when one of them is damaged, `OSError`.
    """

    def is_gone(run_id: str, sha256: str) -> bool:
        return forgotten.has_run(run_id) or forgotten.has_document(sha256)

    def left(chunk: Chunk) -> Chunk:
        gone = {run_id for run_id, sha256 in chunk.runs.items() if is_gone(run_id, sha256)}
        return new_chunk_without(root, batch_id, chunk, gone) if gone else chunk

    recordings = contribution.recordings
    stays = _where(recordings, ["run_id", "recording_sha256"], lambda pair: not is_gone(*pair))
    of_gone = {file_of(uri) for uri in recordings.filter(~stays)["source_uri"]}
    inputs = scrubbed_inputs(contribution.inputs, forgotten.has_run)
    inputs = inputs.filter(_where(inputs, ["sha256"], lambda digest: not forgotten.has_document(*digest)))
    return replace(
        contribution,
        chunks=tuple(map(left, contribution.chunks)),
        recordings=recordings.filter(stays),
        inputs=inputs,
        files=contribution.files.filter(~pl.col("source_uri").is_in(of_gone)),
    )


def file_of(source_uri: str) -> str:
    """The file that a document lies in; it may be a member of an archive."""
    return source_uri.partition("::")[0]


def _where(frame: pl.DataFrame, columns: list[str], holds: Callable[[tuple[str, ...]], bool]) -> pl.Series:
    return pl.Series([holds(row) for row in frame.select(columns).iter_rows()], dtype=pl.Boolean)
