"""Costs: what the tokens of each run cost at the prices in force. Rule: product contract, section 8."""

import dataframely as dy
import polars as pl

from afp_nodes.given import prices_given
from afp_nodes.schemas import Costs, FleetFacts

PRICE: dict[str, pl.DataType] = {
    "provider": pl.String(),
    "model": pl.String(),
    "valid_from": pl.Datetime("us", "UTC"),
    "input": pl.Float64(),
    "output": pl.Float64(),
    "currency": pl.String(),
}
A_MILLION = 1_000_000


def costs(fleet_facts: dy.LazyFrame[FleetFacts], settings: dict[str, str]) -> dy.LazyFrame[Costs]:
    """One row per production run: what it cost, or that no price holds for it."""
    prices = pl.LazyFrame([_row(price) for price in prices_given(settings)], schema=PRICE, orient="row")
    dated = (
        fleet_facts.filter(pl.all_horizontal(pl.col("started_at", "provider", "model").is_not_null()))
        .select("run_id", "provider", "model", "started_at")
        .join(prices, on=["provider", "model"])
        .filter(pl.col("valid_from") <= pl.col("started_at"))
        .sort("valid_from")
        .unique("run_id", keep="last", maintain_order=True)
        .select("run_id", "input", "output", "currency")
    )
    return (
        fleet_facts.join(dated, on="run_id", how="left")
        .select(
            "run_id",
            input_cost=pl.col("input_tokens") * pl.col("input") / A_MILLION,
            output_cost=pl.col("output_tokens") * pl.col("output") / A_MILLION,
            currency="currency",
            priced=pl.col("currency").is_not_null(),
            at_least=pl.col("dropped_events") > 0,
        )
        .sort("run_id")
        .pipe(Costs.cast)
    )


def _row(price: object) -> tuple[object, ...]:
    return tuple(getattr(price, name) for name in PRICE)
