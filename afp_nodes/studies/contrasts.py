"""Contrasts: whether the answers of one group of runs stray further from those of another than these do themselves.

Rule: product contract, section 6, observational arms. Groups are compared within one question. Of two runs of one group
the similarity has some mean; if the other group answers alike, a run of each has the same. The difference of the two is
the contrast. How often chance alone would give as much is told by dealing the runs of each question out anew.
"""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from afp_nodes.studies.similarity import Embedding
from afp_nodes.studies.statistics import DIGITS

DEALS = 1_999
"""How often the runs are dealt out anew: the least chance that can be told is one in one more."""


class Contrast(NamedTuple):
    """One question: the contrast, the mean similarity across the groups, and the contrasts of the runs dealt anew."""

    difference: float
    similarity: float
    dealt: NDArray[np.float64]


def contrast(question: str, arm: Sequence[Embedding], baseline: Sequence[Embedding]) -> Contrast:
    """The contrast of at least one run with at least two of the baseline; the question seeds the dealing."""
    runs, arm_runs = len(arm) + len(baseline), len(arm)
    units = _units([*arm, *baseline])
    as_recorded = np.arange(runs)[None, :] < arm_runs
    deals = np.random.default_rng(crc32(question.encode())).random((DEALS, runs)).argsort(axis=1) < arm_runs
    across, within = _similarities(units, np.concatenate([as_recorded, deals]).astype(np.float64))
    differences = (across - within).round(DIGITS)
    return Contrast(float(differences[0]), round(float(across[0]), DIGITS), differences[1:])


def chance(contrasts: Sequence[Contrast]) -> float:
    """How often runs dealt anew have a mean contrast at least as far from zero as the recorded ones."""
    recorded = round(float(np.mean([each.difference for each in contrasts])), DIGITS)
    dealt = np.mean([each.dealt for each in contrasts], axis=0).round(DIGITS)
    return (1 + int(np.count_nonzero(np.abs(dealt) >= abs(recorded)))) / (1 + DEALS)


def _units(embeddings: Sequence[Embedding]) -> NDArray[np.float64]:
    """The embeddings with length one, or zero, in as few dimensions as keep all their products."""
    vectors = np.array([embedding.vector for embedding in embeddings], np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return np.linalg.qr(units.T).R.T if len(units) < units.shape[1] else units


def _similarities(
    units: NDArray[np.float64], in_arm: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each deal the mean similarity of a run of either group, and of two runs of the baseline."""
    of_arm, of_baseline = in_arm @ units, (1 - in_arm) @ units
    arm_runs, baseline_runs = in_arm[0].sum(), (1 - in_arm[0]).sum()
    with_themselves = (1 - in_arm) @ (units**2).sum(axis=1)
    across = (of_arm * of_baseline).sum(axis=1) / (arm_runs * baseline_runs)
    pairs = baseline_runs * (baseline_runs - 1)
    return across, ((of_baseline**2).sum(axis=1) - with_themselves) / pairs
