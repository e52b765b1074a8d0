"""Costs: dated by the run, and never made up."""

import polars as pl

from afp_nodes.fleet.costs import costs
from afp_nodes.given import PRICES
from afp_nodes.schemas import FleetFacts
from tests.tables import table

PRICED = {
    PRICES: """[
    {"provider":"p","model":"m","valid_from":"2026-01-01T00:00:00Z","input":1.0,"output":10.0,"currency":"EUR"},
    {"provider":"p","model":"m","valid_from":"2026-02-01T00:00:00Z","input":2.0,"output":20.0,"currency":"EUR"}
]"""
}
RUNS = """
    run_id  | provider | model | input_tokens | output_tokens | dropped_events
    first   | p        | m     | 1000000      | 100000        | 0
    second  | p        | m     | 1000000      | 100000        | 3
    early   | p        | m     | 5            | 5             | 0
    undated | p        | m     | 5            | 5             |
    other   | p        | x     | 5            | 5             | 0
    nobody  |          | m     | 5            | 5             | 0
    silent  | p        | m     |              | 5             | 0
"""
STARTS = {
    "first": "2026-01-31T23:59:59",
    "second": "2026-02-01T00:00:00",
    "early": "2025-12-31T23:59:59",
    "other": "2026-02-01T00:00:00",
    "nobody": "2026-02-01T00:00:00",
    "silent": "2026-01-01T00:00:00",
}


def runs() -> pl.LazyFrame:
    started = pl.col("run_id").replace_strict(STARTS, default=None).str.to_datetime(time_zone="UTC")
    return table(FleetFacts, RUNS).with_columns(started_at=started).pipe(FleetFacts.cast)


def test_the_latest_price_that_holds_at_the_start_of_a_run_counts() -> None:
    rows = {row["run_id"]: row for row in costs(runs(), PRICED).collect().to_dicts()}
    assert [rows["first"][name] for name in ("input_cost", "output_cost", "currency", "priced", "at_least")] == [
        1.0,
        1.0,
        "EUR",
        True,
        False,
    ]
    assert [rows["second"][name] for name in ("input_cost", "output_cost", "at_least")] == [2.0, 2.0, True]


def test_what_has_no_price_is_not_priced_and_costs_no_number() -> None:
    rows = {row["run_id"]: row for row in costs(runs(), PRICED).collect().to_dicts()}
    for run in ("early", "undated", "other", "nobody"):
        assert [rows[run][name] for name in ("input_cost", "output_cost", "currency", "priced")] == [None] * 3 + [False]
    assert rows["undated"]["at_least"] is None


def test_tokens_that_are_not_known_have_no_cost_though_the_model_has_a_price() -> None:
    row = costs(runs(), PRICED).filter(pl.col("run_id") == "silent").collect().to_dicts()[0]
    assert (row["priced"], row["input_cost"], row["output_cost"]) == (True, None, 5e-5)


def test_without_prices_no_run_is_priced() -> None:
    assert costs(runs(), {}).collect()["priced"].to_list() == [False] * 7
