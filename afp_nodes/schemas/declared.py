"""Declared: what documents that are not recordings say of the runs of a chunk, as far as they are in force."""

import dataframely as dy

from afp_nodes.schemas.base import Frame
from afp_nodes.schemas.facts import RUN_ID
from afp_nodes.words import InputKind, Side

ALL_RUNS = "*"
"""Whom a declaration names that speaks of every run."""


class InForce(Frame):
    """One unit list or declaration that is in force for a run, or for every run that no declaration names (`*`).

    Rule: product contract, section 6. Of several lists or declarations of a run the one that says more is in force.
    """

    run_id = dy.String(primary_key=True, description="run it speaks of; `*` for a declaration: all others")
    kind = dy.Enum(InputKind, primary_key=True, description="`units` or `declarations`")
    sha256 = dy.String(description="SHA-256 of the document that holds it")
    position = dy.Int64(min=0, description="index of the list or declaration in it; 0 where it is no list of them")
    digest = dy.String(description="short hash of the list or declaration as recorded, white space removed")


class DeclaredTools(Frame):
    """One tool of one run whose rows the application declares.

    Rule: product contract, section 3. A declaration that names the run stands before one for all runs, whole.
    """

    run_id = dy.Categorical(primary_key=True, description=RUN_ID)
    tool_name = dy.String(primary_key=True, description="tool the application speaks of")
    rows_at = dy.String(description="member of the tool's result that holds its rows")


class DeclaredLists(Frame):
    """One run for which an application made a unit list; the list may be empty, and the run need not be in the store.

    Rule: product contract, sections 3 and 9.
    """

    run_id = dy.Categorical(primary_key=True, description="run the list is of")


class DeclaredUnits(Frame):
    """One unit of one side of the unit list that an application made for a run.

    Rule: product contract, sections 3 and 9. The run need not be in the store.
    """

    run_id = dy.Categorical(primary_key=True, description="run the list is of")
    side = dy.Enum(Side, primary_key=True, description="whether the unit was available or was sent")
    position = dy.Int64(primary_key=True, min=0, description="position in the list of that side, repeats counted")
    unit_id = dy.String(description="id of the unit; '' is an id")
    content = dy.String(nullable=True, description="content as listed; JSON text where it is not text; NULL = absent")
