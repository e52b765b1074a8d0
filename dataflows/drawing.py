"""The dataflow as a picture and as text: every node, and which frames it is made from."""

import logging
from pathlib import Path

from hamilton import driver

from afp_nodes import in_force, ledger
from afp_nodes.schemas import FACT_TABLES, JOB_TABLES, TABLES
from dataflows.derive import NODE_MODULES
from dataflows.fleet import FLEET_MODULES
from dataflows.studies import STUDY_MODULES

MODULES = (*NODE_MODULES, *STUDY_MODULES, *FLEET_MODULES, ledger, in_force)
"""Modules of nodes, those of all graphs."""

FACTS = {t.table_name() for t in FACT_TABLES}
JOB = {t.table_name() for t in JOB_TABLES}
COLOURS = {"fact": "#dbe9f6", "derived": "#fde7c8", "job": "#e3f1dd", "inner": "#ffffff"}
"""Fill of a node: a table read off the recordings, one derived, one that tells of the job, a frame inside the graph."""


class CannotDrawError(Exception):
    """The picture needs something that is not installed; the message says what."""


def node_inputs() -> dict[str, list[str]]:
    """Every node with the names of what it is made from, both sorted."""
    logging.getLogger("hamilton").setLevel(logging.CRITICAL)
    nodes = driver.Builder().with_modules(*MODULES).build().graph.get_nodes()
    return {n.name: sorted(d.name for d in n.dependencies) for n in sorted(nodes, key=_name) if not n.user_defined}


def node_lines() -> list[str]:
    """The graph as text, `node <- inputs` a line: what a reviewer reads when the graph changes."""
    return [f"{node} <- {', '.join(inputs)}" for node, inputs in node_inputs().items()]


def dot_source() -> str:
    """The graph in Graphviz' language; the same for the same code."""
    lines = [
        "digraph dataflow {",
        "  rankdir=LR; nodesep=0.15; ranksep=0.6;",
        '  node [shape=box style="rounded,filled" fontname="Helvetica" fontsize=11 height=0.3];',
        '  edge [color="#777777" arrowsize=0.6];',
    ]
    inputs = node_inputs()
    lines += [f'  "{node}" [fillcolor="{COLOURS[_kind(node)]}"{_weight(node)}];' for node in inputs]
    given = sorted({name for names in inputs.values() for name in names} - inputs.keys())
    lines += [f'  "{name}" [style=dashed];' for name in given]
    lines += [f'  "{name}" -> "{node}";' for node, names in inputs.items() for name in names]
    return "\n".join([*lines, "}", ""])


def draw(out: str | Path) -> None:
    """Draw the graph into `out`; its ending says which format (`.png`, `.svg`, `.pdf`, `.dot`).

    Raises:
        CannotDrawError: Graphviz is missing, cannot write that format, or the folder is missing.
    """
    out = Path(out)
    if not out.parent.is_dir():
        raise CannotDrawError(f"Cannot write {out}: the folder {out.parent} does not exist. Make it first.")
    if out.suffix == ".dot":
        out.write_text(dot_source())
        return
    try:
        import graphviz  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise CannotDrawError("Drawing needs the Python package graphviz: pip install 'afp-fleet[draw]'.") from error
    try:
        picture = graphviz.Source(dot_source()).pipe(format=out.suffix.removeprefix(".") or "png")
    except graphviz.ExecutableNotFound as error:
        raise CannotDrawError("Drawing needs Graphviz' program dot: apt-get install graphviz.") from error
    except (ValueError, graphviz.CalledProcessError) as error:
        raise CannotDrawError(f"Graphviz cannot write {out}: use an ending such as .png, .svg or .pdf.") from error
    out.write_bytes(picture)


def _name(node: object) -> str:
    return str(getattr(node, "name", ""))


def _kind(node: str) -> str:
    if node in FACTS:
        return "fact"
    if node in JOB:
        return "job"
    return "derived" if node in TABLES else "inner"


def _weight(node: str) -> str:
    return ' fontname="Helvetica-Bold"' if node in TABLES else ""
