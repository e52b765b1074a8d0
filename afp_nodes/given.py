"""What people gave that stays in force: the settings of a store, each a JSON text by its name."""

from collections.abc import Mapping
from datetime import date, datetime

import msgspec

from afp_nodes.studies.documents import Arm
from afp_nodes.studies.embedders import DEFAULT_EMBEDDER

ARMS = "arms"
NIGHTS = "nights"
PRICES = "prices"
FINDINGS = "findings"


class Arrived(msgspec.Struct, frozen=True):
    """What the jobs that reported a night took in, and what they refused for the first time: documents."""

    taken_in: int = 0
    refused: int = 0


class GivenNights(msgspec.Struct, frozen=True):
    """Which nights are reported: days of the timezone up to `last`, from `first` or the first run's, if earlier.

    `arrived` goes by the night, as `2026-01-31`. Runs of nights before `kept_from` were dropped; None = none were.
    """

    timezone: str
    first: date
    last: date
    arrived: dict[str, Arrived] = {}
    kept_from: date | None = None


class Price(msgspec.Struct, frozen=True):
    """What a million tokens of a model cost from a moment on."""

    provider: str
    model: str
    valid_from: datetime
    input: float
    output: float
    currency: str


class GivenArms(msgspec.Struct, frozen=True):
    """Configurations to group recorded runs under, the one that the others are compared with, and by what."""

    arms: list[Arm]
    baseline: str
    embedder: str = DEFAULT_EMBEDDER


class FindingNote(msgspec.Struct, frozen=True):
    """What people say of a finding."""

    id: str
    state: str
    note: str | None = None
    until: date | None = None


def arms_given(settings: Mapping[str, str]) -> GivenArms | None:
    """The arms in force; None where none ever were given."""
    return msgspec.json.decode(settings[ARMS], type=GivenArms) if ARMS in settings else None


def nights_given(settings: Mapping[str, str]) -> GivenNights | None:
    """The nights that are reported; None where none ever was."""
    return msgspec.json.decode(settings[NIGHTS], type=GivenNights) if NIGHTS in settings else None


def prices_given(settings: Mapping[str, str]) -> list[Price]:
    """The prices in force."""
    return msgspec.json.decode(settings.get(PRICES, "[]"), type=list[Price])


def notes_given(settings: Mapping[str, str]) -> list[FindingNote]:
    """What people say of findings."""
    return msgspec.json.decode(settings.get(FINDINGS, "[]"), type=list[FindingNote])


def as_setting(value: object) -> str:
    """A value as the JSON text that stands for it in the settings: equal values give equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()
