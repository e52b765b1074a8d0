"""Execution trees: what each step read, in the two readings that the rules need. Rule: record format, section 8."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from afp_nodes.javascript import in_member_order
from afp_nodes.record.payloads import Payloads
from afp_nodes.record.shapes import Node
from afp_nodes.record.spellings import Spellings

Names: TypeAlias = tuple[str, ...]
"""Keys that a step read, in member order."""


@dataclass(frozen=True, slots=True)
class TreeReads:
    """The reads of one tree by step: what the first node of a step says, and what the last one with reads says.

    `steps` counts the nodes that have an id.
    """

    first: dict[str, Names]
    last: dict[str, Names]
    steps: int


def tree_reads(root: Node, known: Spellings[Names], payloads: Payloads) -> TreeReads:
    """Both readings of one tree.

    The first node of an id wins even without reads, children before `next`; the last one wins only with reads, in
    the order of a stack on which `next` lies below the children, so that the last child comes first.
    """
    nodes, siblings = _walk(root, reversed)
    names = known.read([node.stage_reads for node in nodes], _read_names, payloads)
    reads = _of_steps(nodes, names)
    last = reads
    if siblings:
        names_of = dict(zip(map(id, nodes), names, strict=True))
        again, _ = _walk(root, iter)
        last = _of_steps(again, [names_of[id(node)] for node in again])
    return TreeReads(dict(reversed(reads)), {step: read for step, read in last if read}, len(reads))


def _read_names(text: bytes, payloads: Payloads) -> Names:
    """The names in a recorded object of reads."""
    return tuple(in_member_order(list(payloads.members(text))))


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


def _of_steps(nodes: list[Node], names: list[Names]) -> list[tuple[str, Names]]:
    """What each node with an id read."""
    ids = [node.runtime_stage_id for node in nodes]
    return [(step, read) for step, read in zip(ids, names, strict=True) if step]
