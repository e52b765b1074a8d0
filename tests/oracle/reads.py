"""Which keys each step read, by the two readings of an execution tree (record format, section 8)."""

from typing import Any

from tests.oracle.javascript import member_names

Node = dict[str, Any]


def first_wins_reads(tree: Node | None) -> dict[str, list[str]]:
    """Keys by step, as frames see it: a node, then its children, then `next`; the first node of an id decides."""
    reads: dict[str, list[str]] = {}
    pending = [tree] if tree is not None else []
    while pending:
        node = pending.pop()
        if step_id(node):
            reads.setdefault(step_id(node), read_names(node))
        pending += [*_next(node), *reversed(_children(node))]
    return reads


def last_wins_reads(tree: Node | None) -> dict[str, list[str]]:
    """Keys by step, as variables see it: last child first, `next` last; the last node of an id with reads decides."""
    return {step_id(node): read_names(node) for node in _last_child_first(tree) if step_id(node) and read_names(node)}


def steps(tree: Node | None) -> int | None:
    """Nodes with an id, repeats counted; None without a tree."""
    return None if tree is None else sum(bool(step_id(node)) for node in _last_child_first(tree))


def step_id(node: Node) -> str:
    """The id of a node; '' where it has none."""
    value = node.get("runtimeStageId")
    return value if isinstance(value, str) else ""


def read_names(node: Node) -> list[str]:
    """Keys a node says it read, in member order."""
    reads = node.get("stageReads")
    return member_names(reads) if isinstance(reads, dict) else []


def _last_child_first(tree: Node | None) -> list[Node]:
    visited, pending = [], [tree] if tree is not None else []
    while pending:
        node = pending.pop()
        visited.append(node)
        pending += [*_next(node), *_children(node)]
    return visited


def _next(node: Node) -> list[Node]:
    return [node["next"]] if isinstance(node.get("next"), dict) else []


def _children(node: Node) -> list[Node]:
    children = node.get("children")
    return [child for child in children if isinstance(child, dict)] if isinstance(children, list) else []
