"""Verdicts: every claim as one row, with the rows of the record it rests on."""

import dataframely as dy
import polars as pl

from afp_nodes.schemas import Coverages, Verdicts
from afp_nodes.words import SubjectKind, Tier, VerdictKind

SEPARATOR = "|"
ESCAPES = {character: f"%{ord(character):02X}" for character in ("%", SEPARATOR, *map(chr, range(32)), "\x7f")}


def verdicts(coverages: dy.LazyFrame[Coverages]) -> dy.LazyFrame[Verdicts]:
    """One row per claim.

    `coverage`: one row per variable and scope. It rests on the commit that began the life asked about, and on the
    commits that read it.
    """
    nothing = {n: pl.lit(None, t) for n, t in Verdicts.stored_dtypes().items()}
    return (
        coverages.with_columns(
            verdict_id=_verdict_id(VerdictKind.COVERAGE, "run_id", "scope", "key"),
            tier=pl.lit(Tier.STRUCTURAL),
            kind=pl.lit(VerdictKind.COVERAGE),
            subject_kind=pl.lit(SubjectKind.VARIABLE),
            subject_id="key",
            verdict=pl.col("coverage").cast(pl.String),
            evidence_json=_coverage_evidence(),
        )
        .with_columns(**{n: e for n, e in nothing.items() if n not in FILLED})
        .select(Verdicts.column_names())
        .pipe(Verdicts.cast)
    )


FILLED = frozenset(
    ("verdict_id", "tier", "kind", "run_id", "scope", "subject_kind", "subject_id", "verdict", "evidence_json")
)
"""Columns a structural row fills; the others are NULL on it."""


def _verdict_id(kind: VerdictKind, run_id: str, scope: str, subject_id: str) -> pl.Expr:
    """Kind, study, run, scope and subject, joined by `|`; what would blur the joints is written as `%XX`."""
    parts = [pl.col(name).cast(pl.String).str.replace_many(ESCAPES) for name in (run_id, scope, subject_id)]
    return pl.concat_str(pl.lit(kind), pl.lit(""), *parts, separator=SEPARATOR)


def _coverage_evidence() -> pl.Expr:
    """`[{"written_at": position or null, "read_at": [positions], "lives": how many the slice holds}]`."""
    return pl.format(
        '[{{"written_at":{},"read_at":[{}],"lives":{}}}]',
        pl.col("root_commit_idx").cast(pl.String).fill_null("null"),
        pl.col("root_readers").cast(pl.List(pl.String)).list.join(","),
        pl.col("reached_lives"),
    )
