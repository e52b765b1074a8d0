"""Similarity: how alike two texts are, by one embedder. Rule: record format, section 20.

The order of operations is the rule: a sum goes from left to right, and two square roots are multiplied. Another order
gives another last digit, and a text may then be more or less like itself than 1.
"""

import math
from dataclasses import dataclass


class EmbeddingError(Exception):
    """Two embeddings cannot be compared, or an embedder gave something that is none."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """A text as numbers, and the id of the embedder that made them: those of another cannot be compared."""

    embedder_id: str
    vector: tuple[float, ...]


def cosine(one: Embedding, other: Embedding) -> float:
    """The cosine of two embeddings; 0 when one of them is all zeros.

    Raises `EmbeddingError` for embeddings of different embedders or lengths.
    """
    if one.embedder_id != other.embedder_id:
        raise EmbeddingError(
            f"an embedding of {one.embedder_id!r} cannot be compared with one of {other.embedder_id!r}:"
            " compare answers by one embedder"
        )
    if len(one.vector) != len(other.vector):
        raise EmbeddingError(
            f"embedder {one.embedder_id!r} gave {len(one.vector)} numbers for one text"
            f" and {len(other.vector)} for another"
        )
    dot = squares = other_squares = 0.0
    for a, b in zip(one.vector, other.vector, strict=True):
        dot += a * b
        squares += a * a
        other_squares += b * b
    if squares == 0 or other_squares == 0:
        return 0.0
    return dot / (math.sqrt(squares) * math.sqrt(other_squares))
