"""How a value of each SQL type is spelled: expressions that DuckDB evaluates, so that no value passes through Python.

Numbers are exact: integers of any size and decimals by their digits, floating point by its shortest round trip,
not-a-number and infinities as NULL where JSON has no word for them. Times are ISO 8601 in UTC.
"""

import json
from importlib.resources import files

import duckdb
from duckdb.sqltypes import DuckDBPyType

_BY_DIGITS = frozenset(
    {"boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint"}
    | {"uhugeint", "decimal", "bignum"}
)
_FLOATING = frozenset({"float", "double"})
_NUMBERS = (_BY_DIGITS - {"boolean"}) | _FLOATING
_MOMENTS = frozenset({"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"})
_STORABLE = (_BY_DIGITS - {"uhugeint", "bignum"}) | _FLOATING | _MOMENTS | {"varchar", "date", "blob"}
_NESTED = frozenset({"list", "array", "struct", "map"})


def define_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Teach a connection the macros that the expressions of this module use; to be done before it is locked."""
    connection.execute(files("dataflows").joinpath("sql/cells.sql").read_text())


def is_number(kind: DuckDBPyType) -> bool:
    """Whether values of the type are numbers."""
    return kind.id in _NUMBERS


def json_text(value: str, kind: DuckDBPyType, depth: int = 0) -> str:
    """The expression of a value's JSON text; SQL NULL stays NULL. `depth` tells nested lambdas apart."""
    if kind.id in _BY_DIGITS:
        return f"{value}::VARCHAR"
    if kind.id in _FLOATING:
        return f"json_number({value})"
    if str(kind) == "JSON":
        return f"json_as_recorded({value}::VARCHAR)"
    if kind.id in _NESTED and all(_children(kind)):
        return _nested_json(value, kind, depth)
    return f"to_json({plain_text(value, kind)})::VARCHAR"


def json_object(names: list[str], kinds: list[DuckDBPyType]) -> str:
    """The expression of one row of a query as a JSON object; its columns are named by position."""
    members = " || ',' || ".join(
        f"{_member(name)} || {_or_null(json_text(f'#{place}', kind))}"
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True), start=1)
    )
    return f"'{{' || {members} || '}}'"


def plain_text(value: str, kind: DuckDBPyType) -> str:
    """The expression of a value as a cell shows it; SQL NULL stays NULL."""
    if kind.id in _MOMENTS:
        in_utc = f"timezone('UTC', {value})" if kind.id.endswith("time zone") else value
        return f"instant_text({in_utc})"
    if kind.id in _NESTED and all(_children(kind)):
        return json_text(value, kind)
    return f"{value}::VARCHAR"


def storable(value: str, kind: DuckDBPyType) -> str:
    """The expression of a value in a type that every reader of Parquet knows; others become text."""
    return value if _is_storable(kind) else plain_text(value, kind)


def literal(text: str) -> str:
    """A text as an SQL literal; NUL cannot stand in one and is spliced in."""
    return " || chr(0) || ".join("'" + piece.replace("'", "''") + "'" for piece in text.split("\0"))


def _nested_json(value: str, kind: DuckDBPyType, depth: int) -> str:
    inner = _children(kind)
    match kind.id:
        case "struct":
            return _json_struct(value, inner, depth)
        case "map":
            return _json_map(value, inner, depth)
        case _:
            return _json_list(value, inner["child"], depth)


def _json_list(value: str, kind: DuckDBPyType, depth: int) -> str:
    item = f"item{depth}"
    items = f"list_transform({value}::{kind}[], lambda {item}: {_or_null(json_text(item, kind, depth + 1))})"
    return f"'[' || array_to_string({items}, ',') || ']'"


def _json_struct(value: str, fields: dict[str, DuckDBPyType], depth: int) -> str:
    members = " || ',' || ".join(
        f"{_member(name)} || {_or_null(json_text(f'struct_extract({value}, {literal(name)})', kind, depth))}"
        for name, kind in fields.items()
    )
    return f"CASE WHEN {value} IS NOT NULL THEN '{{' || {members} || '}}' END"


def _json_map(value: str, kinds: dict[str, DuckDBPyType], depth: int) -> str:
    entry = f"entry{depth}"
    key = f"to_json({plain_text(f'{entry}.key', kinds['key'])})::VARCHAR"
    member = f"{key} || ':' || {_or_null(json_text(f'{entry}.value', kinds['value'], depth + 1))}"
    return f"'{{' || array_to_string(list_transform(map_entries({value}), lambda {entry}: {member}), ',') || '}}'"


def _member(name: str) -> str:
    return literal(json.dumps(name, ensure_ascii=False) + ":")


def _is_storable(kind: DuckDBPyType) -> bool:
    if kind.id in _NESTED:
        return all(map(_is_storable, _children(kind).values()))
    return kind.id in _STORABLE


def _or_null(expression: str) -> str:
    return f"coalesce({expression}, 'null')"


def _children(kind: DuckDBPyType) -> dict[str, DuckDBPyType]:
    return {name: child for name, child in kind.children if isinstance(child, DuckDBPyType)}
