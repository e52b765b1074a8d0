"""How often the verdicts on studies are wrong, measured on simulated studies whose truth is known.

    python -m benchmarks.calibration [--studies 400] [--seed 0]

The simulator draws answers and knows nothing of the rules: every run flips on its own, with a chance that the study's
noise gives it and, where the subject has an effect, the effect adds. What it draws is written as study documents and
judged by the same graph as any other study. Prints, as Markdown, how often each word was said.
"""

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import polars as pl

from afp_nodes.schemas import Runs
from afp_nodes.studies.rates import false_rate
from afp_nodes.words import ProbeVerdict
from dataflows.studies import tables_of_studies

REFERENCE = "the parcel is refunded in full"
OTHER_ANSWERS = ("no refund is due here", "a person has to look at this", "the order cannot be found")
SAMPLES = (2, 3, 5, 10)
NOISES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
EFFECTS = (0.1, 0.3, 0.6, 1.0)
WORDS = ("confirmed", "inconclusive", "not-confirmed")


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a simulated study: its runs a side, and how likely a run is to flip."""

    kind: str
    baseline_samples: int
    samples: int
    noise: float
    effect: float


def studies_of(truth: Truth, count: int, chance: random.Random) -> Iterator[dict[str, object]]:
    """So many studies of one truth, as documents."""
    subject_noise = min(1.0, truth.noise + truth.effect)
    for number in range(count):
        study_id = f"{truth.kind}-{truth.baseline_samples}-{truth.samples}-{truth.noise}-{truth.effect}-{number}"
        sides = (("baseline", truth.baseline_samples, truth.noise), ("subject", truth.samples, subject_noise))
        yield {
            "study_id": study_id,
            "scenario": "simulated",
            "original_run_id": None,
            "baseline": "baseline",
            "embedder": "lexical",
            "options": {"samples": truth.samples, "comparator": "exact" if truth.kind == "ablation" else "default"},
            **_subjects(truth.kind),
            "runs": [
                {
                    "run_id": f"{study_id}-{side}-{seed}",
                    "arm_or_spec_id": side,
                    "seed": seed,
                    "output": chance.choice(OTHER_ANSWERS) if chance.random() < noise else REFERENCE,
                    "cost": {"loops": 2, "tokens": 100},
                }
                for side, runs, noise in sides
                for seed in range(runs)
            ],
        }


def _subjects(kind: str) -> dict[str, object]:
    """What a study of a kind says it compares. An ablation has an answer of its own, arms take the baseline's."""
    if kind == "ablation":
        spec = {"kind": "injection", "excludeInjectionIds": ["subject"]}
        specs = [{"spec_id": "subject", "kind": "injection", "spec": spec}]
        return {"kind": kind, "original_output": REFERENCE, "specs": specs}
    arms = [{"id": "baseline"}, {"id": "subject", "facets": {"window": "sliding-window"}}]
    return {"kind": kind, "original_output": None, "arms": arms, "manifests_reported": False}


def words_of(truths: list[Truth], count: int, seed: int) -> pl.DataFrame:
    """How often each word was said of each truth: one row a truth, one column a word, as shares of its studies."""
    chance = random.Random(seed)
    rows = [
        (index, str(study["study_id"]), json.dumps(study))
        for index, truth in enumerate(truths)
        for study in studies_of(truth, count, chance)
    ]
    studies = pl.DataFrame(rows, schema=["truth", "study_id", "content_json"], orient="row")
    tables = tables_of_studies(studies.drop("truth"), pl.DataFrame(schema=Runs.stored_dtypes()))
    said = tables["verdicts"].filter(pl.col("kind").cast(pl.String) != "cost")
    shares = [(pl.col("verdict") == word).mean().alias(word) for word in WORDS]
    judged = studies.join(said.select(pl.col("study_id").cast(pl.String), "verdict"), on="study_id")
    return judged.group_by("truth").agg(*shares).sort("truth")


def stated(kind: str, samples: int, baseline_samples: int) -> str:
    """The rate of false alarms at the worst noise that the product states beside the word."""
    arms = kind == "arms"
    return f"{false_rate(ProbeVerdict.CONFIRMED, samples, baseline_samples, seed_0_is_reference=arms):.1%}"


def false_alarms(kind: str, count: int, seed: int) -> Iterator[str]:
    """A table: how often `confirmed` was said although nothing differs, by samples and noise."""
    yield "| samples | " + " | ".join(f"noise {noise:g}" for noise in NOISES) + " | worst, stated |"
    yield "|---|" + "---|" * (len(NOISES) + 1)
    for samples in SAMPLES:
        rows = words_of([Truth(kind, samples, samples, noise, 0.0) for noise in NOISES], count, seed)
        cells = [f"{share:.1%}" for share in rows["confirmed"]]
        yield f"| {samples} | " + " | ".join(cells) + f" | {stated(kind, samples, samples)} |"


def misses(kind: str, count: int, seed: int) -> Iterator[str]:
    """A table: how often each word was said of an effect, by its size, samples and noise."""
    yield "| samples | noise | effect | " + " | ".join(WORDS) + " |"
    yield "|---|---|---|" + "---|" * len(WORDS)
    truths = [Truth(kind, n, n, noise, effect) for n, noise, effect in product((3, 5, 10), (0.0, 0.05, 0.2), EFFECTS)]
    rows = words_of(truths, count, seed)
    for truth, *shares in zip(truths, *(rows[word] for word in WORDS), strict=True):
        shown = " | ".join(f"{share:.1%}" for share in shares)
        yield f"| {truth.samples} | {truth.noise:g} | {truth.effect:g} | {shown} |"


def unequal(kind: str, count: int, seed: int) -> Iterator[str]:
    """A table: how often `confirmed` was said although nothing differs, when the sides have unlike numbers of runs."""
    yield "| baseline runs | subject runs | noise 0.1 | noise 0.3 | worst, stated |"
    yield "|---|---|---|---|---|"
    for baseline, subject in ((2, 10), (3, 5), (5, 3), (10, 2)):
        rows = words_of([Truth(kind, baseline, subject, noise, 0.0) for noise in (0.1, 0.3)], count, seed)
        low, high = rows["confirmed"]
        yield f"| {baseline} | {subject} | {low:.1%} | {high:.1%} | {stated(kind, subject, baseline)} |"


def report(count: int, seed: int) -> Iterator[str]:
    """The whole report, as lines of Markdown."""
    for kind, named in (("ablation", "Ablation, against the original answer"), ("arms", "Arms, against the baseline")):
        yield from (f"### {named}", "", "`confirmed` although nothing differs:", "")
        yield from (*false_alarms(kind, count, seed), "", "The same with unlike numbers of runs:", "")
        yield from (*unequal(kind, count, seed), "", "What was said where the subject does have an effect:", "")
        yield from (*misses(kind, count, seed), "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400, metavar="N", help="studies of each truth (default: 400)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the simulation (default: 0)")
    options = parser.parse_args()
    for line in report(options.studies, options.seed):
        print(line)
