"""The night beside the one it is compared with. Rule: product contract, section 8."""

from collections.abc import Iterator, Mapping

from afp_nodes.words import NightDoubt, NightOutcome, NightRemark
from dataflows.report.asked import Asked
from dataflows.report.parts import Cell, ColumnKind, Section, Sentence
from dataflows.wording import counted

NIGHT = {
    "night": ColumnKind.WORD,
    "outcome": ColumnKind.WORD,
    "compared_with": ColumnKind.WORD,
    "runs": ColumnKind.NUMBER,
    "doubts": ColumnKind.WORD,
    "remarks": ColumnKind.WORD,
    "timezone": ColumnKind.WORD,
    "from_utc": ColumnKind.WORD,
    "until_utc": ColumnKind.WORD,
}
CHANGES = {
    "metric": ColumnKind.WORD,
    "verdict": ColumnKind.WORD,
    "before": ColumnKind.NUMBER,
    "now": ColumnKind.NUMBER,
    "low": ColumnKind.NUMBER,
    "high": ColumnKind.NUMBER,
    "known_before": ColumnKind.NUMBER,
    "known": ColumnKind.NUMBER,
}
METRICS = {"metric": ColumnKind.WORD, "value": ColumnKind.NUMBER}
NIGHTS = {
    "night": ColumnKind.WORD,
    "outcome": ColumnKind.WORD,
    "runs": ColumnKind.NUMBER,
    "worse": ColumnKind.NUMBER,
    "new_findings": ColumnKind.NUMBER,
    "vanished_findings": ColumnKind.NUMBER,
    "quarantined": ColumnKind.NUMBER,
}
ALL = 200
NIGHTS_SHOWN = 14

DOUBTS = {
    NightDoubt.NO_RUNS: "it has no run",
    NightDoubt.TOO_FEW_RUNS: "it has too few runs",
    NightDoubt.MOSTLY_REFUSED: "most of what came in was refused",
    NightDoubt.OUTAGE: "model calls failed or never ended, which tells of the provider or of the recording",
    NightDoubt.NO_EARLIER_NIGHT: "no earlier night can be compared with",
    NightDoubt.OTHER_DIALS: "most runs were recorded otherwise than before",
    NightDoubt.NOTHING_KNOWN: "of no metric enough is known on both nights",
}
REMARKS = {
    NightRemark.NOT_THE_NIGHT_BEFORE: "It is not compared with the night before, but with an earlier one.",
    NightRemark.OTHER_VERSIONS: "Other versions of the libraries recorded it.",
    NightRemark.UNCHECKED_VERSIONS: "Versions that the rules were not checked against recorded some of its runs.",
    NightRemark.OTHER_QUESTIONS: "Most of its questions were not asked on the other night.",
    NightRemark.QUESTIONS_ASKED_ONCE: "Most questions were asked only once: how others fare is not known.",
    NightRemark.RUNS_NOT_PRICED: "Some of its runs are not priced.",
    NightRemark.SEVERAL_CURRENCIES: "Its runs are priced in several currencies, so there is no cost in all.",
}
NO_NIGHT = "No nightly has run on this store: the report is about all its runs, and compares no night with another."
ALL_NIGHTS = "The report is about all runs of the store; afp report --night DAY is about one night."


def section(asked: Asked) -> Section:
    """What the night says, beside which other, and what cannot be told."""
    nights = asked.table("nights", "Nights", NIGHTS, empty=NO_NIGHT, shown=NIGHTS_SHOWN)
    if asked.night is None:
        said = ALL_NIGHTS if nights.rows else NO_NIGHT
        return Section("night", "Night by night", (Sentence(said),), tables=(nights,) if nights.rows else ())
    night = asked.table("night", "The night", NIGHT, empty=f"The night of {asked.night} was not reported.")
    changes = asked.table(
        "changes",
        "Both nights, metric by metric",
        CHANGES,
        empty="There is no night to compare with.",
        shown=ALL,
    )
    metrics = asked.table("metrics", "Every metric of the night", METRICS, empty="No metric is told.", shown=ALL)
    nightless = asked.table(
        "nightless", "Runs of no night", {"runs": ColumnKind.NUMBER}, empty="Every production run belongs to a night."
    )
    unknown = [str(row["metric"]) for row in metrics.values() if row["value"] is None]
    return Section(
        name="night",
        title="Beside another night",
        sentences=(
            *(outcome(row, [str(change["metric"]) for change in worse(changes.values())]) for row in night.values()),
            *(Sentence(said) for row in night.values() for said in _remarks(row)),
            Sentence(
                "The bounds are of the difference, and wide enough for all metrics together. What cannot be told of a"
                f" metric is not the same as no difference: {counted(len(unknown), 'metric')} of the night"
                f" {'is' if len(unknown) == 1 else 'are'} not known.",
                ("changes", "metrics"),
            ),
        ),
        tables=(night, changes, metrics, nights, nightless),
    )


def worse(changes: list[dict[str, Cell]]) -> list[dict[str, Cell]]:
    """The changes that are worse beyond noise."""
    return [row for row in changes if row["verdict"] == "worse"]


def outcome(night: Mapping[str, Cell], metrics: list[str]) -> Sentence:
    """What is said of a night, from its row and the metrics that got worse."""
    name, other = night["night"], night["compared_with"]
    match night["outcome"]:
        case NightOutcome.INCONCLUSIVE:
            doubts = "; ".join(DOUBTS[NightDoubt(word)] for word in str(night["doubts"]).split(", "))
            return Sentence(f"The night of {name} is inconclusive: {doubts}.", ("night",))
        case NightOutcome.WORSE:
            return Sentence(
                f"The night of {name} is worse than that of {other} beyond noise, in {', '.join(metrics)}.",
                ("night", "changes"),
            )
    return Sentence(
        f"Nothing is seen to be worse on the night of {name} than on that of {other}; that does not prove that nothing"
        " is.",
        ("night", "changes"),
    )


def _remarks(night: Mapping[str, Cell]) -> Iterator[str]:
    words = str(night["remarks"]).split(", ")
    yield from (said for remark, said in REMARKS.items() if remark in words)
