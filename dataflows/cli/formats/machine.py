"""Answers for machines: JSON, CSV and Parquet, written as the rows come."""

from collections.abc import Iterator
from typing import BinaryIO

from dataflows.cli.formats.question import BATCH_ROWS, Question, told
from dataflows.cli.formats.values import is_number, json_object, literal, plain_text, storable
from dataflows.cli.interruption import interrupting
from dataflows.printable import printable_json, printable_lines


def json_pieces(question: Question) -> Iterator[bytes]:
    """The answer as one JSON array, an object a line; numbers keep every digit."""
    before = "[\n"
    for rows in question.rows(json_object(question.names, question.kinds)):
        yield printable_json(before + ",\n".join(str(row) for (row,) in rows)).encode()
        before = ",\n"
    yield b"[]\n" if before == "[\n" else b"\n]\n"


def csv_pieces(question: Question) -> Iterator[bytes]:
    """The answer as CSV with a header. No spreadsheet runs a cell of it as a formula, no terminal obeys one."""
    header = " || ',' || ".join(f"csv_field(harmless({literal(name)}))" for name in question.names)
    row = " || ',' || ".join(_csv_field(place, question) for place in range(len(question.names)))
    with told():
        names = question.connection.execute(f"SELECT {header}").fetchall()
    yield _csv_lines(names)
    for rows in question.rows(row):
        yield _csv_lines(rows)


def write_parquet(question: Question, file: BinaryIO) -> None:
    """The answer as one Parquet file, zstd; what Parquet has no type for is written as text."""
    import pyarrow.parquet  # noqa: PLC0415 - only this format needs it

    columns = ", ".join(
        f"{storable(f'#{place}', kind)} AS {_quoted(name)}"
        for place, (name, kind) in enumerate(zip(question.names, question.kinds, strict=True), start=1)
    )
    with told(lines_before=1), interrupting(question.connection):
        answer = question.connection.sql(f"SELECT {columns} FROM (\n{question.text}\n)").to_arrow_reader(BATCH_ROWS * 8)
        with pyarrow.parquet.ParquetWriter(file, answer.schema, compression="zstd") as writer:
            for batch in answer:
                writer.write_batch(batch)


def _csv_field(place: int, question: Question) -> str:
    kind, value = question.kinds[place], f"#{place + 1}"
    text = plain_text(value, kind)
    return f"coalesce({text}, '')" if is_number(kind) else f"csv_field(harmless({text}))"


def _csv_lines(rows: list[tuple[str | None, ...]]) -> bytes:
    return printable_lines("".join(f"{row}\n" for (row,) in rows)).encode()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
