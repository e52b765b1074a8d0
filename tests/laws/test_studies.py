"""What holds of any study."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import studies as oracle
from tests.studies.documents import Tables, recorded, tables
from tests.studies.strategies import studies

OFTEN = settings(max_examples=max(40, settings.default.max_examples))

ANSWER = ("subject_id", "verdict", "samples", "flips", "baseline_stable", "suspect_class")
COST = ("subject_id", "verdict", "loops_saved", "cost_stable")


def rows(told: Tables, study_id: str | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Every table as rows, of one study or of all."""
    return {
        name: [row for row in frame.rows() if study_id is None or row[frame.columns.index("study_id")] == study_id]
        for name, frame in told.items()
    }


@OFTEN
@given(studies())
def test_the_oracle_says_the_same(study: dict[str, Any]) -> None:
    told = tables(study)["verdicts"].to_dicts()
    answers, costs = oracle.told(study)
    assert [tuple(row[c] for c in ANSWER) for row in told if row["kind"] != "cost"] == answers
    assert [tuple(row[c] for c in COST) for row in told if row["kind"] == "cost"] == costs


@given(studies(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_study_lists_things_changes_nothing(study: dict[str, Any], chance: Any) -> None:
    def shuffled(listed: list[Any]) -> list[Any]:
        return chance.sample(listed, len(listed))

    other = {name: shuffled(m) if name in ("runs", "specs", "arms", "sent") else m for name, m in study.items()}
    assert rows(tables(other)) == rows(tables(study))


@given(studies("s"), studies("t"))
def test_another_study_changes_no_row_and_neither_does_the_order_of_studies(s: Any, t: Any) -> None:
    both = tables(s, t)
    assert rows(both) == rows(tables(t, s))
    assert rows(both, "s") == rows(tables(s))
    assert rows(both, "t") == rows(tables(t))


@given(studies())
def test_what_a_study_does_not_state_may_as_well_be_recorded(study: dict[str, Any]) -> None:
    runs, bare = [], []
    for run in study["runs"]:
        cost = run.get("cost", {})
        counts = {"llm_calls": None, "input_tokens": None, "output_tokens": None}
        if cost and cost["loops"] != 2.5:
            counts = {"llm_calls": cost["loops"], "input_tokens": 9 * cost["loops"], "output_tokens": cost["loops"]}
        elif cost:
            bare.append(run)
            continue
        runs.append(recorded(run["run_id"], run.get("output"), **counts))
        bare.append({name: member for name, member in run.items() if name not in ("output", "cost")})
    assert rows(tables(study | {"runs": bare}, runs=runs)) == rows(tables(study))


@given(studies())
def test_only_good_runs_on_both_sides_claim_a_cause(study: dict[str, Any]) -> None:
    told = tables(study)
    (baseline,) = told["studies"]["baseline_stable"]
    for row in told["verdicts"].to_dicts():
        assert row["tier"] == ("gated" if row["kind"] == "cost" else "causal")
        if row["verdict"] in ("confirmed", "not-confirmed"):
            assert baseline is True
            assert row["samples"] >= 2
            assert row["flip_rate_low"] <= row["flips"] / row["samples"] <= row["flip_rate_high"]
        if row["verdict"] == "cost-cause":
            assert row["loops_saved"] >= 1


def pooled(told: Tables, subjects: set[str]) -> list[dict[str, Any]]:
    """Rows about these subjects of several studies, their q-values left out: those depend on all subjects."""
    rows = [row for row in told["verdicts"].drop("q_value", "verdict").to_dicts() if row["kind"] == "fleet"]
    return [row for row in rows if row["subject_id"] in subjects]


@given(studies("s"), st.integers(2, 3), st.randoms(use_true_random=False))
def test_pooled_rows_depend_on_the_studies_of_their_subject_alone(
    study: dict[str, Any], count: int, chance: Any
) -> None:
    def again(study_id: str, prefix: str) -> dict[str, Any]:
        runs = [run | {"run_id": f"{study_id}.{run['run_id']}"} for run in study["runs"]]
        specs = [spec | {"spec_id": prefix + spec["spec_id"]} for spec in study.get("specs", [])]
        renamed = [run | {"arm_or_spec_id": prefix + run["arm_or_spec_id"]} for run in runs] if prefix else runs
        return study | {"study_id": study_id, "runs": renamed, "specs": specs or study.get("specs")}

    same = [again(f"s{n}", "") for n in range(count)]
    subjects = {row["subject_id"] for row in pooled(tables(*same), set("abcde"))}
    alone = pooled(tables(*same), subjects)
    assert pooled(tables(*chance.sample(same, count)), subjects) == alone
    if study["kind"] != "arms":
        assert pooled(tables(*same, again("t", "z")), subjects) == alone
