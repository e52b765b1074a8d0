"""`afp dag`: draws the dataflow."""

import click

from dataflows.cli.failures import explained
from dataflows.cli.options import quiet_option
from dataflows.cli.output import aside, result


@click.command("dag", short_help="Show how the tables are derived, as text or as a picture.")
@click.option(
    "--out", metavar="FILE", type=click.Path(dir_okay=False), help="Draw into FILE: .png, .svg, .pdf or .dot."
)
@quiet_option
def command(out: str | None, quiet: bool) -> None:
    """Show how the tables are derived: every node and the frames it is made from.

    Without --out it is text, `node <- inputs` a line. A picture needs Graphviz.

    \b
    Example:
      afp dag
      afp dag --out dag.png
    """
    from dataflows import drawing  # noqa: PLC0415 - `--help` needs no graph

    if out is None:
        result("\n".join(drawing.node_lines()))
        return
    with explained(drawing.CannotDrawError):
        drawing.draw(out)
    if not quiet:
        aside(f"drawn: {out}")
