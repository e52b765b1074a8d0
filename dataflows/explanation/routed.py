"""What is said of routing: how the question came to a skill, and whether that reached the model."""

from collections.abc import Iterator

from afp_nodes.words import UnreachableReason
from dataflows.explanation.facts import Explanation, Refusal, RoutingFacts
from dataflows.explanation.words import VALUE_CHARACTERS, name, named
from dataflows.printable import glimpse
from dataflows.wording import counted

UNREACHABLE = {
    "decided/no-event": "how the question was routed cannot be told: no verdict is recorded",
    "decided/before-pause": "how the question was routed cannot be told: that was before the pause, in an earlier leg's"
    " record",
    "delivery/no-event": "whether it reached the model cannot be told: not every system prompt is recorded whole",
    "delivery/before-pause": "whether it reached the model cannot be told: the prompts from before the pause are in the"
    " record of an earlier leg",
}
LOST_OR_EARLIER = (
    "how the question was routed cannot be told: the verdict may be among the events that are missing, or in an earlier"
    " leg's record"
)
REFUSERS = {"rejected": "the skill graph", "refused-unnamed": "a permission rule that is not named"}


def routing_lines(explanation: Explanation) -> Iterator[str]:
    """How the question was routed, and whether what was decided reached the model."""
    routing = explanation.routing
    yield _undecided(explanation) if routing.decided_by is None else _decided(routing, routing.decided_by)
    yield from _about_the_decision(routing)
    if routing.decided_by is not None:
        yield unreachable_text(explanation) or _delivered(routing)
    if routing.delivered_skills:
        yield f"skills that its system prompts held: {named(list(map(name, routing.delivered_skills)))}"


def refusal_text(refusal: Refusal) -> str:
    """One refusal to read a skill."""
    by = REFUSERS.get(refusal.form) or f"the rule {name(refusal.refused_by)}"
    return f"{name(refusal.requested_skill)} was asked for and refused by {by} (event {refusal.event_idx})"


def unreachable_text(explanation: Explanation) -> str | None:
    """What of routing cannot be told, and why; None where nothing is asked that cannot be told.

    The rule takes a turn's end without its start for a leg after a pause. Where the start may be among the events that
    were dropped, nobody knows that there was a pause.
    """
    reason = explanation.routing.unreachable_reason
    if reason == UnreachableReason.DECIDED_BEFORE_PAUSE and not explanation.run.resumed_leg:
        return LOST_OR_EARLIER
    return None if reason is None else UNREACHABLE[reason]


def _decided(routing: RoutingFacts, decided_by: str) -> str:
    to = "a skill that is not named" if routing.to_skill is None else name(routing.to_skill)
    matched = f", which matched {glimpse(routing.witness, VALUE_CHARACTERS)!r}," if routing.witness else ""
    offered = "skills" if routing.offered is None else counted(routing.offered, "skill")
    told = {
        "entry": f"an entry rule{matched} decided on {to}",
        "intent": f"the scorer{_called(routing.scorer)} decided on {to}",
        "continuity": f"continuity held {to}",
        "decider": f"a decider{_called(routing.decider_model, 'model ')} decided on {to}",
        "menu": f"a menu of {offered} was put before the model; nothing decided on one before that",
        "none": "no skill was decided on",
    }
    return told.get(decided_by, f"decided by {name(decided_by)}: {to}")


def _undecided(explanation: Explanation) -> str:
    routing = explanation.routing
    if routing.status == "not-applicable":
        return "no skill graph is configured: there was nothing to route"
    unclear = {
        "graph": "; a skill graph is configured",
        None: "; nor whether a skill graph is configured",
        "none": "; this leg is configured without a skill graph",
    }[routing.configured]
    return (unreachable_text(explanation) or UNREACHABLE[UnreachableReason.DECIDED_NO_EVENT]) + unclear


def _about_the_decision(routing: RoutingFacts) -> Iterator[str]:
    if routing.held:
        yield "read from the state that the run paused with"
    if routing.from_skill is not None and routing.from_skill != routing.to_skill:
        yield f"the turn came with {name(routing.from_skill)}"
    if routing.decisive is not None:
        yield "the verdict calls itself " + ("decisive" if routing.decisive else "not decisive")
    if routing.top_score is not None and routing.next_score is not None:
        rest = ", as all others have" if routing.all_others_equal else ""
        yield (
            f"the application's scores: {routing.top_score:g}, then {name(routing.next_skill or '')} with"
            f" {routing.next_score:g}{rest}; a score is no confidence, and none is recorded"
        )
    postures = (("routing", routing.routing), ("continuity", routing.continuity), ("scorer", routing.configured_scorer))
    known = [f"{what} {name(value)}" for what, value in postures if value is not None]
    if known:
        yield f"the skill graph: {', '.join(known)}"


def _delivered(routing: RoutingFacts) -> str:
    to = "it" if routing.to_skill is None else name(routing.to_skill)
    if routing.delivered_verdict == "delivered":
        return f"{to} reached the model: a system prompt held it"
    if routing.delivered_verdict == "not-delivered":
        other = "" if routing.other_skill is None else f"; they held {name(routing.other_skill)}"
        return f"{to} did not reach the model: every system prompt up to the answer is recorded, none held it{other}"
    return "there is no decided skill to look for in the prompts"


def _called(text: str | None, before: str = "") -> str:
    return "" if text is None else f" {before}{name(text)}"
