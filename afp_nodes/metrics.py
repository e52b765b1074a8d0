"""Metrics of a night: every number that a night is told by, with its meaning, and which of them can get worse.

Light on purpose: `afp nightly --help` lists them, and no data frame library is needed for that.
"""

from collections.abc import Mapping

from afp_nodes.words import CheckState, Coverage, DeliveredVerdict, MissingContextVerdict, Standing, VerdictKind

COUNTS: Mapping[str, str] = {
    "runs": "production runs of the night",
    "quarantined": "documents that the jobs of the night refused for the first time; not known where none ran",
    "inconclusive": "1 where nothing can be said of the night beside the one before, else 0",
    "worse": "metrics that got worse beyond noise; not known on an inconclusive night",
    "findings": "findings that runs of the night show, muted ones left out",
    "new_findings": "of these, findings that no earlier night shows; not known where there is no night to compare with",
    "vanished_findings": "findings of the night it is compared with that no run of the night shows; not known on an"
    " inconclusive night",
    "muted_findings": "findings that runs of the night show and people have muted",
    "tokens_per_answer": "tokens of the runs of which they are known, for each answer among these",
    "cost_per_answer": "what the runs cost whose cost is known, for each answer among these; not known where they were"
    " priced in several currencies",
    "cost": "what the runs cost whose cost is known, in all; not known where they were priced in several currencies",
}
"""Numbers that are no rates."""

RATES: Mapping[str, str] = {
    "answered_rate": "runs that gave an answer, of those that no failed or open model call ended and that do not wait",
    "unanswered_rate": "the others of these",
    "doubt_rate": "answers, and questions to a person, in doubt, of those that the record lets judge",
    "dropped_rate": "runs that went without context that was available, of those that show it",
    "not_delivered_rate": "runs whose decided skill did not reach the model, of those that show it",
    "tool_error_rate": "runs with a failed tool call, of those with a call whose end is known",
    "outage_rate": "runs that ended in a model call that failed, of those whose end is known",
    "open_call_rate": "runs whose record ends in a model call without an end or an error, of those whose end is known",
    "not_priced_rate": "runs whose cost is not known",
    "events_recorded_rate": "runs whose events are recorded",
    "log_recorded_rate": "runs whose commit log is recorded",
    "reads_recorded_rate": "runs whose reads are recorded",
    "capped_rate": "runs that lost events, of those of which that is known",
    "redacted_rate": "runs with values that were taken out",
    "judged_rate": "answers, and questions to a person, that the record lets judge",
    "units_shown_rate": "runs whose record says whether they went without context",
    "unchecked_version_rate": "runs recorded by versions of the libraries that the rules were not checked against",
}
"""Shares from 0 to 1; a run counts where it is known whether it belongs."""

COMPARED_RATES = ("unanswered_rate", "doubt_rate", "dropped_rate", "not_delivered_rate", "tool_error_rate")
"""Rates of which a greater one is worse."""

OUTAGE_RATES = ("outage_rate", "open_call_rate")
"""Rates that tell of the provider, or of the recording, and not of the agent."""

COMPARED_MEANS = ("tokens_per_answer", "cost_per_answer")
"""Means of which a greater one is worse."""

WORDS: Mapping[VerdictKind, tuple[str, ...]] = {
    VerdictKind.STANDING: tuple(Standing),
    VerdictKind.MISSING_CONTEXT: tuple(MissingContextVerdict),
    VerdictKind.ROUTING: (*DeliveredVerdict, CheckState.UNREACHABLE, CheckState.NOT_APPLICABLE),
    VerdictKind.COVERAGE: tuple(Coverage),
}
"""The verdicts whose rates are told, by kind: of runs, and of variables for coverage."""


def verdict_metric(kind: str, word: str) -> str:
    """The name of the rate of a verdict."""
    return f"{kind}.{word}"


VERDICT_RATES: Mapping[str, str] = {
    verdict_metric(kind, word): f"verdicts `{word}` of kind `{kind}`, of all of that kind"
    for kind, words in WORDS.items()
    for word in words
}
"""Rates by verdict and kind."""

METRICS: Mapping[str, str] = {**COUNTS, **RATES, **VERDICT_RATES}
"""Every metric with its meaning, in the order in which they are told."""
