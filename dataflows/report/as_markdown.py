"""A report as Markdown, for a chat, a ticket or a pull request: everything that could be markup is escaped."""

import re
from collections.abc import Iterator

from dataflows.masking import masked
from dataflows.printable import printable, printable_lines
from dataflows.report.cells import NUMBERS, cell_text, heading, left_out_text, runs_text
from dataflows.report.parts import Report, Section, Sentence, Table
from dataflows.report.plots import plot_text
from dataflows.version import CODE_VERSION

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#!|~&$@^]|:(?=[^\s\d])|(?<=www)\.", re.IGNORECASE)
"""Signs that Markdown, or a page that shows it, may take for more than text: a backslash before each makes it text."""

_BEGINNING = re.compile(r"^(\s*(?:\d+(?=[.)](?:\s|$)))?)([-+=.)])")
"""What would begin a list or a line at the start of a paragraph."""

NO_LETTERS = re.compile(r"[^\w\- ]")


def as_markdown(report: Report) -> str:
    """The report as one Markdown document."""
    return "\n".join(_lines(report)).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """A text on one line in which nothing is markup, a link or HTML."""
    line = _MARKUP.sub(r"\\\g<0>", printable(masked(text)))
    return _BEGINNING.sub(r"\1\\\2", line)


def fenced(text: str) -> str:
    """A text as it stands, in a fence longer than any in it."""
    shown = printable_lines(masked(text))
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}sh\n{shown}\n{fence}"


def _lines(report: Report) -> Iterator[str]:
    titles = report.titles()
    yield f"# {escaped(report.title)}"
    yield ""
    for sentence in report.headline:
        yield f"- {_sentence(sentence, titles)}"
    yield ""
    for what, said in report.about:
        yield f"- {escaped(what)}: {escaped(said)}"
    for name, why in report.failed:
        yield f"- section {escaped(name)} failed: {escaped(why)}"
    for section in report.sections:
        yield ""
        yield from _section(section, titles)
    yield ""
    yield (
        f"afp-fleet {escaped(CODE_VERSION)}. Of all words of this report only confirmed claims a cause. Secrets are"
        " masked, values that the record redacts are not shown."
    )


def _section(section: Section, titles: dict[str, str]) -> Iterator[str]:
    yield f"## {escaped(section.title)}"
    yield ""
    for sentence in section.sentences:
        yield _sentence(sentence, titles)
        yield ""
        if sentence.command:
            yield fenced(sentence.command)
            yield ""
    for plot in section.plots:
        yield f"Plot: {escaped(plot_text(plot))}"
        yield ""
    for table in section.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield f"### {escaped(table.title)}"
    yield ""
    if not table.rows:
        yield escaped(table.empty)
        yield ""
    else:
        behind = ["first runs"] if table.of_runs else []
        yield _line([*map(heading, table.columns), *behind])
        yield (
            "|"
            + "|".join([*("---:" if c.kind in NUMBERS else "---" for c in table.columns), *("---" for _ in behind)])
            + "|"
        )
        for row in table.rows:
            cells = [cell_text(cell, column.kind) for cell, column in zip(row.cells, table.columns, strict=True)]
            runs = [" ".join([", ".join(row.run_ids), runs_text(row)]).strip()] if behind else []
            yield _line([*cells, *runs])
        yield ""
        if table.left_out:
            yield escaped(left_out_text(table))
            yield ""
    yield "The query:"
    yield ""
    yield fenced(table.command)
    yield ""


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def _sentence(sentence: Sentence, titles: dict[str, str]) -> str:
    sources = [f"[{escaped(titles[name])}](#{_anchor(titles[name])})" for name in sentence.tables if name in titles]
    behind = f" ({', '.join(sources)})" if sources else ""
    return escaped(sentence.text) + behind


def _anchor(title: str) -> str:
    """Where the heading of a table is, as pages that show Markdown spell it."""
    return NO_LETTERS.sub("", printable(masked(title)).lower()).replace(" ", "-")
