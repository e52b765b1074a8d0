"""How the members of recorded values read."""

from typing import Any

import pytest
from msgspec import Struct

from afp_nodes.context.contents import content, list_reader, name, names, object_reader, text


class Shape(Struct, rename="camel"):
    role: Any = None
    tool_call_id: Any = None


@pytest.mark.parametrize(
    ("told", "shape"),
    [
        ('{"role":"tool","toolCallId":1,"other":[]}', Shape("tool", 1)),
        *(("{}", Shape()), ("[]", Shape()), ("null", Shape()), ('"text"', Shape()), ("7", Shape())),
        ('{"role":' + "[" * 5000 + "]" * 5000 + "}", Shape(role=[])),
    ],
)
def test_an_object_reads_by_the_names_of_its_members(told: str, shape: Shape) -> None:
    read = object_reader(Shape)(told)
    assert (read.tool_call_id, isinstance(read.role, list)) == (shape.tool_call_id, isinstance(shape.role, list))
    assert isinstance(read.role, list) or read.role == shape.role


@pytest.mark.parametrize(
    ("told", "shapes"),
    [
        ('[{"role":"tool"},{"toolCallId":"a"}]', [Shape("tool"), Shape(None, "a")]),
        ('[null,{"role":"tool"},7,"x",[]]', [Shape("tool")]),
        *(("[]", []), ("{}", None), ("null", None), ('"REDACTED"', None)),
    ],
)
def test_a_list_reads_object_by_object(told: str, shapes: list[Shape] | None) -> None:
    assert list_reader(Shape)(told) == shapes


@pytest.mark.parametrize(
    ("values", "told"),
    [
        *((("x",), "x"), (("",), ""), ((None, "y"), "y"), ((None, None), None), ((), None)),
        *((("REDACTED", "y"), None), (("[REDACTED]",), None), (([],), "[]"), ((0,), "0"), ((False, "y"), "false")),
        (({"b": 1, "2": 1.0},), '{"2":1,"b":1}'),
    ],
)
def test_content_is_the_first_value_that_is_there_as_text(values: tuple[Any, ...], told: str | None) -> None:
    assert content(*values) == told


def test_a_placeholder_is_a_text_that_names_nothing() -> None:
    assert (text("REDACTED"), name("REDACTED"), name("[REDACTED]"), name(""), name(1)) == (
        *("REDACTED", None, None, "", None),
    )
    assert names(["a", None, "REDACTED", 1, "", "a"]) == ["a", "", "a"]
