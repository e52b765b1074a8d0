"""The rates of a night as expressions over its runs: what each counts, and of how many it is known.

The columns are those of `NightRuns`.
"""

from collections.abc import Mapping

import polars as pl

from afp_nodes.metrics import WORDS, verdict_metric
from afp_nodes.words import DeliveredVerdict, Ending, MissingContextVerdict, Standing, VerdictKind


def _rate_of(hit: pl.Expr, known: pl.Expr | None = None) -> tuple[pl.Expr, pl.Expr]:
    """What is counted and of what: where it is not known whether it holds, neither."""
    of = hit.is_not_null() if known is None else known.fill_null(value=False) & hit.is_not_null()
    return hit & of, of


_ANSWERABLE = pl.col("is_served") & pl.col("answer_counted") & (pl.col("ending") != Ending.PAUSE)
_STANDS = pl.col("standing").is_not_null()
_ENDS = pl.when(pl.col("ending") != Ending.UNKNOWN).then(pl.col("ending"))
_DELIVERY = pl.when(pl.col("delivery").is_in([str(word) for word in DeliveredVerdict])).then(pl.col("delivery"))
_SHOWN = pl.when(pl.col("missing_context") != MissingContextVerdict.UNKNOWN).then(pl.col("missing_context"))

RATES_OF_RUNS: Mapping[str, tuple[pl.Expr, pl.Expr]] = {
    "answered_rate": _rate_of(pl.col("answered"), _ANSWERABLE),
    "unanswered_rate": _rate_of(~pl.col("answered"), _ANSWERABLE),
    "doubt_rate": _rate_of(pl.col("doubt"), pl.col("is_served")),
    "dropped_rate": _rate_of(_SHOWN == MissingContextVerdict.DROPPED, pl.col("is_served")),
    "not_delivered_rate": _rate_of(_DELIVERY == DeliveredVerdict.NOT_DELIVERED, pl.col("is_served")),
    "tool_error_rate": _rate_of(pl.col("tool_error"), pl.col("is_served")),
    "outage_rate": _rate_of(_ENDS == Ending.FAILED_CALL),
    "open_call_rate": _rate_of(_ENDS == Ending.OPEN_CALL),
    "not_priced_rate": _rate_of(pl.col("cost").is_null()),
    "events_recorded_rate": _rate_of(pl.col("has_events")),
    "log_recorded_rate": _rate_of(pl.col("has_log")),
    "reads_recorded_rate": _rate_of(pl.col("has_reads")),
    "capped_rate": _rate_of(pl.col("is_capped")),
    "redacted_rate": _rate_of(pl.col("is_redacted")),
    "judged_rate": _rate_of(pl.col("standing") != Standing.NOT_ASSESSED),
    "units_shown_rate": _rate_of(pl.col("missing_context") != MissingContextVerdict.UNKNOWN),
    "unchecked_version_rate": _rate_of(pl.col("is_unchecked")),
    **{verdict_metric(VerdictKind.STANDING, word): _rate_of(pl.col("standing") == word, _STANDS) for word in Standing},
    **{
        verdict_metric(VerdictKind.MISSING_CONTEXT, word): _rate_of(pl.col("missing_context") == word)
        for word in WORDS[VerdictKind.MISSING_CONTEXT]
    },
    **{
        verdict_metric(VerdictKind.ROUTING, word): _rate_of(pl.col("delivery") == word)
        for word in WORDS[VerdictKind.ROUTING]
    },
}
"""What each rate counts of the runs of a night, and of how many."""
