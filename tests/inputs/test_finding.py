"""Finding: each real file once, nothing outside, nothing dropped without a word."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dataflows.inputs import READERS, Document, Limits, NoSuchPathError, Source, find_sources, read_documents
from dataflows.inputs.chunks import SeekableFile
from dataflows.inputs.endings import ending_of
from tests.inputs.packing import texts


def fill(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def names_found(*paths: Path | str) -> list[str]:
    return [Path(source.uri).name for source in find_sources(paths).sources]


ACCEPTED = (
    *("a.json", "a.json.gz", "a.json.zst", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst"),
    *("a.ndjson", "a.ndjson.gz", "a.ndjson.zst", "a.zip", "a.tar", "a.tar.gz", "a.tgz"),
)


@pytest.mark.parametrize("name", [*ACCEPTED, "A.JSON.GZ", "s.study.json", "v1.2.json", ".json"])
def test_an_ending_of_the_contract_is_accepted(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    assert names_found(tmp_path) == [name]


@pytest.mark.parametrize("name", ["a.txt", "a.json.bak", "a.gz", "json", "a.zip.gz", "a.json.xz", "a.tar.bz2", "a"])
def test_another_ending_is_ignored_and_counted_also_when_named(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    for path in (tmp_path, tmp_path / name):
        found = find_sources([path])
        assert (found.sources, found.ignored, found.refusals) == ([], 1, [])


def test_the_query_of_a_web_address_is_no_part_of_its_name() -> None:
    assert ending_of("https://host/a.b/run.json.gz?key=x/y.zip", READERS) == ".json.gz"


def test_folders_are_searched_to_the_bottom_and_sorted(tmp_path: Path) -> None:
    fill(tmp_path, "b/run.json", "a/run.json", "a/b/c/d.jsonl", "z.zip")
    uris = [source.uri for source in find_sources([tmp_path]).sources]
    assert uris == [str(tmp_path / name) for name in ("a/b/c/d.jsonl", "a/run.json", "b/run.json", "z.zip")]


def test_an_odd_path_survives_to_the_letter(tmp_path: Path) -> None:
    name = "it's 100% été/a::b/c\n\x1b[31m/%20 rün.json"
    fill(tmp_path, name)
    [source] = find_sources([tmp_path]).sources
    assert source.uri == str(tmp_path / name)
    assert texts(read_documents(source)) == [b"{}"]


def test_a_relative_path_gives_an_absolute_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "in/run.json")
    monkeypatch.chdir(tmp_path)
    assert [source.uri for source in find_sources(["in/../in"]).sources] == [str(tmp_path / "in/run.json")]


def test_a_local_url_is_a_path(tmp_path: Path) -> None:
    fill(tmp_path, "a%20b.json")
    assert names_found(f"file://{tmp_path}/a%20b.json") == ["a%20b.json"]


def test_paths_that_overlap_give_each_file_once(tmp_path: Path) -> None:
    fill(tmp_path, "in/run.json", "in/note.txt")
    found = find_sources([tmp_path, tmp_path / "in", tmp_path / "in/run.json", tmp_path / "in/note.txt"])
    assert (len(found.sources), found.ignored) == (1, 1)


@pytest.mark.parametrize("path", ["gone", "gone/run.json", "run.json/below", ""])
def test_a_path_that_leads_nowhere_is_an_error_that_names_it(tmp_path: Path, path: str) -> None:
    fill(tmp_path, "run.json")
    missing = os.path.join(tmp_path, path) if path else ""
    with pytest.raises(NoSuchPathError, match=r"is not there.*; (correct the path|the current folder is)"):
        find_sources([missing])


def test_an_excepted_folder_is_not_entered(tmp_path: Path) -> None:
    fill(tmp_path, "run.json", "store/manifests/1.json")
    assert [source.uri for source in find_sources([tmp_path], [tmp_path / "store"]).sources] == [
        str(tmp_path / "run.json")
    ]


def test_a_named_link_is_followed(tmp_path: Path) -> None:
    fill(tmp_path, "real/run.json")
    (tmp_path / "inbox").symlink_to("real")
    assert [source.uri for source in find_sources([tmp_path / "inbox"]).sources] == [str(tmp_path / "real/run.json")]


def test_links_inside_end_and_give_each_file_once(tmp_path: Path) -> None:
    fill(tmp_path, "sub/run.json")
    (tmp_path / "sub/up").symlink_to("..")
    (tmp_path / "again.json").symlink_to("sub/run.json")
    os.link(tmp_path / "sub/run.json", tmp_path / "sub/twin.json")
    found = find_sources([tmp_path])
    assert [source.uri for source in found.sources] == [str(tmp_path / "sub/run.json")]
    assert (found.repeated, found.refusals) == (2, [])


def test_a_link_gives_the_name_to_a_file_that_has_no_accepted_one(tmp_path: Path) -> None:
    fill(tmp_path, "objects/ab12")
    (tmp_path / "run.json").symlink_to("objects/ab12")
    (tmp_path / "run2.json").symlink_to("objects/ab12")
    found = find_sources([tmp_path])
    assert [source.uri for source in found.sources] == [str(tmp_path / "run.json")]
    assert (found.ignored, found.repeated) == (1, 1)


def test_links_that_lead_nowhere_are_refused_where_their_name_promises_a_document(tmp_path: Path) -> None:
    (tmp_path / "dangling.json").symlink_to("gone.json")
    (tmp_path / "one.json").symlink_to("other.json")
    (tmp_path / "other.json").symlink_to("one.json")
    (tmp_path / "notes.txt").symlink_to("gone.txt")
    found = find_sources([tmp_path])
    assert [Path(r.source_uri).name for r in found.refusals] == ["dangling.json", "one.json", "other.json"]
    assert found.ignored == 1
    assert {refusal.code.value for refusal in found.refusals} == {"unreadable"}
    assert all("leads nowhere" in refusal.message and refusal.remedy for refusal in found.refusals)


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    fill(tmp_path, "in/run.json", "out/secret.json", "out/secret.txt", "in-law/run.json")
    (tmp_path / "in/file.json").symlink_to("../out/secret.json")
    (tmp_path / "in/folder").symlink_to("../out")
    (tmp_path / "in/law").symlink_to("../in-law")
    (tmp_path / "in/parent").symlink_to("..")
    (tmp_path / "in/text.txt").symlink_to("../out/secret.txt")
    found = find_sources([tmp_path / "in"])
    assert [source.uri for source in found.sources] == [str(tmp_path / "in/run.json")]
    assert [Path(refusal.source_uri).name for refusal in found.refusals] == ["file.json", "folder", "law", "parent"]
    assert all("out of the folder" in refusal.message for refusal in found.refusals)
    assert found.ignored == 1


def test_a_link_into_another_named_folder_is_inside(tmp_path: Path) -> None:
    fill(tmp_path, "a/run.json", "b/run.json")
    (tmp_path / "a/link.json").symlink_to("../b/run.json")
    found = find_sources([tmp_path / "a", tmp_path / "b"])
    assert (len(found.sources), found.repeated, found.refusals) == (2, 1, [])


def test_what_is_no_regular_file_is_refused_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("link.json", "link2.json"):
        (tmp_path / name).symlink_to("pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.json"))
        found = find_sources([tmp_path, tmp_path / "pipe.json"])
    assert found.sources == []
    refused = [Path(refusal.source_uri).name for refusal in found.refusals]
    assert refused == ["link.json", "link2.json", "pipe.json", "socket.json"]
    assert found.ignored == 1


def test_a_folder_that_may_not_be_listed_is_refused_and_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, "open/run.json", "closed/run.json")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    found = find_sources([tmp_path])
    assert [source.uri for source in found.sources] == [str(tmp_path / "open/run.json")]
    [refusal] = found.refusals
    assert (refusal.source_uri, refusal.code.value) == (str(tmp_path / "closed"), "unreadable")
    assert "Permission denied" in refusal.message
    assert "allow" in refusal.remedy


def test_a_name_that_no_table_can_hold_is_refused_in_text(tmp_path: Path) -> None:
    for name in (b"bad\xff.json", b"bad\xff"):
        os.mkdir(os.path.join(os.fsencode(tmp_path), name))
    found = find_sources([tmp_path, os.path.join(os.fsencode(tmp_path), b"bad\xff").decode(errors="surrogateescape")])
    assert found.sources == []
    assert {Path(refusal.source_uri).name for refusal in found.refusals} == {r"bad\xff.json", r"bad\xff"}
    assert all(refusal.source_uri.encode() for refusal in found.refusals)


def test_nothing_is_written_beside_the_input_and_no_home_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    fill(tmp_path, "a.json", "b.zip", "c.jsonl")
    before = sorted((path, path.stat().st_mtime_ns) for path in [tmp_path, *tmp_path.iterdir()])
    for source in find_sources([tmp_path]).sources:
        list(read_documents(source))
    assert sorted((path, path.stat().st_mtime_ns) for path in [tmp_path, *tmp_path.iterdir()]) == before


def test_another_reader_makes_another_ending_an_accepted_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reversed_text(file: SeekableFile, source: Source, _: Limits) -> Iterator[Document]:
        yield Document.of(source.uri, 0, file.read(100)[::-1])

    monkeypatch.setitem(READERS, ".txt", reversed_text)
    fill(tmp_path, "a.txt")
    [source] = find_sources([tmp_path]).sources
    assert texts(read_documents(source)) == [b"}{"]
