"""Values: paths, folding, merging, member order and texts (sections 5, 6, 7 and 28)."""

from tests.reference.notation import NOTHING, commit

LOG_5 = [
    commit("seed#0", {"k": 1, "order": {"total": 10}}, ["set k", "set order>total"]),
    commit("b#1", {"order": {"total": 11}}, ["set order>total"]),
]

LOG_6 = [
    commit("a#0", {"x": "str", "y": [1]}, ["set x", "append y", "merge m"], {"m": {"a": [1, 1], "b": None}}),
    commit(
        "b#1",
        {"x": [2], "y": "REDACTED"},
        ["append x", "append y", "merge m", "set gone"],
        {"m": {"a": [1, 2], "b": {"c": 1}}},
    ),
    commit("c#2", {"y": [3]}, ["delete x", "append y", "delete m"]),
    commit(
        "d#3",
        {"x": [4], "y": [9]},
        ["append x", "merge m", "set y", "append y", "merge y"],
        {"m": [1], "y": [9, 10]},
    ),
    commit("e#4", {}, ["weird-verb x", "merge m"], {"x": {"z": 1}, "m": "scalar"}),
]

# log, position, key, value
VALUE_AT = [
    (LOG_5, 1, "order>total", 11),
    (LOG_5, 1, "order", NOTHING),
    (LOG_6, 0, "x", "str"),
    (LOG_6, 1, "x", [2]),
    (LOG_6, 2, "x", NOTHING),
    (LOG_6, 3, "x", [4]),
    (LOG_6, 4, "x", {"0": 4, "z": 1}),
    (LOG_6, 0, "y", [1]),
    (LOG_6, 1, "y", "REDACTED"),
    (LOG_6, 2, "y", [3]),
    (LOG_6, 3, "y", [9, 10]),
    (LOG_6, 0, "m", {"a": [1, 1], "b": None}),
    (LOG_6, 1, "m", {"a": [1, 2], "b": {"c": 1}}),
    (LOG_6, 2, "m", NOTHING),
    (LOG_6, 3, "m", [1]),
    (LOG_6, 4, "m", "scalar"),
    (LOG_6, 4, "gone", NOTHING),
    (LOG_6, 99, "y", [9, 10]),
    (LOG_6, -1, "y", NOTHING),
]

# value, delta, merged; texts, because member order counts
MERGE = [
    ("[1,2,2]", "[2,3,'3']", "[1,2,3,'3']"),
    ("{'a':1}", "[1,1]", "[1,1]"),
    ("[1]", "[]", "[]"),
    ("{'a':{'x':1},'t':[1]}", "{'a':{'y':2},'t':[1,2],'n':null}", "{'a':{'x':1,'y':2},'t':[1,2],'n':null}"),
    ("[{'id':1}]", "[{'id':1}]", "[{'id':1},{'id':1}]"),
    ("['a','b']", "{'x':1}", "{'0':'a','1':'b','x':1}"),
    ("'text'", "{'now':'object'}", "{'now':'object'}"),
    ("{'a':1}", "'scalar'", "'scalar'"),
    ("{'a':1}", "null", "null"),
    (None, "{'a':{'b':[1,1]}}", "{'a':{'b':[1,1]}}"),
    ("[null,0,-0,true,1]", "[null,false,1,'1']", "[null,0,true,1,false,'1']"),
    ("{'10':1,'b':1}", "{'9':2,'a':1,'10':5}", "{'9':2,'10':5,'b':1,'a':1}"),
]

# JSON text, the text it is written as
STRINGIFY = [
    ('{"b":1,"10":2,"a":3,"9":4,"01":5,"-1":6}', '{"9":4,"10":2,"b":1,"a":3,"01":5,"-1":6}'),
    (
        "[1e21,1e-7,123456789012345680000,-0,0.30000000000000004,5e-324,1.0,100]",
        "[1e+21,1e-7,123456789012345680000,0,0.30000000000000004,5e-324,1,100]",
    ),
    (
        r'"\u00e9\u2028\u007f\u0001\"\\/\ud800\ud83d\ude00"',
        '"é\u2028\u007f\\u0001\\"\\\\/\\ud800😀"',
    ),
    ('{"a":1,"2":1,"a":2,"1":3}', '{"1":3,"2":1,"a":2}'),
]

# text, UTF-16 code units
UTF16_LENGTH = [("😀é", 3), ("", 0), ("\ud800", 1)]

# text, units to keep, what is left
CUT = [("a😀b", 1, "a"), ("a😀b", 2, "a\ud83d"), ("a😀b", 3, "a😀"), ("a😀b", 9, "a😀b")]
