"""Embedders: texts as numbers, so that one can say how alike two answers are.

Rules: record format, section 20 (the reference's mock); product contract, section 6. An embedder says in a sentence
what it can and cannot judge. Packages offer others under the entry point `afp.embedders`: a callable without
arguments that gives an `Embedder`. Its id must name its weights: what it once said of a text is kept by that id.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol
from unicodedata import ucd_3_2_0 as frozen_unicode
from zlib import crc32

from afp_nodes.studies.minilm import MiniLm
from afp_nodes.studies.plugins import named
from afp_nodes.studies.similarity import Embedding, EmbeddingError

GROUP = "afp.embedders"
DEFAULT_EMBEDDER = "lexical"

MOCK_DIMENSIONS = 32
LEXICAL_BUCKETS = 512
"""Buckets for words, and as many for runs of three characters."""


class Embedder(Protocol):
    """What turns texts into numbers; one text always into the same."""

    @property
    def id(self) -> str:
        """Its name, and by it that of its weights."""

    @property
    def judges(self) -> str:
        """What it can and cannot judge, as a sentence."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The numbers of each text, as many for every text."""


class Mock:
    """The reference's mock: how often which character code, modulo its dimensions."""

    id = "mock"
    judges = (
        "Counts character codes, as the reference's mock does: it knows neither words nor meaning nor order,"
        " and serves comparison with the reference."
    )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The counts of each text."""
        return [mock_vector(text) for text in texts]


def mock_vector(text: str, dimensions: int = MOCK_DIMENSIONS) -> list[float]:
    """How many of the text's UTF-16 code units are which number modulo `dimensions`."""
    vector = [0.0] * dimensions
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    for unit, times in Counter(units).items():
        vector[unit % dimensions] += times
    return vector


class Lexical:
    """Hashed words and runs of three characters: offline, without weights, the same on every machine."""

    id = DEFAULT_EMBEDDER
    judges = (
        "Compares wording, by words and runs of three characters, and never meaning: the same thing said in other"
        " words looks changed, and a small word that turns the meaning looks like no change."
    )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The counts of each text."""
        return [_lexical_vector(text) for text in texts]


EMBEDDERS: dict[str, Callable[[], Embedder]] = {Mock.id: Mock, Lexical.id: Lexical, MiniLm.id: MiniLm}


@cache
def embedder(name: str) -> Embedder:
    """The embedder of that name. Raises `UnknownNameError` where there is none, or its package is not installed."""
    made: Embedder = named(GROUP, "embedder", EMBEDDERS, name)()
    return made


def embedded(embedder_id: str, texts: Collection[str]) -> dict[str, Embedding]:
    """The embedding of each text.

    Raises `UnknownNameError` where there is no such embedder, `EmbeddingError` where it gives something else than as
    many finite numbers for each text.
    """
    distinct = sorted(set(texts))
    vectors = [tuple(map(float, vector)) for vector in embedder(embedder_id).embed(distinct)] if distinct else []
    if len(vectors) != len(distinct) or len({len(vector) for vector in vectors}) > 1:
        raise EmbeddingError(f"embedder {embedder_id!r} did not give as many numbers for each text")
    if not all(map(math.isfinite, (number for vector in vectors for number in vector))):
        raise EmbeddingError(f"embedder {embedder_id!r} gave a number that is not finite")
    return {text: Embedding(embedder_id, vector) for text, vector in zip(distinct, vectors, strict=True)}


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Gives the embeddings of some texts by the embedder of that id; who keeps them puts himself in between."""

    of: Callable[[str, Collection[str]], Mapping[str, Embedding]] = embedded


def _lexical_vector(text: str) -> list[float]:
    """Counts of the text's words, then of its runs of three characters, each in the bucket of its hash.

    The last number is 1 for a text without any: it is like itself, and like no other.
    """
    letters = "".join(map(_folded, frozen_unicode.normalize("NFC", text)))
    words = "".join(letter if _is_of_a_word(letter) else " " for letter in letters).split()
    line = " ".join(letters.split())
    runs = [f" {line} "[start : start + 3] for start in range(len(line))]
    vector = [0.0] * (2 * LEXICAL_BUCKETS) + [float(not line)]
    for first, features in ((0, words), (LEXICAL_BUCKETS, runs)):
        for feature, times in Counter(features).items():
            vector[first + crc32(feature.encode("utf-8", "surrogatepass")) % LEXICAL_BUCKETS] += times
    return vector


@lru_cache(65_536)
def _folded(letter: str) -> str:
    """A letter in the case that all its cases share; what Unicode 3.2 did not know yet stays, on every Python."""
    return letter if frozen_unicode.category(letter) == "Cn" else letter.casefold()


@lru_cache(65_536)
def _is_of_a_word(letter: str) -> bool:
    """A letter, a mark on one, a digit, or what Unicode 3.2 did not know yet."""
    return frozen_unicode.category(letter)[0] in "LMN" or frozen_unicode.category(letter) == "Cn"
