"""Writing reports: HTML, Markdown and JSON of one set of rows, each file in place only when it is whole."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from dataflows.report.as_html import as_html
from dataflows.report.as_json import as_json
from dataflows.report.as_markdown import as_markdown
from dataflows.report.making import Complain, report_of, to_stderr
from dataflows.report.parts import Report
from dataflows.store import Snapshot
from dataflows.whole_files import replacing

FORMATS: dict[str, Callable[[Report], str]] = {".html": as_html, ".md": as_markdown, ".json": as_json}
"""What writes a report, by the ending of the file."""

LATEST = "latest"


def write_reports(
    snapshot: Snapshot,
    night: date | None,
    folder: Path,
    *,
    is_latest: bool = True,
    complain: Complain = to_stderr,
) -> list[Path]:
    """Write `report-<night>.html`, `.md` and `.json` into a folder, and the same as `latest.*` unless told otherwise.

    Without a night the report is of the whole fleet, and its name says the snapshot.

    Raises `OSError` when a file cannot be written.
    """
    report = report_of(snapshot, None if night is None else night.isoformat(), complain)
    names = [
        f"report-{f'snapshot-{snapshot.version}' if night is None else night.isoformat()}",
        *([LATEST] if is_latest else []),
    ]
    written = []
    for ending, rendered in FORMATS.items():
        content = rendered(report).encode()
        for name in names:
            target = folder / f"{name}{ending}"
            with replacing(target) as file:
                file.write(content)
            written.append(target)
    return written
