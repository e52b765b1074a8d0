"""Arms that could take the place of the baseline: what a file declares, and which of them a run's manifest matches.

Rules: product contract, sections 3 (`arms.json`) and 6; record format, section 24.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from afp_nodes.javascript import parse, stringify
from afp_nodes.refusals import RefusedError
from afp_nodes.studies.arms import matched_arm, refuse_unfit
from afp_nodes.studies.documents import Arm
from dataflows.probes.errors import ProbeError


class _ArmsFile(msgspec.Struct):
    arms: list[Arm]
    baseline: str | None = None


@dataclass(frozen=True)
class DeclaredArms:
    """The arms that are declared; none, unless a file does."""

    arms: tuple[Arm, ...] = ()
    baseline: str | None = None
    _matches: dict[str | None, str | None] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> "DeclaredArms":
        """The arms of a file. Raises `ProbeError` where it declares none that could be compared."""
        try:
            file = msgspec.convert(parse(Path(path).read_text(encoding="utf-8")), _ArmsFile)
            return cls(tuple(file.arms), refuse_unfit(file.arms, file.baseline))
        except RefusedError as error:
            raise ProbeError(f"{path}: {error.message}.", f"To do: {error.remedy}.") from error
        except ValueError as error:
            raise ProbeError(
                f"{path} declares no arms: {error}.", 'It holds {"arms": [{"id", "facets"}], "baseline": ID}.'
            ) from error

    def arm_of(self, manifest_json: str | None) -> str | None:
        """The arm that a run belongs to by its manifest."""
        if not self.arms or manifest_json is None:
            return None
        if manifest_json not in self._matches:
            manifest: Any = parse(manifest_json)
            arm = matched_arm(self.arms, manifest) if isinstance(manifest, dict) else None
            self._matches[manifest_json] = arm.name if arm else None
        return self._matches[manifest_json]

    def changes(self) -> list[tuple[str, str]]:
        """Each arm but the baseline, with what it changes."""
        return [
            (arm.name, stringify({"facets": arm.facets or {}, "ablations": arm.ablations or []}))
            for arm in self.arms
            if arm.name != self.baseline
        ]
