"""Which subjects are worth a probe, and on which run each is probed."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.probe_subjects import probe_choices, probe_subjects, subject_runs
from afp_nodes.schemas.probes import FleetArms, FleetRuns, FleetSuspects, FleetUnits
from tests.tables import shown, table

NO_SUSPECTS, NO_UNITS, NO_ARMS = (schema.create_empty().lazy() for schema in (FleetSuspects, FleetUnits, FleetArms))
FLEET = """
    run_id | is_doubtful | can_be_probed | tokens | shows_suspects | shows_units | shows_manifest | arm_id
    a      | T           | T             | 9      | T              | T           | T              |
    b      | T           | T             | 8      | T              | T           | T              |
    c      | F           | T             | 7      | T              | T           | T              |
    d      | F           | T             | 1      | T              | T           | T              | new
    e      |             | T             | 2      | T              | F           | F              |
    f      | T           | F             | 1      | F              | F           | F              |
"""


def suspects(*held: str) -> pl.LazyFrame:
    """Injections by the runs that hold them: `planted: a b`."""
    rows = [
        {"run_id": run, "suspect_kind": "injection", "suspect_id": name, "spec_json": f'["{name}"]'}
        for line in held
        for name, runs in [line.split(": ")]
        for run in runs.split()
    ]
    return pl.LazyFrame(rows, schema=FleetSuspects.dtypes()).pipe(FleetSuspects.cast)


def ranked(held: pl.LazyFrame, units: pl.LazyFrame = NO_UNITS, arms: pl.LazyFrame = NO_ARMS) -> pl.LazyFrame:
    runs = table(FleetRuns, FLEET)
    return probe_subjects(subject_runs(held, units, arms, runs), runs)


def choices(held: pl.LazyFrame, units: pl.LazyFrame = NO_UNITS, arms: pl.LazyFrame = NO_ARMS) -> dict[str, list[str]]:
    """The runs that each subject can be probed on, as they are preferred."""
    runs = table(FleetRuns, FLEET)
    touched = subject_runs(held, units, arms, runs)
    subjects = probe_subjects(touched, runs)
    chosen = probe_choices(touched, subjects, arms, runs).join(subjects, on="rank").sort("position").collect()
    return {name: rows["run_id"].to_list() for (name,), rows in chosen.group_by("subject_id")}


def test_what_stands_beside_doubt_is_counted_on_both_sides() -> None:
    subjects = ranked(suspects("planted: a b", "beside: a b c"))
    columns = ("rank", "subject_id", "runs", "judged_runs", "doubtful_runs", "judged_others", "doubtful_others")
    assert shown(subjects, *columns) == [(0, "planted", 2, 2, 2, 2, 0), (1, "beside", 3, 3, 2, 1, 0)]
    assert shown(subjects, "difference", "score") == [(2 / 3, 3 * (2 / 3) ** 2), (1.0, 2.0)]


def test_a_run_whose_record_would_not_show_a_suspect_is_no_run_without_it() -> None:
    [(others, doubtful)] = shown(ranked(suspects("x: a")), "judged_others", "doubtful_others")
    assert (others, doubtful) == (3, 1)  # b, c and d: of e nobody knows whether it is in doubt, f shows no suspects


def test_without_runs_to_compare_with_nothing_is_known_and_that_is_not_zero() -> None:
    [row] = shown(ranked(suspects("everywhere: a b c d e")), "judged_others", "difference", "score")
    assert row == (0, None, None)


def test_fewer_doubts_than_elsewhere_speak_for_nothing() -> None:
    assert shown(ranked(suspects("good: c d")), "difference", "score") == [(-1.0, 0.0)]


def test_equals_stand_by_runs_then_difference_then_tokens_then_name() -> None:
    held = suspects("few: c", "many: c d", "cheap: d", "b-name: c", "a-name: c")
    order = ranked(held).sort("rank").collect()["subject_id"].to_list()
    assert order == ["many", "cheap", "a-name", "b-name", "few"]


def test_one_unit_with_two_contents_is_two() -> None:
    units = table(
        FleetUnits,
        """
        run_id | unit_id | unit_kind | content
        a      | m       | memory    | one
        b      | m       | memory    | other
        c      | m       | memory    | one
        d      | m       | memory    |
        """,
    )
    assert shown(ranked(NO_SUSPECTS, units), "change_json", "runs") == [
        ('{"id":"m","content":"one"}', 2),
        ('{"id":"m","content":"other"}', 1),
        ('{"id":"m","content":null}', 1),
    ]


def test_an_arm_would_change_every_run_of_another_and_is_probed_on_the_baseline() -> None:
    arms = table(FleetArms, "arm_id | change_json\nnew | {}\nnewer | {1}")
    rows = shown(ranked(NO_SUSPECTS, arms=arms), "subject_id", "runs", "judged_others", "doubtful_others")
    assert rows == [("new", 3, 1, 0), ("newer", 4, 0, 0)]
    assert choices(NO_SUSPECTS, arms=arms) == {"new": ["b", "a", "c"], "newer": ["b", "a", "c"]}


def test_a_name_that_could_be_taken_for_something_else_has_its_kind_before_it() -> None:
    held = table(
        FleetSuspects,
        """
        run_id | suspect_kind | suspect_id  | spec_json
        a      | tool         | calc        | 1
        a      | memory       | calc        | 2
        a      | injection    | baseline    | 3
        a      | injection    | ''          | 4
        a      | injection    | tool|calc   | 5
        a      | injection    | tools       | 6
        """.replace("tool|calc  ", "tool/calc  "),
    ).with_columns(pl.col("suspect_id").str.replace("/", "|", literal=True))
    ids = {row[0] for row in shown(ranked(held), "subject_id")}
    assert ids == {
        *("tool|calc", "memory|calc", "injection|baseline", "injection|", "injection|tool|calc", "tools"),
    }


def test_a_run_in_doubt_is_probed_first_then_the_one_that_serves_most_then_the_cheapest() -> None:
    chosen = choices(suspects("x: a b c d e f", "y: a"))
    assert chosen == {"x": ["a", "b", "e", "d", "c"], "y": ["a"]}


@given(st.permutations("abcdef"), st.permutations(range(6)))
def test_the_order_of_rows_never_matters(names: list[str], places: list[int]) -> None:
    held = suspects("p: a b", "q: b c", "r: d e f", "s: a b c d")
    runs = table(FleetRuns, FLEET)
    mixed = runs.collect()[list(places)].lazy()
    shuffled = held.collect().sample(fraction=1, shuffle=True, seed=sum(map(ord, names[:2]))).lazy()
    expected = probe_subjects(subject_runs(held, NO_UNITS, NO_ARMS, runs), runs).collect()
    assert probe_subjects(subject_runs(shuffled, NO_UNITS, NO_ARMS, mixed), mixed).collect().equals(expected)
