"""The summary of a job: what came in, what became of it, and what stands out."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from afp_nodes.refusals import Refusal


class Progress(Protocol):
    """Whoever shows how far a job is."""

    def begin(self, sources: int, size_bytes: int) -> None:
        """So much lies ahead."""

    def advance(self, sources: int, size_bytes: int) -> None:
        """So much more is done."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one job did. `found` is always `loaded + duplicate + superseded + quarantined`."""

    found: int
    loaded: int
    duplicate: int
    superseded: int
    quarantined: int
    newly_quarantined: int
    ignored_files: int
    published: bool
    snapshot_id: str
    runs: int
    rederived_chunks: int
    seconds: float
    conflicts: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    @property
    def documents_line(self) -> str:
        """The line that accounts for every document."""
        return (
            f"documents: {self.found} found = {self.loaded} loaded + {self.duplicate} duplicate"
            f" + {self.superseded} superseded + {self.quarantined} quarantined"
        )

    def as_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return asdict(self)
