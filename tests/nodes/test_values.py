"""Folded values on tiny logs."""

import pytest

from afp_nodes.schemas import FoldPoints, Writes
from afp_nodes.values import folded_values
from tests.tables import shown, table

LOG = table(
    Writes,
    """
    run_id | scope | commit_idx | key | verb   | verbs        | entries | overwrite_json | update_json
    a      | ''    | 0          | x   | set    | [set]        | 1       | "text"         |
    a      | ''    | 1          | x   | append | [append]     | 1       | [2]            |
    a      | ''    | 3          | x   | append | [append]     | 1       | []             |
    a      | ''    | 4          | x   | append | [set append] | 2       | [7]            |
    a      | ''    | 5          | x   | delete | [delete]     | 1       |                |
    a      | ''    | 6          | x   | append | [append]     | 1       | [8]            |
    a      | ''    | 0          | m   | merge  | [merge]      | 1       |                | {"t":[1,1]}
    a      | ''    | 2          | m   | merge  | [merge]      | 1       |                | {"t":[1,2],"u":null}
    a      | ''    | 3          | m   | odd    | [odd]        | 1       | "ignored"      | "scalar"
    a      | in#1  | 0          | x   | set    | [set]        | 1       | "other log"    |
    b      | ''    | 0          | x   | append | [append]     | 1       | "REDACTED"     |
    b      | ''    | 1          | x   | append | [append]     | 1       | [3]            |
    """,
)


@pytest.mark.parametrize(
    ("run", "scope", "key", "at", "value", "basis"),
    [
        ("a", "", "x", 0, '"text"', [0]),
        ("a", "", "x", 1, "[2]", [1]),
        ("a", "", "x", 2, "[2]", [1]),
        ("a", "", "x", 3, "[2]", [1, 3]),
        ("a", "", "x", 4, "[7,7]", [4]),
        ("a", "", "x", 5, None, [5]),
        ("a", "", "x", 6, "[8]", [6]),
        ("a", "", "x", 99, "[8]", [6]),
        ("a", "", "m", 1, '{"t":[1,1]}', [0]),
        ("a", "", "m", 2, '{"t":[1,2],"u":null}', [0, 2]),
        ("a", "", "m", 3, '"scalar"', [0, 2, 3]),
        ("a", "in#1", "x", 9, '"other log"', [0]),
        ("b", "", "x", 0, '"REDACTED"', [0]),
        ("b", "", "x", 1, "[3]", [1]),
    ],
)
def test_a_value_is_folded_from_its_last_base_up_to_the_wanted_position(
    run: str, scope: str, key: str, at: int, value: str | None, basis: list[int]
) -> None:
    wanted = table(FoldPoints, f"run_id|scope|key|fold_commit_idx\n{run}|{scope or chr(39) * 2}|{key}|{at}")
    assert shown(folded_values(LOG, wanted), "value_json", "basis") == [(value, basis)]


def test_a_key_without_a_write_up_to_the_position_has_no_value() -> None:
    wanted = table(FoldPoints, "run_id|scope|key|fold_commit_idx\na|''|never|9")
    assert shown(folded_values(LOG, wanted), "value_json") == []
