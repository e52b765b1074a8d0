"""The arms file: configurations to group recorded runs under, as people give them with `--arms`.

Rule: product contract, sections 3 and 6. It is in force, as a setting of the store, until another
is given.
"""

import os
from dataclasses import dataclass, field
from typing import Any

import msgspec

from afp_nodes.given import ARMS, GivenArms, as_setting
from afp_nodes.javascript import parse
from afp_nodes.refusals import RefusedError
from afp_nodes.studies.arms import refuse_unfit
from afp_nodes.studies.documents import Arm
from afp_nodes.studies.embedders import DEFAULT_EMBEDDER, embedder
from afp_nodes.studies.plugins import UnknownNameError
from afp_nodes.words import QuarantineCode
from dataflows.ingested import Ingested
from dataflows.inputs import NoSuchPathError, Source


class _Document(msgspec.Struct):
    arms: list[Arm]
    baseline: str | None = None
    embedder: str = DEFAULT_EMBEDDER


@dataclass(frozen=True, slots=True)
class ArmsFile:
    """What came of an arms file: the setting it gives, none where it was refused, and its accounts."""

    uri: str
    settings: dict[str, str] = field(default_factory=dict)
    ingested: Ingested = field(default_factory=Ingested)

    @classmethod
    def read(cls, path: str) -> "ArmsFile":
        """Reads the file. Raises `NoSuchPathError` when it is not there."""
        uri = os.path.realpath(path)
        try:
            source = Source.of_file(uri, os.stat(uri))
        except OSError as error:
            raise NoSuchPathError(f"{path} cannot be read: {error.strerror or error}") from error
        try:
            return cls(uri, {ARMS: as_setting(_arms(uri))}, Ingested(files=[source.as_read(documents=0, refused=0)]))
        except RefusedError as refused:
            accounts = Ingested(
                documents=1,
                refused_documents=1,
                refusals=[refused.at(uri, 0)],
                files=[source.as_read(documents=1, refused=1)],
            )
            return cls(uri, {}, accounts)


def _arms(path: str) -> GivenArms:
    """The arms of the file. Raises `RefusedError` where they cannot be compared."""
    document = _document(path)
    if not isinstance(document, dict) or not isinstance(document.get("arms"), list):
        raise RefusedError(
            QuarantineCode.UNKNOWN_SHAPE,
            "an arms file is an object with a list `arms`",
            'write {"arms": [{"id": "...", "facets": {...}}, ...], "baseline": "..."}, then run again',
        )
    try:
        stated = msgspec.convert(document, _Document)
        embedder(stated.embedder)
    except (msgspec.ValidationError, UnknownNameError) as error:
        raise RefusedError(QuarantineCode.WRONG_TYPE, str(error), "correct that member, then run again") from error
    return GivenArms(stated.arms, refuse_unfit(stated.arms, stated.baseline), stated.embedder)


def _document(path: str) -> Any:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return parse(file.read())
    except OSError as error:
        raise RefusedError(
            QuarantineCode.UNREADABLE, f"cannot be read: {error.strerror or error}", "make it readable, then run again"
        ) from error
    except ValueError as error:
        raise RefusedError(QuarantineCode.NOT_JSON, f"is not JSON: {error}", "correct it, then run again") from error
