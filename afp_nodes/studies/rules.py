"""Rules: in which order it is asked what the runs of a subject show, and the word of each answer.

Rules: record format, sections 22 and 24; product contract, section 6.
"""

import polars as pl

from afp_nodes.studies.comparators import DEFAULT_COMPARATOR, RECORDED
from afp_nodes.studies.rates import FEWEST_RUNS
from afp_nodes.words import ProbeVerdict, Ruling

WORDS = {
    Ruling.MAJORITY_FLIPPED: ProbeVerdict.CONFIRMED,
    Ruling.NONE_FLIPPED: ProbeVerdict.NOT_CONFIRMED,
}
"""The word of a ruling; all others give `inconclusive`."""


def deciding_rule() -> pl.Expr:
    """The first rule that holds, in their order: what could be compared, the baseline, the manifests, the runs."""
    compares_texts = pl.col("comparator") != RECORDED
    lacks_embedder = (pl.col("comparator") == DEFAULT_COMPARATOR) & pl.col("embedder_judges").is_null()
    contradicted = pl.col("manifest_checked") & ~pl.col("manifest_applied")
    most_flipped = pl.col("flips") * 2 > pl.col("samples")
    rules = {
        Ruling.NO_EMBEDDER: lacks_embedder,
        Ruling.NO_COMPARATOR: ~pl.col("has_comparator"),
        Ruling.NO_REFERENCE: compares_texts & pl.col("reference_text").is_null(),
        Ruling.BASELINE_FLIPPED: ~pl.col("baseline_stable"),
        Ruling.BASELINE_TOO_SMALL: pl.col("baseline_samples") < FEWEST_RUNS,
        Ruling.MANIFEST_CONTRADICTS: contradicted,
        Ruling.TOO_FEW_RUNS: pl.col("samples") < FEWEST_RUNS,
        Ruling.INSIDE_NULL_BAND: most_flipped & pl.col("gates") & ~pl.col("outside_null_band"),
        Ruling.MAJORITY_FLIPPED: most_flipped,
        Ruling.MINORITY_FLIPPED: pl.col("flips") > 0,
    }
    holding = (pl.when(holds).then(pl.lit(rule)) for rule, holds in rules.items())
    return pl.coalesce(*holding, pl.lit(Ruling.NONE_FLIPPED))
