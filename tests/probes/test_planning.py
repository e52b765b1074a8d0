"""What is planned within a budget, and what the lines of a plan say."""

from collections import defaultdict
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dataflows.probes.planning import Plan, PlanOptions, planned
from tests.probes.drawn import DrawnFleet

RUNS = st.sampled_from(("a", "b", "c", "d"))
HELD = st.dictionaries(RUNS, st.lists(st.sampled_from(("p", "q", "r", "baseline", "é x")), max_size=4), max_size=4)
FLEETS = st.builds(DrawnFleet, HELD, HELD, st.sets(RUNS, max_size=2))
BUDGETS = st.one_of(st.none(), st.integers(1, 60))
SAMPLES = st.integers(2, 4)
ONE_RUN = {"a": ["p", "q"]}


def plan_for(fleet: DrawnFleet, budget: int | None = None, samples: int = 3) -> Plan:
    return planned(fleet, PlanOptions(budget, samples, "lexical", "default", None))


def subjects_of(plan: Plan) -> dict[tuple[str, str], list[int]]:
    """The seeds of each subject of each study, in order."""
    seeds: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in plan.lines():
        seeds[line["study_id"], line["subject_id"]].append(line["seed"])
    return seeds


@settings(max_examples=30, deadline=None)
@given(FLEETS, BUDGETS, SAMPLES)
def test_a_subject_is_in_whole_with_its_baseline_or_out_and_the_budget_holds(
    fleet: DrawnFleet, budget: int | None, samples: int
) -> None:
    plan = plan_for(fleet, budget, samples)
    lines = list(plan.lines())
    assert budget is None or len(lines) <= budget
    assert all(seeds == list(range(samples)) for seeds in subjects_of(plan).values())
    with_baseline = {study for study, subject in subjects_of(plan) if subject == "baseline"}
    with_subject = {study for study, subject in subjects_of(plan) if subject != "baseline"}
    assert with_baseline == with_subject
    assert len({line["run_id"] for line in lines}) == len(lines)


@settings(max_examples=30, deadline=None)
@given(FLEETS, st.integers(1, 60), SAMPLES)
def test_what_would_still_fit_is_not_left_out(fleet: DrawnFleet, budget: int, samples: int) -> None:
    plan = plan_for(fleet, budget, samples)
    left = budget - len(list(plan.lines()))
    for placed in plan.subjects:
        if placed.study and not placed.is_planned:
            assert left < samples * (1 if placed.study.planned else 2)


@settings(max_examples=30, deadline=None)
@given(FLEETS, st.integers(1, 60))
def test_a_smaller_budget_gives_the_beginning_of_the_same_studies(fleet: DrawnFleet, budget: int) -> None:
    whole, part = (defaultdict(list) for _ in range(2))
    for plan, lines in ((plan_for(fleet), whole), (plan_for(fleet, budget), part)):
        for line in plan.lines():
            lines[line["study_id"]].append(line)
    assert part.keys() <= whole.keys()
    assert all(lines == whole[study][: len(lines)] for study, lines in part.items())


@settings(max_examples=30, deadline=None)
@given(FLEETS)
def test_every_subject_is_planned_once_on_a_run_that_holds_it_and_may_be_asked(fleet: DrawnFleet) -> None:
    plan = plan_for(fleet)
    seen = [(p.subject.study_kind, str(p.subject.change)) for p in plan.subjects]
    assert len(seen) == len(set(seen))
    held = {
        *((run, "ablation", name) for run, _, name, _ in fleet.suspects.collect().iter_rows()),
        *((run, "restoration", name) for run, name, *_ in fleet.units.collect().iter_rows()),
    }
    for placed in plan.subjects:
        subject = placed.subject
        homes = {run for run, kind, name in held if (kind, name) == (subject.study_kind, subject.subject_name)}
        if placed.study:
            assert placed.study.original_run_id in homes - fleet.hidden
        else:
            assert homes <= fleet.hidden


def test_a_line_holds_what_a_runner_needs_and_nothing_else() -> None:
    baseline, changed = (line for line in plan_for(DrawnFleet({"a": ["p"]}, {})).lines() if line["seed"] == 1)
    members = "study_id kind subject_id seed run_id scenario specs restore facets embedder options"
    assert list(baseline) == list(changed) == members.split()
    assert baseline["subject_id"] == "baseline"
    assert (baseline["specs"], baseline["restore"], baseline["facets"]) == ([], [], {})
    assert changed["specs"] == [{"kind": "injection", "ids": ["p"]}]
    scenario = {"question": "question of a?", "original_run_id": "a", "original_output": "answer of a"}
    assert baseline["scenario"] == changed["scenario"] == scenario
    assert changed["options"] == {"samples": 3, "flipThreshold": None, "comparator": "default"}


def test_a_restoration_says_what_there_was_to_choose_from() -> None:
    lines: list[dict[str, Any]] = list(plan_for(DrawnFleet({}, ONE_RUN), samples=2).lines())
    assert [line["subject_id"] for line in lines] == ["baseline", "baseline", "p", "p", "q", "q"]
    assert lines[-1]["restore"] == [{"id": "q", "content": "text of q"}]
    assert lines[-1]["available"] == [{"id": "sent"}, {"id": "p"}, {"id": "q"}]
    assert lines[-1]["sent"] == [{"id": "sent"}]
    assert lines[-1]["options"]["maxCandidates"] == 2


def test_subjects_that_can_share_a_run_share_its_baseline() -> None:
    plan = plan_for(DrawnFleet({"a": ["p"], "b": [], "c": ["p", "q"]}, {}))
    assert {placed.study.original_run_id for placed in plan.subjects if placed.study} == {"c"}
    assert len(list(plan.lines())) == 9


def test_a_doubtful_run_of_its_own_is_worth_a_baseline_of_its_own() -> None:
    plan = plan_for(DrawnFleet({"a": ["p"], "b": ["p", "q"]}, {}))
    homes = {placed.subject.subject_id: placed.study.original_run_id for placed in plan.subjects if placed.study}
    assert homes == {"p": "a", "q": "b"}


def test_what_else_a_study_could_hold_makes_another_study() -> None:
    one, other = (plan_for(DrawnFleet({"a": held}, {})).studies[0].study_id for held in (["p"], ["p", "q"]))
    assert one != other
    assert one == plan_for(DrawnFleet({"a": ["p"]}, {}), samples=3).studies[0].study_id
    assert one != plan_for(DrawnFleet({"a": ["p"]}, {}), samples=4).studies[0].study_id
