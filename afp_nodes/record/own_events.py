"""Own events: which of a recording's events are those of the run itself.

A recorder left attached also hears other runs. Rule: assessment and routing, sections 12.1 and 12.2.
"""

from collections.abc import Iterator, Sequence

from afp_nodes.record.shapes import Event, is_object

PREFIX = "agentfootprint."
RUN_CONFIGURED = PREFIX + "agent.run_configured"
TURN_END = PREFIX + "agent.turn_end"

NO_RUNS = frozenset({"", "consumer-scope"})
"""Ids that an event's meta may hold and that name no run."""


def run_ids(events: Sequence[Event]) -> list[str]:
    """The runs that the events name, in order of first appearance."""
    named = dict.fromkeys(event.meta.run_id for event in events if event.meta)
    return [run_id for run_id in named if run_id is not None and run_id not in NO_RUNS]


def is_read(event: Event) -> bool:
    """An event with a type and an object as its payload; any other is kept and tells nothing."""
    return event.type is not None and is_object(event.payload)


def own_run(events: Sequence[Event]) -> str | None:
    """The id that own events carry; None = it is not recorded, and no event can be told to be foreign.

    The one run that was configured; of several, the one whose turn ended first.
    """
    configured = list(dict.fromkeys(_run_ids_of(events, RUN_CONFIGURED)))
    if len(configured) == 1:
        return configured[0]
    ended = next((event for event in events if event.type == TURN_END and is_read(event)), None)
    ended_run = ended.meta.run_id if ended and ended.meta else None
    return ended_run if ended_run in configured else None


def own_flags(events: Sequence[Event], run_id: str | None) -> list[bool]:
    """For each event, whether it is the run's own.

    An event without a run id belongs when it names the session in which the run was configured.
    """
    if run_id is None:
        return [True] * len(events)
    session_id = next(
        (
            event.meta.session_id
            for event in events
            if event.type == RUN_CONFIGURED and is_read(event) and event.meta and event.meta.run_id == run_id
        ),
        None,
    )
    return [_belongs(event, run_id, session_id) for event in events]


def _belongs(event: Event, run_id: str, session_id: str | None) -> bool:
    if event.meta is None:
        return False
    if event.meta.run_id is not None:
        return event.meta.run_id == run_id
    return session_id is not None and event.meta.session_id == session_id


def _run_ids_of(events: Sequence[Event], kind: str) -> Iterator[str]:
    for event in events:
        if event.type == kind and is_read(event) and event.meta and event.meta.run_id is not None:
            yield event.meta.run_id
