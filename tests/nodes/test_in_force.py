"""What applications declare, as far as it holds for a run."""

import json
from typing import Any

from afp_nodes.schemas import DeclaredTools, DeclaredUnits
from dataflows.declared import Declarations
from tests.store.drawn import inputs
from tests.tables import shown, table

Document = tuple[str, str, Any]


def in_force(*documents: Document) -> Declarations:
    """What is in force of documents: digest, kind, content."""
    places = [(sha256, f"/{n}", kind, _text(content)) for n, (sha256, kind, content) in enumerate(documents)]
    return Declarations.among(inputs(*places))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, separators=(",", ":"))


def declaration(run_ids: Any, **rows_at: str) -> dict[str, Any]:
    return {"run_ids": run_ids, "tools": {tool: {"rowsAt": member} for tool, member in rows_at.items()}}


def units(run_id: str, *available: str, sent: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"run_id": run_id, "available": [{"id": i} for i in available], "sent": [{"id": i} for i in sent]}


def tools(run_ids: str, *documents: Document) -> list[tuple[object, ...]]:
    """The declared tools of some runs of one letter each."""
    declared = in_force(*documents).of_runs(run_ids).frames
    return shown(declared["declared_tools"].lazy(), "run_id", "tool_name", "rows_at")


def listed(run_ids: str, *documents: Document) -> list[tuple[object, ...]]:
    """The declared units of some runs of one letter each."""
    declared = in_force(*documents).of_runs(run_ids).frames
    return shown(declared["declared_units"].lazy(), "run_id", "side", "position", "unit_id", "content")


def test_a_runs_own_declaration_stands_whole_before_the_one_for_all_runs() -> None:
    of_all = ("a9", "declarations", declaration("*", find="rows", list="all"))
    of_r = ("a1", "declarations", declaration(["r", "s"], find="vms"))
    expected = table(
        DeclaredTools,
        """
        run_id | tool_name | rows_at
        q      | find      | rows
        q      | list      | all
        r      | find      | vms
        """,
    )
    assert tools("qr", of_all, of_r) == shown(expected, "run_id", "tool_name", "rows_at")


def test_an_own_declaration_of_no_tool_takes_away_what_is_declared_for_all() -> None:
    of_all = ("a9", "declarations", declaration("*", find="rows"))
    assert tools("qr", of_all, ("a1", "declarations", {"run_ids": ["r"]})) == [("q", "find", "rows")]


def test_a_star_in_a_list_of_runs_means_all_runs_too_and_a_unit_list_of_a_run_called_star_does_not() -> None:
    assert tools("r", ("a1", "declarations", declaration(["*"], find="rows"))) == [("r", "find", "rows")]
    assert listed("r", ("a1", "units", units("*", "u"))) == []
    assert listed("*", ("a1", "units", units("*", "u"))) == [("*", "available", 0, "u", None)]


def test_of_two_declarations_the_one_of_more_tools_is_in_force_else_the_greater_hash() -> None:
    longer = ("a1", "declarations", declaration(["r"], find="long", list="long"))
    shorter = ("a9", "declarations", declaration(["r", "s"], find="short"))
    other = ("b1", "declarations", declaration(["s"], find="greater"))
    assert tools("rs", longer, shorter, other) == [
        ("r", "find", "long"),
        ("r", "list", "long"),
        ("s", "find", "greater"),
    ]


def test_a_tool_without_rows_counts_and_declares_no_row() -> None:
    bare = ("a1", "declarations", {"run_ids": ["r"], "tools": {"find": {}, "list": {"other": 1}}})
    assert tools("r", bare, ("a9", "declarations", declaration(["r"], find="rows"))) == []


def test_of_two_unit_lists_of_a_run_the_one_of_more_units_is_in_force_else_the_greater_hash() -> None:
    short, long = ("a9", "units", units("r", "x")), ("a1", "units", units("r", "y", "z"))
    assert listed("r", short, long) == [("r", "available", 0, "y", None), ("r", "available", 1, "z", None)]
    assert listed("r", short, ("b1", "units", units("r", "w"))) == [("r", "available", 0, "w", None)]


def test_of_two_lists_for_a_run_in_one_document_the_longer_counts_and_of_equal_ones_the_first() -> None:
    assert listed("r", ("a1", "units", [units("r", "x"), units("r", "y", "z"), units("r", "v", "w")])) == [
        ("r", "available", 0, "y", None),
        ("r", "available", 1, "z", None),
    ]


def test_content_is_text_as_it_is_or_compact_json_as_it_is_spelled_and_null_is_no_content() -> None:
    spelled = '"x \\u00e9"', '{"n":1.50,"l":[1e400]}', "12345678901234567890123", "false", "null"
    available = ",".join(f'{{"id":"u","content":{content}}}' for content in spelled)
    document = f'{{"run_id":"r","available":[{available},{{"id":""}}],"sent":[{{"id":"u","content":""}}]}}'
    expected = table(
        DeclaredUnits,
        """
        run_id | side      | position | unit_id | content
        r      | available | 0        | u       | x é
        r      | available | 1        | u       | {"n":1.50,"l":[1e400]}
        r      | available | 2        | u       | 12345678901234567890123
        r      | available | 3        | u       | false
        r      | available | 4        | u       |
        r      | available | 5        | ''      |
        r      | sent      | 0        | u       | ''
        """,
    )
    columns = ("run_id", "side", "position", "unit_id", "content")
    assert listed("r", ("a1", "units", document)) == shown(expected, *columns)


def test_an_empty_list_is_a_list() -> None:
    declared = in_force(("a1", "units", units("r"))).of_runs("rs").frames
    assert (shown(declared["declared_lists"].lazy(), "run_id"), declared["declared_units"].height) == ([("r",)], 0)


def test_lists_without_runs_are_those_whose_run_has_no_recording() -> None:
    documents = ("a1", "units", [units("r"), units("s")]), ("a2", "declarations", declaration("*", find="rows"))
    lists = in_force(*documents).lists_without(["r"])
    assert shown(lists.in_force.lazy(), "run_id", "kind") == [("s", "units")]


def test_the_digest_changes_with_what_is_in_force_for_the_runs_and_with_nothing_else() -> None:
    of_all = ("a1", "declarations", declaration("*", find="rows"))
    of_s = ("a2", "units", units("s", "u"))
    known = in_force(of_all).digest_of("qr")
    assert known == in_force(of_s, of_all).digest_of("rq") != ""
    assert known != in_force(of_all).digest_of("q")
    assert known != in_force(("a1", "declarations", declaration("*", find="all"))).digest_of("qr")
    assert known != in_force(of_all, ("a2", "units", units("q"))).digest_of("qr")
    assert in_force(of_s).digest_of("qr") == in_force().digest_of("qr") == ""


def test_bytes_that_were_found_under_the_names_of_both_kinds_are_read_as_each() -> None:
    both = {**units("r", "u"), **declaration(["r"], find="rows")}
    documents = ("a1", "units", [both]), ("a1", "declarations", [declaration(["q"], find="all"), both])
    assert listed("r", *documents) == [("r", "available", 0, "u", None)]
    assert tools("r", *documents) == [("r", "find", "rows")]
