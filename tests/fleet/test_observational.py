"""Arms of recorded runs: which run belongs where, what is compared, and what is never said."""

import json
import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afp_nodes.fleet.arms import arm_answers, arm_runs
from afp_nodes.fleet.observational import arm_contrasts, arm_verdicts, fleet_verdicts
from afp_nodes.given import ARMS
from afp_nodes.schemas import ArmAnswers, ArmContrasts, Runs, Verdicts
from afp_nodes.studies.embedders import Embeddings
from tests.tables import shown

ALIKE, OTHER, THIRD = "The parcel leaves on Monday.", "Nobody can tell you that.", "Ask at the desk, please."
DECLARED = [{"id": each, "facets": {"model": each}} for each in "abcd"]
SETTINGS = {ARMS: json.dumps({"arms": DECLARED[:2], "baseline": "a"})}


def stored(runs: list[dict[str, Any]], standings: Sequence[tuple[str, str]] = ()) -> dict[str, pl.LazyFrame]:
    """The tables that arms are told by."""
    dtypes = {name: Runs.stored_dtypes()[name] for name in ("run_id", "manifest_json", "question", "answer")}
    frame = pl.LazyFrame(runs, schema={**dtypes, "study_id": pl.String})
    rows = [dict(zip(("run_id", "standing"), pair, strict=True)) for pair in standings]
    return {"runs": frame, "standings": pl.LazyFrame(rows, schema={"run_id": pl.String, "standing": pl.String})}


def manifest(**llm: Any) -> str:
    return json.dumps({"llm": llm})


def given_arms(*facets: dict[str, Any]) -> dict[str, str]:
    arms = [{"id": f"arm{place}", "facets": each} for place, each in enumerate(facets)]
    return {ARMS: json.dumps({"arms": arms, "baseline": "arm0"})}


def answered(question: str, **answers: list[str]) -> list[dict[str, Any]]:
    """Rows of `arm_answers`: what each arm answered to one question."""
    return [
        {"run_id": f"{question}-{arm}-{place}", "arm_id": arm, "question": question, "answer": text}
        for arm, texts in answers.items()
        for place, text in enumerate(texts)
    ]


def contrasts(rows: list[dict[str, Any]], told: dict[str, str] = SETTINGS) -> pl.DataFrame:
    frame = pl.LazyFrame(rows, schema=ArmAnswers.stored_dtypes()).pipe(ArmAnswers.cast)
    return arm_contrasts(frame, told, Embeddings()).collect()


def verdicts(rows: list[dict[str, Any]], told: dict[str, str] = SETTINGS) -> list[dict[str, Any]]:
    made = fleet_verdicts(arm_verdicts(contrasts(rows, told).lazy().pipe(ArmContrasts.cast)))
    return Verdicts.validate(made.collect(), cast=True).to_dicts()


def test_without_arms_nothing_is_grouped_and_nothing_said() -> None:
    runs = stored([{"run_id": "r", "manifest_json": manifest(model="m"), "question": "q", "answer": "a"}])
    assert shown(arm_runs(runs, {}), "run_id") == []
    assert verdicts([], {}) == []


def test_the_arm_that_declares_most_gets_the_run_and_a_tie_or_a_contradiction_none() -> None:
    told = given_arms({"model": "m"}, {"model": "m", "provider": "p"}, {"provider": "q"}, {"model": "n"}, {})
    manifests = {
        "least": manifest(model="m"),
        "most": manifest(model="m", provider="p"),
        "tie": manifest(model="m", provider="q"),
        "stranger": manifest(model="z"),
        "no-object": "[1]",
    }
    runs = [{"run_id": name, "manifest_json": text} for name, text in manifests.items()]
    rows = [
        *runs,
        {"run_id": "no-manifest"},
        {"run_id": "probe", "manifest_json": manifest(model="m"), "study_id": "s"},
    ]
    assert shown(arm_runs(stored(rows), told), "run_id", "arm_id") == [("least", "arm0"), ("most", "arm1")]


def test_runs_without_question_or_answer_are_left_out_and_doubt_is_told_where_it_was_assessed() -> None:
    told = given_arms({"model": "m"})
    rows = [
        {"run_id": name, "manifest_json": manifest(model="m"), "question": question, "answer": answer}
        for name, question, answer in [
            ("sure", "What  NOW?", "x"),
            ("unsure", "what now?", "y"),
            ("unjudged", "what now?", "z"),
            ("silent", "what now?", None),
            ("unasked", None, "x"),
        ]
    ]
    frames = stored(rows, [("sure", "known"), ("unsure", "ask"), ("unjudged", "not-assessed"), ("silent", "ask")])
    answers = arm_answers(arm_runs(frames, told), frames)
    assert shown(answers, "run_id", "question", "doubtful") == [
        ("sure", "what now?", False),
        ("unjudged", "what now?", None),
        ("unsure", "what now?", True),
    ]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (answered("q", a=[ALIKE, ALIKE]), "no answered run of the arm is recorded"),
        (answered("q", b=[ALIKE, ALIKE]), "no answered run of the baseline is recorded"),
        (
            answered("q", a=[ALIKE], b=[ALIKE, ALIKE]),
            "no question was answered once by the arm and twice by the baseline",
        ),
        (answered("q", a=[ALIKE, ALIKE]) + answered("p", b=[ALIKE]), "no question was answered once by the arm"),
        (answered("q", a=[ALIKE, ALIKE], b=[OTHER]), "only one question was answered by both"),
    ],
)
def test_what_cannot_be_compared_is_said_with_its_reason(rows: list[dict[str, Any]], reason: str) -> None:
    [verdict] = verdicts(rows)
    assert (verdict["verdict"], verdict["effect"], verdict["q_value"]) == ("not-comparable", None, None)
    assert json.loads(verdict["evidence_json"])[0]["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("arms", "side"), [([{"id": "a"}, DECLARED[1]], "baseline"), ([DECLARED[0], {"id": "b"}], "arm")]
)
def test_an_arm_that_declares_no_facet_is_said_to_match_nothing(arms: list[dict[str, Any]], side: str) -> None:
    [verdict] = verdicts([], {ARMS: json.dumps({"arms": arms, "baseline": "a"})})
    assert verdict["verdict"] == "not-comparable"
    assert json.loads(verdict["evidence_json"])[0]["reason"].startswith(f"the {side} declares no facet")


def test_an_embedder_that_is_not_installed_compares_nothing() -> None:
    told = {ARMS: json.dumps(json.loads(SETTINGS[ARMS]) | {"embedder": "no-such"})}
    rows = answered("q", a=[ALIKE, ALIKE], b=[OTHER]) + answered("p", a=[ALIKE, ALIKE], b=[OTHER])
    [verdict] = verdicts(rows, told)
    assert json.loads(verdict["evidence_json"])[0]["reason"] == "the embedder is not installed"


def test_arms_that_answer_alike_show_no_difference_and_none_is_called_a_cause() -> None:
    rows = [row for q in "pqrstu" for row in answered(q, a=[ALIKE, ALIKE], b=[ALIKE, ALIKE])]
    [verdict] = verdicts(rows)
    assert (verdict["verdict"], verdict["tier"], verdict["kind"]) == (
        "no-difference-seen",
        "correlational",
        "observational",
    )
    assert (verdict["effect"], verdict["effect_low"], verdict["effect_high"], verdict["q_value"]) == (0, 0, 0, 1)


def test_an_arm_that_answers_otherwise_differs_and_the_row_names_every_run_it_rests_on() -> None:
    rows = [row for q in "pqr" for row in answered(q, a=[ALIKE, ALIKE, ALIKE], b=[OTHER, THIRD])]
    [verdict] = verdicts(rows)
    assert (verdict["verdict"], verdict["subject_id"], verdict["samples"]) == ("differs", "b", 6)
    assert verdict["effect"] < -0.8
    assert verdict["effect_low"] <= verdict["effect"] <= verdict["effect_high"]
    told = [each for each in json.loads(verdict["evidence_json"]) if "question" in each]
    named = {run for each in told for side in ("arm_run_ids", "baseline_run_ids") for run in each[side]}
    assert named == {row["run_id"] for row in rows}


def test_an_arm_that_strays_less_than_the_baseline_differs_the_other_way() -> None:
    rows = [row for q in "pqrstu" for row in answered(q, a=[ALIKE, ALIKE, ALIKE, OTHER], b=[ALIKE] * 4)]
    [verdict] = verdicts(rows)
    assert verdict["effect"] > 0


def test_the_more_questions_vary_the_more_runs_a_difference_needs() -> None:
    rows = [row for q in "pqr" for row in answered(q, a=[ALIKE, ALIKE], b=[ALIKE])]
    rows += answered("s", a=[ALIKE, ALIKE], b=[OTHER])
    [verdict] = verdicts(rows)
    needed = [each for each in json.loads(verdict["evidence_json"]) if "more_runs_needed" in each]
    assert [each["difference"] for each in needed] == [0.05, 0.1, 0.2]
    assert needed[0]["more_runs_needed"] > needed[1]["more_runs_needed"] > needed[2]["more_runs_needed"] > 0


def test_chance_is_shared_out_over_the_arms() -> None:
    told = {ARMS: json.dumps({"arms": DECLARED, "baseline": "a"})}
    texts = {"a": [ALIKE] * 3, "b": [OTHER] * 2, "c": [ALIKE] * 2, "d": [ALIKE] * 2}
    rows = [row for q in "pqr" for row in answered(q, **texts)]
    told_rows = {verdict["subject_id"]: verdict for verdict in verdicts(rows, told)}
    alone = json.loads(told_rows["b"]["evidence_json"])[0]["p_value"]
    assert told_rows["b"]["q_value"] == pytest.approx(3 * alone)
    assert [told_rows[each]["verdict"] for each in "bcd"] == ["differs", "no-difference-seen", "no-difference-seen"]


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_runs_changes_nothing(chance: random.Random) -> None:
    rows = [row for q in "pqr" for row in answered(q, a=[ALIKE, ALIKE, OTHER], b=[OTHER, THIRD])]
    assert verdicts(chance.sample(rows, len(rows))) == verdicts(rows)


def test_arms_that_are_the_same_seldom_differ() -> None:
    """Fleets in which nothing differs, drawn with a fixed seed: the word is wrong in about one of twenty."""
    chance = random.Random(11)
    wrong = 0
    for fleet in range(60):
        rows: list[dict[str, Any]] = []
        for question in range(5):
            rate = chance.choice([0.1, 0.3, 0.5])
            draw = {arm: [OTHER if chance.random() < rate else ALIKE for _ in range(3)] for arm in "ab"}
            rows += answered(f"{fleet}-{question}", **draw)
        wrong += verdicts(rows)[0]["verdict"] == "differs"
    assert wrong <= 7
