"""What the reference makes of recorded and written states, op by op; the oracle has to agree with it, too."""

import gzip
import hashlib
from typing import Any

import polars as pl
import pytest

from afp_nodes.assessment import Door, declared_by_value, read_emptiness, reason_source, rows_at_fault, said_by_person
from afp_nodes.assessment.turn import turn_results
from afp_nodes.record import read_document
from afp_nodes.refusals import RefusedError
from dataflows.derive import tables_of
from tests.assessment.cases import (
    DATA,
    Tables,
    assessed,
    case_id,
    cases,
    pointers,
    reading_object,
    source_object,
    told_of,
)
from tests.oracle import assessment as oracle
from tests.record.documents import encoded, envelope

ASSESS = [case for name in ("hand", "fuzz") for case in cases(name)]
FOLDED = [case for case in ASSESS if "throws" not in case["expected"]]
REFUSED = [case for case in ASSESS if "throws" in case["expected"]]
RECORDINGS = cases("recordings")


@pytest.mark.parametrize("case", FOLDED, ids=case_id)
def test_a_state_is_folded_as_the_reference_folds_it(case: Any) -> None:
    assert assessed(case["record"], case.get("declarations")) == case["expected"]
    assert oracle.assess(case["record"], case.get("declarations")) == case["expected"]


@pytest.mark.parametrize("case", REFUSED, ids=case_id)
def test_what_the_reference_throws_at_is_refused_where_it_comes_in(case: Any) -> None:
    declarations = case.get("declarations")
    name = "run.json" if declarations is None else "x.declarations.json"
    with pytest.raises(RefusedError):
        read_document(encoded(case["record"] if declarations is None else {"run_ids": "*", **declarations}), name)
    if case["expected"]["code"].startswith("rowsAt"):
        assert case["expected"]["code"] in {rows_at_fault(tool["rowsAt"]) for tool in declarations["tools"].values()}


@pytest.mark.parametrize("case", cases("emptiness"), ids=case_id)
def test_emptiness_is_read_as_the_reference_reads_it(case: Any) -> None:
    value, context = case["value"], case.get("context", {})
    door = Door(**context["door"]) if "door" in context else None
    declared = declared_by_value(value)
    read = {
        "reading": reading_object(read_emptiness(value, context.get("rowsAt"), door)),
        "declared": declared and declared._asdict(),
    }
    assert read == case["expected"]
    told = {"reading": oracle.read_emptiness(value, context), "declared": oracle.declared_by_value(value)}
    assert told == case["expected"]


@pytest.mark.parametrize("case", cases("boundary"), ids=case_id)
def test_a_person_is_heard_where_the_reference_hears_one(case: Any) -> None:
    assert said_by_person(case["message"]) is case["expected"]["said"]
    assert oracle.said_by_person(case["message"]) is case["expected"]["said"]


@pytest.mark.parametrize("case", cases("sources"), ids=case_id)
def test_a_reason_rests_on_the_calls_the_reference_says(case: Any) -> None:
    reason, kind, state = case["reason"], case["kind"], oracle.state_of(case["record"])
    results, _ = turn_results(state)
    source = source_object(reason_source(reason, kind, pointers(case["witness"]), state, results))
    assert {"source": source} == case["expected"]
    oracles, _ = oracle.turn_of(state.get("history", []))
    assert {"source": oracle.source_of(reason, kind, case["witness"], state, oracles)} == case["expected"]


@pytest.fixture(scope="module")
def tables() -> Tables:
    """The tables of every recording and of every written case of an object, each case as a recording."""
    stored = [gzip.decompress((DATA / case["recording"]).read_bytes()) for case in RECORDINGS]
    written = [encoded(envelope(case["record"], runId=case["id"])) for case in _without_declarations()]
    return tables_of([*stored, *written])


@pytest.mark.parametrize("case", RECORDINGS, ids=case_id)
def test_the_tables_say_of_a_stored_recording_what_the_reference_says(case: Any, tables: Tables) -> None:
    document = gzip.decompress((DATA / case["recording"]).read_bytes())
    assert hashlib.sha256(document).hexdigest() == case["sha256"]
    (run_id,) = tables["runs"].filter(pl.col("recording_sha256") == case["sha256"])["run_id"]
    assert told_of(run_id, tables) == case["expected"]


def test_the_tables_say_of_every_case_what_the_reference_says(tables: Tables) -> None:
    written = _without_declarations()
    assert len(written) > 300
    for case in written:
        assert told_of(case["id"], tables) == case["expected"], case["id"]


def _without_declarations() -> list[Any]:
    """Cases that a recording alone can hold: their state is an object, and nothing is declared of their tools."""
    return [case for case in FOLDED if "declarations" not in case and oracle.state_of(case["record"]) != {}]
