"""HTML, Markdown and JSON of one report: the same rows, the same bytes each time, whole files."""

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from dataflows.report.as_markdown import escaped, fenced
from dataflows.report.cells import cell_text
from dataflows.report.parts import ColumnKind, Report
from dataflows.report.writing import FORMATS, write_reports
from tests.cli.conftest import Afp
from tests.report.conftest import snapshot_of

LARGEST_PAGE = 2_000_000


def shown_in_html(page: str) -> dict[str, list[list[str]]]:
    """The cells of every table by its place on the page."""
    tables = {}
    for title, body in re.findall(r'aria-labelledby="t-([\w-]+)">\n<thead>.*?<tbody>(.*?)</tbody>', page, re.DOTALL):
        rows = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in body.split("<tr>")[1:]]
        tables[title] = [[unescape(re.sub("<[^>]+>", "", cell)).strip() for cell in row] for row in rows]
    return tables


def shown_in_markdown(text: str) -> dict[str, list[list[str]]]:
    """The cells of every table by its heading."""
    tables: dict[str, list[list[str]]] = {}
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    title, row = "", []
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and token.type == "inline":
            title = token.content
        if token.type == "tr_open":
            row = []
        if before.type == "td_open":
            row.append("".join(child.content for child in token.children or []))
        if before.type == "td_close" and token.type == "tr_close":
            tables.setdefault(title, []).append(row)
    return tables


def test_all_formats_hold_the_same_rows(report: Report, written: dict[str, str]) -> None:
    page, text = shown_in_html(written[".html"]), shown_in_markdown(written[".md"])
    data = {t["name"]: t for section in json.loads(written[".json"])["sections"] for t in section["tables"]}
    for section in report.sections:
        for table in section.tables:
            told = [
                [cell_text(cell, column.kind) for cell, column in zip(row.cells, table.columns, strict=True)]
                for row in table.rows
            ]
            width = len(table.columns)
            assert [row[:width] for row in page.get(table.name.replace("_", "-"), [])] == told, table.name
            assert [row[:width] for row in text.get(table.title, [])] == told, table.name
            assert [list(row["values"].values()) for row in data[table.name]["rows"]] == [
                list(row.cells) for row in table.rows
            ], table.name
            assert data[table.name]["command"] == table.command


def test_every_number_of_the_page_links_to_its_query_and_every_link_leads_somewhere(written: dict[str, str]) -> None:
    page = written[".html"]
    assert re.findall(r'<td class="number[^"]*">(?!<a class="bare" href="#q-)(?!not known<)', page) == []
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert re.findall(r'href="(?!#)', page) == []


def test_every_link_of_the_markdown_leads_to_a_heading(written: dict[str, str]) -> None:
    text = written[".md"]
    headings = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)
    }
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    assert links
    assert {link.removeprefix("#") for link in links} <= headings


def test_the_same_snapshot_gives_the_same_bytes_in_whole_files(
    written: dict[str, str], sample_store: Path, tmp_path: Path
) -> None:
    paths = write_reports(snapshot_of(sample_store), None, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)
    assert {path.stem for path in paths} == {"report-snapshot-1", "latest"}
    for path in paths:
        assert path.read_text(encoding="utf-8") == written[path.suffix]
        assert path.stat().st_size < LARGEST_PAGE


def test_an_earlier_report_made_again_is_not_the_latest(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(FORMATS, ".html")
    paths = write_reports(snapshot_of(sample_store), None, tmp_path, is_latest=False)
    assert [path.name for path in paths] == ["report-snapshot-1.md", "report-snapshot-1.json"]


@pytest.mark.parametrize("ending", FORMATS)
def test_the_command_writes_the_form_that_the_ending_names(
    afp: Afp, written: dict[str, str], sample_store: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"out{ending}"
    done = afp("report", "--store", str(sample_store), "--out", str(out), "--quiet")
    assert done.exit_code == 0, done.output
    assert out.read_text(encoding="utf-8") == written[ending]
    assert done.output == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "report.pdf"), "does not end in .html, .md, .json"),
        (("--out", "report"), "does not end in .html, .md, .json"),
        (("--out", "no-such-folder/report.md"), "there is no folder"),
        (("--out", "report.md", "--snapshot", "77"), "no snapshot 77"),
    ],
)
def test_what_cannot_be_written_is_refused_with_2(
    afp: Afp, sample_store: Path, words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = afp("report", "--store", str(sample_store), *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("cell", "kind", "shown"),
    [
        (None, ColumnKind.NUMBER, "not known"),
        (0, ColumnKind.NUMBER, "0"),
        (1234567, ColumnKind.NUMBER, "1,234,567"),
        (0.5, ColumnKind.NUMBER, "0.5"),
        (2.0, ColumnKind.NUMBER, "2"),
        (0.125, ColumnKind.SHARE, "12.5 %"),
        (1, ColumnKind.SHARE, "100 %"),
        (True, ColumnKind.WORD, "yes"),
        ("x", ColumnKind.TEXT, "x"),
    ],
)
def test_a_cell_reads_as_a_person_reads_it(cell: str | float | None, kind: ColumnKind, shown: str) -> None:
    assert cell_text(cell, kind) == shown


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b>",
        "a | b",
        "*x* _y_ `z` ~~w~~",
        "[x](javascript:alert(1)) ![x](http://x) <http://x>",
        "http://evil.test www.evil.test me@evil.test",
        "# x",
        "- x",
        "+ x",
        "1. x",
        "1) x",
        "=== x",
        "&lt; &#60;",
        "{{ x }} $x$ :smile: @someone",
        "\\",
        "a\nb",
    ],
)
def test_nothing_in_a_text_is_markdown(text: str) -> None:
    [_, inline, _] = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(escaped(text))
    assert {child.type for child in inline.children or []} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children or []) == text.replace("\n", "\\n")
    assert not re.search(r"(?<!\\)(?:\||@|:[a-z/]|[$<])|www\.", escaped(text))


def test_no_text_leaves_its_fence() -> None:
    [token] = MarkdownIt("commonmark").parse(fenced("```\n````\n# x"))
    assert (token.type, token.content) == ("fence", "```\n````\n# x\n")
