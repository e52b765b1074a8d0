"""Sections of a report: ours, and those that installed packages offer.

A section is a function from what is asked to a `Section`; one of ours is `section` in the module of its name. Packages
offer more under the entry point group `afp.report_sections`, and one of the name of ours takes its place. Rule: product
contract, section 12.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points

from dataflows.report.asked import Asked
from dataflows.report.parts import Section

MakeSection = Callable[[Asked], Section]

GROUP = "afp.report_sections"
NAMES = (
    "night",
    "findings",
    "trends",
    "verdicts",
    "standings",
    "units",
    "routing",
    "suspects",
    "studies",
    "cost",
    "quarantine",
    "unknowns",
    "versions",
    "growth",
)
"""Ours, in reading order."""


def section_makers() -> dict[str, Callable[[], MakeSection]]:
    """What loads the maker of each section: ours in order, then those of packages by name."""
    offered = {point.name: point.load for point in entry_points(group=GROUP)}
    ours = {name: _ours(name) for name in NAMES}
    return ours | dict(sorted(offered.items()))


def _ours(name: str) -> Callable[[], MakeSection]:
    def loaded() -> MakeSection:
        maker: MakeSection = import_module(f"{__name__}.{name}").section
        return maker

    return loaded
