"""What became of each document."""

import json
from datetime import UTC, datetime

import polars as pl

from afp_nodes import ledger
from afp_nodes.schemas import Files, HeldRuns
from tests.store.drawn import files, inputs, recordings, refusals, rows
from tests.tables import shown


def standing(text: str) -> dict[str, str]:
    """The status of each sighting by its place, with a `!` where there is a conflict."""
    settled = ledger.recordings(recordings(text)).collect()
    return {
        uri: str(status) + "!" * conflict
        for uri, status, conflict in settled.select("source_uri", "status", "conflict").sort("source_uri").iter_rows()
    }


def test_a_complete_recording_beats_longer_ones_and_not_stated_is_like_false() -> None:
    assert standing("""
        run_id | recording_sha256 | source_uri | complete | commits | events
        r      | a1               | /long      |          | 9       | 9
        r      | a2               | /whole     | T        | 1       | 1
        r      | a3               | /longer    | F        | 10      | 1
    """) == {"/long": "superseded", "/longer": "superseded", "/whole": "active"}
    assert standing("""
        run_id | recording_sha256 | source_uri | complete | commits
        r      | a1               | /unstated  |          | 2
        r      | a2               | /false     | F        | 1
    """) == {"/unstated": "active", "/false": "superseded"}


def test_more_commits_beat_more_events_and_events_beat_the_hash() -> None:
    assert standing("""
        run_id | recording_sha256 | source_uri | commits | events
        r      | a1               | /commits   | 3       | 1
        r      | a2               | /events    | 2       | 9
        s      | b9               | /none      | 2       |
        s      | b1               | /some      | 2       | 1
    """) == {"/commits": "active", "/events": "superseded", "/none": "superseded", "/some": "active"}


def test_when_only_the_hash_decides_both_are_in_conflict_and_a_third_that_lost_by_rule_is_not() -> None:
    assert standing("""
        run_id | recording_sha256 | source_uri | commits | events
        r      | a1               | /smaller   | 2       | 0
        r      | a2               | /greater   | 2       |
        r      | a3               | /shorter   | 1       | 9
    """) == {"/smaller": "superseded!", "/greater": "active!", "/shorter": "superseded"}


def test_of_equal_copies_the_least_place_speaks_and_the_others_are_duplicates_whoever_won() -> None:
    assert standing("""
        run_id | recording_sha256 | source_uri | commits
        r      | a1               | /b         | 2
        r      | a1               | /a         | 2
        r      | a2               | /d         | 1
        r      | a2               | /c         | 1
    """) == {"/a": "active", "/b": "duplicate", "/c": "superseded", "/d": "duplicate"}


def test_places_count_in_their_order_within_a_file() -> None:
    copies = recordings("""
        run_id | recording_sha256 | source_uri | position
        r      | a1               | /f         | 10
        r      | a1               | /f         | 2
    """)
    assert shown(ledger.recordings(copies), "position", "status") == [(10, "duplicate"), (2, "active")]


def test_runs_split_from_one_document_are_no_copies_of_each_other() -> None:
    split = recordings("""
        run_id | recording_sha256 | source_uri
        r      | a1               | /f
        s      | a1               | /f
    """)
    assert shown(ledger.recordings(split), "run_id", "status") == [("r", "active"), ("s", "active")]


def test_a_place_that_is_seen_again_adds_no_row_and_keeps_the_batch_that_saw_it_first() -> None:
    again = recordings("""
        run_id | recording_sha256 | source_uri | batch_id
        r      | a1               | /f         | later
        r      | a1               | /f         | earlier
    """)
    days = pl.Series([datetime(2026, 1, day, tzinfo=UTC) for day in (2, 1)], dtype=pl.Datetime("us", "UTC"))
    settled = ledger.recordings(again.with_columns(ingested_at=days))
    assert shown(settled, "source_uri", "batch_id", "status") == [("/f", "earlier", "active")]


def study(study_id: str, *run_ids: str) -> str:
    return json.dumps({"study_id": study_id, "runs": [{"run_id": run} for run in run_ids]})


def units(run_id: str, *ids: str) -> str:
    return json.dumps({"run_id": run_id, "available": [{"id": i} for i in ids], "sent": []})


def statuses(sightings: pl.DataFrame) -> dict[str, str]:
    settled = ledger.inputs(sightings, ledger.input_entries(sightings)).collect()
    return dict(settled.select("source_uri", pl.col("status").cast(pl.String)).iter_rows())


def test_the_study_that_lists_more_runs_is_in_force_else_the_greater_hash() -> None:
    assert statuses(
        inputs(
            ("a9", "/short", "study", study("s", "r1")),
            ("a1", "/long", "study", study("s", "r1", "r2")),
            ("b1", "/less", "study", study("t", "r1")),
            ("b2", "/more", "study", study("t", "r2")),
            ("b2", "/zcopy", "study", study("t", "r2")),
        )
    ) == {"/short": "superseded", "/long": "active", "/less": "superseded", "/more": "active", "/zcopy": "duplicate"}


def test_a_document_of_several_lists_is_active_while_one_of_them_is_in_force() -> None:
    both = f"[{units('r', 'u1')}, {units('q', 'u1')}]"
    assert statuses(inputs(("a1", "/both", "units", both), ("a2", "/r-only", "units", units("r", "u1", "u2")))) == {
        "/both": "active",
        "/r-only": "active",
    }


def test_unit_lists_weigh_by_distinct_units_of_both_sides() -> None:
    twice = json.dumps({"run_id": "r", "available": [{"id": "u"}, {"id": "u"}], "sent": [{"id": "u"}]})
    assert statuses(inputs(("a9", "/one", "units", twice), ("a1", "/two", "units", units("r", "u", "v")))) == {
        "/one": "superseded",
        "/two": "active",
    }


def test_declarations_of_a_run_and_of_all_runs_stand_beside_each_other() -> None:
    for_all = json.dumps({"run_ids": "*", "tools": {"t": {}, "u": {}}})
    for_one = json.dumps({"run_ids": ["r"], "tools": {"t": {}}})
    longer = json.dumps({"run_ids": ["r"], "tools": {"t": {}, "u": {}}})
    assert statuses(
        inputs(
            ("a1", "/all", "declarations", for_all),
            ("a2", "/one", "declarations", for_one),
            ("a1b", "/longer", "declarations", longer),
        )
    ) == {"/all": "active", "/one": "superseded", "/longer": "active"}


def test_a_study_and_a_unit_list_of_one_name_do_not_compete() -> None:
    sightings = inputs(("a1", "/study", "study", study("x", "r")), ("a2", "/units", "units", units("x", "u", "v")))
    assert statuses(sightings) == {"/study": "active", "/units": "active"}


def test_only_the_runs_of_studies_in_force_are_probes() -> None:
    sightings = inputs(
        ("a1", "/old", "study", study("s", "r1")),
        ("a2", "/new", "study", study("s", "r2", "r2", "r3")),
        ("a3", "/other", "study", study("t", "r3")),
        ("a4", "/units", "units", units("r9", "u")),
    )
    probes = shown(ledger.study_runs(ledger.input_entries(sightings)), "study_id", "run_id")
    assert probes == [("s", "r2"), ("s", "r3"), ("t", "r3")]


def still_refused(earlier: str, new: str = "source_uri", taken: str = "source_uri", read: tuple[str, ...] = ()) -> list:
    frame = ledger.quarantine(
        refusals(earlier),
        refusals(new),
        recordings(taken).select("source_uri", "position"),
        files(*read) if read else rows(Files, "source_uri"),
    )
    return shown(frame, "source_uri", "position", "message")


def test_the_newest_refusal_of_a_place_wins() -> None:
    assert still_refused(
        """
        source_uri | position | message
        /f         | 0        | was torn
        /g         | 1        | stays
        """,
        """
        source_uri | position | message
        /f         | 0        | is no JSON
        """,
    ) == [("/f", 0, "is no JSON"), ("/g", 1, "stays")]


def test_a_place_that_is_taken_in_is_refused_no_more_and_the_one_beside_it_still_is() -> None:
    assert still_refused(
        """
        source_uri | position | message
        /f         | 0        | a
        /f         | 1        | b
        """,
        taken="""
        source_uri | position
        /f         | 0
        """,
    ) == [("/f", 1, "b")]


def test_a_file_that_is_read_again_is_judged_anew_with_its_members_and_its_folder() -> None:
    assert still_refused(
        """
        source_uri         | message
        /in/a.zip::x.json  | member
        /in/a.zip          | cut
        /in/a.zip2::x.json | another archive
        /in                | not readable then
        /inbox             | another folder
        """,
        read=("/in/a.zip",),
    ) == [("/in/a.zip2::x.json", 0, "another archive"), ("/inbox", 0, "another folder")]


def test_an_entry_refused_within_a_document_that_was_taken_in_stays_refused() -> None:
    new = "source_uri | message\n /u.units.json | entry 0"
    assert still_refused("source_uri", new, "source_uri\n/u.units.json", ("/u.units.json",)) == [
        ("/u.units.json", 0, "entry 0")
    ]


def test_of_a_file_read_twice_the_later_reading_stays() -> None:
    earlier = rows(Files, "source_uri | size_bytes\n /f | 1\n /g | 2")
    read = rows(Files, "source_uri | size_bytes\n /f | 9")
    assert shown(ledger.files(earlier, read), "source_uri", "size_bytes") == [("/f", 9), ("/g", 2)]


def test_a_chunk_gives_up_runs_whose_recording_lost_and_those_an_earlier_chunk_holds() -> None:
    settled = ledger.recordings(
        recordings("""
        run_id | recording_sha256 | source_uri | commits
        r      | a1               | /old       | 1
        r      | a2               | /new       | 2
        s      | b1               | /s         | 1
        """)
    )
    held = rows(
        HeldRuns,
        """
        chunk_id | run_id | recording_sha256 | chunk_position
        c1       | r      | a1               | 0
        c2       | r      | a2               | 1
        c2       | s      | b1               | 1
        c3       | s      | b1               | 2
        """,
    )
    assert shown(ledger.superseded_runs(held, settled), "chunk_id", "run_id") == [("c1", "r"), ("c3", "s")]


def test_empty_frames_give_empty_frames() -> None:
    nothing = inputs()
    assert ledger.recordings(recordings("run_id")).collect().is_empty()
    assert ledger.inputs(nothing, ledger.input_entries(nothing)).collect().is_empty()
    assert ledger.study_runs(ledger.input_entries(nothing)).collect().is_empty()
    assert still_refused("source_uri") == []
