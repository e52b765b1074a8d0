"""URLs: the same documents as from a folder, from any file system that fsspec knows."""

from collections.abc import Iterator

import fsspec
import pytest

from dataflows.inputs import NoSuchPathError, Source, find_sources, is_unchanged, read_documents
from dataflows.inputs.urls import source_of
from tests.inputs.packing import gzipped, refusals, tarred, texts, zipped

FILES = {
    "it's 100% été/a.json": b"{}",
    "b.jsonl.gz": gzipped(b"1\n2\n"),
    "c.zip": zipped([("m.json", b"3")]),
    "d.tar": tarred([("m.json", b"4")]),
    "note.txt": b"?",
}


@pytest.fixture
def inbox() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for name, data in FILES.items():
        system.pipe_file(f"/inbox/{name}", data)
    yield "memory://inbox"
    system.rm("/inbox", recursive=True)


def test_a_folder_behind_a_url_is_searched(inbox: str) -> None:
    found = find_sources([inbox])
    assert [source.uri for source in found.sources] == sorted(
        f"memory:///inbox/{name}" for name in FILES if name != "note.txt"
    )
    assert (found.ignored, found.refusals) == (1, [])


def test_every_form_is_read_from_a_url(inbox: str) -> None:
    items = [item for source in find_sources([inbox]).sources for item in read_documents(source)]
    assert texts(items) == [b"1", b"2", b"3", b"4", b"{}"]


def test_a_url_of_a_file_is_one_source(inbox: str) -> None:
    assert [source.uri for source in find_sources([f"{inbox}/c.zip", f"{inbox}/c.zip"]).sources] == [
        "memory:///inbox/c.zip"
    ]


def test_a_url_written_again_is_not_unchanged(inbox: str) -> None:
    [source] = find_sources([f"{inbox}/c.zip"]).sources
    known = {source.uri: source.fingerprint}
    assert is_unchanged(find_sources([f"{inbox}/c.zip"]).sources[0], known)
    fsspec.filesystem("memory").pipe_file("/inbox/c.zip", FILES["c.zip"])
    assert not is_unchanged(find_sources([f"{inbox}/c.zip"]).sources[0], known)


def test_a_service_that_tells_nothing_of_changes_is_always_read_again() -> None:
    source = source_of("https://host/a.json", {"name": "https://host/a.json", "size": None, "type": "file"})
    assert source.size_bytes == 0
    assert not is_unchanged(source, {source.uri: source.fingerprint})


def test_an_entity_tag_tells_of_changes() -> None:
    one, other = (source_of("s3://bucket/a.json", {"size": 2, "ETag": tag}) for tag in ("a", "b"))
    assert is_unchanged(one, {one.uri: one.fingerprint})
    assert not is_unchanged(other, {one.uri: one.fingerprint})


@pytest.mark.usefixtures("inbox")
@pytest.mark.parametrize("url", ["memory://gone", "memory://inbox/gone.json", "nothing-like-it://a/b"])
def test_a_url_that_leads_nowhere_is_an_error_that_names_it(url: str) -> None:
    with pytest.raises(NoSuchPathError, match=url):
        find_sources([url])


def test_a_url_that_went_away_is_refused() -> None:
    [refusal] = refusals(read_documents(Source("memory:///gone.json", 1, 1, 1, 1)))
    assert refusal.code.value == "unreadable"


class Falling:
    """A file of a service that fails in a way of its own."""

    def __init__(self, *_: object, **__: object) -> None:
        self.left = [b"1\n2"]

    def read(self, _: int) -> bytes:
        if self.left:
            return self.left.pop()
        raise RuntimeError("the service fell over")

    def close(self) -> None:
        """Nothing to close."""


def test_a_service_that_fails_on_the_way_costs_the_rest_only(inbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [source] = find_sources([f"{inbox}/b.jsonl.gz"]).sources
    plain = Source(source.uri.removesuffix(".gz"), 9, 1, 1, 1)
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", Falling)
    items = list(read_documents(plain))
    assert texts(items) == [b"1"]
    [refusal] = refusals(items)
    assert (refusal.position, refusal.code.value) == (1, "unreadable")
    assert "the service fell over" in refusal.message
