"""Write tiny frames as text, so that a test reads like the table it is about."""

import polars as pl

from afp_nodes.schemas import Frame


def table(schema: type[Frame], text: str) -> pl.LazyFrame:
    """Parse a `|`-separated table into `schema`.

    A blank cell is NULL, `''` the empty text, `T` and `F` are true and false, `[a b]` is a list of texts or numbers.
    Columns that are left out are filled with what tests are not about: NULL, or an empty value of their type.
    """
    header, *lines = (line for line in text.strip().splitlines() if set(line) - set("-+| "))
    names = [cell.strip() for cell in header.split("|")]
    rows = [dict(zip(names, (cell.strip() for cell in line.split("|")), strict=True)) for line in lines]
    columns = {name: _column(name, column.dtype, column.nullable, rows) for name, column in schema.columns().items()}
    return schema.validate(pl.DataFrame(columns), cast=True).lazy()


def shown(frame: pl.LazyFrame, *columns: str) -> list[tuple[object, ...]]:
    """The rows of a frame, in the order of its columns as asked for, sorted as text."""
    return sorted(frame.select(columns).collect().rows(), key=str)


def _column(name: str, dtype: pl.DataType, nullable: bool, rows: list[dict[str, str]]) -> pl.Series:
    stored = pl.String() if isinstance(dtype, pl.Enum | pl.Categorical) else dtype
    if rows and name not in rows[0]:
        return pl.Series(name, [None if nullable else _nothing(stored)] * len(rows), dtype=stored)
    return pl.Series(name, [_value(row[name], stored) for row in rows], dtype=stored)


def _value(cell: str, dtype: pl.DataType) -> object:
    if not cell:
        return None
    if isinstance(dtype, pl.List):
        return [_value(item, dtype.inner) for item in cell.strip("[]").split()]
    if dtype == pl.Boolean:
        return cell == "T"
    if dtype.is_numeric():
        return int(cell) if dtype.is_integer() else float(cell)
    return "" if cell == "''" else cell


def _nothing(dtype: pl.DataType) -> object:
    if isinstance(dtype, pl.List):
        return []
    return {pl.Boolean: False, pl.Int64: 0, pl.Float64: 0.0}.get(type(dtype), "")
