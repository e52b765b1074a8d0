"""Cases of the assessment: what was put in, and what the reference made of it, as one JSON line each."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from afp_nodes.assessment import Assessed, EmptinessReading, GivenReason, Source, assess, read_state
from afp_nodes.assessment.outcomes import Checked
from afp_nodes.assessment.pointers import HistoryPointer, Pointer, StatePointer
from tests.oracle.assessment import is_redacted, state_of

DATA = Path(__file__).parents[1] / "data"
STANDING_TABLES = ("standings", "standing_checks", "reasons", "reason_calls")

Object = dict[str, Any]
Tables = dict[str, pl.DataFrame]


def cases(name: str) -> list[Object]:
    """The cases of one file."""
    lines = gzip.decompress((DATA / "assessment" / f"{name}.jsonl.gz").read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


def case_id(case: Object) -> str:
    """How a case is called."""
    return str(case["id"])


def rows_at(declarations: Object | None) -> dict[str, str]:
    """The member that holds the rows of each tool that is declared so."""
    tools = (declarations or {}).get("tools") or {}
    return {name: tool["rowsAt"] for name, tool in tools.items() if "rowsAt" in tool}


def assessed(record: Object, declarations: Object | None = None) -> Object:
    """What the product makes of a record: of its state as a store keeps it, as text."""
    state = read_state(text_of(state_of(record)))
    return assessment_object(assess(state, rows_at(declarations), redacted=is_redacted(record)))


def state_assessed(state: Object, tools: Mapping[str, str] | None = None) -> Object:
    """What the product makes of a state that nothing was kept out of."""
    return assessment_object(assess(read_state(text_of(state)), tools or {}, redacted=False))


def text_of(value: Any) -> str:
    """A value as JSON text; half a surrogate pair is escaped, as in a file."""
    return json.dumps(value)


def pointers(objects: list[Object]) -> list[Pointer]:
    """Pointers as the product knows them."""
    return msgspec.convert(objects, list[StatePointer | HistoryPointer])


def assessment_object(result: Assessed) -> Object:
    """An assessment as the reference words it."""
    told: Object = {
        "assessment": result.assessment,
        "standing": result.standing,
        "reasons": [reason_object(given) for given in result.reasons],
        "checked": [check_object(check) for check in result.checked],
        "turnFrom": result.turn_from,
    }
    if result.support_digest is not None:
        told["support"] = {"kind": "answer-validation", "reportDigest": result.support_digest}
    return told | ({"keptOut": list(result.kept_out)} if result.kept_out else {})


def reason_object(given: GivenReason) -> Object:
    """A reason as the reference words it."""
    witness = msgspec.to_builtins(list(given.witness))
    told = {"reason": given.reason, "witness": witness, "source": source_object(given.source)}
    return told if given.entry.layer is None else told | {"layer": given.entry.layer}


def check_object(check: Checked) -> Object:
    """A check as the reference words it."""
    witness = msgspec.to_builtins(list(check.witness))
    return {"layer": check.layer, "check": check.check, "ran": check.ran, "of": check.of, "witness": witness}


def source_object(source: Source) -> Object:
    """A source as the reference words it."""
    if source.kind != "calls":
        return {"kind": source.kind}
    calls = [{"toolCallId": call.tool_call_id, "toolName": call.tool_name} for call in source.calls]
    told: Object = {"kind": "calls", "calls": calls}
    return told | ({"unnamed": source.unnamed} if source.unnamed else {})


def reading_object(reading: EmptinessReading) -> Object:
    """A reading of a result as the reference words it."""
    optional = {
        "rows": reading.rows,
        "source": reading.source,
        "rowsAt": reading.rows_at,
        "described": reading.described,
        "bounded": reading.bounded or None,
    }
    told: Object = {"emptiness": reading.emptiness, "undeclaredShape": reading.undeclared_shape}
    return told | {name: value for name, value in optional.items() if value is not None}


def told_of(run_id: str, tables: Tables) -> Object:
    """What the tables say of a run, as the reference words it."""
    of_run = {name: tables[name].filter(pl.col("run_id") == run_id).to_dicts() for name in STANDING_TABLES}
    (standing,) = of_run["standings"]
    told: Object = {
        "assessment": standing["assessment"],
        "standing": standing["standing"],
        "turnFrom": standing["turn_from"],
        "reasons": [_reason(row, of_run["reason_calls"]) for row in of_run["reasons"]],
        "checked": [_check(row) for row in of_run["standing_checks"]],
    }
    if standing["support_digest"] is not None:
        told["support"] = {"kind": "answer-validation", "reportDigest": standing["support_digest"]}
    return told if standing["kept_out"] is None else told | {"keptOut": standing["kept_out"]}


def _reason(row: Object, calls: list[Object]) -> Object:
    source: Object = {"kind": row["source_kind"]}
    if row["source_kind"] == "calls":
        of_reason = [call for call in calls if call["reason"] == row["reason"]]
        source["calls"] = [{"toolCallId": c["tool_call_id"], "toolName": c["tool_name"]} for c in of_reason]
        source |= {"unnamed": row["unnamed"]} if row["unnamed"] else {}
    told = {"reason": row["reason"], "witness": json.loads(row["witnesses_json"]), "source": source}
    return told if row["layer"] is None else told | {"layer": row["layer"]}


def _check(row: Object) -> Object:
    told = {"layer": row["layer"], "check": row["check_name"], "ran": row["ran"], "of": row["of"]}
    return told | {"witness": json.loads(row["witnesses_json"])}
