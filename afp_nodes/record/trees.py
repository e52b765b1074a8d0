"""Execution trees: what each step read, in the two readings that the rules need. Rule: record format, section 8."""

from collections.abc import Callable, Iterable, Sequence
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
    nodes, siblings = _walk(root, reversed)
    reads = _named_reads(nodes)
    last = _named_reads(_walk(root, iter)[0]) if siblings else reads
    return TreeReads(dict(reversed(reads)), {step: names for step, names in last if names}, len(reads))


def _walk(root: Node, stacked: Callable[[list[Node]], Iterable[Node]]) -> tuple[list[Node], bool]:
    """Every node: itself, its children with all that follows each, then `next`; and whether some node has siblings.

    `stacked` says how children are put on the stack, where the last one comes first. Without siblings it is no matter.
    """
    nodes: list[Node] = []
    siblings = False
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if node.next is not None:
            stack.append(node.next)
        if node.children:
            stack += stacked(node.children)
            siblings = siblings or len(node.children) > 1
    return nodes, siblings


def _named_reads(nodes: list[Node]) -> list[tuple[str, Sequence[str]]]:
    """The keys that each node with an id read, in member order."""
    return [
        (node.runtime_stage_id, in_member_order(list(node.stage_reads)) if node.stage_reads else ())
        for node in nodes
        if node.runtime_stage_id
    ]
