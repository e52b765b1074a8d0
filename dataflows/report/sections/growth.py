"""How the store grew."""

from dataflows.report.asked import Asked
from dataflows.report.parts import Column, ColumnKind, Plot, PlotKind, Point, Row, Section, Sentence, Table

COLUMNS = {
    "snapshot": ColumnKind.WORD,
    "published_utc": ColumnKind.WORD,
    "derivations": ColumnKind.WORD,
    "runs": ColumnKind.NUMBER,
    "verdicts": ColumnKind.NUMBER,
    "rows_of_all_tables": ColumnKind.NUMBER,
}
SIZES = (Column("table", ColumnKind.TEXT), Column("rows"), Column("files"), Column("kilobytes"))
LARGEST = 10
KILOBYTE = 1000


def section(asked: Asked) -> Section:
    """Snapshots with their rows, and the size of the largest tables in this one."""
    growth = asked.table("growth", "Snapshots", COLUMNS, empty="No snapshot is listed.")
    sizes = _sizes(asked)
    total = sum(int(row["kilobytes"] or 0) for row in sizes.values())
    latest_last = list(reversed(growth.values()))
    points = tuple(Point(label=str(row["snapshot"]), value=float(row["runs"] or 0)) for row in latest_last)
    return Section(
        name="growth",
        title="Store",
        sentences=(
            Sentence(
                f"The largest tables of snapshot {asked.snapshot.version} take {total / KILOBYTE:,.1f} MB.", ("sizes",)
            ),
        ),
        plots=(Plot(PlotKind.TREND, "Runs in the store, by snapshot", points, table="growth"),)
        if len(points) > 1
        else (),
        tables=(growth, sizes),
    )


def _sizes(asked: Asked) -> Table:
    """The largest tables of the snapshot, off its manifest."""
    manifest = asked.snapshot.manifest
    parts = [*manifest.whole_parts(), *(part for chunk in manifest.chunks for part in chunk.tables.items())]
    sizes = {
        name: (
            sum(part.live_rows for table, part in parts if table == name),
            sum(1 for table, _ in parts if table == name),
            sum(part.bytes for table, part in parts if table == name),
        )
        for name in {table for table, _ in parts}
    }
    largest = sorted(sizes.items(), key=lambda size: (-size[1][2], size[0]))
    return Table(
        name="sizes",
        title="Largest tables",
        columns=SIZES,
        rows=tuple(Row((name, rows, files, round(size / KILOBYTE))) for name, (rows, files, size) in largest[:LARGEST]),
        command="afp store history --json",
        empty="The snapshot holds no file.",
        left_out=max(len(largest) - LARGEST, 0),
        of_runs=False,
    )
