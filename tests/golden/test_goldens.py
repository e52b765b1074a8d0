"""What the reference derives of stored runs, value by value."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dataflows.derive import tables_of
from tests.oracle.javascript import code_units, number_text, parse, scrubbed, string_text

DATA = Path(__file__).parents[1] / "data"
NAMES = sorted(path.name.removesuffix(".json.gz") for path in (DATA / "goldens").iterdir())
KINDS = ("write", "read")

Json = Any
Rows = list[list[Json]]


def unpacked(folder: str, name: str) -> bytes:
    return gzip.decompress((DATA / folder / f"{name}.json.gz").read_bytes())


@pytest.fixture(scope="module")
def tables() -> dict[str, pl.DataFrame]:
    """All recordings derived together, as a night would."""
    return tables_of([unpacked("recordings", name) for name in NAMES])


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def golden(name: str) -> dict[str, Json]:
    return parse(unpacked("goldens", name))


@pytest.fixture
def published(name: str, tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables of one recording; its run is found by the digest of its bytes."""
    digest = hashlib.sha256(unpacked("recordings", name)).hexdigest()
    (run_id,) = tables["runs"].filter(pl.col("recording_sha256") == digest)["run_id"]
    return {table: frame.filter(pl.col("run_id") == run_id) for table, frame in tables.items()}


def canonical(value: Json) -> str:
    """Canonical JSON: members by code units, no spaces, the recorder's number format."""
    if isinstance(value, dict):
        names = sorted(value, key=code_units)
        return "{" + ",".join(f"{string_text(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return number_text(value)
    return string_text(value) if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def as_stated(value_json: str | None, stated: Json) -> Json:
    """A value column in the form in which the golden states the value: whole, absent, or digested."""
    if value_json is None:
        return {"$absent": True}
    value = parse(value_json)
    if "$digest" in stated:
        text = canonical(value)
        return {"$digest": {"cjson_sha256": digest(text), "cjson_utf16_len": len(code_units(text))}}
    return {"v": value}


def rows(frame: pl.DataFrame, columns: str, order: str = "") -> Rows:
    return [list(row) for row in frame.sort(order.split()).select(columns.split()).rows()]


def stated(entries: list[dict[str, Json]], members: str) -> Rows:
    return [[scrubbed(entry.get(member)) for member in members.split()] for entry in entries]


def of_loop(frame: pl.DataFrame, loop: int) -> pl.DataFrame:
    return frame.filter(pl.col("loop_index") == loop)


def test_loops(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    frames = golden["trajectory"]["frames"]
    expected = stated(frames, "loopIndex llmCallId llmCallArrayIdx headArrayIdx bodyIds")
    assert (
        rows(published["loops"], "loop_index llm_call_id llm_commit_idx head_commit_idx body_ids", "loop_index")
        == expected
    )
    scopes = [[frame["subflowScope"] or "", frame.get("incompleteSources") or None] for frame in frames]
    assert rows(published["loops"], "scope incomplete_sources", "loop_index") == scopes


def test_texts(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    found = [text for (text,) in published["loops"].sort("loop_index").select("intermediate_text").rows()]
    for frame, text in zip(golden["trajectory"]["frames"], found, strict=True):
        told = frame.get("intermediateText")
        if isinstance(told, dict):
            assert {"$digest": {"sha256": digest(text or ""), "utf16_len": len(code_units(text or ""))}} == told
        else:
            assert text == scrubbed(told)


def test_writer_frames(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    found = rows(published["writer_frames"], "runtime_stage_id frame_idx", "runtime_stage_id")
    assert found == sorted([step, at] for step, at in golden["writer_frame_index"])


def test_context_sources(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    for frame in golden["trajectory"]["frames"]:
        found = of_loop(published["context_sources"], frame["loopIndex"]).filter(~pl.col("proximate"))
        sources = scrubbed(frame["contextSources"])
        assert rows(found, "key writer_id writer_commit_idx", "position") == stated(
            sources, "key writerId writerArrayIdx"
        )
        values = [source["value"] for source in sources]
        texts = found.sort("position")["value_json"]
        assert [as_stated(text, value) for text, value in zip(texts, values, strict=True)] == values


def test_proximate_sources(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    for frame in golden["trajectory"]["frames"]:
        found = of_loop(published["context_sources"], frame["loopIndex"]).filter(pl.col("proximate"))
        told = list(filter(None, [scrubbed(frame.get("proximateToolSource"))]))
        assert rows(found, "key writer_id writer_commit_idx") == [[p["stateKey"], p["writerId"], None] for p in told]
        assert [as_stated(text, p["value"]) for text, p in zip(found["value_json"], told, strict=True)] == [
            p["value"] for p in told
        ]


def test_the_run_log_has_the_variables_the_reference_names(
    golden: dict[str, Json], published: dict[str, pl.DataFrame]
) -> None:
    expected = set(map(scrubbed, golden["keys"])) - {golden["unknown_key"]}
    assert set(own(published["variables"])["key"]) == expected


def test_variables(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    for key, told in golden["variables"].items():
        seen, kinds = told.get("readsCoverage") or {}, [moment["kind"] for moment in told["moments"]]
        expected = [
            told["missing"],
            told["coverage"],
            told["keysReadKind"],
            seen.get("steps"),
            seen.get("stepsWithReads"),
        ]
        columns = "missing coverage keys_read_kind steps steps_with_reads writes reads notes"
        assert rows(of_key(published["variables"], key), columns) == [
            [*expected, *map(kinds.count, KINDS), told["notes"]]
        ], key


def test_moments(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    columns = (
        "kind commit_idx runtime_stage_id stage_id stage_name verb from_write_idx loop_index suspect_kind suspect_id"
    )
    members = "kind commitIdx runtimeStageId stageId stageName verb fromWriteIdx loopIndex suspectKind suspectId"
    for key, told in golden["variables"].items():
        assert rows(of_key(published["moments"], key), columns, "position") == stated(told["moments"], members), key


def test_ablation_hooks(golden: dict[str, Json], published: dict[str, pl.DataFrame]) -> None:
    for key, told in golden["variables"].items():
        found = of_key(published["ablation_hooks"], key)
        expected = stated(told["ablations"], "writerId suspectId kind")
        assert rows(found, "writer_id suspect_id suspect_kind", "position") == expected, key
        assert [parse(spec) for spec in found.sort("position")["spec_json"]] == [a["spec"] for a in told["ablations"]]


def own(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of the run's own log."""
    return frame.filter(pl.col("scope") == "")


def of_key(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    return own(frame).filter(pl.col("key") == scrubbed(key))
