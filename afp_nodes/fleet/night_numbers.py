"""The numbers of each night with their intervals, and how they differ from those of the night before.

A change is called worse or better where its interval leaves out 0. The intervals of all metrics together are wide
enough that of a hundred nights that differ in nothing at most two are called worse: docs/nightly.md.
"""

from datetime import date

import dataframely as dy
import polars as pl

from afp_nodes.counted_rates import RATES_OF_RUNS
from afp_nodes.given import nights_given
from afp_nodes.intervals import newcombe, student, wilson
from afp_nodes.metrics import COMPARED_MEANS, COMPARED_RATES, OUTAGE_RATES, WORDS, verdict_metric
from afp_nodes.schemas import (
    NightBases,
    NightChanges,
    NightCoverages,
    NightMeans,
    NightMixes,
    NightRates,
    NightRuns,
    NightWindows,
)
from afp_nodes.studies.rates import WILSON_Z
from afp_nodes.words import NightChange, NightDoubt, VerdictKind

Z_OF_CHANGES = 2.983
"""Deviations that 1 of 700 values of a normal distribution lies above. Rates of few runs are none: at the worst noise
one of seven metrics is called worse without cause in three of a thousand nights."""

FEWEST_RUNS = 5
"""With fewer runs on a side, not even none against all lies beyond noise."""

MOST = 0.5
"""From this share on, a night is one of refusals, or of an outage; and runs are others than those of another night."""

ONE_CURRENCY = pl.col("currency").drop_nulls().n_unique() <= 1


def night_rates(
    night_windows: dy.LazyFrame[NightWindows],
    night_runs: dy.LazyFrame[NightRuns],
    night_coverages: dy.LazyFrame[NightCoverages],
) -> dy.LazyFrame[NightRates]:
    """One row per reported night and rate, of nights without runs too."""
    sums = {
        f"{metric} {part}": count.fill_null(value=False).sum().cast(pl.Int64)
        for metric, (hits, of) in RATES_OF_RUNS.items()
        for part, count in (("hits", hits), ("of", of))
    }
    summed = night_runs.group_by("night").agg(**sums).collect().lazy()
    of_runs = [
        summed.select("night", metric=pl.lit(metric), hits=pl.col(f"{metric} hits"), of=pl.col(f"{metric} of"))
        for metric in RATES_OF_RUNS
    ]
    variables = pl.col("variables")
    of_variables = [
        night_coverages.group_by("night").agg(
            metric=pl.lit(verdict_metric(VerdictKind.COVERAGE, word)),
            hits=variables.filter(pl.col("coverage") == word).sum(),
            of=variables.sum(),
        )
        for word in WORDS[VerdictKind.COVERAGE]
    ]
    names = [*RATES_OF_RUNS, *(verdict_metric(VerdictKind.COVERAGE, word) for word in WORDS[VerdictKind.COVERAGE])]
    is_of_runs = pl.col("metric").is_in(list(RATES_OF_RUNS))
    low, high = wilson(pl.col("hits"), pl.col("of"), WILSON_Z)
    return (
        night_windows.select("night")
        .join(pl.LazyFrame({"metric": names}), how="cross")
        .join(pl.concat([*of_runs, *of_variables]), on=["night", "metric"], how="left")
        .with_columns(pl.col("hits", "of").fill_null(0))
        .with_columns(rate=pl.when(pl.col("of") > 0).then(pl.col("hits") / pl.col("of")), low=low, high=high)
        .with_columns(pl.when(is_of_runs).then(pl.col("low", "high")))
        .pipe(NightRates.cast)
    )


def night_means(
    night_windows: dy.LazyFrame[NightWindows], night_runs: dy.LazyFrame[NightRuns]
) -> dy.LazyFrame[NightMeans]:
    """One row per reported night and mean over answers.

    A mean is the total over all runs it is known of, those without an answer too, for each answer among them. Its error
    is that of a ratio. What legs repeat counts once, and so does the answer of a turn.
    """
    runs = night_runs.with_columns(
        answer=(pl.col("answered") & pl.col("answer_counted")).cast(pl.Float64),
        tokens=pl.when("tokens_counted").then("tokens").otherwise(0.0),
        cost=pl.when("tokens_counted").then("cost").otherwise(0.0),
    ).filter("is_served", pl.col("answer").is_not_null())
    one_currency = night_runs.group_by("night").agg(is_one=ONE_CURRENCY)
    spent = runs.join(one_currency.filter("is_one"), on="night", how="semi")
    sums = [_summed(rows, name) for rows, name in ((runs, "tokens"), (spent, "cost"))]
    ratio = pl.col("total") / pl.col("answers")
    left = pl.col("squares") - 2 * ratio * pl.col("products") + ratio**2 * pl.col("answers")
    spread = pl.col("runs") / pl.when(pl.col("runs") > 1).then(pl.col("runs") - 1)
    return (
        night_windows.select("night")
        .join(pl.LazyFrame({"metric": COMPARED_MEANS}), how="cross")
        .join(pl.concat(sums), on=["night", "metric"], how="left")
        .with_columns(pl.col("runs", "answers").fill_null(0))
        .with_columns(
            mean=pl.when(pl.col("answers") > 0).then(ratio),
            error=pl.when(pl.col("answers") > 0).then((left.clip(0) * spread).sqrt() / pl.col("answers")),
        )
        .pipe(NightMeans.cast)
    )


def night_bases(
    night_windows: dy.LazyFrame[NightWindows],
    night_runs: dy.LazyFrame[NightRuns],
    night_rates: dy.LazyFrame[NightRates],
    settings: dict[str, str],
) -> dy.LazyFrame[NightBases]:
    """One row per reported night: why it says nothing by itself, and the last night before that says something."""
    given = nights_given(settings)
    arrived = given.arrived if given else {}
    refused = [(date.fromisoformat(night), each.refused, each.taken_in) for night, each in arrived.items()]
    counted = night_runs.group_by("night").agg(runs=pl.len(), served=pl.col("is_served").sum())
    broken = night_rates.filter(pl.col("metric").is_in(OUTAGE_RATES))
    is_refused = pl.col("refused") > MOST * (pl.col("refused") + pl.col("taken_in"))
    by_reason = {
        NightDoubt.NO_RUNS: pl.col("runs") == 0,
        NightDoubt.TOO_FEW_RUNS: pl.col("runs").is_between(1, FEWEST_RUNS - 1),
        NightDoubt.MOSTLY_REFUSED: is_refused.fill_null(value=False),
        NightDoubt.OUTAGE: (pl.col("broken") >= MOST).fill_null(value=False)
        | (pl.col("runs") >= FEWEST_RUNS) & (pl.col("served") < FEWEST_RUNS),
    }
    doubts = pl.concat_list(pl.when(holds).then(pl.lit(str(reason))) for reason, holds in by_reason.items())
    schema = {"night": pl.Date, "refused": pl.Int64, "taken_in": pl.Int64}
    return (
        night_windows.select("night")
        .join(counted, on="night", how="left")
        .join(broken.group_by("night").agg(broken=pl.col("rate").sum()), on="night", how="left")
        .join(pl.LazyFrame(refused, schema=schema, orient="row"), on="night", how="left")
        .with_columns(pl.col("runs", "served").fill_null(0))
        .with_columns(doubts=doubts.list.drop_nulls())
        .sort("night")
        .with_columns(telling=pl.when(pl.col("doubts").list.len() == 0).then("night"))
        .select("night", "doubts", compared_with=pl.col("telling").forward_fill().shift(1))
        .pipe(NightBases.cast)
    )


def night_changes(
    night_bases: dy.LazyFrame[NightBases], night_rates: dy.LazyFrame[NightRates], night_means: dy.LazyFrame[NightMeans]
) -> dy.LazyFrame[NightChanges]:
    """One row per compared metric and night that there is another night to compare with."""
    pairs = night_bases.filter(pl.col("compared_with").is_not_null()).select("night", "compared_with")
    rates = night_rates.select("night", "metric", "hits", "of", "rate")
    low, high = newcombe(pl.col("hits"), pl.col("of"), pl.col("hits_right"), pl.col("of_right"), Z_OF_CHANGES)
    of_rates = _beside(rates.filter(pl.col("metric").is_in(COMPARED_RATES + OUTAGE_RATES)), pairs).select(
        "night",
        "metric",
        now="rate",
        before="rate_right",
        low=low,
        high=high,
        known="of",
        known_before="of_right",
    )
    squares = pl.col("error") ** 2, pl.col("error_right") ** 2
    degrees = (squares[0] + squares[1]) ** 2 / (
        squares[0] ** 2 / (pl.col("runs") - 1) + squares[1] ** 2 / (pl.col("runs_right") - 1)
    )
    half = student(Z_OF_CHANGES, degrees) * (squares[0] + squares[1]).sqrt()
    width = pl.when((squares[0] + squares[1]) > 0).then(half).otherwise(0.0)
    differs = pl.col("mean") - pl.col("mean_right")
    of_means = _beside(night_means, pairs).select(
        "night",
        "metric",
        now="mean",
        before="mean_right",
        low=differs - width,
        high=differs + width,
        known="answers",
        known_before="answers_right",
    )
    is_known = pl.all_horizontal(pl.col("known", "known_before") >= FEWEST_RUNS, pl.col("low", "high").is_not_null())
    verdict = (
        pl.when(~is_known)
        .then(pl.lit(NightChange.CANNOT_TELL))
        .when(pl.col("low") > 0)
        .then(pl.lit(NightChange.WORSE))
        .when(pl.col("high") < 0)
        .then(pl.lit(NightChange.BETTER))
        .otherwise(pl.lit(NightChange.NO_DIFFERENCE_SEEN))
    )
    return (pl.concat([of_rates, of_means]).with_columns(verdict=verdict).select(NightChanges.column_names())).pipe(
        NightChanges.cast
    )


def night_mixes(night_bases: dy.LazyFrame[NightBases], night_runs: dy.LazyFrame[NightRuns]) -> dy.LazyFrame[NightMixes]:
    """One row per night that there is another night to compare with."""
    pairs = night_bases.filter(pl.col("compared_with").is_not_null()).select("night", "compared_with")
    version = pl.concat_str(
        [pl.col(name).fill_null("") for name in ("agentfootprint_version", "footprintjs_version")], separator=" "
    )
    asked = night_runs.filter(pl.col("question_key").is_not_null())
    often = asked.group_by("night").agg(is_repeated=pl.len() >= 2 * pl.col("question_key").n_unique())
    repeated = _beside(often.with_columns(metric=pl.lit("")), pairs)
    return (
        pairs.select("night")
        .join(_distance(night_runs.select("night", value="dials"), pairs, "dials"), on="night", how="left")
        .join(_unseen(night_runs.select("night", value=version), pairs, "versions"), on="night", how="left")
        .join(_distance(asked.select("night", value="question_key"), pairs, "questions"), on="night", how="left")
        .join(
            repeated.select("night", is_repeated=pl.col("is_repeated") & pl.col("is_repeated_right")),
            on="night",
            how="left",
        )
        .with_columns(pl.col("dials", "versions").fill_null(0.0))
        .pipe(NightMixes.cast)
    )


def _summed(runs: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """What a mean and its error are made of, over the runs of which it is known."""
    amount, answer = pl.col(name), pl.col("answer")
    return (
        runs.filter(amount.is_not_null())
        .group_by("night")
        .agg(
            metric=pl.lit(f"{name}_per_answer"),
            total=amount.sum(),
            runs=pl.len().cast(pl.Int64),
            answers=answer.sum().cast(pl.Int64),
            squares=(amount**2).sum(),
            products=(amount * answer).sum(),
        )
    )


def _beside(rows: pl.LazyFrame, pairs: pl.LazyFrame) -> pl.LazyFrame:
    """Rows of nights beside those of the nights that these are compared with, which end on `_right`."""
    return rows.join(pairs, on="night").join(
        rows, left_on=["compared_with", "metric"], right_on=["night", "metric"], suffix="_right"
    )


def _distance(values: pl.LazyFrame, pairs: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Half the sum of how much the shares of all values differ between two nights; no row where one has none."""
    shares = (
        values.group_by("night", "value")
        .agg(n=pl.len())
        .with_columns(share=pl.col("n") / pl.col("n").sum().over("night"))
    )
    both = pairs.join(shares.select("night").unique(), on="night", how="semi").join(
        shares.select(compared_with="night").unique(), on="compared_with", how="semi"
    )
    now = both.select("night").join(shares.select("night", "value", "share"), on="night")
    before = both.join(shares.select("value", compared_with="night", share=-pl.col("share")), on="compared_with")
    return (
        pl.concat([now, before.select("night", "value", "share")])
        .group_by("night", "value")
        .agg(pl.col("share").sum().abs())
        .group_by("night")
        .agg((pl.col("share").sum() / 2).alias(name))
    )


def _unseen(values: pl.LazyFrame, pairs: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """The share of a night's values that the other night does not have at all."""
    seen = values.unique().join(pairs, left_on="night", right_on="compared_with").select("value", "night_right")
    return (
        values.join(seen.rename({"night_right": "night"}).with_columns(is_seen=True), on=["night", "value"], how="left")
        .group_by("night")
        .agg(pl.col("is_seen").is_null().mean().alias(name))
    )
