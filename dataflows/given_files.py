"""Files that people write in TOML: read as a whole, and refused with the entry and the field that is wrong."""

import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from dataflows.printable import glimpse

CHARACTERS = 100
"""Of a word in such a file so much is said."""


class GivenFileError(Exception):
    """A file cannot be read as what it was given for; the message says where and what to do."""


def entries_of(path: Path, table: str) -> list[dict[str, Any]]:
    """The entries `[[table]]` of a file, which must have nothing else.

    Raises `GivenFileError` where that is not so.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise GivenFileError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GivenFileError(f"{path} is not TOML: {error}. Correct it there.") from error
    others = [name for name in document if name != table]
    entries = document.get(table, [])
    if others or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        what = f"holds {glimpse(others[0], CHARACTERS)!r}" if others else f"has no list of {table}s"
        raise GivenFileError(f"{path} {what}. Write nothing but entries, each under [[{table}]].")
    return entries


class Entry:
    """One entry of a file, whose fields are asked for one by one."""

    def __init__(self, path: Path, table: str, number: int, fields: dict[str, Any]) -> None:
        self._place = f"{path}, [[{table}]] number {number}"
        self._fields = fields

    def only(self, names: Iterable[str]) -> None:
        """Raises `GivenFileError` where the entry has another field than these."""
        known = list(names)
        for name in self._fields:
            if name not in known:
                raise self.wrong(name, f"is not known; an entry has {', '.join(known)}")

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._given(name)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "must be a text")
        return value

    def amount(self, name: str) -> float:
        """A number from 0 on."""
        value = self._given(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self.wrong(name, "must be a number from 0 on")
        return float(value)

    def moment(self, name: str) -> datetime:
        """A moment: a date begins in UTC, a time says its offset."""
        value = self._dated(name, datetime.fromisoformat)
        if not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        if value.tzinfo is None and isinstance(self._given(name), datetime):
            raise self.wrong(name, "must be a date, or a time with its offset, such as 2026-01-31T00:00:00Z")
        return value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC)

    def day(self, name: str) -> date:
        """A date."""
        value = self._dated(name, date.fromisoformat)
        if isinstance(value, datetime):
            raise self.wrong(name, "must be a date, such as 2026-01-31")
        return value

    def optional(self, name: str, read: Callable[[str], Any]) -> Any:
        """A field that may be left out; None where it is."""
        return read(name) if name in self._fields else None

    def wrong(self, name: str, what: str) -> GivenFileError:
        """The error that says what is wrong with a field."""
        return GivenFileError(f"{self._place}: {glimpse(name, CHARACTERS)} {what}.")

    def _given(self, name: str) -> Any:
        if name not in self._fields:
            raise self.wrong(name, "is missing")
        return self._fields[name]

    def _dated(self, name: str, of_text: Callable[[str], date]) -> date:
        value = self._given(name)
        if isinstance(value, str):
            try:
                return of_text(value)
            except ValueError as error:
                raise self.wrong(name, "must be a date, such as 2026-01-31") from error
        if not isinstance(value, date):
            raise self.wrong(name, "must be a date, such as 2026-01-31")
        return value
