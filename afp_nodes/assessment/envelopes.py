"""The envelopes in which a tool declares what it found nothing in, and what it did not cover.

Rule: assessment and routing, section 4. An absence says that nothing matched; a boundary says what was covered,
around a result.
"""

from typing import Any, NamedTuple

from afp_nodes.assessment.members import is_filled


class Declared(NamedTuple):
    """What a value's own envelope declares."""

    absent: bool
    bounded: bool
    gap: bool
    """Something is listed that was not checked, or cannot be covered."""


def declared_in(data: Any) -> Declared | None:
    """What a parsed value declares: an absence, a boundary, or an absence directly inside a boundary."""
    bounded = is_boundary(data)
    absence = next((v for v in (data, data["result"] if bounded else None) if _is_absence(v)), None)
    if not bounded and absence is None:
        return None
    gap = _has_gap(absence or {}) or (bounded and _has_gap(data["af_coverage"]))
    return Declared(absence is not None, bounded, gap)


def is_boundary(data: Any) -> bool:
    """An object with an object `af_coverage` and a `result` of any value."""
    return isinstance(data, dict) and isinstance(data.get("af_coverage"), dict) and "result" in data


def _is_absence(data: Any) -> bool:
    return isinstance(data, dict) and data.get("af_absent") is True and is_filled(data.get("checked"))


def _has_gap(envelope: dict[str, Any]) -> bool:
    return is_filled(envelope.get("not_checked")) or is_filled(envelope.get("cannot_cover"))
