"""An explanation told to a machine: its facts, and the sentences that people read."""

from dataclasses import asdict
from typing import Any

from dataflows.explanation.answers import answer_text, question_text, reason_text, source_text, standing_lead
from dataflows.explanation.facts import Explanation
from dataflows.explanation.gaps import gaps
from dataflows.explanation.looped import dropped_lead
from dataflows.explanation.routed import routing_lines
from dataflows.explanation.suspected import suspects_lead


def told(explanation: Explanation) -> dict[str, Any]:
    """The facts as plain data, the sentences beside them, and what the record cannot tell."""
    reasons = explanation.standing.reasons if explanation.standing else ()
    sentences = {
        "question": question_text(explanation.run),
        "answer": answer_text(explanation.run),
        "standing": standing_lead(explanation),
        "reasons": [f"{reason_text(reason)}; {source_text(reason)}" for reason in reasons],
        "routing": list(routing_lines(explanation)),
        "not_sent": dropped_lead(explanation),
        "suspects": suspects_lead(explanation),
    }
    return asdict(explanation) | {"told": sentences, "cannot_tell": gaps(explanation)}
