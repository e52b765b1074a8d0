"""Events of a leg, short: what routing reads of them, and whose they are."""

from typing import Any

from tests.record.documents import OWN, event

MARKER = {"id": "agentfootprint.redaction"}
GRAPH = {"routing": "assist", "continuity": "turn", "scorer": "keyword"}


def configured(graph: Any = None, *, run: str | None = OWN, **meta: Any) -> Any:
    """The run is configured, with a skill graph unless told otherwise."""
    return event("agent.run_configured", {"skillGraph": GRAPH if graph is None else graph}, run=run, **meta)


def start(**meta: Any) -> Any:
    return event("agent.turn_start", **meta)


def end(**meta: Any) -> Any:
    return event("agent.turn_end", **meta)


def resume(**meta: Any) -> Any:
    return event("pause.resume", **meta)


def call(iteration: Any, **meta: Any) -> Any:
    """A model call begins."""
    return event("stream.llm_start", {"iteration": iteration}, **meta)


def verdict(by: Any, to: Any = None, **members: Any) -> Any:
    """The turn is routed."""
    return event("skill.turn_routed", {"by": by, **({} if to is None else {"to": to}), **members})


def given(skill: Any, stage: str | None = "s1", **members: Any) -> Any:
    """A skill is put into the system prompt."""
    payload = {"slot": "system-prompt", "source": "skill", "sourceId": skill, **members}
    return event("context.injected", payload, runtimeStageId=stage)


def composed(iteration: Any, breakdown: Any = None, stage: str | None = "s1", **members: Any) -> Any:
    """A system prompt is composed; without a breakdown of skills unless told otherwise."""
    counts = {"base": {"count": 1}} if breakdown is None else breakdown
    payload = {"slot": "system-prompt", "iteration": iteration, "sourceBreakdown": counts, **members}
    return event("context.slot_composed", payload, runtimeStageId=stage)


def skills(count: Any) -> Any:
    """A breakdown that counts some records of skills."""
    return {"base": {"count": 1}, "skill": {"count": count}}


def rejected(skill: Any) -> Any:
    """The skill graph refuses a reading."""
    return event("skill.rejected", {"requestedId": skill})


def checked(target: Any, result: Any = "deny", rule: Any = None, capability: Any = "skill_read") -> Any:
    """A permission is asked for."""
    named = {} if rule is None else {"policyRuleId": rule}
    return event("permission.check", {"capability": capability, "target": target, "result": result, **named})


def record(*events: Any, **snapshot: Any) -> Any:
    """A record with a final state, unless told otherwise."""
    return {"snapshot": {"sharedState": {}, **snapshot}, "events": list(events)}
