"""What is said of each night: the outcome beside the night before, why it may say nothing, and every number.

Rule: product contract, sections 5 and 8. An outage of the provider, a night with too few runs or recorded otherwise is
never called worse, and never well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import dataframely as dy
import msgspec
import polars as pl

from afp_nodes.days import ONE_DAY
from afp_nodes.fleet.night_numbers import MOST, ONE_CURRENCY
from afp_nodes.given import nights_given, notes_given, prices_given
from afp_nodes.metrics import METRICS, OUTAGE_RATES
from afp_nodes.schemas import (
    NightBases,
    NightChanges,
    NightFindings,
    NightMeans,
    NightMixes,
    NightOutcomes,
    NightRates,
    NightReports,
    NightRuns,
    NightWindows,
)
from afp_nodes.versions import CHECKED, version_standing
from afp_nodes.words import FindingState, NightChange, NightDoubt, NightOutcome, NightRemark

DIGITS = 9
"""Digits of a number after the point: those beyond differ from machine to machine."""


def night_outcomes(
    night_bases: dy.LazyFrame[NightBases],
    night_changes: dy.LazyFrame[NightChanges],
    night_mixes: dy.LazyFrame[NightMixes],
    night_rates: dy.LazyFrame[NightRates],
    night_runs: dy.LazyFrame[NightRuns],
    settings: dict[str, str],
) -> dy.LazyFrame[NightOutcomes]:
    """One row per reported night."""
    of_agent = ~pl.col("metric").is_in(OUTAGE_RATES)
    is_worse = pl.col("verdict") == NightChange.WORSE
    compared = night_changes.group_by("night").agg(
        worse=(is_worse & of_agent).any(),
        outage=(is_worse & ~of_agent).any(),
        tells=((pl.col("verdict") != NightChange.CANNOT_TELL) & of_agent).any(),
    )
    unchecked = night_rates.filter(pl.col("metric") == "unchecked_version_rate").select("night", unchecked="hits")
    priced = night_runs.group_by("night").agg(
        unpriced=pl.col("cost").is_null().any(), currencies=pl.col("currency").drop_nulls().n_unique()
    )
    has_other, asks = pl.col("compared_with").is_not_null(), bool(prices_given(settings))
    further_doubts = {
        NightDoubt.OUTAGE: pl.col("outage") & ~pl.col("doubts").list.contains(str(NightDoubt.OUTAGE)),
        NightDoubt.NO_EARLIER_NIGHT: ~has_other,
        NightDoubt.OTHER_DIALS: pl.col("dials") > MOST,
        NightDoubt.NOTHING_KNOWN: has_other
        & ~pl.col("tells").fill_null(value=False)
        & (pl.col("doubts").list.len() == 0),
    }
    remarks = {
        NightRemark.NOT_THE_NIGHT_BEFORE: pl.col("compared_with") < pl.col("night") - ONE_DAY,
        NightRemark.OTHER_VERSIONS: pl.col("versions") > 0,
        NightRemark.UNCHECKED_VERSIONS: pl.col("unchecked") > 0,
        NightRemark.OTHER_QUESTIONS: pl.col("is_repeated") & (pl.col("questions") > MOST),
        NightRemark.QUESTIONS_ASKED_ONCE: ~pl.col("is_repeated"),
        NightRemark.RUNS_NOT_PRICED: pl.col("unpriced") & asks,
        NightRemark.SEVERAL_CURRENCIES: pl.col("currencies") > 1,
    }
    is_empty = pl.col("doubts").list.contains(str(NightDoubt.NO_RUNS))
    return (
        night_bases.join(compared, on="night", how="left")
        .join(night_mixes, on="night", how="left")
        .join(unchecked, on="night", how="left")
        .join(priced, on="night", how="left")
        .with_columns(
            doubts=pl.when(is_empty)
            .then("doubts")
            .otherwise(pl.concat_list("doubts", _words(further_doubts)).list.unique(maintain_order=True)),
            remarks=_words(remarks),
        )
        .with_columns(
            outcome=pl.when(pl.col("doubts").list.len() > 0)
            .then(pl.lit(NightOutcome.INCONCLUSIVE))
            .when("worse")
            .then(pl.lit(NightOutcome.WORSE))
            .otherwise(pl.lit(NightOutcome.OK))
        )
        .select(NightOutcomes.column_names())
        .pipe(NightOutcomes.cast)
    )


def night_reports(
    night_windows: dy.LazyFrame[NightWindows],
    night_outcomes: dy.LazyFrame[NightOutcomes],
    night_runs: dy.LazyFrame[NightRuns],
    night_rates: dy.LazyFrame[NightRates],
    night_means: dy.LazyFrame[NightMeans],
    night_changes: dy.LazyFrame[NightChanges],
    night_findings: dy.LazyFrame[NightFindings],
    settings: dict[str, str],
    earlier_reports: pl.LazyFrame,
    snapshot_id: str,
) -> dy.LazyFrame[NightReports]:
    """One row per reported night; one that stays as it was keeps its snapshot."""
    nights = night_windows.join(night_outcomes, on="night").sort("night").collect()
    rates, means, changes = (_by_night(frame) for frame in (night_rates, night_means, night_changes.sort("metric")))
    totals = _by_night(night_runs.group_by("night").agg(runs=pl.len(), cost=_spent()))
    shown, versions = _Shown.of(night_findings, settings), _by_night(_versions(night_runs))
    given = nights_given(settings)
    arrived = given.arrived if given else {}
    rows = []
    for night in nights.iter_rows(named=True):
        day, is_conclusive = night["night"], night["outcome"] != NightOutcome.INCONCLUSIVE
        of_night = {rate["metric"]: rate for rate in rates[day]}
        worse = [each for each in changes.get(day, []) if _is_worse(each)]
        known = {
            **{metric: rate["rate"] for metric, rate in of_night.items()},
            **{mean["metric"]: mean["mean"] for mean in means[day]},
            **totals.get(day, [{"runs": 0, "cost": None}])[0],
            **shown.counts(day, night["compared_with"], is_conclusive=is_conclusive),
            "quarantined": arrived[str(day)].refused if str(day) in arrived else None,
            "inconclusive": int(not is_conclusive),
            "worse": len(worse) if is_conclusive else None,
        }
        rows.append(
            night
            | {
                "runs": known["runs"],
                "metrics_json": _json({metric: known[metric] for metric in METRICS}),
                "rates_json": _json({m: _without(of_night[m], "metric") for m in METRICS if m in of_night}),
                "changes_json": _json(changes.get(day, [])),
                "versions_json": _json(versions.get(day, [])),
                "snapshot_id": snapshot_id,
            }
        )
    return _kept(pl.DataFrame(rows, schema=NightReports.stored_dtypes()).lazy(), earlier_reports).pipe(
        NightReports.cast
    )


def _is_worse(change: dict[str, Any]) -> bool:
    return change["verdict"] == NightChange.WORSE and change["metric"] not in OUTAGE_RATES


@dataclass(frozen=True, slots=True)
class _Shown:
    """Which findings the runs of each night show, since when, and until when people have muted them."""

    by_night: dict[date, set[str]]
    first_nights: dict[str, date]
    muted_until: dict[str, date]

    @classmethod
    def of(cls, night_findings: pl.LazyFrame, settings: dict[str, str]) -> "_Shown":
        by_night: dict[date, set[str]] = {}
        first_nights: dict[str, date] = {}
        for night, finding_id in (
            night_findings.select("night", "finding_id").drop_nulls().sort("night").collect().rows()
        ):
            by_night.setdefault(night, set()).add(finding_id)
            first_nights.setdefault(finding_id, night)
        notes = [note for note in notes_given(settings) if note.state == FindingState.MUTED]
        return cls(by_night, first_nights, {note.id: note.until or date.max for note in notes})

    def counts(self, night: date, compared_with: date | None, *, is_conclusive: bool) -> dict[str, int | None]:
        """How many there are, how many are new, vanished or muted; None = not known."""
        found = self.by_night.get(night, set())
        muted = {finding_id for finding_id in found if night <= self.muted_until.get(finding_id, date.min)}
        heard = found - muted
        before = self.by_night.get(compared_with, set()) if compared_with else set()
        return {
            "findings": len(heard),
            "new_findings": sum(self.first_nights[each] == night for each in heard) if compared_with else None,
            "vanished_findings": len(before - found) if is_conclusive else None,
            "muted_findings": len(muted),
        }


def _spent() -> pl.Expr:
    """What the runs of a night cost, as far as that is known; NULL where several currencies would be summed."""
    cost = pl.col("cost").filter("tokens_counted")
    return pl.when(ONE_CURRENCY & (cost.count() > 0)).then(cost.sum())


def _versions(night_runs: pl.LazyFrame) -> pl.LazyFrame:
    """What recorded the runs of each night, with how it stands to what the rules were checked against."""
    by_library = [
        night_runs.group_by("night", version=f"{library}_version")
        .agg(runs=pl.len())
        .with_columns(
            library=pl.lit(library),
            standing=pl.col("version").map_elements(
                partial(version_standing, library), return_dtype=pl.String, skip_nulls=False
            ),
        )
        for library in CHECKED
    ]
    return (
        pl.concat(by_library)
        .sort("night", "library", "version", nulls_last=True)
        .select("night", "library", "version", "runs", "standing")
    )


def _words(words: Mapping[Any, pl.Expr]) -> pl.Expr:
    """The words that hold, in their order."""
    return pl.concat_list(pl.when(holds).then(pl.lit(str(word))) for word, holds in words.items()).list.drop_nulls()


def _by_night(rows: pl.LazyFrame) -> dict[date, list[dict[str, Any]]]:
    by_night: dict[date, list[dict[str, Any]]] = {}
    for row in rows.collect().iter_rows(named=True):
        by_night.setdefault(row["night"], []).append(_without(row, "night"))
    return by_night


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def _kept(reports: pl.LazyFrame, earlier: pl.LazyFrame) -> pl.LazyFrame:
    """The rows, with the snapshot of an earlier one where all the rest of it is the same."""
    same = [name for name in NightReports.column_names() if name != "snapshot_id"]
    words = [pl.col(name).list.join(" ").alias(name) for name in ("doubts", "remarks")]
    kept = earlier.select(*same, kept="snapshot_id").with_columns(words).unique(same)
    return (
        reports.with_columns(*(word.name.suffix(" joined") for word in words))
        .join(
            kept,
            left_on=[f"{name} joined" if name in ("doubts", "remarks") else name for name in same],
            right_on=same,
            how="left",
            nulls_equal=True,
        )
        .with_columns(snapshot_id=pl.coalesce("kept", "snapshot_id"))
        .select(NightReports.column_names())
        .sort("night")
    )


def _json(value: Any) -> str:
    """JSON text; numbers to so many digits that they are the same everywhere."""
    return msgspec.json.encode(_rounded(value)).decode()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
