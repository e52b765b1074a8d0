"""Execution trees: what each step read, in the two readings that the rules need. Rule: record format, section 8."""

from collections.abc import Sequence
from dataclasses import dataclass

from afp_nodes.javascript import in_member_order
from afp_nodes.record.shapes import Node


@dataclass(frozen=True, slots=True)
class TreeReads:
    """The reads of one tree by step: what the first node of a step says, and what the last one with reads says.

    `steps` counts the nodes that have an id.
    """

    first: dict[str, Sequence[str]]
    last: dict[str, Sequence[str]]
    steps: int


def tree_reads(root: Node) -> TreeReads:
    """Both readings of one tree.

    The first node of an id wins even without reads, children before `next`; the last one wins only with reads, in
    the order of a stack on which `next` lies below the children, so that the last child comes first.
    """
    nodes, is_chain = _children_first(root)
    reads = _named_reads(nodes)
    last = reads if is_chain else _named_reads(_last_child_first(root))
    return TreeReads(dict(reversed(reads)), {step: names for step, names in last if names}, len(reads))


def _children_first(root: Node) -> tuple[list[Node], bool]:
    """Every node: itself, each child in order with all that follows, then `next`; and whether none has children."""
    nodes: list[Node] = []
    is_chain = True
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if node.next is not None:
            stack.append(node.next)
        if node.children:
            stack += reversed(node.children)
            is_chain = False
    return nodes, is_chain


def _last_child_first(root: Node) -> list[Node]:
    """Every node: itself, its children from the last to the first, then `next`."""
    nodes: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if node.next is not None:
            stack.append(node.next)
        if node.children:
            stack += node.children
    return nodes


def _named_reads(nodes: list[Node]) -> list[tuple[str, Sequence[str]]]:
    """The keys that each node with an id read, in member order."""
    return [
        (node.runtime_stage_id, in_member_order(list(node.stage_reads)) if node.stage_reads else ())
        for node in nodes
        if node.runtime_stage_id
    ]
