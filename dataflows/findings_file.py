"""`STORE/findings.toml`: what people say of findings. Read with each publication; rule: product contract, section 5."""

from collections.abc import Mapping
from pathlib import Path

from afp_nodes.given import FINDINGS, FindingNote, as_setting
from afp_nodes.words import FindingState
from dataflows.given_files import Entry, GivenFileError, entries_of
from dataflows.store import StoreError

NAME = "findings.toml"
TABLE = "finding"
FIELDS = ("id", "state", "note", "until")


class FindingsFileError(StoreError):
    """The file cannot be read as one."""


def findings_setting(root: Path, in_force: Mapping[str, str]) -> dict[str, str]:
    """What the file of a store says, as a setting; nothing where there never was a file.

    Raises `FindingsFileError` where it cannot be read as one.
    """
    path = root / NAME
    if not path.exists() and FINDINGS not in in_force:
        return {}
    try:
        notes = _notes(path) if path.exists() else []
    except GivenFileError as error:
        raise FindingsFileError(str(error), "Nothing was published.") from error
    return {FINDINGS: as_setting(sorted(notes, key=_id))}


def _notes(path: Path) -> list[FindingNote]:
    notes: dict[str, FindingNote] = {}
    for number, fields in enumerate(entries_of(path, TABLE), 1):
        entry = Entry(path, TABLE, number, fields)
        entry.only(FIELDS)
        note = FindingNote(
            id=entry.text("id"),
            state=entry.text("state"),
            note=entry.optional("note", entry.text),
            until=entry.optional("until", entry.day),
        )
        if note.state not in tuple(FindingState):
            raise entry.wrong("state", f"must be one of {', '.join(FindingState)}")
        if note.id in notes:
            raise entry.wrong("id", "has an entry already")
        notes[note.id] = note
    return list(notes.values())


def _id(note: FindingNote) -> str:
    return note.id
