"""Documents: what a study must be to be read at all. Rule: product contract, section 6."""

import math
import sys
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from afp_nodes.javascript import parse
from afp_nodes.words import StudyKind

GREATEST_COUNT = 2**53
"""Beyond it, numbers are not counted with."""

GREATEST_NUMBER = sys.float_info.max

DEFAULT_SAMPLES = 3
FEWEST_SAMPLES = 2

Name = Annotated[str, Meta(min_length=1)]
Seed = Annotated[int, Meta(ge=-GREATEST_COUNT, le=GREATEST_COUNT)]
Number = Annotated[float, Meta(ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)]


class Unit(Struct):
    """One unit of context that was available or sent."""

    id: str


class Cost(Struct):
    """What a probe run cost, as far as the study says."""

    loops: Number | None = None
    tokens: Number | None = None


class StudyRun(Struct):
    """One probe run that a study lists; a run that says why it failed has no answer."""

    run_id: Name
    arm_or_spec_id: str
    seed: Seed
    output: str | None = None
    cost: Cost | None = None
    error: Any = None
    changed: bool | None = None


class Spec(Struct):
    """What the runs of one subject went without, or were given back."""

    spec_id: Name
    spec: Any = None
    content: Any = None


class Arm(Struct):
    """One configuration under test. An `id` that is no text is refused for that, not for being unreadable."""

    id: Any = None
    facets: dict[str, Any] | None = None
    ablations: list[dict[str, Any]] | None = None

    @property
    def name(self) -> str:
        """The id of an arm that is fit to be compared."""
        return str(self.id)


class Options(Struct, rename="camel"):
    """How a study wants to be judged."""

    samples: Annotated[float, Meta(ge=-GREATEST_NUMBER, le=GREATEST_COUNT)] | None = None
    flip_threshold: Number | None = None
    comparator: str | None = None
    max_candidates: Annotated[int, Meta(ge=0, le=GREATEST_COUNT)] | None = None


class Study(Struct):
    """A study: what was asked of which runs."""

    study_id: Name
    kind: StudyKind
    runs: list[StudyRun]
    scenario: Any = None
    original_run_id: str | None = None
    original_output: str | None = None
    baseline: str | None = None
    embedder: str | None = None
    options: Options | None = None
    specs: list[Spec] | None = None
    arms: list[Arm] | None = None
    available: list[Unit] | None = None
    sent: list[Unit] | None = None
    manifests_reported: bool | None = None


def study_of(text: str) -> Study:
    """The study of a JSON text, its numbers doubles. Raises `msgspec.ValidationError` where a member is wrong."""
    return msgspec.convert(parse(text), Study)


def resolved_samples(samples: float | None) -> int:
    """The runs asked for of each subject: three unless a number says otherwise, and never fewer than two."""
    if samples is None or not math.isfinite(samples):
        return DEFAULT_SAMPLES
    return max(FEWEST_SAMPLES, math.floor(samples))
