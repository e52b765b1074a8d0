"""What workers are asked, and what they bring back: written chunks, and rows for the tables of the job."""

from dataclasses import dataclass, field
from typing import Any

from afp_nodes.refusals import Refusal
from afp_nodes.words import InputKind
from dataflows.extensions import Given
from dataflows.inputs import Limits
from dataflows.store.forgotten import Forgotten
from dataflows.store.manifest import Chunk

DECLARING = (InputKind.UNITS, InputKind.DECLARATIONS)
"""Kinds of document that declare something of runs; studies do not."""


def document_name(sha256: str, kind: str | None) -> str:
    """What two documents share that are the same: their bytes, and of lists, which only their place tells, the kind."""
    return f"{sha256} {kind}" if kind in DECLARING else sha256


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """What every worker of a job needs to know. Picklable.

    `known` names the documents that were taken in before, see `document_name`. `declared` is the file that holds what
    applications declare, None = nothing is known to be declared. What is `forgotten` is not taken in;
    `extension` is what the job was told to use.
    """

    store_root: str
    batch_id: str
    declared: str | None = None
    known: frozenset[str] = frozenset()
    forgotten: Forgotten = field(default_factory=Forgotten)
    extension: Given = field(default_factory=Given)
    keep_tokens: bool = False
    split_runs: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Ingested:
    """What came of a share of the files: rows for the job's tables, without what only the publisher knows."""

    chunks: list[Chunk] = field(default_factory=list)
    recordings: list[dict[str, Any]] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    copies: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    refused_documents: int = 0
    documents: int = 0
    ignored: int = 0
    bytes: int = 0

    def __iadd__(self, other: "Ingested") -> "Ingested":
        """Both shares taken together."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self
