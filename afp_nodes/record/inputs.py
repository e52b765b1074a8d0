"""Studies, unit lists and declarations: the documents that are not recordings, checked and compacted.

Rule: product contract, sections 3 and 6.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from afp_nodes.assessment.declarations import rows_at_fault
from afp_nodes.record.decoding import compacted
from afp_nodes.record.misfits import misfit
from afp_nodes.record.nesting import depth
from afp_nodes.refusals import RefusedError
from afp_nodes.words import InputKind, QuarantineCode

MOST_INPUT_LEVELS = 500
"""Nesting of an input beyond is refused: whoever reads it decodes it at once."""

Name = Annotated[str, Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class ReadInput:
    """One study, unit list or declaration.

    `content_json` is the document as recorded, white space removed; of a list only the entries that were taken.
    `refused_entries` are the positions of the others, each with what is wrong.
    """

    kind: InputKind
    content_json: str = field(repr=False)
    refused_entries: list[tuple[int, RefusedError]] = field(default_factory=list)


class Unit(Struct):
    """One unit of a list; its `content` as spelled, empty where there is none."""

    id: str
    content: Raw = Raw(b"")


class UnitList(Struct):
    """What was available and what was sent, as an application lists it for one run."""

    run_id: Name
    available: list[Unit]
    sent: list[Unit]


class Tool(Struct, rename="camel"):
    """What an application declares of one tool."""

    rows_at: str | UnsetType = UNSET


class Declaration(Struct):
    """What an application declares for some runs, or for all; other members are not read."""

    run_ids: list[str] | Literal["*"]
    tools: dict[str, Tool] | UnsetType = UNSET


def named_kind(source_uri: str) -> InputKind | None:
    """What a document is by the last name of its place; None = its content decides."""
    name = source_uri.rpartition("::")[2].rpartition("/")[2]
    for packing in (".gz", ".zst"):
        name = name.removesuffix(packing)
    if name == "study.json" or name.endswith(".study.json"):
        return InputKind.STUDY
    if name.endswith(".units.json"):
        return InputKind.UNITS
    return InputKind.DECLARATIONS if name.endswith(".declarations.json") else None


def read_input(data: bytes, kind: InputKind) -> ReadInput:
    """One input of a known kind.

    Raises `RefusedError`: `bad-study`, what a comparison of arms is refused for, `bad-units` or `bad-declarations`, and
    what any text is refused for. In a list a malformed entry is refused, not its list.
    """
    text = compacted(data)
    if depth(text.encode()) > MOST_INPUT_LEVELS:
        raise RefusedError(
            QuarantineCode.TOO_DEEP,
            f"the document nests more than {MOST_INPUT_LEVELS} levels deep, which an input has no use for",
            "write the deeply nested value as text, then run again",
        )
    if kind is InputKind.STUDY:
        _read_study(text)
        return ReadInput(kind, text)
    check = _check_units if kind is InputKind.UNITS else _check_declarations
    if not text.startswith("["):
        check(text.encode())
        return ReadInput(kind, text)
    return _read_list(text, kind, check)


def entry_texts(content_json: str) -> list[bytes]:
    """The entries of a list, or the one entry that a document is, as they are spelled."""
    if not content_json.startswith("["):
        return [content_json.encode()]
    return [bytes(entry) for entry in msgspec.json.decode(content_json, type=list[Raw])]


def _read_list(text: str, kind: InputKind, check: Callable[[bytes], None]) -> ReadInput:
    taken: list[Raw] = []
    refused: list[tuple[int, RefusedError]] = []
    for position, entry in enumerate(msgspec.json.decode(text, type=list[Raw])):
        try:
            check(msgspec.json.encode(entry))
            taken.append(entry)
        except RefusedError as error:
            refused.append((position, RefusedError(error.code, f"entry {position}: {error.message}", error.remedy)))
    return ReadInput(kind, msgspec.json.encode(taken).decode(), refused)


def _read_study(text: str) -> None:
    # Most runs of the job see no study: what judges one is loaded with the first.
    from afp_nodes.studies.documents import study_of  # noqa: PLC0415
    from afp_nodes.studies.fitness import refuse_unfit_study  # noqa: PLC0415

    try:
        study = study_of(text)
    except msgspec.ValidationError as error:
        raise _refusal(QuarantineCode.BAD_STUDY, f"the study cannot be read: {misfit(error)}") from None
    refuse_unfit_study(study)


def _check_units(text: bytes) -> None:
    try:
        msgspec.json.decode(text, type=UnitList)
    except msgspec.ValidationError as error:
        raise _refusal(QuarantineCode.BAD_UNITS, f"the unit list cannot be read: {misfit(error)}") from None


def _check_declarations(text: bytes) -> None:
    try:
        declared = msgspec.json.decode(text, type=Declaration)
    except msgspec.ValidationError as error:
        raise _refusal(QuarantineCode.BAD_DECLARATIONS, f"the declaration cannot be read: {misfit(error)}") from None
    for name, tool in ({} if declared.tools is UNSET else declared.tools).items():
        if tool.rows_at is not UNSET and rows_at_fault(tool.rows_at) is not None:
            raise _refusal(
                QuarantineCode.BAD_DECLARATIONS,
                f"`rowsAt` of tool {name[:60]!r} is {tool.rows_at[:60]!r}; it must name one member, without `/` or `.`",
            )


def _refusal(code: QuarantineCode, message: str) -> RefusedError:
    return RefusedError(code, message, _REMEDIES[code])


_REMEDIES = {
    QuarantineCode.BAD_STUDY: "give the study `study_id`, `kind` (ablation, restoration or arms), `runs` and what its"
    " kind needs, then run again",
    QuarantineCode.BAD_UNITS: "give each list `run_id`, `available` and `sent`, each unit an `id`, then run again",
    QuarantineCode.BAD_DECLARATIONS: 'give each declaration `run_ids` (a list or "*") and `tools`, then run again',
}
