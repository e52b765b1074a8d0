"""Execution trees: what each step read, in the two readings that the rules need. Rule: record format, section 8."""

from collections.abc import Iterator
from dataclasses import dataclass

from afp_nodes.javascript import in_member_order
from afp_nodes.record.shapes import Node


@dataclass(frozen=True, slots=True)
class TreeReads:
    """The reads of one tree by step: what the first node of a step says, and what the last one with reads says.

    `steps` counts the nodes that have an id.
    """

    first: dict[str, list[str]]
    last: dict[str, list[str]]
    steps: int


def tree_reads(root: Node) -> TreeReads:
    """Both readings of one tree.

    The first node of an id wins even without reads, children before `next`; the last one wins only with reads, in
    the order of a stack on which `next` lies below the children.
    """
    first: dict[str, list[str]] = {}
    for step, node in _children_first(root):
        if step not in first:
            first[step] = _read_names(node)
    last: dict[str, list[str]] = {}
    steps = 0
    for step, node in _last_child_first(root):
        steps += 1
        names = _read_names(node)
        if names:
            last[step] = names
    return TreeReads(first, last, steps)


def _children_first(root: Node) -> Iterator[tuple[str, Node]]:
    """Every node with an id: the node, each child in order with all that follows from it, then `next`."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.next is not None:
            stack.append(node.next)
        if node.children:
            stack += reversed(node.children)
        if node.runtime_stage_id:
            yield node.runtime_stage_id, node


def _last_child_first(root: Node) -> Iterator[tuple[str, Node]]:
    """Every node with an id: the node, its children from the last to the first, then `next`."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.next is not None:
            stack.append(node.next)
        if node.children:
            stack += node.children
        if node.runtime_stage_id:
            yield node.runtime_stage_id, node


def _read_names(node: Node) -> list[str]:
    return in_member_order(list(node.stage_reads)) if node.stage_reads else []
