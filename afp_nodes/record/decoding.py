"""From the bytes of a document to its shape: byte order marks, broken characters, deep nesting, odd types.

The typed decoder reads almost every document in one pass. What it cannot take is repaired first (half of a
surrogate pair), cut into pieces (deep nesting), or read by the untyped reading (a value of a wrong type).
"""

import codecs
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, TypeVar

import msgspec
import pyarrow as pa

from afp_nodes import deep_json
from afp_nodes.record.compaction import compact
from afp_nodes.record.nesting import NO_PIECES, Pieces, cut
from afp_nodes.record.shapes import Document, Node
from afp_nodes.record.tolerant import TolerantReader
from afp_nodes.record.uncollected import uncollected
from afp_nodes.record.variants import tolerant_document
from afp_nodes.refusals import RefusedError
from afp_nodes.words import QuarantineCode

Read = TypeVar("Read")

HEADROOM = 100
"""Idle frames below which a document must still be readable."""

_DOCUMENT = msgspec.json.Decoder(Document)
_NODE = msgspec.json.Decoder(Node)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_CUT_SHORT = re.compile(r"(?:-|[.eE][+-]?|t|tr|tru|f|fa|fal|fals|n|nu|nul)?\s*\Z")
_ESCAPE_CUT_SHORT = re.compile(r"\\?u?[0-9a-fA-F]{0,3}\Z")
_NO_NUMBER = re.compile(r"NaN|-?Infinity")


@dataclass(frozen=True, slots=True)
class Decoded:
    """One document, what was cut out of it, and what was found odd on the way."""

    document: Document
    pieces: Pieces
    odd_values: int
    replaced_characters: int


@uncollected
def decoded(data: bytes) -> Decoded:
    """The document that some bytes hold.

    Raises `RefusedError`: `not-json`, `truncated`, `too-deep`, or what the shape is refused for.
    """
    return _read(data, _document)


def compacted(data: bytes) -> str:
    """The document that some bytes hold as compact text. Raises `RefusedError` like `decoded`."""
    return _read(data, _compact_text)


def _read(data: bytes, reading: Callable[[bytes, int], Read]) -> Read:
    """What a reading makes of some bytes, and of their text without broken characters where it fails."""
    text = data.removeprefix(codecs.BOM_UTF8)
    _refuse_broken_utf8(text)
    try:
        return _with_headroom(reading, text, 0)
    except (msgspec.DecodeError, RecursionError):
        whole, replaced = _whole_characters(text)
    try:
        if replaced:
            return _with_headroom(reading, whole, replaced)
    except (msgspec.DecodeError, RecursionError):
        pass  # broken in another way, too: the message tells of the text as it lies
    _refuse_syntax(text.decode())


def _with_headroom(
    reading: Callable[[bytes, int], Read], text: bytes, replaced: int, idle_frames: int = HEADROOM
) -> Read:
    """Read below so many idle frames: what can be read here can be read again by whoever stands less deep.

    The decoders share their limit with the frames of Python, and the values of a document are decoded later.
    """
    return _with_headroom(reading, text, replaced, idle_frames - 1) if idle_frames else reading(text, replaced)


def _document(text: bytes, replaced: int) -> Decoded:
    try:
        document, odd = _typed_or_tolerant(text)
    except RecursionError:
        shallow, pieces = cut(text)
        document, odd = _typed_or_tolerant(shallow)
        return Decoded(document, pieces, odd + _mend_trees(document, pieces), replaced)
    return Decoded(document, NO_PIECES, odd, replaced)


def _compact_text(text: bytes, _replaced: int) -> str:
    try:
        return compact(text).decode()
    except RecursionError:
        shallow, pieces = cut(text)
        return pieces.whole(compact(shallow)).decode()


def _whole_characters(text: bytes) -> tuple[bytes, int]:
    r"""A JSON text with each escaped half of a surrogate pair made U+FFFD, and how many there were.

    Halves are legal in JavaScript and `JSON.stringify` writes them as `\udXXX`; nothing later could store them.
    """
    halves = 0

    def replaced(match: re.Match[bytes]) -> bytes:
        nonlocal halves
        if match["half"] is None:
            return match[0]
        halves += 1
        return b"\\ufffd"

    return _ESCAPE.sub(replaced, text), halves


def _typed_or_tolerant(text: bytes) -> tuple[Document, int]:
    """The document, and how many values of it were of a wrong type."""
    try:
        return _DOCUMENT.decode(text), 0
    except msgspec.ValidationError:
        return tolerant_document(text)


def _refuse_broken_utf8(text: bytes) -> None:
    """Refuse bytes that are not UTF-8, naming the first; kept values are never checked again."""
    offsets = pa.py_buffer(b"\0" * 8 + len(text).to_bytes(8, "little"))
    try:
        pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(text)).validate(full=True)
    except pa.ArrowInvalid:
        try:
            text.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                raise _truncated(f"byte {error.start}") from None
            raise RefusedError(
                QuarantineCode.NOT_JSON,
                f"the text is not UTF-8: byte {error.start} is {text[error.start]:#04x}",
                "save the document as UTF-8, then run again",
            ) from None


def _refuse_syntax(text: str) -> NoReturn:
    """Refuse a text that is not JSON, with the place where it stops being it."""
    if not text.strip():
        raise RefusedError(
            QuarantineCode.NOT_JSON, "the document is empty", "write the recording again, or remove the file"
        )
    error = _syntax_error(text)
    byte = len(text[: error.pos].encode())
    place = f"line {error.lineno}, column {error.colno} (byte {byte})"
    if _is_cut_short(error, text):
        raise _truncated(place)
    word = _NO_NUMBER.match(text, error.pos)
    what = f"{word[0]} is no JSON number" if word else error.msg
    raise RefusedError(
        QuarantineCode.NOT_JSON, f"the document is not JSON: {what} at {place}", "record the run again as JSON"
    )


def _truncated(place: str) -> RefusedError:
    return RefusedError(
        QuarantineCode.TRUNCATED,
        f"the document ends too early: what begins at {place} is not finished",
        "copy the recording again, whole",
    )


def _is_cut_short(error: json.JSONDecodeError, text: str) -> bool:
    """Whether the text would have been fine so far, had it gone on."""
    if error.msg.startswith("Invalid \\"):
        return _ESCAPE_CUT_SHORT.match(text, error.pos) is not None
    if error.msg == "Extra data":
        return False
    return error.msg.startswith("Unterminated string") or _CUT_SHORT.match(text, error.pos) is not None


def _syntax_error(text: str) -> json.JSONDecodeError:
    """The first syntax error of a text that has one."""
    try:
        json.loads(text, parse_int=float)
        deep_json.parse(text, float, dict)  # the standard reader takes NaN and Infinity for numbers
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        try:
            deep_json.parse(text, float, dict)
        except json.JSONDecodeError as error:
            return error
    raise AssertionError("the text is JSON after all")


def _mend_trees(document: Document, pieces: Pieces) -> int:
    """Put the trees of a cut document together again; returns how many values of the pieces were odd."""
    reader = TolerantReader()
    work = [node for node in _roots(document) if node is not None]
    while work:
        node = work.pop()
        if node.cut is not None and (piece := pieces.named(node.cut)) is not None:
            for name, value in msgspec.structs.asdict(_tree(piece, reader)).items():
                setattr(node, name, value)
        node.stage_reads = msgspec.Raw(pieces.opened(msgspec.json.encode(node.stage_reads)))
        if node.children and len(node.children) == 1 and node.children[0].cut is not None:
            piece = pieces.named(node.children[0].cut)
            if piece is not None and piece.startswith(b"["):
                node.children = reader.nodes(piece)
        work += node.children or []
        if node.next is not None:
            work.append(node.next)
    return reader.odd


def _tree(piece: bytes, reader: TolerantReader) -> Node:
    try:
        return _NODE.decode(piece)
    except msgspec.ValidationError:
        return reader.shape(piece, Node)


def _roots(document: Document) -> list[Node | None]:
    """The trees of a document."""
    bodies = [document, document.recording] if document.recording else [document]
    snapshots = [snapshot for body in bodies for snapshot in (body, body.snapshot) if snapshot]
    subflows = [flow for snapshot in snapshots for flow in (snapshot.subflow_results or {}).values() if flow]
    inner = [flow.tree_context.stage_contexts for flow in subflows if flow.tree_context]
    return [snapshot.execution_tree for snapshot in snapshots] + inner
