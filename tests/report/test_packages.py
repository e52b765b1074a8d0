"""Sections of installed packages: shown as text like ours, and one that fails costs no other."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from dataflows.report import sections
from dataflows.report.as_html import as_html
from dataflows.report.as_markdown import as_markdown
from dataflows.report.asked import Asked
from dataflows.report.making import report_of
from dataflows.report.parts import Column, ColumnKind, Plot, PlotKind, Point, Row, Section, Sentence, Table
from tests.cli.conftest import Afp
from tests.report.conftest import snapshot_of

ROOT = Path(__file__).parents[2]
MARKUP = "<b onclick=x>bold</b> | **bold**"


def questions(asked: Asked) -> Section:
    """How many questions of each length there are."""
    columns = {"letters": ColumnKind.NUMBER, "runs": ColumnKind.NUMBER}
    sql = """
        SELECT length(question) AS letters, count(*) AS runs, array_agg(run_id ORDER BY run_id) AS run_ids
        FROM runs WHERE study_id IS NULL AND question IS NOT NULL GROUP BY letters ORDER BY letters
    """
    table = asked.table("questions", MARKUP, columns, empty="No question is recorded.", sql=sql)
    points = tuple(Point(str(row["letters"]), float(row["runs"] or 0)) for row in table.values())
    plot = Plot(PlotKind.TREND, "Runs by length", points, table="questions")
    return Section("questions", MARKUP, (Sentence(MARKUP, ("questions",)),), (plot,), (table,))


def failing(_: Asked) -> Section:
    raise RuntimeError("\x1b[31m broken")


def markup(_: Asked) -> str:
    return MARKUP


def taken(_: Asked) -> Section:
    return Section("taken", "Taken", tables=(Table("answers", "x", (Column("a"),), (Row((1,)),), "afp runs", "none"),))


def other_columns(asked: Asked) -> Section:
    return Section("x", "x", tables=(asked.table("x", "x", {"a": ColumnKind.WORD}, empty="", sql="SELECT 1 AS b"),))


def own_growth(_: Asked) -> Section:
    return Section("growth", "Our store", (Sentence("It grew."),))


def offer(monkeypatch: pytest.MonkeyPatch, **offered: str) -> None:
    points = EntryPoints(EntryPoint(name, value, sections.GROUP) for name, value in offered.items())
    monkeypatch.setattr(sections, "entry_points", lambda group: points.select(group=group))


def test_a_section_of_a_package_comes_after_ours_as_text(monkeypatch: pytest.MonkeyPatch, sample_store: Path) -> None:
    offer(monkeypatch, questions=f"{__name__}:questions")
    report = report_of(snapshot_of(sample_store))
    assert [section.name for section in report.sections] == [*sections.NAMES, "questions"]
    page = as_html(report)
    assert "<b" not in page.replace("<body", "").replace("<base", "")
    assert page.count("&lt;b onclick=x&gt;bold&lt;/b&gt; | **bold**") >= 4
    assert r"\<b onclick=x\>bold\</b\> \| \*\*bold\*\*" in as_markdown(report)


@pytest.mark.parametrize(
    ("maker", "said"),
    [
        ("failing", r"RuntimeError: \x1b[31m broken"),
        ("markup", "it gives a str, not a Section"),
        ("taken", "have names that are taken"),
        ("other_columns", "has the columns b, not a"),
        ("no_such_function", "AttributeError"),
    ],
)
def test_a_section_that_fails_is_named_and_the_rest_stands(
    monkeypatch: pytest.MonkeyPatch, afp: Afp, sample_store: Path, tmp_path: Path, maker: str, said: str
) -> None:
    offer(monkeypatch, theirs=f"{__name__}:{maker}")
    out = tmp_path / "report.md"
    done = afp("report", "--store", str(sample_store), "--out", str(out))
    assert done.exit_code == 0
    assert "the section theirs of the report failed" in done.stderr
    assert said in done.stderr
    text = out.read_text(encoding="utf-8")
    assert "- section theirs failed" in text
    assert text.count("\n## ") == len(sections.NAMES)


def test_a_section_of_the_name_of_ours_takes_its_place(monkeypatch: pytest.MonkeyPatch, sample_store: Path) -> None:
    offer(monkeypatch, growth=f"{__name__}:own_growth")
    report = report_of(snapshot_of(sample_store))
    assert [section.title for section in report.sections][-1] == "Our store"
    assert len(report.sections) == len(sections.NAMES)


def test_the_section_of_the_docs_is_found_once_its_package_is_installed(sample_store: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    [module], [project] = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("python", "toml"))
    told = tomllib.loads(project)["project"]
    [(group, points)] = told["entry-points"].items()
    (tmp_path / "our_sections.py").write_text(module, encoding="utf-8")
    metadata = tmp_path / "our_sections-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n")
    named = "".join(f"{name} = {place}\n" for name, place in points.items())
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{named}")
    out = tmp_path / "report.json"
    words = [
        sys.executable,
        "-c",
        "from dataflows.cli import main; main()",
        "report",
        "--store",
        str(sample_store),
        "--out",
        str(out),
    ]
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(words, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, f"written: {out}\n")
    section = json.loads(out.read_text(encoding="utf-8"))["sections"][-1]
    assert section["title"] == "Tools that fail"
    [table] = section["tables"]
    assert sum(row["values"]["calls"] for row in table["rows"]) > 50
