"""Recordings of probe runs: under the id of the probe, else as they were, and nowhere but in their folder."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afp_nodes.record import read_recordings
from dataflows.probes.recordings import RecordingError, Recordings, recording_at, under_run_id
from tests.probes.drawn import recording

STATE = {"sharedState": {"n": 1.0, "big": 123456789012345678901234567890}, "commitLog": []}
EVENT = {"type": "agentfootprint.agent.turn_end", "payload": {"finalContent": "x"}, "meta": {"runId": "of-event"}}
FORMS = {
    "envelope": {"format": "agentfootprint.recording.v1", "run": {"runId": "own", "tenant": "t"}, "recording": STATE},
    "bare": {"snapshot": STATE, "events": [EVENT]},
    "two ids": {"events": [EVENT, EVENT | {"meta": {"runId": "another"}}]},
    "snapshot": STATE | {"runId": "engine"},
    "checkpoint": {"checkpoint": {"sharedState": {"a": 1}}},
    "null format": {"format": None, "snapshot": STATE},
    "odd run": {"format": "agentfootprint.recording.v1", "run": 7, "recording": STATE},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_recording_comes_under_the_id_of_its_probe(form: str) -> None:
    document = under_run_id(json.dumps(FORMS[form]).encode(), "probe-1")
    assert [read.run_id for read in read_recordings(document)] == ["probe-1"]


def test_all_but_the_id_stays_as_it_is_spelled() -> None:
    spelled = json.dumps(FORMS["envelope"]).replace("1.0", "1.50e0")
    document = under_run_id(spelled.encode(), "probe-1").decode()
    assert document == spelled.replace('"own"', '"probe-1"').replace(": ", ":").replace(", ", ",") + "\n"


@pytest.mark.parametrize(
    "document",
    [
        *(b"", b"7", b"[]", b"null", b"{}", b'{"a": 1', b"\xff", b'{"format": "other", "recording": {}}'),
        *(b'{"snapshot": 5}', b'{"study_id": "s", "runs": []}'),
        b'{"commitLog": [], "x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    ],
)
def test_what_afp_run_would_refuse_is_no_recording(document: bytes) -> None:
    with pytest.raises(RecordingError):
        under_run_id(document, "probe-1")


@given(st.text(min_size=1, max_size=40))
def test_whatever_the_id_the_recording_is_read_under_it(run_id: str) -> None:
    run_id = run_id.encode("utf-8", "replace").decode()
    assert [read.run_id for read in read_recordings(under_run_id(json.dumps(recording()).encode(), run_id))] == [run_id]


@pytest.mark.parametrize("run_id", ["../../escaped", "/tmp/escaped", "..", ".", "a/b", "x" * 400, "nul\0", "-", "CON"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, run_id: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    kept = Recordings(folder)
    kept.hide(run_id, b"{}")
    kept.show(run_id)
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == [folder / "recordings"]


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    kept = Recordings(tmp_path)
    for ending in (".json", ".json.part"):
        (tmp_path / "recordings" / f"p{ending}").symlink_to(victim)
    kept.hide("p", b"{}")
    kept.show("p")
    assert victim.read_text() == "mine"
    assert (tmp_path / "recordings" / "p.json").read_bytes() == b"{}"
    assert not (tmp_path / "recordings" / "p.json").is_symlink()


@pytest.mark.parametrize("path", ["nowhere", "", "/", "/dev/zero", "a\0b", "x" * 5000])
def test_a_path_that_names_no_file_is_told(path: str) -> None:
    with pytest.raises(RecordingError, match="recording_path"):
        recording_at(path)


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataflows.probes.recordings.GREATEST_BYTES", 3)
    (tmp_path / "file").write_text("four")
    with pytest.raises(RecordingError, match="larger than"):
        recording_at(str(tmp_path / "file"))


def test_a_file_that_a_runner_names_is_copied_and_stays(tmp_path: Path) -> None:
    place = tmp_path / "by-the-agent.json"
    text: dict[str, Any] = recording()
    place.write_text(json.dumps(text, indent=2))
    assert recording_at(str(place)) == place.read_bytes()
