"""Versions of the recording libraries: those that the rules were checked against, on recordings that they made."""

import re
from collections.abc import Mapping

from afp_nodes.words import VersionStanding

CHECKED: Mapping[str, tuple[str, ...]] = {"agentfootprint": ("9.62.0",), "footprintjs": ("9.24.0",)}
"""By library; a release may record otherwise than the one before, and nobody would see it."""


def version_standing(library: str, version: str | None) -> VersionStanding:
    """How a version stands to those that were checked."""
    if version is None:
        return VersionStanding.NOT_RECORDED
    if version in CHECKED[library]:
        return VersionStanding.CHECKED
    newest = max(_numbers(checked) for checked in CHECKED[library])
    return VersionStanding.NEWER if _numbers(version) > newest else VersionStanding.OTHER


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with; none where it does not begin with any."""
    numbers = re.match(r"\d{1,9}(?:\.\d{1,9}){0,3}", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
