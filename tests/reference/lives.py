"""Timelines, forward slices and coverage (sections 13, 14 and 15)."""

from tests.reference.notation import chain, commit

LOG_13 = [
    commit("s#0", {"k": 1, "q": 1}, ["set k", "set q"]),
    commit("r#1", {"k": 2}, ["set k"]),
    commit("r#2"),
    commit("r#2", {"z": 1}, ["set z"]),
    commit("w#3", {"k": 3}, ["set k", "append k"]),
]
TREE_13 = chain(("s#0", ["k"]), ("r#1", ["k"]), ("r#2", ["k", "seeded"]), ("w#3", ["k"]), ("ghost#9", ["only-ghost"]))
NO_READS = chain("s#0", "r#1")

# log, tree, key, bound or None, moments, notes, why there is none
TIMELINES = [
    (
        LOG_13,
        TREE_13,
        "k",
        None,
        ["read@0<-pre-run", "set@0", "read@1<-0", "set@1", "read@2<-1", "read@3<-1", "read@4<-1", "append@4"],
        ["pre-run-origin"],
        None,
    ),
    (
        LOG_13,
        TREE_13,
        "k",
        2,
        ["read@0<-pre-run", "set@0", "read@1<-0", "set@1"],
        ["pre-run-origin"],
        None,
    ),
    (LOG_13, TREE_13, "k", 0, [], [], None),
    (LOG_13, TREE_13, "seeded", None, ["read@2<-pre-run", "read@3<-pre-run"], ["pre-run-origin"], None),
    (LOG_13, TREE_13, "nope", None, [], ["unknown-key"], "never-written"),
    (LOG_13, TREE_13, "only-ghost", None, [], ["unknown-key"], "never-written"),
    (LOG_13, NO_READS, "nope", None, [], ["unknown-key", "reads-not-recorded"], None),
    (LOG_13, None, "k", None, ["set@0", "set@1", "append@4"], ["reads-not-recorded"], None),
    ([], TREE_13, "k", None, [], [], "empty-log"),
]

LOG_14 = [
    commit("s#0", {"k": 1}, ["set k[]"]),
    commit("r#1", {"a": 1, "b": 1, "c": 1}, ["set a[k]", "set b[]", "set c"]),
    commit("r#2", {"d": 1}, ["set d[a,k]"]),
    commit("r#3", {"k": 2, "e": 1}, ["set k[k]", "set e[k]", "set e[k,b]"]),
    commit("r#4", {"f": 1}, ["set f[e]"]),
]
TREE_14 = chain(("s#0", []), ("r#1", ["k"]), ("r#2", ["a", "k"]), ("r#3", ["k", "b"]), ("r#4", ["e", "k"]))
OVERWRITTEN = [commit("a#0", {"x": 1}, ["set x"]), commit("b#1", {"x": 2, "y": 1}, ["set x", "set y"])]

# log, tree, key, bound or None, nodes, edges, notes, why there is none
SLICES = [
    (LOG_14, TREE_14, "k", None, ["n0:k@3 reads[4]"], [], [], None),
    (
        LOG_14,
        TREE_14,
        "k",
        3,
        [
            "n0:k@0 reads[1,2,3]",
            "n1:a@1 reads[2]",
            "n2:c@1 reads[]",
            "n3:d@2 reads[]",
            "n4:k@3 reads[4]",
            "n5:e@3 reads[4]",
            "n6:f@4 reads[]",
        ],
        [
            "n0->n1 per-write",
            "n0->n2 stage",
            "n0->n3 per-write",
            "n0->n4 per-write",
            "n0->n5 per-write",
            "n1->n3 per-write",
            "n5->n6 per-write",
        ],
        ["conservative-fed-edges"],
        None,
    ),
    (LOG_14, TREE_14, "a", None, ["n0:a@1 reads[2]", "n1:d@2 reads[]"], ["n0->n1 per-write"], [], None),
    (
        LOG_14,
        TREE_14,
        "b",
        None,
        ["n0:b@1 reads[3]", "n1:e@3 reads[4]", "n2:f@4 reads[]"],
        ["n0->n1 per-write", "n1->n2 per-write"],
        [],
        None,
    ),
    (LOG_14, TREE_14, "f", None, ["n0:f@4 reads[]"], [], [], None),
    (LOG_14, TREE_14, "zz", None, [], [], ["unknown-key"], "never-written"),
    (
        LOG_14,
        NO_READS,
        "zz",
        None,
        ["n0:zz@pre-run reads[]"],
        [],
        ["unknown-key", "reads-not-recorded", "pre-run-origin"],
        None,
    ),
    (
        OVERWRITTEN,
        chain(("a#0", ["x"]), ("b#1", ["x"])),
        "x",
        0,
        ["n0:x@pre-run reads[0]", "n1:x@0 reads[1]", "n2:x@1 reads[]", "n3:y@1 reads[]"],
        ["n0->n1 stage", "n1->n2 stage", "n1->n3 stage"],
        ["pre-run-origin", "conservative-fed-edges"],
        None,
    ),
]

TWO_KEYS = [
    commit("s#0", {"k": 1, "q": 1}, ["set k[]", "set q[]"]),
    commit("r#1", {"a": 1}, ["set a[k]"]),
    commit("r#2", {"z": 1}, ["set z[k]"]),
]
TWO_KEYS_TREE = chain(("s#0", []), ("r#1", ["k", "q"]), ("r#2", ["q", "k"]))
WITHOUT_LISTS = [commit("s#0", {"k": 1}, ["set k"]), commit("r#1", {"a": 1}, ["set a"])]

# log, tree, key, coverage
COVERAGE = [
    (LOG_14, TREE_14, "k", "unknown"),
    (LOG_14, TREE_14, "a", "exact"),
    (LOG_14, TREE_14, "e", "exact"),
    (TWO_KEYS, TWO_KEYS_TREE, "k", "exact"),
    (TWO_KEYS, TWO_KEYS_TREE, "q", "unknown"),
    (WITHOUT_LISTS, chain(("s#0", []), ("r#1", ["k"])), "k", "conservative"),
    (WITHOUT_LISTS, chain(("s#0", []), ("r#1", [])), "k", "conservative"),
    (WITHOUT_LISTS, None, "k", "conservative"),
    ([], chain("s#0"), "k", "unknown"),
    (
        [commit("s#0", {"k": 1}, ["set k[]"]), commit("r#1", {"k": 2}, ["set k[k]"])],
        chain(("s#0", []), ("r#1", ["k"])),
        "k",
        "unknown",
    ),
]
