"""How records end: an outage of the provider is told from an agent that gave no answer, and from a cut recording."""

import polars as pl
import pytest

from afp_nodes.fleet.endings import run_endings
from afp_nodes.schemas import FleetFacts
from tests.tables import table

START, END, ERROR = "stream.llm_start", "stream.llm_end", "error.fatal"


@pytest.mark.parametrize(
    ("answered", "events", "ending"),
    [
        (True, [START, END, "agent.turn_end"], "answer"),
        (False, [START, ERROR], "failed-call"),
        (None, [START, ERROR], "failed-call"),
        (False, [START, END, START, "reliability.fail_fast"], "failed-call"),
        (False, [START], "open-call"),
        (None, [START], "open-call"),
        (False, [START, END, ERROR], "other"),
        (False, [ERROR, START], "open-call"),
        (False, [START, END], "other"),
        (None, [START, END], "unknown"),
        (False, [START, END, "pause.request"], "pause"),
        (False, ["pause.request", START], "open-call"),
        (False, [], "other"),
        (None, [], "unknown"),
    ],
)
def test_the_last_events_say_how_a_run_ended(answered: bool | None, events: list[str], ending: str) -> None:
    cell = {True: "T", False: "F", None: ""}[answered]
    facts = table(FleetFacts, f"run_id | answered\nr | {cell}")
    told = [("r", True, f"agentfootprint.{name}", place) for place, name in enumerate(events)]
    told += [("r", False, "agentfootprint.error.fatal", 99)]
    schema = {"run_id": pl.String, "own": pl.Boolean, "type": pl.String, "event_idx": pl.Int64}
    rows = run_endings(facts, {"events": pl.LazyFrame(told, schema=schema, orient="row")}).collect()
    assert rows["ending"].to_list() == [ending]
