"""The reference pages that are made from the code: `make docs` writes them, a test keeps them true."""

import sys
from pathlib import Path

import click

from dataflows.cli.program import COMMANDS, NAME, program
from dataflows.glossary import ColumnEntry, TableEntry, table_entries

PAGE_WIDTH = 100


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {"cli.md": cli_page(), "tables.md": tables_page()}


def cli_page() -> str:
    """The help of every command, as the terminal shows it."""
    parts = [
        "# Commands",
        "",
        "This page is the help of every command, as `afp COMMAND --help` prints it. `make docs` writes it.",
        "",
        *_help_section(click.Context(program, info_name=NAME, **program.context_settings), level=2),
    ]
    return "\n".join(parts)


def tables_page() -> str:
    """Every table with its grain, its key and the meaning of each column."""
    entries = table_entries()
    parts = [
        "# Tables",
        "",
        "This page is what `afp tables` says of every table, read off the schemas. `make docs` writes it.",
        "",
        "Times are UTC. `*_json` columns hold compact JSON text: NULL means absent, the text `null` means JSON null."
        " Positions count from 0. A column that may be NULL says so. The rules that are cited: [rules.md](rules.md).",
        "",
        "| table | one row is | key |",
        "|---|---|---|",
        *(f"| [`{e.name}`](#{e.name}) | {_cell(e.grain)} | {_names(e.key)} |" for e in entries.values()),
        "",
    ]
    for entry in entries.values():
        parts += _table_section(entry)
    return "\n".join(parts)


def _help_section(context: click.Context, level: int) -> list[str]:
    command = context.command
    context.max_content_width = context.terminal_width = PAGE_WIDTH
    lines = [f"{'#' * level} {context.command_path}", "", "```text", command.get_help(context), "```", ""]
    if isinstance(command, click.Group):
        names = COMMANDS if command is program else command.list_commands(context)
        for name in names:
            inner = command.get_command(context, name)
            if inner is not None:
                lines += _help_section(click.Context(inner, parent=context, info_name=name), level + 1)
    return lines


def _table_section(entry: TableEntry) -> list[str]:
    return [
        f"## {entry.name}",
        "",
        f"{entry.grain} Key: {_names(entry.key)}.",
        *(["", entry.notes] if entry.notes else []),
        "",
        "| column | type | meaning |",
        "|---|---|---|",
        *(f"| `{column.name}` | {_kind(column)} | {_meaning(column)} |" for column in entry.columns),
        "",
    ]


def _kind(column: ColumnEntry) -> str:
    return column.kind + (", may be NULL" if column.nullable else "")


def _meaning(column: ColumnEntry) -> str:
    words = f" One of {_names(column.words)}." if column.words else ""
    return _cell(column.meaning + (";" if column.meaning and words else "") + words.replace(" One", " one", 1))


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(folder: str = "docs") -> None:
    """Write every page into `folder`."""
    for name, text in pages().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
