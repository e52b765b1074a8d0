"""Arms: configurations under test, and whether the manifest of a run agrees with one. Rule: record format, section 24.

A manifest names what a run was configured with. What it does not name was not configured, so it contradicts an arm
that declares it. An arm says nothing of facets it does not declare. A member that is null counts as left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from afp_nodes.javascript import stringify, trimmed
from afp_nodes.refusals import RefusedError
from afp_nodes.studies.canonical import by_code_units, canonical_set
from afp_nodes.studies.documents import Arm
from afp_nodes.words import QuarantineCode

MEMORY = "memory"
MEMORY_FIELDS = ("type", "strategy", "retrieval", "embedderId", "flavor")
"""What is compared of a memory, beside its id."""

PLACES = {
    "provider": ("llm", "provider"),
    "model": ("llm", "model"),
    "reactMode": ("reactMode",),
    "window": ("window",),
    "scorer": ("skillGraph", "scorer"),
    "routing": ("skillGraph", "routing"),
    "continuity": ("skillGraph", "continuity"),
    "evidenceGate": ("evidenceGate",),
}
"""Where a manifest names each facet, in the order in which mismatches stand."""

Manifest = dict[str, Any]


class Mismatch(NamedTuple):
    """One declared facet that a manifest contradicts; `observed` is None where it does not name it."""

    facet: str
    declared: str
    observed: str | None


class Application(NamedTuple):
    """Whether the runs of an arm were configured as it declares; `applied` is False where nothing was checked."""

    manifests_seen: int
    checked: bool
    applied: bool
    mismatches: list[Mismatch]


def mismatches(arm: Arm, manifest: Manifest) -> list[Mismatch]:
    """Every declared facet that the manifest contradicts."""
    facets = arm.facets or {}
    plain = (
        Mismatch(_manifest_name(facet), _text(facets[facet]), _observed(_at(manifest, place)))
        for facet, place in PLACES.items()
        if not _agree(facets.get(facet), _at(manifest, place))
    )
    return [*plain, *_memory_mismatches(facets.get(MEMORY), _memories(manifest))]


def application(arm: Arm, manifests: Sequence[Manifest]) -> Application:
    """What the manifests of an arm's runs say of it, each contradiction once.

    Nothing is checked where no run reported a manifest, or the arm declares nothing that a manifest could name.
    """
    if not manifests or not any(_checkable(arm)):
        return Application(len(manifests), checked=False, applied=False, mismatches=[])
    distinct: dict[tuple[str, str | None], Mismatch] = {}
    for mismatch in (mismatch for manifest in manifests for mismatch in mismatches(arm, manifest)):
        distinct.setdefault((mismatch.facet, mismatch.observed), mismatch)
    found = list(distinct.values())
    return Application(len(manifests), checked=True, applied=not found, mismatches=found)


def matched_arm(arms: Sequence[Arm], manifest: Manifest) -> Arm | None:
    """The arm a run belongs to by its own manifest: the one that declares most and is contradicted in nothing.

    None where two declare as much, and never an arm that declares no facet.
    """
    fitting = [arm for arm in arms if declared_facets(arm) and not mismatches(arm, manifest)]
    most = max(map(declared_facets, fitting), default=0)
    foremost = [arm for arm in fitting if declared_facets(arm) == most]
    return foremost[0] if len(foremost) == 1 else None


def declared_facets(arm: Arm) -> int:
    """How many facets an arm declares, each field of a memory counting as one."""
    return len(list(_leaves(arm.facets or {})))


def facets_label(facets: dict[str, Any]) -> str:
    """What some facets are called: every declared one with its value, in the order of their names."""
    return ",".join(sorted((f"{name}={_text(value)}" for name, value in _leaves(facets)), key=by_code_units))


def configuration_key(arm: Arm) -> str:
    """The configuration of an arm as a text: equal for equal configurations, however they are written."""
    removals = sorted(map(canonical_set, arm.ablations or []), key=by_code_units)
    return f"{canonical_set(arm.facets or {})}::{'|'.join(removals)}"


def refuse_unfit(arms: Sequence[Arm], baseline: str | None) -> str:
    """The id of the baseline arm of a comparison, the first one where none is named.

    Raises `RefusedError` for one of six reasons to make no comparison: what would be compared makes no sense.
    """
    if len(arms) < 2:
        raise _refusal(
            QuarantineCode.TOO_FEW_ARMS,
            f"a comparison needs at least two arms, not {len(arms)}",
            "declare the configuration that is compared as an arm of its own, then run again",
        )
    _refuse_unfit_ids(arms)
    ids = [arm.name for arm in arms]
    incumbent = ids[0] if baseline is None else baseline
    if incumbent not in ids:
        raise _refusal(
            QuarantineCode.UNKNOWN_BASELINE,
            f"the baseline {_shown(incumbent)} is none of the arms: {', '.join(map(_shown, ids))}",
            "name one of the arms as `baseline`, or leave it out for the first, then run again",
        )
    for arm in arms:
        if arm.name != incumbent and not declared_facets(arm) and not arm.ablations:
            raise _refusal(
                QuarantineCode.UNDECLARED_ARM,
                f"arm {_shown(arm.name)} declares neither facets nor ablations, so nothing tells it from the baseline"
                f" {_shown(incumbent)}",
                "declare at least one facet or ablation of each arm but the baseline, then run again",
            )
    _refuse_equal(arms)
    return incumbent


def _refuse_unfit_ids(arms: Sequence[Arm]) -> None:
    seen: set[str] = set()
    for place, arm in enumerate(arms):
        if not isinstance(arm.id, str) or not trimmed(arm.id):
            raise _refusal(
                QuarantineCode.BLANK_ARM_ID,
                f"`arms[{place}]` has no id, which names it in every verdict",
                "give each arm an id, a text that is not blank, then run again",
            )
        if arm.id in seen:
            raise _refusal(
                QuarantineCode.REPEATED_ARM_ID,
                f"two arms have the id {_shown(arm.id)}",
                "give each arm an id of its own, then run again",
            )
        seen.add(arm.id)


def _refuse_equal(arms: Sequence[Arm]) -> None:
    by_key: dict[str, str] = {}
    for arm in arms:
        twin = by_key.setdefault(configuration_key(arm), arm.name)
        if twin != arm.name:
            raise _refusal(
                QuarantineCode.SAME_CONFIGURATION,
                f"arms {_shown(twin)} and {_shown(arm.name)} declare the same configuration: comparing them would"
                " measure how runs of one configuration vary",
                "change a facet or an ablation of one of them, or leave it out, then run again",
            )


def _memory_mismatches(memory: dict[str, Any] | None, rows: list[dict[str, Any]]) -> Iterator[Mismatch]:
    """What no mounted memory agrees with: field by field where the arm names one by its id, else as a whole."""
    wanted = memory.get("id") if memory else None
    if memory is None:
        return
    if wanted is None:
        if not any(all(_agree(memory.get(field), row.get(field)) for field in MEMORY_FIELDS) for row in rows):
            observed = " | ".join(facets_label({MEMORY: row}) for row in rows)
            yield Mismatch(MEMORY, facets_label({MEMORY: memory}), observed if rows else None)
        return
    row = next((row for row in rows if _agree(wanted, row.get("id"))), None)
    if row is None:
        observed = ", ".join("?" if row.get("id") is None else _text(row["id"]) for row in rows)
        yield Mismatch(f"{MEMORY}.id", _text(wanted), observed if rows else None)
        return
    for field in MEMORY_FIELDS:
        if not _agree(memory.get(field), row.get(field)):
            yield Mismatch(f"{MEMORY}.{field}", _text(memory[field]), _observed(row.get(field)))


def _leaves(facets: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every declared facet with its value, the fields of a memory one by one."""
    for name, value in facets.items():
        if name == MEMORY and isinstance(value, dict):
            yield from ((f"{MEMORY}.{field}", of_memory) for field, of_memory in value.items() if of_memory is not None)
        elif value is not None:
            yield name, value


def _checkable(arm: Arm) -> Iterator[bool]:
    """Whether a manifest could name each declared facet."""
    named = {*PLACES, f"{MEMORY}.id", *(f"{MEMORY}.{field}" for field in MEMORY_FIELDS)}
    return (facet in named for facet, _ in _leaves(arm.facets or {}))


def _memories(manifest: Manifest) -> list[dict[str, Any]]:
    rows = manifest.get("memories")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _at(manifest: Manifest, place: Sequence[str]) -> Any:
    """What the manifest names there; None for nothing."""
    value: Any = manifest
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _manifest_name(facet: str) -> str:
    """A facet as mismatches call it."""
    return facet if PLACES[facet][0] == "llm" else ".".join(PLACES[facet])


def _agree(declared: Any, observed: Any) -> bool:
    """An undeclared facet agrees with everything; JavaScript's `===` decides for texts, numbers and truth values."""
    if declared is None:
        return True
    if isinstance(declared, dict | list) or isinstance(declared, bool) is not isinstance(observed, bool):
        return False
    return bool(declared == observed)


def _observed(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    """A value as people read it: a text bare, anything else as JSON."""
    return value if isinstance(value, str) else stringify(value)


def _shown(name: str) -> str:
    return repr(name[:60])


def _refusal(code: QuarantineCode, message: str, remedy: str) -> RefusedError:
    return RefusedError(code, f"the arms cannot be compared: {message}", remedy)
