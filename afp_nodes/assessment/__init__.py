"""Assessment: how one answer stands, folded from the committed state of its run.

Rules: assessment and routing, sections 0 to 10. Start at `fold`. The rooms, in the order in which it goes through
them:

    state           the members that are read, and those a redacted record keeps out
    turn, person    where the turn begins, and its tool results
    asks            what the turn still waits for a person to say
    arguments       where the values came from that calls ran with
    coverage_rows   what tools declared of the ground they covered
    contingents     values carried by results that the model set aside
    results         whether results came back empty (`emptiness`, `envelopes`), and whose tools said what they covered
    periods         whether stores held the periods asked for
    conflicts       readings that disagree
    answers         what was checked of the answer itself
    reasons         the table of reasons; `sources` says which calls each rests on
    declarations    where an application may say that rows are
"""

from afp_nodes.assessment.declarations import RowsAtFault, rows_at_fault
from afp_nodes.assessment.emptiness import Door, EmptinessReading, declared_by_value, read_emptiness
from afp_nodes.assessment.fold import Assessed, GivenReason, assess
from afp_nodes.assessment.person import said_by_person
from afp_nodes.assessment.sources import Call, Source, reason_source
from afp_nodes.assessment.state import State, read_state

__all__ = [
    "Assessed",
    "Call",
    "Door",
    "EmptinessReading",
    "GivenReason",
    "RowsAtFault",
    "Source",
    "State",
    "assess",
    "declared_by_value",
    "read_emptiness",
    "read_state",
    "reason_source",
    "rows_at_fault",
    "said_by_person",
]
