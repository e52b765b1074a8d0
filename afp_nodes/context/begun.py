"""Begun: what the state that a leg began with holds of its context; it stands before the first commit of its log.

Rule: record format, section 26; product contract, section 9.
"""

from collections.abc import Iterator

import dataframely as dy
import polars as pl

from afp_nodes import javascript
from afp_nodes.classifier import SLOTS
from afp_nodes.distinct import read_once
from afp_nodes.schemas import BegunValues, States
from afp_nodes.words import StateKind

ITERATION = "iteration"
ACTIVE = "activeInjections"
HISTORY = "history"
COMPACTIONS = "compactions"
KEYS = (ITERATION, HISTORY, ACTIVE, COMPACTIONS, *SLOTS)
"""What is read of a state."""
EMPTY = "{}"


def begun_values(states: dy.LazyFrame[States]) -> dy.LazyFrame[BegunValues]:
    """One row per run and key of the state that its leg began with, of the keys that tell of context."""
    begun = states.filter(pl.col("which") == StateKind.INITIAL, pl.col("state_json") != EMPTY)
    return (
        read_once(begun, "state_json", _values, {"key": pl.String(), "value_json": pl.String()})
        .select(BegunValues.column_names())
        .pipe(BegunValues.cast)
    )


def _values(state: str) -> Iterator[tuple[str, str]]:
    members = javascript.parse_as_spelled(state)
    return ((key, javascript.stringify(members[key])) for key in KEYS if key in members)
