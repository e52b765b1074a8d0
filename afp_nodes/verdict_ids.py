"""Verdict ids: a readable name for each claim, made of what identifies it. Rule: product contract, section 5."""

import polars as pl

SEPARATOR = "|"
ESCAPES = {character: f"%{ord(character):02X}" for character in ("%", SEPARATOR, *map(chr, range(32)), "\x7f")}

IDENTIFYING = ("study_id", "run_id", "scope", "subject_id")
"""What tells claims of one kind apart; a claim that has no such column, or NULL in it, leaves the place empty."""


def verdict_id(columns: frozenset[str]) -> pl.Expr:
    """Kind, study, run, scope and subject, joined by `|`; what would blur the joints is written as `%XX`.

    `columns` are those that the frame has.
    """
    parts = [
        pl.col(name).cast(pl.String).fill_null("").str.replace_many(ESCAPES) if name in columns else pl.lit("")
        for name in IDENTIFYING
    ]
    return pl.concat_str(pl.col("kind").cast(pl.String), *parts, separator=SEPARATOR)
