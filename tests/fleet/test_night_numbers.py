"""Numbers of nights: how often the rule cries wolf, and what legs and currencies do to them."""

from datetime import date
from math import comb

import polars as pl
import pytest

from afp_nodes.fleet.night_numbers import FEWEST_RUNS, Z_OF_CHANGES, night_means
from afp_nodes.intervals import newcombe, student, wilson
from afp_nodes.metrics import COMPARED_MEANS, COMPARED_RATES, METRICS
from afp_nodes.schemas import NightRuns, NightWindows
from afp_nodes.studies.rates import WILSON_Z

NIGHT = date(2026, 3, 1)
BLANK = {"night": NIGHT, "answer_counted": True, "tokens_counted": True, "is_served": True}


@pytest.mark.parametrize("runs", [FEWEST_RUNS, 8, 20, 60])
def test_of_a_hundred_nights_alike_at_most_two_are_called_worse(runs: int) -> None:
    """Each metric is called worse without cause at most three times in a thousand nights, at the worst noise."""
    counts = pl.DataFrame({"hits": range(runs + 1)})
    pairs = counts.join(counts.rename({"hits": "before"}), how="cross").with_columns(of=pl.lit(runs))
    low, _ = newcombe(pl.col("hits"), pl.col("of"), pl.col("before"), pl.col("of"), Z_OF_CHANGES)
    wrong = pairs.filter(low > 0).select("hits", "before").rows()
    worst = 0.0
    for chance in (step / 40 for step in range(1, 40)):
        odds = [comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
        worst = max(worst, sum(odds[hits] * odds[before] for hits, before in wrong))
    assert 0 < worst * len((*COMPARED_RATES, *COMPARED_MEANS)) < 0.025


def test_with_fewer_runs_than_asked_for_not_even_all_against_none_would_be_seen_twice() -> None:
    few = pl.DataFrame({"n": [FEWEST_RUNS - 2, FEWEST_RUNS]})
    none = pl.lit(0)
    low, _ = newcombe(pl.col("n"), pl.col("n"), none, pl.col("n"), Z_OF_CHANGES)
    seen = few.select(low > 0).to_series().to_list()
    assert seen == [False, True]


def test_the_interval_of_a_rate_is_the_one_that_wilson_gave() -> None:
    low, high = wilson(pl.col("hits"), pl.col("of"), WILSON_Z)
    rows = pl.DataFrame({"hits": [1, 0, 4, 0], "of": [10, 4, 4, 0]}).select(low=low, high=high).rows()
    assert rows[0] == pytest.approx((0.017876213, 0.404150001))
    assert rows[1] == pytest.approx((0.0, 0.489890836))
    assert rows[2] == pytest.approx((0.510109164, 1.0))
    assert rows[3] == (None, None)


@pytest.mark.parametrize(("degrees", "expected"), [(6, 2.447), (10, 2.228), (30, 2.042), (120, 1.980)])
def test_small_samples_widen_the_interval_of_a_mean_as_student_says(degrees: int, expected: float) -> None:
    wide = pl.DataFrame({"d": [float(degrees)]}).select(student(WILSON_Z, pl.col("d"))).item()
    assert wide == pytest.approx(expected, rel=0.002)


def means(runs: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """The means of one night, by metric."""
    empty = NightRuns.create_empty()
    rows = [{**BLANK, "run_id": str(place), "ending": "answer", **each} for place, each in enumerate(runs)]
    names = [name for name in empty.columns if name in {key for row in rows for key in row}]
    told = pl.DataFrame(rows, schema={name: empty.schema[name] for name in names}, strict=False)
    fill = {pl.Boolean: False, pl.String: ""}
    frame = told.with_columns(
        pl.lit(None if NightRuns.columns()[name].nullable else fill[dtype.base_type()], dtype=dtype).alias(name)
        for name, dtype in empty.schema.items()
        if name not in names
    )
    windows = pl.LazyFrame({"night": [NIGHT]})
    nothing = {name: pl.lit(None, dtype) for name, dtype in NightWindows.dtypes().items() if name != "night"}
    made = night_means(windows.with_columns(**nothing), frame.select(empty.columns).lazy()).collect()
    return {row["metric"]: row for row in made.to_dicts()}


def test_a_mean_counts_what_unanswered_runs_took_and_what_legs_repeat_once() -> None:
    row = means(
        [
            {"answered": True, "tokens": 10.0},
            {"answered": False, "tokens": 20.0},
            {"answered": True, "tokens": 500.0, "tokens_counted": False, "answer_counted": False},
            {"answered": True, "tokens": 999.0, "is_served": False},
            {"answered": True, "tokens": None},
        ]
    )["tokens_per_answer"]
    assert (row["total"], row["answers"], row["mean"]) == (30.0, 1, 30.0)


def test_several_currencies_have_no_mean() -> None:
    runs = [{"answered": True, "cost": 1.0, "currency": currency} for currency in ("EUR", "USD")]
    assert means(runs)["cost_per_answer"]["mean"] is None
    assert means([each | {"currency": "EUR"} for each in runs])["cost_per_answer"]["mean"] == 1.0


def test_every_metric_has_a_meaning() -> None:
    assert all(meaning and not meaning.endswith(".") for meaning in METRICS.values())
    assert {*COMPARED_RATES, *COMPARED_MEANS} <= set(METRICS)
