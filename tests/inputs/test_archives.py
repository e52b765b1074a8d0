"""Archives: member by member, whole, cut, encrypted, odd; never unpacked."""

import gzip
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from afp_nodes.refusals import Refusal
from dataflows.inputs import Document, Limits, find_sources, read_documents
from tests.inputs.packing import (
    Members,
    codes,
    file_header,
    gzipped,
    read_file,
    refusals,
    tarred,
    tarred_headers,
    texts,
    zipped,
    zipped_one_way,
    zstandardised,
)

PACKERS: dict[str, Callable[[Members], bytes]] = {
    ".zip": zipped,
    ".tar": tarred,
    ".tar.gz": lambda members: gzipped(tarred(members)),
    ".tgz": lambda members: gzipped(tarred(members)),
}
every_archive = pytest.mark.parametrize("ending", PACKERS)


def packed(folder: Path, ending: str, members: Members) -> Path:
    path = folder / f"runs{ending}"
    path.write_bytes(PACKERS[ending](members))
    return path


def places(path: Path, items: list[Document | Refusal]) -> list[tuple[str, int]]:
    """Member and position of each item."""
    return [(item.source_uri.removeprefix(f"{path}::"), item.position) for item in items]


@every_archive
def test_members_of_every_form_are_read(tmp_path: Path, ending: str) -> None:
    forms = {".json": b"{}", ".jsonl": b"1\n2\n", ".ndjson": b"3"}
    codecs = {"": bytes, ".gz": gzipped, ".zst": zstandardised}
    members = [(f"m{form}{codec}", codecs[codec](text)) for form, text in forms.items() for codec in codecs]
    items = read_file(packed(tmp_path, ending, members))
    assert texts(items) == [b"{}"] * 3 + [b"1", b"2"] * 3 + [b"3"] * 3


@every_archive
def test_a_member_is_named_after_its_archive_and_position_counts_inside_it(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending, [("a/b c.json", b"{}"), ("a/é.jsonl", b"1\n\n2")])
    assert places(path, read_file(path)) == [("a/b c.json", 0), ("a/é.jsonl", 0), ("a/é.jsonl", 1)]


@every_archive
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_gives_each_document_a_place_of_its_own(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending, [("a.json", b"1"), ("a.json", b""), ("a.json", b"3")])
    assert places(path, read_file(path)) == [("a.json", 0), ("a.json", 1), ("a.json", 2)]


@every_archive
def test_a_member_name_never_becomes_a_path(tmp_path: Path, ending: str) -> None:
    names = ["../../out.json", "/abs.json", "a\\b.json", "x" * 300 + ".json"]
    path = packed(tmp_path, ending, [(name, b"{}") for name in names])
    assert [name for name, _ in places(path, read_file(path))] == names
    assert list(tmp_path.iterdir()) == [path]


@every_archive
def test_other_members_are_counted_and_nested_archives_refused(tmp_path: Path, ending: str) -> None:
    path = packed(tmp_path, ending, [("a.txt", b"?"), ("b.json", b"{}"), ("c.zip", zipped([])), ("d.png", b"\x89")])
    [source] = find_sources([path]).sources
    reading = read_documents(source)
    items = list(reading)
    assert reading.ignored == 2
    assert texts(items) == [b"{}"]
    [refusal] = refusals(items)
    assert (refusal.source_uri, refusal.code.value) == (f"{path}::c.zip", "unreadable")
    assert "unpack" in refusal.remedy


@every_archive
def test_an_archive_without_documents_is_nothing_to_complain_of(tmp_path: Path, ending: str) -> None:
    assert read_file(packed(tmp_path, ending, [])) == []


@every_archive
def test_a_bad_member_costs_the_others_nothing(tmp_path: Path, ending: str) -> None:
    members = [
        ("cut.json.gz", gzipped(b"{}")[:-9]),
        ("empty.json", b""),
        ("large.jsonl", b"1" * 5_000 + b"\n2"),
        ("rubbish.json.zst", b"rubbish"),
        ("good.json", b"{}"),
    ]
    items = read_file(packed(tmp_path, ending, members), Limits(100))
    assert codes(items) == ["truncated", "not-json", "too-large", "unreadable"]
    assert texts(items) == [b"2", b"{}"]


@every_archive
def test_an_empty_file_is_refused_as_such(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"runs{ending}"
    path.touch()
    [refusal] = refusals(read_file(path))
    assert (refusal.source_uri, refusal.code.value) == (str(path), "not-json")


@pytest.mark.parametrize("ending", [".zip", ".tar"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"runs{ending}"
    path.write_bytes(b'{"a": "recording with a wrong name"}' * 40)
    [refusal] = refusals(read_file(path))
    assert (refusal.source_uri, refusal.code.value) == (str(path), "unreadable")
    assert f"holds no {ending[1:]} data" in refusal.message


def test_an_encrypted_member_is_refused_with_a_remedy(tmp_path: Path) -> None:
    data = bytearray(zipped([("secret.json", b"{}"), ("open.json", b"{}")]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "runs.zip"
    path.write_bytes(data)
    items = read_file(path)
    [refusal] = refusals(items)
    assert (refusal.source_uri, refusal.code.value) == (f"{path}::secret.json", "unreadable")
    assert "encrypted" in refusal.message
    assert "unpack" in refusal.remedy
    assert texts(items) == [b"{}"]


def test_a_damaged_zip_member_costs_the_others_nothing(tmp_path: Path) -> None:
    data = bytearray(zipped([("a.json", b"1"), ("b.json", b"2")], zipfile.ZIP_STORED))
    data[data.index(b"a.json1") + len("a.json")] = ord("9")
    path = tmp_path / "runs.zip"
    path.write_bytes(data)
    items = read_file(path)
    assert codes(items) == ["unreadable"]
    assert "CRC" in refusals(items)[0].message
    assert texts(items) == [b"2"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_member_packed_in_an_unusual_way_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", b"1", method)
        archive.writestr("b.json", b"2")
    items = read_file(path)
    [refusal] = refusals(items)
    assert f"method {method}" in refusal.message
    assert "unpack" in refusal.remedy
    assert texts(items) == [b"2"]


def test_folders_and_links_of_a_zip_are_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("folder.json")
        link = zipfile.ZipInfo("link.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    [source] = find_sources([path]).sources
    reading = read_documents(source)
    assert list(reading) == []
    assert reading.ignored == 1


def test_a_zip_member_without_a_name_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    path.write_bytes(zipped([("", b"{}"), ("a.json", b"1")]))
    assert texts(read_file(path)) == [b"1"]


def test_folders_links_and_devices_of_a_tar_are_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)
    odd = [(file_header(f"{number}.json", type_=kind), b"") for number, kind in enumerate(kinds)]
    path.write_bytes(tarred_headers([*odd, (file_header("last.json", 2), b"{}")]))
    [source] = find_sources([path]).sources
    reading = read_documents(source)
    assert texts(reading) == [b"{}"]
    assert reading.ignored == 4


@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read_in_every_layout_of_tar(tmp_path: Path, layout: int) -> None:
    members = [("f" * 90 + "/" + "n" * 90 + ".json", b"1"), ("é" * 20 + ".json", b"22"), ("short.json", b"")]
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred(members, layout))
    assert places(path, read_file(path)) == [(name, 0) for name, _ in members]


def test_a_name_of_a_tar_that_is_no_utf8_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred([("bad\udcff.json", b"{}")], tarfile.GNU_FORMAT))
    assert places(path, read_file(path)) == [("bad\ufffd.json", 0)]


def test_tars_one_after_another_are_one(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred([("a.json", b"1")]) + tarred([("b.json", b"2")]))
    assert texts(read_file(path)) == [b"1", b"2"]


def test_a_damaged_header_inside_a_tar_says_what_is_lost(tmp_path: Path) -> None:
    data = bytearray(tarred([("a.json", b"1"), ("b.json", b"2")]))
    data[1024] ^= 1
    path = tmp_path / "runs.tar"
    path.write_bytes(data)
    items = read_file(path)
    assert texts(items) == [b"1"]
    [refusal] = refusals(items)
    assert (refusal.source_uri, refusal.code.value) == (str(path), "unreadable")
    assert "byte 1,024" in refusal.message


@pytest.mark.parametrize("name", ["path", "size"])
def test_a_damaged_extension_of_a_tar_header_is_refused(tmp_path: Path, name: str) -> None:
    header = file_header("a.json", 1)
    header.pax_headers = {name: "many"}
    data = tarred_headers([(header, b"1")])
    path = tmp_path / "runs.tar"
    path.write_bytes(data.replace(b"13 size=many\n", b"xx size=many\n").replace(b"13 path=many\n", b"xx path=many\n"))
    assert codes(read_file(path)) == ["unreadable"]


def test_a_cut_member_is_named_and_the_archive_is_refused_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred([("a.json", b"1"), ("b.json", b"2" * 600)])[: 512 * 4])
    items = read_file(path)
    assert texts(items) == [b"1"]
    [refusal] = refusals(items)
    assert (refusal.source_uri, refusal.code.value) == (f"{path}::b.json", "truncated")
    assert "bytes missing: 88" in refusal.message


def test_a_cut_inside_a_member_nobody_wants_is_the_archive_s(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred([("a.txt", b"2" * 600)])[: 512 * 2])
    assert [(item.source_uri, item.position) for item in read_file(path)] == [(str(path), 0)]


@pytest.mark.parametrize("pack", [zipped, zipped_one_way])
def test_a_zip_without_its_table_of_contents_gives_all_that_stands_before(
    tmp_path: Path, pack: Callable[[Members], bytes]
) -> None:
    members = [
        ("f/", b""),
        ("f/a.json", b'{"a": 1}' * 99),
        ("f/b.txt", b"?"),
        ("f/c.jsonl", b"1\n2"),
        ("é.json", b"{}"),
    ]
    data = pack(members)
    path = tmp_path / "runs.zip"
    path.write_bytes(data[: data.index(b"PK\x01\x02") + 10])
    items = read_file(path)
    assert texts(items) == [b'{"a": 1}' * 99, b"1", b"2", b"{}"]
    assert items[-2].source_uri == f"{path}::é.json"
    assert (items[-1].source_uri, items[-1].position, codes(items)) == (str(path), 0, ["truncated"])


def test_a_cut_zip_names_the_member_that_was_cut(tmp_path: Path) -> None:
    data = zipped([("a.json", b"1"), ("b.json", bytes(range(256)))])
    path = tmp_path / "runs.zip"
    path.write_bytes(data[: data.index(b"b.json") + 40])
    items = read_file(path)
    assert texts(items) == [b"1"]
    assert [(refusal.source_uri, refusal.code.value) for refusal in refusals(items)] == [
        (f"{path}::b.json", "truncated")
    ]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
def test_what_only_a_whole_zip_tells_is_refused_when_it_is_cut(tmp_path: Path, method: int) -> None:
    data = zipped_one_way([("a.json", b"1")], method)
    path = tmp_path / "runs.zip"
    path.write_bytes(data[: data.index(b"PK\x01\x02")])
    assert codes(read_file(path)) == ["unreadable"]


def test_a_cut_zip_passes_over_what_it_cannot_unpack(tmp_path: Path) -> None:
    data = bytearray(zipped([("secret.json", b"1"), ("open.json", b"2")]))
    data[6] |= 1
    path = tmp_path / "runs.zip"
    path.write_bytes(data[:-30])
    items = read_file(path)
    assert codes(items) == ["unreadable", "truncated"]
    assert texts(items) == [b"2"]


def test_a_wrong_checksum_in_a_cut_zip_is_seen(tmp_path: Path) -> None:
    data = bytearray(zipped([("a.json", b"1"), ("b.json", b"2")]))
    data[14] ^= 1
    path = tmp_path / "runs.zip"
    path.write_bytes(data[:-30])
    items = read_file(path)
    assert texts(items) == [b"2"]
    assert codes(items) == ["unreadable", "truncated"]


def test_long_sizes_after_the_contents_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "runs.zip"
    short = zipped_one_way([("a.json", b"1")])
    at = short.index(b"PK\x07\x08")
    mark_and_crc, packed, size = short[at : at + 8], short[at + 8 : at + 12], short[at + 12 : at + 16]
    long = short[:at] + mark_and_crc + packed + bytes(4) + size + bytes(4)
    path.write_bytes(long + short[:at] + mark_and_crc[4:] + packed + size)
    assert texts(read_file(path)) == [b"1", b"1"]


def test_a_cut_tar_gz_gives_what_stands_before_the_cut(tmp_path: Path) -> None:
    data = gzip.compress(tarred([(f"{number}.json", b"%d" % number) for number in range(40)]), compresslevel=0)
    path = tmp_path / "runs.tar.gz"
    path.write_bytes(data[: len(data) // 2])
    items = read_file(path)
    assert texts(items) == [b"%d" % number for number in range(len(items) - 1)]
    assert len(items) > 10
    assert codes(items) == ["truncated"]
