"""What the reference makes of written records, case by case; and the oracle says the same."""

import json
from typing import Any

import pytest

from tests.oracle.javascript import parse
from tests.oracle.routing import routing
from tests.routing.rows import Object, Rows, cases, derived, document, expected, recording, told

WRITTEN = {case["id"]: case for name in ("hand", "resumed", "fuzz") for case in cases(name)}
RECORDED = {case["recording"].split("/")[-1].removesuffix(".json.gz"): case for case in cases("recordings")}


def own_run(case: Object) -> str | None:
    return (case.get("options") or {}).get("runId")


@pytest.fixture(scope="module")
def rows() -> Rows:
    """All cases derived together, as a night would."""
    documents = [(document(case_id, case["record"]), own_run(case) or "") for case_id, case in WRITTEN.items()]
    return derived(documents, validate=True)


@pytest.mark.parametrize("case_id", WRITTEN)
def test_a_written_record_is_read_as_the_reference_reads_it(case_id: str, rows: Rows) -> None:
    assert told(rows[case_id]) == expected(WRITTEN[case_id]["expected"])


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_is_read_as_the_reference_reads_it(name: str) -> None:
    (row,) = derived([recording(name)], validate=True).values()
    assert told(row) == expected(RECORDED[name]["expected"])


def test_the_oracle_reads_every_case_as_the_reference_does() -> None:
    records: list[tuple[Object, Any]] = [(case, parse(json.dumps(case["record"]))) for case in WRITTEN.values()]
    records += [(case, parse(recording(name))["recording"]) for name, case in RECORDED.items()]
    for case, record in records:
        golden = parse(json.dumps(case["expected"]))
        for never_built in ("confidence", "appDecision"):
            golden.get("routing", {}).pop(never_built, None)
        assert routing(record, own_run(case)) == golden, case["id"]
