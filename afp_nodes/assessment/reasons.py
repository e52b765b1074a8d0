"""The table of reasons: their order, layer and class, and what each rests on.

Rule: assessment and routing, section 8.
"""

from typing import NamedTuple

from afp_nodes.words import Reason, ReasonClass, SourceKind


class ReasonEntry(NamedTuple):
    """What holds of a reason wherever it is given."""

    layer: int | None
    source: SourceKind
    reason_class: ReasonClass = ReasonClass.NOT_SURE


REASONS = {
    Reason.ASKED: ReasonEntry(None, SourceKind.RUN, ReasonClass.ASK),
    Reason.ARGUMENT_ASKED: ReasonEntry(2, SourceKind.RUN, ReasonClass.ASK),
    Reason.ARGUMENT_ASSUMED: ReasonEntry(2, SourceKind.CALLS),
    Reason.ARGUMENT_UNVERIFIED: ReasonEntry(2, SourceKind.CALLS),
    Reason.ARGUMENT_READ: ReasonEntry(2, SourceKind.CALLS),
    Reason.VALUE_CONTINGENT: ReasonEntry(2, SourceKind.CALLS),
    Reason.COVERAGE_GAP: ReasonEntry(3, SourceKind.CALLS),
    Reason.DECLARED_ABSENT: ReasonEntry(3, SourceKind.CALLS),
    Reason.EMPTY_UNDECLARED: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_NOT_HELD: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_PARTLY_HELD: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_UNKNOWN: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_UNDECLARED: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_DIFFERS_FROM_ASKED: ReasonEntry(3, SourceKind.CALLS),
    Reason.PERIOD_BEYOND_RETENTION: ReasonEntry(3, SourceKind.CALLS),
    Reason.SOURCES_CONFLICT: ReasonEntry(3, SourceKind.CALLS),
    Reason.VALUE_UNSUPPORTED: ReasonEntry(4, SourceKind.ANSWER),
    Reason.VALUE_SURVIVED_REVISION: ReasonEntry(4, SourceKind.ANSWER),
    Reason.DERIVED_FROM_READING: ReasonEntry(4, SourceKind.ANSWER),
    Reason.STOPPED_EARLY: ReasonEntry(4, SourceKind.RUN),
    Reason.STEPS_UNFINISHED: ReasonEntry(4, SourceKind.RUN),
    Reason.ANSWER_CHECK_FAILED: ReasonEntry(4, SourceKind.ANSWER),
    Reason.CHECK_UNREACHABLE: ReasonEntry(None, SourceKind.ANSWER),
}
"""Every reason in the order in which reasons are given. Layers: 2 the inputs, 3 the results, 4 the answer."""
