"""Laws of the ledger: the order of arrival and the batching never change what became of a document."""

import json
from datetime import timedelta
from typing import NamedTuple

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from afp_nodes import ledger
from afp_nodes.schemas import Inputs, Recordings
from tests.store.drawn import LONG_AGO

FEW = settings(max_examples=40, deadline=None)


class Version(NamedTuple):
    """A recording of a run: what its hash stands for never changes."""

    run_id: str
    complete: bool | None
    commits: int
    events: int | None


versions = st.lists(
    st.builds(
        Version,
        run_id=st.sampled_from("rs"),
        complete=st.sampled_from([None, False, True]),
        commits=st.integers(0, 1),
        events=st.sampled_from([None, 0, 1]),
    ),
    min_size=1,
    max_size=5,
)
places = st.tuples(st.sampled_from(["/a", "/b"]), st.integers(0, 1), st.integers(0, 3))


@st.composite
def recording_sightings(draw: st.DrawFn) -> pl.DataFrame:
    """Sightings of a few recordings at a few places on a few days."""
    known = draw(versions)
    seen = draw(st.lists(st.tuples(st.integers(0, len(known) - 1), places), max_size=8))
    rows = [_recording(number, known[number], *place) for number, place in seen]
    return pl.DataFrame(rows, Recordings.stored_dtypes())


def _recording(number: int, version: Version, uri: str, position: int, day: int) -> dict[str, object]:
    return version._asdict() | {
        "recording_sha256": f"sha{number}",
        "source_uri": uri,
        "position": position,
        "source_format": "bare",
        "size_bytes": 1,
        "ingested_at": LONG_AGO + timedelta(days=day),
        "batch_id": f"day {day}",
    }


@st.composite
def input_sightings(draw: st.DrawFn) -> pl.DataFrame:
    """Sightings of a few studies and unit lists at a few places."""
    subjects = st.lists(st.tuples(st.sampled_from("rs"), st.integers(0, 2)), min_size=1, max_size=2)
    known = draw(st.lists(st.tuples(st.sampled_from(["study", "units"]), subjects), min_size=1, max_size=4))
    seen = draw(st.lists(st.tuples(st.integers(0, len(known) - 1), places), max_size=8))
    return pl.DataFrame([_input(number, *known[number], *place) for number, place in seen], Inputs.stored_dtypes())


def _input(
    number: int, kind: str, subjects: list[tuple[str, int]], uri: str, position: int, day: int
) -> dict[str, object]:
    units = [{"run_id": run, "available": [{"id": str(i)} for i in range(n)], "sent": []} for run, n in subjects]
    study = {"study_id": subjects[0][0], "runs": [{"run_id": str(i)} for i in range(subjects[0][1])]}
    return {
        "sha256": f"sha{number}",
        "source_uri": uri,
        "position": position,
        "kind": kind,
        "size_bytes": 1,
        "ingested_at": LONG_AGO + timedelta(days=day),
        "batch_id": f"day {day}",
        "content_json": json.dumps(study if kind == "study" else units),
    }


def settled_recordings(sightings: pl.DataFrame) -> pl.DataFrame:
    return ledger.recordings(sightings).cast(Recordings.stored_dtypes()).collect()


def settled_inputs(sightings: pl.DataFrame) -> pl.DataFrame:
    return ledger.inputs(sightings, ledger.input_entries(sightings)).cast(Inputs.stored_dtypes()).collect()


@FEW
@given(recording_sightings(), st.randoms(use_true_random=False), st.integers(0, 8))
def test_order_and_batching_never_change_recordings(seen: pl.DataFrame, dice: object, cut: int) -> None:
    shuffled = _shuffled(seen, dice)
    in_two = settled_recordings(pl.concat([settled_recordings(shuffled.head(cut)), shuffled.slice(cut)]))
    assert_frame_equal(in_two, settled_recordings(seen), check_row_order=False)


@FEW
@given(input_sightings(), st.randoms(use_true_random=False), st.integers(0, 8))
def test_order_and_batching_never_change_inputs(seen: pl.DataFrame, dice: object, cut: int) -> None:
    shuffled = _shuffled(seen, dice)
    in_two = settled_inputs(pl.concat([settled_inputs(shuffled.head(cut)), shuffled.slice(cut)]))
    assert_frame_equal(in_two, settled_inputs(seen), check_row_order=False)


@FEW
@given(recording_sightings())
def test_each_run_has_one_active_place_and_it_is_of_the_recording_that_wins(seen: pl.DataFrame) -> None:
    active = settled_recordings(seen).filter(pl.col("status") == "active")
    assert sorted(active["run_id"]) == sorted(set(seen["run_id"]))
    for row in active.iter_rows(named=True):
        rivals = [r for r in seen.iter_rows(named=True) if r["run_id"] == row["run_id"]]
        assert _weight(row) == max(map(_weight, rivals))
        copies = [r for r in rivals if r["recording_sha256"] == row["recording_sha256"]]
        assert _place(row) == min(map(_place, copies))


@FEW
@given(recording_sightings())
def test_a_conflict_is_two_recordings_of_a_run_that_weigh_the_same_at_the_top(seen: pl.DataFrame) -> None:
    for row in settled_recordings(seen).iter_rows(named=True):
        rivals = [r for r in seen.iter_rows(named=True) if r["run_id"] == row["run_id"]]
        heaviest = max(_weight(r)[:3] for r in rivals)
        at_the_top = {r["recording_sha256"] for r in rivals if _weight(r)[:3] == heaviest}
        assert row["conflict"] == (len(at_the_top) > 1 and row["recording_sha256"] in at_the_top)


@FEW
@given(recording_sightings())
def test_every_place_has_one_row(seen: pl.DataFrame) -> None:
    assert settled_recordings(seen).height == seen.select(Recordings.primary_key()).unique().height


def _weight(row: dict[str, object]) -> tuple[object, ...]:
    """The rule in plain words: complete, then commits, then events, then the hash."""
    return row["complete"] is True, row["commits"], row["events"] or 0, row["recording_sha256"]


def _place(row: dict[str, object]) -> tuple[object, object]:
    return row["source_uri"], row["position"]


def _shuffled(frame: pl.DataFrame, dice: object) -> pl.DataFrame:
    order = list(range(frame.height))
    dice.shuffle(order)
    return frame[order]
