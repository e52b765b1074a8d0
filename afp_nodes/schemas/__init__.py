"""Every frame that crosses a node border: its grain, key, columns and their meaning. Start reading here.

A `Table` is stored and published under its own name; a `Frame` lives only inside the graph.
"""

from afp_nodes.schemas.base import Frame, Table
from afp_nodes.schemas.declared import DeclaredLists, DeclaredTools, DeclaredUnits
from afp_nodes.schemas.facts import (
    Commits,
    Events,
    Messages,
    Reads,
    RunRecords,
    Runs,
    Scopes,
    States,
    ToolCalls,
    Writes,
)
from afp_nodes.schemas.job import (
    Files,
    HeldRuns,
    InputEntries,
    Inputs,
    Quarantine,
    Recordings,
    RunLabels,
    Snapshots,
    StudyRuns,
    SupersededRuns,
)
from afp_nodes.schemas.loops import (
    ContextSources,
    FoldedValues,
    FoldPoints,
    FrameCommits,
    LocatedCommits,
    LoopFrames,
    Loops,
    SourceWriters,
    StepTexts,
    StepWrites,
    ValueIndex,
    WriterFrames,
)
from afp_nodes.schemas.variables import (
    AblationHooks,
    Coverages,
    FedEdges,
    FedLives,
    LifeSpans,
    Lives,
    Moments,
    Suspects,
    SuspectWrites,
    Timelines,
    Variables,
)
from afp_nodes.schemas.verdicts import Verdicts

FACT_TABLES: tuple[type[Table], ...] = (States, Scopes, Commits, Writes, Reads, Events, Messages, ToolCalls)
"""Read off the recording, kept for ever: what every derivation can be made from again."""

DERIVED_TABLES: tuple[type[Table], ...] = (
    Runs,
    Loops,
    WriterFrames,
    ContextSources,
    ValueIndex,
    Variables,
    Moments,
    Lives,
    FedEdges,
    AblationHooks,
    Verdicts,
)
"""Made from facts by the graph; made again when the derivations change."""

JOB_TABLES: tuple[type[Table], ...] = (Recordings, Inputs, Quarantine, Files, StudyRuns, Snapshots)
"""What tells of the job itself; published whole with each snapshot."""

TABLES: dict[str, type[Table]] = {t.table_name(): t for t in (*JOB_TABLES, *FACT_TABLES, *DERIVED_TABLES)}
"""Every published table by name."""

VIEW_COLUMNS: dict[str, type[Frame]] = {Runs.table_name(): RunLabels}
"""What a table shows beside the columns of its parts, joined by `run_id` where it is read."""

__all__ = [
    "DERIVED_TABLES",
    "FACT_TABLES",
    "JOB_TABLES",
    "TABLES",
    "VIEW_COLUMNS",
    "AblationHooks",
    "Commits",
    "ContextSources",
    "Coverages",
    "DeclaredLists",
    "DeclaredTools",
    "DeclaredUnits",
    "Events",
    "FedEdges",
    "FedLives",
    "Files",
    "FoldPoints",
    "FoldedValues",
    "Frame",
    "FrameCommits",
    "HeldRuns",
    "InputEntries",
    "Inputs",
    "LifeSpans",
    "Lives",
    "LocatedCommits",
    "LoopFrames",
    "Loops",
    "Messages",
    "Moments",
    "Quarantine",
    "Reads",
    "Recordings",
    "RunLabels",
    "RunRecords",
    "Runs",
    "Scopes",
    "Snapshots",
    "SourceWriters",
    "States",
    "StepTexts",
    "StepWrites",
    "StudyRuns",
    "SupersededRuns",
    "SuspectWrites",
    "Suspects",
    "Table",
    "Timelines",
    "ToolCalls",
    "ValueIndex",
    "Variables",
    "Verdicts",
    "WriterFrames",
    "Writes",
]
