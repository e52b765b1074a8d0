"""Outdated tables: those that other derivations made. Light: a job asks this before it loads the graph."""

from afp_nodes.schemas import DERIVED_TABLES, FACT_TABLES, STUDY_TABLES
from dataflows.store.folder import Snapshot

DERIVED = frozenset(schema.table_name() for schema in DERIVED_TABLES)
"""Tables of chunks that are made again when the derivations change."""

FACTS = frozenset(schema.table_name() for schema in FACT_TABLES)
"""Tables of chunks that stay as they were read; whatever else a chunk has is derived, by nodes of users too."""

WHOLE = DERIVED | {schema.table_name() for schema in STUDY_TABLES}
"""Tables of a snapshot as a whole that are made again then."""


def needs_rederiving(snapshot: Snapshot, code_version: str) -> list[str]:
    """The chunks whose derived tables were made by other derivations than these."""
    return [chunk.id for chunk in snapshot.manifest.chunks if chunk.code_version != code_version]


def is_outdated(snapshot: Snapshot, code_version: str) -> bool:
    """Whether other derivations than these made any table, those of no chunk, too."""
    whole = (WHOLE & snapshot.manifest.tables.keys()) | snapshot.manifest.fleet.keys()
    whole_are = bool(whole) and snapshot.manifest.code_version != code_version
    return whole_are or bool(needs_rederiving(snapshot, code_version))
