"""Execution trees and their two readings (section 8)."""

from tests.reference.notation import node

TREE_8 = node(
    "a#0",
    ["z1"],
    node("b#1", ["k"], node("c#2", ["m"])),
    [
        node("b#1", ["z2", "k2"]),
        node("c#2", [], node("d#3", ["n"], None, [node("a#0", ["late"])])),
        node("b#1", []),
    ],
)
TREE_I = node("x#0", ["b", "10", "a", "2", "01", "-1", "4294967294", "4294967295"])

# tree, step, keys
LAST_WINS = [
    (TREE_8, "a#0", ["late"]),
    (TREE_8, "b#1", ["k"]),
    (TREE_8, "c#2", ["m"]),
    (TREE_8, "nope#9", []),
    (TREE_I, "x#0", ["2", "10", "4294967294", "b", "a", "01", "-1", "4294967295"]),
]
FIRST_WINS = [
    (TREE_8, "a#0", ["z1"]),
    (TREE_8, "b#1", ["z2", "k2"]),
    (TREE_8, "c#2", []),
    (TREE_8, "d#3", ["n"]),
]

# tree, steps, steps with reads
STEPS = [(TREE_8, 8, 4), (None, None, None), (node("a#0"), 1, 0)]
