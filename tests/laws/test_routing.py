"""Of any record the product says of its routing what the oracle says, and never more than the record shows."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.javascript import parse
from tests.oracle.routing import routing
from tests.routing.drawing import drawn
from tests.routing.rows import Object, Rows, derived, document, expected, told

SAMPLE = range(1000)
SEEDS = st.integers(0, 2**64 - 1)

CASES: dict[str, Callable[[Object], bool]] = {
    "delivered": lambda told: told.get("check") == "reachable" and "signal" not in told,
    "proven not to be delivered": lambda told: "other" not in told.get("signal", {"other": 1}),
    "another delivered in its place": lambda told: "other" in told.get("signal", {}),
    "proven over several iterations": lambda told: "signal" in told and told["answeringIteration"] > 1,
    "delivery not told": lambda told: told.get("unreachable") == {"code": "delivery", "missing": "no-event"},
    "delivery before a pause": lambda told: told.get("unreachable") == {"code": "delivery", "missing": "before-pause"},
    "decision not told": lambda told: told.get("unreachable") == {"code": "decided", "missing": "no-event"},
    "decision before a pause": lambda told: told.get("unreachable") == {"code": "decided", "missing": "before-pause"},
    "held and delivered": lambda told: told.get("beforePause") == "held" and told["check"] == "reachable",
    "held scores": lambda told: told.get("beforePause") == "held" and told["routing"]["scores"]["status"] == "recorded",
    "held after an unread event": lambda told: told.get("beforePause") == "held" and told["unread"] > 0,
    "no skill graph": lambda told: told.get("status") == "not-applicable",
    "a verdict without a skill graph": lambda told: (
        told.get("status") == "recorded" and told["routing"]["configured"]["value"] == "none"
    ),
    "a decision that needs no delivery": lambda told: (
        told.get("status") == "recorded" and told["check"] == "not-applicable"
    ),
    "no own event": lambda told: "noOwnEvents" in told,
    "foreign events": lambda told: told["foreign"] > 0,
    "whose events is not known": lambda told: told["scope"] == "unfiltered",
    "refusals past the twelfth": lambda told: "refusalsOmitted" in told.get("routing", {}),
    "three rules that refused the decided skill": lambda told: (
        len(told.get("extra", {}).get("decidedRefusals", {}).get("listed", [])) == 3
    ),
    "refusals of the decided skill past those told": lambda told: (
        told.get("extra", {}).get("decidedRefusals", {}).get("unlisted", 0) > 0
    ),
    "scores": lambda told: told.get("routing", {}).get("scores", {}).get("status") == "recorded",
}
"""What the law is about: a law that never meets its case proves nothing."""


def records(seeds: Iterable[int]) -> dict[str, Object]:
    return {f"run-{seed}": drawn(seed) for seed in seeds}


def oracle(run_id: str, record: Object) -> Object:
    return routing(parse(document(run_id, record))["recording"])


def hold_together(seeds: Iterable[int]) -> None:
    """Fail where the product and the oracle differ."""
    batch = records(seeds)
    rows = derived(document(run_id, record) for run_id, record in batch.items())
    for run_id, record in batch.items():
        assert told(rows[run_id]) == expected(oracle(run_id, record)), run_id


@given(st.lists(SEEDS, unique=True, max_size=40))
def test_the_product_says_what_the_oracle_says_of_routing(seeds: list[int]) -> None:
    hold_together(seeds)


def test_the_product_says_what_the_oracle_says_of_the_routing_of_a_sample() -> None:
    hold_together(SAMPLE)


@pytest.fixture(scope="module")
def sampled() -> Rows:
    batch = records(SAMPLE)
    return derived((document(run_id, record) for run_id, record in batch.items()), validate=True)


def test_the_sample_meets_every_case_several_times() -> None:
    seen = [oracle(run_id, record) for run_id, record in records(SAMPLE).items()]
    counts = {case: sum(map(is_met, seen)) for case, is_met in CASES.items()}
    assert {case: count for case, count in counts.items() if count < 4} == {}


def test_the_columns_of_a_row_agree(sampled: Rows) -> None:
    for row in sampled.values():
        assert (row["delivered_verdict"] is not None) == (row["check_state"] == "reachable")
        assert (row["unreachable_reason"] is not None) == (row["check_state"] == "unreachable")
        assert (row["status"] == "recorded") == (row["decided_by"] is not None) == (row["held"] is not None)
        assert (row["before_pause"] == "held") == (row["held"] is True)
        assert bool(row["pointers"]["signal"]) == (row["delivered_verdict"] == "not-delivered")
        assert bool(row["pointers"]["scores"]) == (row["top_score"] is not None)
        if row["check_state"] == "reachable":
            assert row["decided_by"] in ("entry", "intent", "continuity", "decider")
            assert row["to_skill"] is not None
