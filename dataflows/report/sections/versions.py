"""Versions of the libraries that recorded the runs."""

from dataflows.report.asked import Asked
from dataflows.report.parts import ColumnKind, Section

COLUMNS = {"agentfootprint": ColumnKind.TEXT, "footprintjs": ColumnKind.TEXT, "runs": ColumnKind.NUMBER}


def section(asked: Asked) -> Section:
    """Which versions recorded how many runs."""
    versions = asked.table("versions", "Versions of the recording libraries", COLUMNS, empty="No run was looked at.")
    return Section(name="versions", title="Recording libraries", tables=(versions,))
