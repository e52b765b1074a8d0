"""Documents: what comes of single documents and of lines, whole, odd, cut or too large."""

import gzip
import hashlib
import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

from dataflows.inputs import Document, Limits, Source, find_sources, read_documents
from tests.inputs.packing import codes, gzipped, read_file, refusals, texts, zstandardised

MARK = b"\xef\xbb\xbf"
SUFFIXES = {"": bytes, ".gz": gzipped, ".zst": zstandardised}


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_one_document_is_read_as_it_lies(tmp_path: Path, suffix: str) -> None:
    data = MARK + b' {"a": 1}\r\n'
    path = written(tmp_path / f"run.json{suffix}", SUFFIXES[suffix](data))
    assert read_file(path) == [Document(str(path), 0, data, hashlib.sha256(data).hexdigest(), None)]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_lines_lose_mark_and_line_end_and_blank_ones_do_not_count(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path / f"runs.jsonl{suffix}", SUFFIXES[suffix](MARK + b"1\r\n\r\n \t\n 2 \n\n3"))
    assert [(item.position, item.line, item.data) for item in read_file(path) if isinstance(item, Document)] == [
        (0, 1, b"1"),
        (1, 4, b" 2 "),
        (2, 6, b"3"),
    ]


def test_the_digest_of_a_line_is_of_the_line_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.jsonl", MARK + b"1\r\n")
    [document] = read_file(path)
    assert isinstance(document, Document)
    assert document.sha256 == hashlib.sha256(b"1").hexdigest()


def test_a_torn_last_line_is_a_document_whatever_follows_it(tmp_path: Path) -> None:
    torn = read_file(written(tmp_path / "runs.jsonl", b'{"a":1}\n{"a":'))
    assert texts(torn) == [b'{"a":1}', b'{"a":']
    assert read_file(written(tmp_path / "runs.jsonl", b'{"a":1}\n{"a":\n')) == torn


@pytest.mark.parametrize("data", [b"", gzip.compress(b""), zstandard.compress(b"")], ids=["no bytes", "gzip", "zstd"])
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_an_empty_file_is_refused_as_such(tmp_path: Path, ending: str, data: bytes) -> None:
    suffix = {b"\x1f": ".gz", b"\x28": ".zst"}.get(data[:1], "")
    items = read_file(written(tmp_path / f"run{ending}{suffix}", data))
    assert codes(items) == ["not-json"]
    assert "is empty" in refusals(items)[0].message


def test_lines_that_are_all_blank_hold_no_document(tmp_path: Path) -> None:
    assert codes(read_file(written(tmp_path / "runs.jsonl", MARK + b"\n \r\n"))) == ["not-json"]


@pytest.mark.parametrize("compressed", [gzipped, zstandardised])
def test_streams_one_after_another_are_one_text(tmp_path: Path, compressed: Callable[[bytes], bytes]) -> None:
    suffix = ".gz" if compressed is gzipped else ".zst"
    data = compressed(b'{"a"') + compressed(b"") + b"\0" * 512 + compressed(b":1}") + b"\0"
    assert texts(read_file(written(tmp_path / f"run.json{suffix}", data))) == [b'{"a":1}']


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("data", [b'{"not": "compressed"}', b"\0" * 100], ids=["text", "zeros"])
def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path, suffix: str, data: bytes) -> None:
    items = read_file(written(tmp_path / f"run.json{suffix}", data))
    assert codes(items) == ["unreadable"]
    assert "holds no sound" in refusals(items)[0].message


def test_a_wrong_checksum_is_seen(tmp_path: Path) -> None:
    data = bytearray(gzipped(b'{"a":1}'))
    data[-6] ^= 1
    assert codes(read_file(written(tmp_path / "run.json.gz", bytes(data)))) == ["unreadable"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_lines_before_a_cut_are_read_and_the_rest_is_refused_with_its_line(tmp_path: Path, suffix: str) -> None:
    lines = [os.urandom(2_000).hex().encode() for _ in range(300)]
    data = SUFFIXES[suffix](b"\n".join(lines))
    items = read_file(written(tmp_path / f"runs.jsonl{suffix}", data[: len(data) // 2]))
    documents, [refusal] = texts(items), refusals(items)
    assert documents
    assert documents == lines[: len(documents)]
    assert (refusal.code.value, refusal.position) == ("truncated", len(documents))
    assert "ends in the middle" in refusal.message
    assert refusal.message.endswith(f"in line {len(documents) + 1}")
    assert "copy the file again" in refusal.remedy


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_document_may_be_as_large_as_the_limit_and_no_larger(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path / f"run.json{suffix}", SUFFIXES[suffix](b"1" * 1_000))
    assert texts(read_file(path, Limits(1_000))) == [b"1" * 1_000]
    items = read_file(path, Limits(999))
    assert codes(items) == ["too-large"]
    assert "999 bytes" in refusals(items)[0].message
    assert "--max-document-mb" in refusals(items)[0].remedy


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_line_that_is_too_large_costs_the_others_nothing(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path / f"runs.jsonl{suffix}", SUFFIXES[suffix](b"1\n" + b"2" * 3_000_000 + b"\n3\n44"))
    items = read_file(path, Limits(1))
    assert [item.position for item in items] == [0, 1, 2, 3]
    assert texts(items) == [b"1", b"3"]
    assert [refusal.message.split(" is ")[0] for refusal in refusals(items)] == ["line 2", "line 4"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_bomb_is_left_at_the_limit(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path / f"run.json{suffix}", SUFFIXES[suffix](b" " * 200_000_000))
    with memory() as peak_bytes:
        assert codes(read_file(path, Limits(1_000_000))) == ["too-large"]
        assert peak_bytes() < 60_000_000


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_more_than_a_few_lines_are_held_at_once(tmp_path: Path, suffix: str) -> None:
    lines = [os.urandom(250_000).hex().encode() for _ in range(20)]
    path = written(tmp_path / f"runs.jsonl{suffix}", SUFFIXES[suffix](b"\n".join(lines)))
    with memory() as peak_bytes:
        assert sum(1 for _ in read_documents(the_source(path))) == 20
        assert peak_bytes() < 5_000_000


@contextmanager
def memory() -> Iterator[Callable[[], int]]:
    """Tells the most bytes that Python held at once since it was entered."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def the_source(path: Path) -> Source:
    [source] = find_sources([path]).sources
    return source


def test_a_file_that_went_away_is_refused(tmp_path: Path) -> None:
    source = the_source(written(tmp_path / "run.json", b"{}"))
    Path(source.uri).unlink()
    [refusal] = refusals(read_documents(source))
    assert (refusal.source_uri, refusal.position, refusal.code.value) == (source.uri, 0, "unreadable")
    assert "No such file" in refusal.message
    assert "run again" in refusal.remedy


def test_a_file_that_became_a_pipe_does_not_stop_the_reading(tmp_path: Path) -> None:
    source = the_source(written(tmp_path / "run.json", b"{}"))
    Path(source.uri).unlink()
    os.mkfifo(source.uri)
    assert codes(read_documents(source)) == ["unreadable"]


def test_a_file_that_may_not_be_opened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = the_source(written(tmp_path / "run.json", b"{}"))

    def forbidden(path: str, _flags: int) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "open", forbidden)
    [refusal] = refusals(read_documents(source))
    assert "Permission denied" in refusal.message
    assert "allow the user" in refusal.remedy


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    source = the_source(written(tmp_path / "run.json", b"{"))
    Path(source.uri).write_bytes(b'{"a":1}')
    assert texts(read_documents(source)) == [b'{"a":1}']
