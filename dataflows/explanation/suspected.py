"""What is said of suspects: sources that could be taken out, and what a rerun without each would be told."""

from dataflows.explanation.facts import Explanation, Suspect
from dataflows.explanation.words import name, named
from dataflows.printable import glimpse, shown_key

SPEC_CHARACTERS = 400


def suspects_lead(explanation: Explanation) -> str:
    """Whether the record names any."""
    if explanation.suspects:
        return "sources that a rerun could leave out, each with the spec for it; only reruns tell what that changes"
    if explanation.run.chart == "none":
        return "not known, no commit log is recorded"
    return "no value in the log names a source that could be taken out"


def suspect_text(suspect: Suspect) -> str:
    """One suspect, the keys it stands in, and the spec of a rerun without it."""
    keys = named([shown_key(key) for key in suspect.keys])
    spec = glimpse(suspect.spec_json, SPEC_CHARACTERS)
    return f"{suspect.suspect_kind} {name(suspect.suspect_id)} ({keys}): {spec}"
