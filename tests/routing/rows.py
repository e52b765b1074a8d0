"""Records through the graph, and what the reference says of them in the columns of the tables."""

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from afp_nodes.record import FactCollector, read_recordings
from dataflows.declared import NOTHING_DECLARED
from dataflows.derive import graph
from tests.oracle.javascript import parse, scrubbed

DATA = Path(__file__).parents[1] / "data" / "routing"
LISTS = ("configured", "verdict", "scores", "delivered", "check", "signal")
NOTHING_TOLD = {"status": "not-recorded", "check": "unreachable", "checkPointers": []}
UNDECIDED = {"code": "decided", "missing": "no-event"}
"""What stands in the table where no event is the run's own and the reference tells nothing."""

Object = dict[str, Any]
Rows = dict[str, Object]


def cases(name: str) -> list[Object]:
    """The cases of one file."""
    return [json.loads(line) for line in gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def recording(name: str) -> bytes:
    """A stored recording."""
    return gzip.decompress((DATA / "recordings" / f"{name}.json.gz").read_bytes())


def document(run_id: str, record: Object) -> bytes:
    """A record in its envelope; half a surrogate pair is escaped, as in a file."""
    envelope = {"format": "agentfootprint.recording.v1", "run": {"runId": run_id}, "recording": record}
    return json.dumps(envelope).encode()


def derived(documents: Iterable[bytes | tuple[bytes, str]], *, validate: bool = False) -> Rows:
    """The row of each run, with its refusals; a document may come with the id that its own events carry."""
    collector = FactCollector()
    for each in documents:
        data, own_run = each if isinstance(each, tuple) else (each, None)
        for read in read_recordings(data):
            told = read.recorded and (replace(read.recorded, own_run=own_run) if own_run else read.recorded)
            collector.add(replace(read, recorded=told), hashlib.sha256(data).hexdigest())
    inputs = {"facts": collector.frames(), "declared": NOTHING_DECLARED}
    made = graph(validate=validate).execute(["routing", "routing_refusals"], inputs=inputs)
    return _rows(made["routing"].collect(), made["routing_refusals"].collect())


def routed(record: Object) -> Object:
    """The row of one record, with its refusals."""
    (row,) = derived([document("run", record)]).values()
    return row


def _rows(routing: pl.DataFrame, refusals: pl.DataFrame) -> Rows:
    of_run: Mapping[str, list[Object]] = defaultdict(list)
    for refusal in refusals.sort("run_id", "position").to_dicts():
        of_run[refusal.pop("run_id")].append(refusal)
    rows = {row.pop("run_id"): row for row in routing.to_dicts()}
    return {
        run_id: row | {"pointers": parse(row.pop("pointers_json")), "refusals": of_run[run_id]}
        for run_id, row in rows.items()
    }


def told(row: Object) -> Object:
    """What a row says that the reference says, too: twelve refusals, and of those of the decided skill three lines."""
    listed = [{"requestedId": each["requested_skill"], "by": each["refused_by"]} for each in row["refusals"]]
    of_decided = [each for each in row["refusals"] if each["of_decided_skill"]]
    lines = sorted((each for each in of_decided if each["line"] is not None), key=lambda each: each["line"])
    return row | {
        "refusals": listed[:12],
        "refusals_omitted": max(0, len(listed) - 12),
        "decided_refusals": {
            "listed": [
                {"form": each["form"], "by": each["refused_by"], "eventIndex": each["event_idx"]} for each in lines
            ],
            "unlisted": len(of_decided) - len(lines),
        },
    }


def expected(golden: Object) -> Object:
    """A golden in the columns of the tables."""
    is_told = not golden.get("noOwnEvents")
    golden = golden if is_told else {**NOTHING_TOLD, "unreachable": UNDECIDED, "routing": {}, **golden}
    facts, extra, signal = golden["routing"], golden.get("extra") or {}, golden.get("signal")
    values = {name: (facts.get(name) or {}).get("value") for name in ("configured", "verdict", "scores", "delivered")}
    graph_told = values["configured"] if isinstance(values["configured"], dict) else {}
    verdict, scores, missing = values["verdict"] or {}, values["scores"] or {}, golden.get("unreachable")
    pointers = {name: (facts.get(name) or {}).get("pointers", []) for name in LISTS[:4]}
    row = {
        "status": golden["status"],
        "check_state": golden["check"],
        "unreachable_reason": missing and f"{missing['code']}/{missing['missing']}",
        "delivered_verdict": "not-delivered" if signal else "delivered" if golden["check"] == "reachable" else None,
        "configured": "graph" if isinstance(values["configured"], dict) else values["configured"],
        **{name: graph_told.get(name) for name in ("routing", "continuity")},
        "configured_scorer": graph_told.get("scorer"),
        "decided_by": verdict.get("by"),
        "from_skill": verdict.get("from"),
        "to_skill": verdict.get("to"),
        **{name: verdict.get(name) for name in ("decisive", "scorer")},
        **{name: extra.get(name) for name in ("witness", "offered", "held")},
        "decider_model": extra.get("deciderModel"),
        "before_pause": golden.get("beforePause"),
        "top_score": scores.get("top"),
        "next_score": scores.get("next"),
        "next_skill": scores.get("nextId"),
        "all_others_equal": scores.get("allOthersEqual"),
        "delivered_skills": values["delivered"],
        "other_skill": (signal or {}).get("other"),
        "answering_iteration": golden.get("answeringIteration"),
        "unread": golden["unread"],
        "foreign_events": golden["foreign"],
        "pointers": pointers | {"check": golden["checkPointers"], "signal": (signal or {}).get("pointers", [])},
        "refusals": [{name: each[name] for name in ("requestedId", "by")} for each in facts.get("refusals", [])],
        "refusals_omitted": facts.get("refusalsOmitted", 0),
        "decided_refusals": extra.get("decidedRefusals", {"listed": [], "unlisted": 0}),
    }
    return scrubbed(row)
