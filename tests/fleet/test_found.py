"""Findings: one name over nights for each kind of subject, and what people say of them."""

from datetime import date
from typing import Any

import polars as pl
import pytest

from afp_nodes.fleet.found import findings, night_findings
from afp_nodes.given import FINDINGS, NIGHTS
from afp_nodes.schemas import FleetFacts, NightBases, RunNights
from tests.tables import table

DAYS = [date(2026, 3, day) for day in range(1, 5)]
TEXTS: dict[str, tuple[str, ...]] = {
    "missing_context": ("run_id", "unit_id", "unit_kind", "drop_reason"),
    "tool_calls": ("run_id", "tool_call_id", "tool_name"),
    "routing": ("run_id", "to_skill", "delivered_verdict"),
    "standings": ("run_id", "standing"),
    "reasons": ("run_id", "reason", "class"),
    "reason_calls": ("run_id", "reason", "tool_name"),
    "variables": ("run_id", "scope", "key", "coverage"),
    "verdicts": ("kind", "study_id", "subject_kind", "subject_id", "verdict", "tier"),
}
MORE = {
    "standings": {"answered": pl.lit(value=True)},
    "variables": {"reads": pl.lit(1, pl.Int64)},
    "verdicts": {"samples": pl.lit(3, pl.Int64)},
}


def found(
    runs: dict[str, date | None],
    telling: list[date] = DAYS,
    settings: dict[str, str] | None = None,
    **tables: list[tuple[str | None, ...]],
) -> list[dict[str, Any]]:
    """The findings of production runs on nights, with rows of the tables they are told by."""
    stored = {
        name: pl.LazyFrame(tables.get(name, []), schema=dict.fromkeys(columns, pl.String), orient="row").with_columns(
            **MORE.get(name, {})
        )
        for name, columns in TEXTS.items()
    }
    facts = table(FleetFacts, "run_id\n" + "\n".join(runs))
    placed = pl.LazyFrame([(run, night) for run, night in runs.items() if night], PLACED, orient="row")
    nights = placed.with_columns(began_at=pl.col("night").cast(pl.Datetime("us", "UTC"))).pipe(RunNights.cast)
    nothing = pl.Series([[]] * len(telling), dtype=pl.List(pl.String))
    bases = pl.LazyFrame({"night": telling, "doubts": nothing, "compared_with": [None] * len(telling)})
    shown = night_findings(facts, nights, stored)
    return findings(shown, bases.pipe(NightBases.cast), stored, settings or {}).collect().to_dicts()


PLACED = {"run_id": pl.String, "night": pl.Date}
UNIT = ("price", "injection", "over-budget")
UNIT_ID = "missing-context||unit|price|over-budget|dropped"


def test_a_unit_goes_by_its_name_and_the_reason_it_was_dropped_for() -> None:
    rows = found(
        {"a": DAYS[0], "b": DAYS[2], "c": None, "d": DAYS[1]},
        missing_context=[("a", *UNIT), ("a", *UNIT), ("b", *UNIT), ("c", *UNIT), ("b", "price", "injection", None)],
    )
    assert [row["finding_id"] for row in rows] == [UNIT_ID, "missing-context||unit|price||dropped"]
    told = rows[0]
    assert (told["runs"], told["nights"], told["first_night"], told["last_night"]) == (3, 2, DAYS[0], DAYS[2])
    assert (told["first_run_id"], told["tier"], told["reason"]) == ("a", "structural", "over-budget")


def test_a_result_goes_by_its_tool_and_not_by_the_id_of_a_call() -> None:
    rows = found(
        {"a": DAYS[0], "b": DAYS[0]},
        missing_context=[("a", "call_1", "tool-result", "evicted"), ("b", "call_9", "tool-result", "evicted")],
        tool_calls=[("a", "call_1", "find"), ("b", "call_9", "find")],
    )
    assert [(row["subject_id"], row["runs"]) for row in rows] == [("result of find", 2)]


def test_skills_tools_and_variables_are_found_where_the_record_says_so() -> None:
    rows = found(
        {"a": DAYS[0]},
        routing=[("a", "billing", "not-delivered"), ("a", "travel", "delivered")],
        standings=[("a", "not-sure")],
        reasons=[("a", "empty-undeclared", "not-sure")],
        reason_calls=[("a", "empty-undeclared", "find")],
        variables=[("a", "", "total", "unknown"), ("a", "", "x", "exact"), ("a", "sf#1", "y", "unknown")],
    )
    assert [row["finding_id"] for row in rows] == [
        "coverage||variable|total||unknown",
        "routing||skill|billing||not-delivered",
        "standing||tool|find|empty-undeclared|not-sure",
    ]


def test_runs_of_no_production_show_nothing() -> None:
    assert found({"a": DAYS[0]}, missing_context=[("probe", *UNIT)]) == []


def test_what_a_study_confirmed_has_no_night_and_is_never_gone() -> None:
    rows = found(
        {"a": DAYS[0]},
        verdicts=[
            ("ablation", "s", "spec", "note", "confirmed", "causal"),
            ("ablation", "s", "spec", "other", "not-confirmed", "causal"),
            ("coverage", None, "variable", "k", "unknown", "structural"),
        ],
    )
    [row] = rows
    assert (row["finding_id"], row["tier"], row["state"]) == ("ablation|s|spec|note||confirmed", "causal", "open")
    assert (row["first_night"], row["nights"], row["runs"]) == (None, 0, 3)


def test_a_name_cannot_be_taken_for_another() -> None:
    rows = found({"a": DAYS[0]}, missing_context=[("a", "x|y", "memory", None), ("a", "x", "memory", None)])
    assert {row["finding_id"] for row in rows} == {
        "missing-context||unit|x%7Cy||dropped",
        "missing-context||unit|x||dropped",
    }


@pytest.mark.parametrize(
    ("said", "until", "last", "telling", "state"),
    [
        ("muted", None, 4, [2], "muted"),
        ("muted", "2026-03-04", 4, [2], "muted"),
        ("muted", "2026-03-03", 4, [2], "open"),
        ("acknowledged", "2026-03-03", 4, [2], "acknowledged"),
        ("gone", None, 4, [2], "open"),
        ("acknowledged", None, 4, [2, 3], "gone"),
        ("muted", None, 4, [], "muted"),
    ],
)
def test_what_people_say_holds_until_its_night_and_gone_is_told_by_the_record(
    said: str, until: str | None, last: int, telling: list[int], state: str
) -> None:
    stated = f'"{until}"' if until else "null"
    settings = {
        FINDINGS: f'[{{"id":"{UNIT_ID}","state":"{said}","note":"n","until":{stated}}}]',
        NIGHTS: f'{{"timezone":"UTC","first":"2026-03-01","last":"{DAYS[last - 1]}"}}',
    }
    days = [DAYS[number - 1] for number in telling]
    [row] = found({"a": DAYS[1]}, days, settings, missing_context=[("a", *UNIT)])
    assert (row["state"], row["note"]) == (state, "n")
