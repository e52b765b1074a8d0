"""`afp dag`: the dataflow as text and as a picture."""

from pathlib import Path

import pytest

from dataflows import drawing
from tests.cli.conftest import Afp


def test_the_text_names_every_node_with_its_inputs(afp: Afp) -> None:
    shown = afp("dag")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == drawing.node_lines()


def test_a_picture_is_drawn_into_a_file(afp: Afp, tmp_path: Path) -> None:
    shown = afp("dag", "--out", str(tmp_path / "dag.dot"))
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert (tmp_path / "dag.dot").read_text().startswith("digraph")


def test_what_is_missing_for_a_picture_is_said(afp: Afp, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(out: str) -> None:
        raise drawing.CannotDrawError(f"Drawing {out} needs dot: apt-get install graphviz.")

    monkeypatch.setattr(drawing, "draw", draw)
    shown = afp("dag", "--out", "dag.png")
    assert (shown.exit_code, shown.stderr) == (2, "afp: Drawing dag.png needs dot: apt-get install graphviz.\n")
