"""Words for one study, as the terminal, the page and JSON tell it.

Rules: product contract, sections 2 and 6; record format, sections 22 to 24. Only `confirmed` claims that something
makes a difference, and how often it would be said of nothing stands beside it.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from afp_nodes.studies.comparators import DEFAULT_COMPARATOR
from afp_nodes.studies.rates import false_rate
from afp_nodes.words import CostVerdict, ProbeVerdict, ReferenceFrom, Ruling, StudyKind, SuspectClass
from dataflows.one_study import Band, Cost, Evidence, Question, Side, Study, Subject
from dataflows.printable import glimpse
from dataflows.wording import counted

NAME_CHARACTERS = 60
TEXT_CHARACTERS = 400
HARMLESS_RATE = 0.05
"""A false rate up to this is not spoken of."""

MOST_SAMPLES = 200
"""More samples than these are not proposed."""

ASKED = {
    StudyKind.ABLATION: "does the answer change without each of these sources?",
    StudyKind.RESTORATION: "does the answer change when each of these units is given back?",
    StudyKind.ARMS: "does the answer change under each of these configurations?",
}
REFERENCES = {
    ReferenceFrom.PRIOR_RUN: "the answer of the run that the study is about",
    ReferenceFrom.BASELINE_ARM: "the answer of the baseline arm's first seed",
}
RULINGS = {
    Ruling.NO_EMBEDDER: "the embedder that the study names is not installed",
    Ruling.NO_COMPARATOR: "the comparator that the study names is not installed",
    Ruling.NO_REFERENCE: "no reference answer is known",
    Ruling.BASELINE_FLIPPED: "the baseline itself changed its answer, so no change can be told from noise",
    Ruling.BASELINE_TOO_SMALL: "fewer than two baseline runs count",
    Ruling.MANIFEST_CONTRADICTS: "a manifest contradicts what the arm declares: it is not known what was tested",
    Ruling.TOO_FEW_RUNS: "fewer than two of its runs count",
    Ruling.INSIDE_NULL_BAND: "most of its answers changed, but no further than the baseline strays by itself",
    Ruling.MAJORITY_FLIPPED: "most of its answers changed, and no answer of the baseline did",
    Ruling.MINORITY_FLIPPED: "some of its answers changed, but not most",
    Ruling.NONE_FLIPPED: "none of its answers changed; so few runs do not show that none would",
}
COSTS = {
    CostVerdict.COST_CAUSE: "without it runs take fewer loops than without a placebo; that says nothing of waste",
    CostVerdict.NO_COST_EFFECT: "without it runs take no fewer loops than without a placebo",
    CostVerdict.UNKNOWN: "there is no placebo to hold it against, or loops are not known or not stable",
}
CLASSES = {
    SuspectClass.BOTH: "answer and cost change without it",
    SuspectClass.CONTENT_BUG: "the answer changes without it, no cost effect was seen",
    SuspectClass.COST_CAUSE: "only the cost is seen to change without it",
    SuspectClass.NO_DETECTED_EFFECT: "neither answer nor cost is seen to change without it",
}

Fact = tuple[str, str]
"""A name, and what is said under it."""


def name(text: str) -> str:
    """An id on one line."""
    return glimpse(text, NAME_CHARACTERS) or "(empty id)"


def number(value: float | None) -> str:
    """A similarity or a number of loops; what is not known is said to be."""
    return "not known" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def percent(rate: float) -> str:
    """A rate."""
    return f"{100 * rate:.1f}".removesuffix(".0") + " %"


def facts(study: Study) -> list[Fact]:
    """What was asked, by what it is judged, and what the baseline vouches for."""
    asked = study.question
    return [
        ("study", f"{name(asked.study_id)}, {asked.kind}: {ASKED[StudyKind(asked.kind)]}"),
        ("scenario", "not stated" if asked.scenario is None else glimpse(asked.scenario, TEXT_CHARACTERS)),
        ("original run", "none named" if asked.original_run_id is None else name(asked.original_run_id)),
        ("reference", _reference(asked)),
        ("comparator", _comparator(asked)),
        ("embedder", f"{name(asked.embedder)}: {_judges(asked)}"),
        ("samples", f"{asked.samples:,} asked for of each subject; {counted(asked.runs_used, 'run')} in the study"),
        ("baseline", f"{name(asked.baseline_id)}: {_baseline(study)}"),
        ("null band", _band(study.band)),
    ]


def verdict_text(subject: Subject) -> str:
    """The word of a subject, with how often it would be said of nothing where that is often."""
    rate = _worrying_rate(subject)
    return subject.verdict if rate is None else f"{subject.verdict} (false rate up to {percent(rate)})"


def flips_text(side: Subject | Side) -> str:
    """Of the runs that count, those that answered otherwise."""
    return f"{side.flips:,} of {side.samples:,}" if side.samples else "no run counts"


def interval_text(subject: Subject) -> str:
    """The Wilson interval of the flip rate."""
    if subject.flip_rate_low is None or subject.flip_rate_high is None:
        return "not known"
    return f"{percent(subject.flip_rate_low)} to {percent(subject.flip_rate_high)}"


def similarity_text(subject: Subject) -> str:
    """Mean, least and greatest similarity."""
    if subject.similarity_mean is None:
        return "not known"
    least, greatest = number(subject.similarity_min), number(subject.similarity_max)
    return f"{number(subject.similarity_mean)} ({least} to {greatest})"


def cost_text(subject: Subject) -> str:
    """What is said of the cost, in few words; '' where the study does not ask."""
    cost = subject.cost
    return "" if cost is None else f"{_saved(cost)}: {cost.verdict}"


def notes(study: Study, subject: Subject) -> list[str]:
    """What a reader has to know of one subject beside its numbers."""
    return [
        f"{subject.verdict}: {RULINGS[Ruling(subject.evidence.ruling)]}",
        *_rate_notes(study, subject),
        *_cost_notes(subject),
        *_band_notes(study, subject),
        *_manifest_notes(subject),
        *_failures(subject.side),
        *_left_out(subject.evidence),
    ]


def baseline_notes(study: Study) -> list[str]:
    """What a reader has to know of the baseline."""
    return [*_failures(study.baseline), *_mismatches(study.baseline)]


def told(study: Study) -> dict[str, Any]:
    """The study as plain data, with the words that stand beside its numbers."""
    data = asdict(study)
    data["says"] = dict(facts(study))
    data["baseline"] |= {"flips": study.baseline.flips, "samples": study.baseline.samples}
    data["baseline"]["notes"] = baseline_notes(study)
    for row, subject in zip(data["subjects"], study.subjects, strict=True):
        row["notes"] = notes(study, subject)
    return data


def enough_samples(study: Study, subject: Subject) -> int | None:
    """The least number of runs of each side that makes the word `confirmed` rarely false; None where it is too many."""
    is_own = study.question.reference_from == ReferenceFrom.BASELINE_ARM
    rates = (
        (samples, false_rate(ProbeVerdict.CONFIRMED, samples, samples, seed_0_is_reference=is_own))
        for samples in range(max(subject.samples, 2), MOST_SAMPLES)
    )
    return next((samples for samples, rate in rates if rate <= HARMLESS_RATE), None)


def _worrying_rate(subject: Subject) -> float | None:
    if subject.verdict != ProbeVerdict.CONFIRMED or subject.false_rate is None:
        return None
    return subject.false_rate if subject.false_rate > HARMLESS_RATE else None


def _reference(asked: Question) -> str:
    if asked.reference_from is None or asked.reference_text is None:
        return "none is known, so nothing is compared"
    return f"{REFERENCES[ReferenceFrom(asked.reference_from)]}: {glimpse(asked.reference_text, TEXT_CHARACTERS)}"


def _comparator(asked: Question) -> str:
    if asked.comparator == DEFAULT_COMPARATOR and asked.flip_threshold is not None:
        return f"{asked.comparator}: an answer changed when its similarity is below {number(asked.flip_threshold)}"
    return name(asked.comparator)


def _judges(asked: Question) -> str:
    return asked.embedder_judges or "not installed, so it judges nothing"


def _baseline(study: Study) -> str:
    stable = {
        True: "stable",
        False: "not stable",
        None: "not known to be stable, fewer than two runs count",
    }[study.question.baseline_stable]
    return f"{stable}; changed its answer in {flips_text(study.baseline)} runs" if study.baseline.samples else stable


def _band(band: Band | None) -> str:
    if band is None:
        return "none: only arms have one"
    if band.mean is None:
        return "not known: no run of the baseline has a similarity"
    spread = f"mean {number(band.mean)}, {number(band.min)} to {number(band.max)}, floor {number(band.floor)}"
    degenerate = "; degenerate, every run gave the same similarity" if band.degenerate else ""
    gates = "a change inside of it confirms nothing" if band.gates else "it does not gate with this comparator"
    return f"{spread}{degenerate}; {gates}"


def _rate_notes(study: Study, subject: Subject) -> Iterator[str]:
    rate = _worrying_rate(subject)
    if rate is None:
        return
    enough = enough_samples(study, subject)
    raised = "many more samples are needed" if enough is None else f"raise samples to at least {enough:,} on both sides"
    yield (
        f"were there no difference, the rule would still say confirmed up to {percent(rate)} of the time, at the worst"
        f" noise; for {percent(HARMLESS_RATE)} or less {raised}"
    )


def _cost_notes(subject: Subject) -> Iterator[str]:
    cost = subject.cost
    if cost is not None:
        placebo = (
            "no placebo" if cost.placebo is None else f"placebo {name(cost.placebo)} saved {_loops(cost.placebo_saved)}"
        )
        yield f"{cost.verdict}: {COSTS[CostVerdict(cost.verdict)]} ({_saved(cost)}; {placebo})"
    if subject.suspect_class is not None:
        yield f"class {subject.suspect_class}: {CLASSES[SuspectClass(subject.suspect_class)]}"


def _saved(cost: Cost) -> str:
    tokens = "tokens not known" if cost.tokens_saved is None else f"{number(cost.tokens_saved)} tokens"
    return f"{_loops(cost.loops_saved)}, {tokens} saved"


def _loops(loops: float | None) -> str:
    return "loops not known" if loops is None else f"{number(loops)} {'loop' if loops == 1 else 'loops'}"


def _band_notes(study: Study, subject: Subject) -> Iterator[str]:
    if study.band is None or subject.outside_null_band is None:
        return
    where = "below the floor of" if subject.outside_null_band else "not below the floor of"
    yield f"its mean similarity is {where} the null band"


def _manifest_notes(subject: Subject) -> Iterator[str]:
    if subject.manifests_seen is None:
        return
    seen = f"{counted(subject.manifests_seen, 'manifest')} seen"
    if not subject.manifest_checked:
        yield f"{seen}: not checked whether the arm was applied"
    elif subject.manifest_applied:
        yield f"{seen}: none contradicts what the arm declares"
    else:
        yield f"{seen}: not applied as declared"
    yield from _mismatches(subject.side)


def _mismatches(side: Side) -> Iterator[str]:
    for each in side.mismatches:
        observed = "nothing of it" if each.observed is None else glimpse(each.observed, TEXT_CHARACTERS)
        yield f"{name(each.facet)}: declared {glimpse(each.declared, TEXT_CHARACTERS)}, the manifest says {observed}"


def _failures(side: Side) -> Iterator[str]:
    for probe in side.probes:
        if probe.error is not None:
            yield f"seed {probe.seed} failed ({name(probe.run_id)}): {glimpse(probe.error, TEXT_CHARACTERS)}"
        elif probe.flipped is None:
            yield f"seed {probe.seed} does not count ({name(probe.run_id)}): not known whether its answer changed"


def _left_out(evidence: Evidence) -> Iterator[str]:
    for run in evidence.repeated:
        yield f"seed {run['seed']} is listed {counted(run['repeats'], 'more time')}; one run counts"
    if evidence.missing_seeds:
        yield f"it has no run of {_seeds(evidence.missing_seeds)}"
    if evidence.baseline_missing_seeds:
        yield f"the baseline has no run of {_seeds(evidence.baseline_missing_seeds)}"
    for each in evidence.differing:
        stated, recorded = (glimpse(str(each[side]), TEXT_CHARACTERS) for side in ("stated", "recorded"))
        yield f"{each['differs']} of {name(each['run_id'])}: the study states {stated}, the recording says {recorded}"


def _seeds(seeds: tuple[int, ...], shown: int = 10) -> str:
    more = f" and {len(seeds) - shown:,} more" if len(seeds) > shown else ""
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds[:shown]))}{more}"
