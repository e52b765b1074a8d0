"""Laws of the inputs: what holds for any text, however it is packed, cut into pieces or broken off."""

import io
import itertools
import tarfile
import zipfile
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.refusals import Refusal
from dataflows.inputs import Document, Limits
from dataflows.inputs.codecs import gunzipped, plain, unzstandardised
from dataflows.inputs.documents import Ignored
from dataflows.inputs.layouts import document_lines, lone_document
from dataflows.inputs.tars import tar_items
from dataflows.inputs.zip_salvage import salvaged_items
from dataflows.inputs.zips import zip_items
from tests.inputs.packing import codes, gzipped, in_pieces, tarred, texts, zipped, zipped_one_way, zstandardised

LIMITS = Limits()
untimed = settings(deadline=None)
Items = Iterator[Document | Refusal | Ignored]

lines = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=12)
contents = st.lists(st.binary(min_size=1, max_size=900), max_size=8)
pieces = st.lists(st.integers(1, 700), min_size=1, max_size=5)
compressions = [(gzipped, gunzipped), (zstandardised, unzstandardised)]
compressed = pytest.mark.parametrize(("packed", "unpacked"), compressions)
codecs = pytest.mark.parametrize(("packed", "unpacked"), [(bytes, plain), *compressions])
tar_layouts = st.sampled_from([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
zip_methods = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
zip_packers = st.sampled_from([zipped, zipped_one_way])


def named(members: list[bytes]) -> list[tuple[str, bytes]]:
    return [(f"{number}.json", member) for number, member in enumerate(members)]


class Dribbling(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = itertools.cycle(sizes)

    def read(self, size: int | None = -1, /) -> bytes:
        at_once = next(self._sizes)
        return super().read(at_once if size is None or size < 0 else min(size, at_once))


def lines_expected(text: list[bytes]) -> list[bytes]:
    """The documents of these lines: a mark before the first, a carriage return after any, and blank ones away."""
    unmarked = [line[3:] if number == 0 and line[:3] == b"\xef\xbb\xbf" else line for number, line in enumerate(text)]
    return [line[:-1] if line[-1:] == b"\r" else line for line in unmarked if line.strip()]


@codecs
@untimed
@given(text=lines, sizes=pieces, has_last_line_end=st.booleans(), line_end=st.sampled_from([b"\n", b"\r\n"]))
def test_lines_come_back_whatever_the_packing_and_the_pieces(
    packed: Callable[[bytes], bytes],
    unpacked: Callable[[Iterator[bytes]], Iterator[bytes]],
    text: list[bytes],
    sizes: list[int],
    has_last_line_end: bool,
    line_end: bytes,
) -> None:
    whole = line_end.join(text) + (line_end if has_last_line_end else b"")
    items = list(document_lines(unpacked(in_pieces(packed(whole), sizes)), "x.jsonl", 0, LIMITS))
    documents = lines_expected(whole.split(b"\n"))
    assert [item.position for item in items] == list(range(max(len(documents), 1)))
    assert texts(items) == documents
    assert codes(items) == ([] if documents else ["not-json"])


@codecs
@untimed
@given(data=st.binary(min_size=1, max_size=3_000), sizes=pieces)
def test_a_document_comes_back_whatever_the_packing_and_the_pieces(
    packed: Callable[[bytes], bytes],
    unpacked: Callable[[Iterator[bytes]], Iterator[bytes]],
    data: bytes,
    sizes: list[int],
) -> None:
    chunks = unpacked(in_pieces(packed(data), sizes))
    assert list(lone_document(chunks, "x.json", 3, LIMITS)) == [Document.of("x.json", 3, data)]


@untimed
@given(members=contents, sizes=pieces, layout=tar_layouts)
def test_members_of_a_tar_come_back_whatever_the_layout_and_the_pieces(
    members: list[bytes], sizes: list[int], layout: int
) -> None:
    items = list(tar_items(in_pieces(tarred(named(members), layout), sizes), "x.tar", LIMITS))
    assert items == [Document.of(f"x.tar::{name}", 0, member) for name, member in named(members)]


@untimed
@given(members=contents, method=zip_methods, pack=zip_packers)
def test_members_of_a_zip_come_back_whatever_the_method(
    members: list[bytes], method: int, pack: Callable[..., bytes]
) -> None:
    items = list(zip_items(io.BytesIO(pack(named(members), method)), "x.zip", LIMITS))
    assert items == [Document.of(f"x.zip::{name}", 0, member) for name, member in named(members)]


@untimed
@given(members=contents.filter(bool), sizes=pieces, pack=zip_packers)
def test_a_zip_is_salvaged_to_what_its_table_of_contents_lists(
    members: list[bytes], sizes: list[int], pack: Callable[..., bytes]
) -> None:
    data = pack(named(members))
    *documents, refusal = salvaged_items(Dribbling(data, sizes), "x.zip", LIMITS)
    assert documents == list(zip_items(io.BytesIO(data), "x.zip", LIMITS))
    assert codes([refusal]) == ["truncated"]


@codecs
@untimed
@given(members=contents, cut=st.floats(0, 1, exclude_max=True), layout=tar_layouts)
def test_of_a_cut_tar_the_first_members_come_and_the_rest_is_refused_once(
    packed: Callable[[bytes], bytes],
    unpacked: Callable[[Iterator[bytes]], Iterator[bytes]],
    members: list[bytes],
    cut: float,
    layout: int,
) -> None:
    data = packed(tarred(named(members), layout))
    kept = data[: int(len(data) * cut)]
    items = list(tar_items(unpacked(in_pieces(kept, [512])), "x.tar", LIMITS))
    assert texts(items) == members[: len(texts(items))]
    if unpacked is plain and len(texts(items)) == len(members) and not codes(items):
        assert not any(data[len(kept) :])
    else:
        assert codes(items) == (["truncated"] if kept else ["not-json"])


@untimed
@given(members=contents.filter(bool), cut=st.floats(0, 1, exclude_max=True), pack=zip_packers)
def test_of_a_cut_zip_the_first_members_come_and_the_rest_is_refused_once(
    members: list[bytes], cut: float, pack: Callable[..., bytes]
) -> None:
    data = pack(named(members))
    kept = data[: 4 + int((len(data) - 4) * cut)]
    items = list(zip_items(io.BytesIO(kept), "x.zip", LIMITS))
    assert texts(items) == members[: len(texts(items))]
    assert codes(items) == ["truncated"]


@compressed
@untimed
@given(text=lines, cut=st.floats(0, 1, exclude_max=True))
def test_of_cut_lines_the_first_come_and_the_rest_is_refused_once(
    packed: Callable[[bytes], bytes],
    unpacked: Callable[[Iterator[bytes]], Iterator[bytes]],
    text: list[bytes],
    cut: float,
) -> None:
    data = packed(b"\n".join(text))
    kept = data[: int(len(data) * cut)]
    items = list(document_lines(unpacked(iter([kept] if kept else [])), "x.jsonl", 0, LIMITS))
    assert texts(items) == lines_expected(text)[: len(texts(items))]
    assert codes(items) == (["truncated"] if kept else ["not-json"])


@untimed
@given(data=st.binary(max_size=400), sizes=pieces)
def test_rubbish_is_refused_and_nothing_else_happens(data: bytes, sizes: list[int]) -> None:
    readings: list[Items] = [
        tar_items(in_pieces(data, sizes), "x", LIMITS),
        zip_items(io.BytesIO(data), "x", LIMITS),
        lone_document(gunzipped(in_pieces(data, sizes)), "x", 0, LIMITS),
        lone_document(unzstandardised(in_pieces(data, sizes)), "x", 0, LIMITS),
    ]
    for items in map(list, readings):
        assert len(items) == 1 or not any(data)


@untimed
@given(
    members=contents.filter(bool),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=3)), min_size=1, max_size=4),
)
def test_whatever_is_changed_in_an_archive_each_thing_said_has_a_place_of_its_own(
    members: list[bytes], changes: list[tuple[float, bytes]]
) -> None:
    for data, read in ((zipped(named(members)), zip_items), (tarred(named(members)), tar_items)):
        changed = bytearray(data)
        for place, bytes_ in changes:
            at = int(len(changed) * place)
            changed[at : at + 1] = bytes_
        source = io.BytesIO(changed) if read is zip_items else iter([bytes(changed)])
        places = [
            (item.source_uri, item.position) for item in read(source, "x", LIMITS) if not isinstance(item, Ignored)
        ]
        assert len(places) == len(set(places))


@pytest.mark.parametrize("pack", [zipped, zipped_one_way, tarred])
def test_whichever_bit_of_an_archive_is_wrong_it_is_read_or_refused(pack: Callable[..., bytes]) -> None:
    data = pack([("a.json", b"11"), ("b.jsonl.gz", gzipped(b"2\n3"))]).rstrip(b"\0")
    for at, bit in itertools.product(range(len(data)), range(8)):
        changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        items = list(
            tar_items(iter([changed]), "x", LIMITS) if pack is tarred else zip_items(io.BytesIO(changed), "x", LIMITS)
        )
        assert items
