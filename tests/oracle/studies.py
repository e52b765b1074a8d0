"""Verdicts and costs of a study in plain Python, read off its document alone. Shares no code with the product.

A study here compares its answers as texts (`exact`) or by its own word (`recorded`), and every manifest agrees.
"""

from fractions import Fraction
from typing import Any

Study = dict[str, Any]
Row = tuple[Any, ...]


def told(study: Study) -> tuple[list[Row], list[Row]]:
    """What the study says of answers and of costs.

    Answers: subject, word, good runs, flips, stable baseline, class. Costs: subject, word, loops saved, stable.
    """
    reference = reference_of(study)
    runs = {subject: good_runs(study, subject, reference) for subject in [incumbent(study), *subjects(study)]}
    baseline = [flip for flip, _ in runs[incumbent(study)]]
    words = {subject: word([flip for flip, _ in runs[subject]], baseline) for subject in subjects(study)}
    costs = cost_words(runs, incumbent(study), words) if study["kind"] == "ablation" else {}
    answers = [
        (
            subject,
            words[subject],
            len(runs[subject]),
            sum(flip for flip, _ in runs[subject]),
            False if any(baseline) else True if len(baseline) > 1 else None,
            kind_of(words[subject], costs[subject][0]) if costs else None,
        )
        for subject in subjects(study)
    ]
    return answers, [(subject, *costs[subject]) for subject in costs]


def incumbent(study: Study) -> str:
    if study.get("baseline") is not None:
        return str(study["baseline"])
    return str(study["arms"][0]["id"]) if study["kind"] == "arms" else "baseline"


def subjects(study: Study) -> list[str]:
    """What gets a verdict, in the order of ids."""
    if study["kind"] == "arms":
        return sorted(arm["id"] for arm in study["arms"] if arm["id"] != incumbent(study))
    specs = {spec["spec_id"] for spec in study["specs"]}
    if study["kind"] == "ablation":
        return sorted(specs)
    dropped = []
    for unit in study["available"]:
        if unit["id"] not in {sent["id"] for sent in study["sent"]} and unit["id"] not in dropped:
            dropped.append(unit["id"])
    most = study["options"].get("maxCandidates")
    return sorted(specs & set(dropped[:most]))


def counting_run(study: Study, subject: str, seed: int) -> dict[str, Any] | None:
    """The run that counts for a seed: one that did not fail before one that did, then the least id."""
    listed = [run for run in study["runs"] if (run["arm_or_spec_id"], run["seed"]) == (subject, seed)]
    return min(listed, key=lambda run: (bool(run.get("error")), run["run_id"]), default=None)


def counting_runs(study: Study, subject: str) -> list[dict[str, Any]]:
    seeds = sorted({run["seed"] for run in study["runs"] if run["arm_or_spec_id"] == subject})
    return [run for seed in seeds if (run := counting_run(study, subject, seed))]


def reference_of(study: Study) -> str | None:
    if study.get("original_output") is not None:
        return str(study["original_output"])
    if study["kind"] != "arms":
        return None
    for run in counting_runs(study, incumbent(study)):
        if not run.get("error") and run.get("output") is not None:
            return str(run["output"])
    return None


def good_runs(study: Study, subject: str, reference: str | None) -> list[tuple[bool, float | None]]:
    """Whether each run that counts flipped, with its loops."""
    good = []
    for run in counting_runs(study, subject):
        if run.get("error"):
            continue
        flip = changed(study["options"]["comparator"], run, reference)
        if flip is not None:
            good.append((flip, (run.get("cost") or {}).get("loops")))
    return good


def changed(comparator: str, run: dict[str, Any], reference: str | None) -> bool | None:
    if comparator == "recorded":
        return run.get("changed")
    if reference is None or run.get("output") is None:
        return None
    return bool(run["output"] != reference)


def word(flips: list[bool], baseline: list[bool]) -> str:
    if any(baseline) or len(baseline) < 2 or len(flips) < 2:
        return "inconclusive"
    share = Fraction(sum(flips), len(flips))
    if share > Fraction(1, 2):
        return "confirmed"
    return "inconclusive" if share else "not-confirmed"


def cost_words(
    runs: dict[str, list[tuple[bool, float | None]]], baseline: str, words: dict[str, str]
) -> dict[str, tuple[str, float | None, bool]]:
    """The word, the loops saved and the stability of each suspect's cost."""
    loops = {subject: [taken for _, taken in of if taken is not None] for subject, of in runs.items()}
    before = middle(loops[baseline])
    saved = {}
    for subject in words:
        own = middle(loops[subject])
        saved[subject] = None if before is None or own is None else before - own
    costs: dict[str, tuple[str, float | None, bool]] = {}
    for subject in words:
        controls = [
            saved[other]
            for other in words
            if other != subject
            and words[other] != "confirmed"
            and saved[other] is not None
            and min(len(loops[other]), len(loops[baseline])) >= 2
        ]
        own = loops[subject]
        known = min(len(own), len(loops[baseline])) >= 2
        stable = bool(known and controls and before is not None and max(own) <= before)
        saving = saved[subject]
        beats = stable and saving is not None and saving >= 1 and saving > max(c for c in controls if c is not None)
        costs[subject] = ("unknown" if not stable else "cost-cause" if beats else "no-cost-effect", saving, stable)
    return costs


def middle(values: list[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    pair = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return sum(pair) / 2


def kind_of(word: str, cost: str) -> str:
    return {
        (True, True): "both",
        (True, False): "content-bug",
        (False, True): "cost-cause",
        (False, False): "no-detected-effect",
    }[word == "confirmed", cost == "cost-cause"]
