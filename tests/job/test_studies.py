"""Studies reach the tables whole, whenever and in whatever order they and the runs they name arrive."""

import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

import dataflows.job
import dataflows.publication
import dataflows.store.embeddings
from afp_nodes.studies import plugins
from afp_nodes.studies.embedders import embedded, embedder
from dataflows.job import run
from dataflows.store import Snapshot, Store, StoreError
from dataflows.store.checking import check
from dataflows.store.compaction import compact
from dataflows.store.embeddings import FOLDER, MOST_FILES, KeptEmbeddings
from dataflows.store.study_tables import OF_STUDIES
from dataflows.store.upkeep import rollback, vacuum
from tests.declaring import write
from tests.stores import told_tables
from tests.studies.documents import ablation, arms, probes

MANIFEST = {"llm": {"provider": "p", "model": "m"}}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"wallClockMs": 1, "runId": "own"}}


def recording(run_id: str, answer: str, **members: Any) -> dict[str, Any]:
    """A run that answered after one model call."""
    call = event("stream.llm_end", usage={"input": 3, "output": 4})
    events = [event("agent.run_configured", **MANIFEST), call, event("agent.turn_end", finalContent=answer)]
    return {
        "format": "agentfootprint.recording.v1",
        "run": {"runId": run_id, "complete": True} | members,
        "configuration": {"manifest": MANIFEST},
        "recording": {"snapshot": {"sharedState": {}, "commitLog": []}, "events": events},
    }


REMOVED = ablation(
    *probes("baseline", None, None),
    *probes("spec", None, None),
    study_id="removed",
    original_run_id="original",
    original_output=None,
    options=None,
)
EXCHANGED = arms(
    *probes("a", "x", "x"),
    *probes("b", "y", "y"),
    facets={"a": {}, "b": {"model": "m"}},
    study_id="exchanged",
)
RECORDINGS = {
    "original": recording("original", "same"),
    "baseline-0": recording("baseline-0", "same"),
    "baseline-1": recording("baseline-1", "same"),
    "spec-0": recording("spec-0", "another"),
    "spec-1": recording("spec-1", "another"),
    "b-0": recording("b-0", "recorded otherwise"),
    "stranger": recording("stranger", "x"),
}


@pytest.fixture
def inbox(tmp_path: Path) -> dict[str, Path]:
    """Two studies, the recordings of some of their runs, and a run of no study."""
    return write(tmp_path / "inbox", removed__study=REMOVED, exchanged__study=EXCHANGED, **RECORDINGS)


@pytest.fixture
def whole(inbox: dict[str, Path], tmp_path: Path) -> dict[str, list[str]]:
    """The tables of one job that finds all of it."""
    return taken_in(tmp_path / "whole", inbox.values())


def taken_in(store: Path, paths: Iterable[Path], **options: Any) -> dict[str, list[str]]:
    """The tables after one job."""
    run([str(path) for path in paths], str(store), **options)
    assert check(Store(store)) == []
    return told_tables(Store(store))


def newest(store: Path) -> Snapshot:
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot


def words(store: Path) -> dict[tuple[str, str], str]:
    """The word of each verdict of a study."""
    rows = newest(store).scan("verdicts").drop_nulls("study_id").collect().to_dicts()
    return {(row["kind"], row["subject_id"]): row["verdict"] for row in rows}


def files_of_studies(store: Path) -> dict[str, str]:
    return {name: part.file for name, part in newest(store).manifest.tables.items() if name in OF_STUDIES}


def never(*_: object, **__: object) -> Any:
    raise AssertionError("this was made before")


def test_verdicts_rest_on_what_is_stated_and_what_is_recorded(whole: dict[str, list[str]], tmp_path: Path) -> None:
    assert whole["studies"]
    assert words(tmp_path / "whole") == {
        ("ablation", "spec"): "confirmed",
        ("cost", "spec"): "unknown",
        ("arm", "b"): "confirmed",
    }
    rows = newest(tmp_path / "whole").scan("probe_runs").filter(subject_id="b").sort("seed").collect()
    assert rows.select("output", "loops", "tokens", "manifest_seen").rows() == [
        ("y", 1, 7, True),
        ("y", None, None, False),
    ]
    assert newest(tmp_path / "whole").row_counts()["verdicts"] == len(whole["verdicts"])


ORDERS = [
    ("exchanged__study", "removed__study", *RECORDINGS),
    (
        "spec-0",
        "removed__study",
        "stranger",
        "baseline-1",
        "original",
        "exchanged__study",
        "baseline-0",
        "spec-1",
        "b-0",
    ),
]


@pytest.mark.parametrize("order", ORDERS)
def test_documents_that_come_one_by_one_give_the_tables_of_one_job(
    order: tuple[str, ...], inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    told = {}
    for name in order:
        told = taken_in(tmp_path / "store", [inbox[name]])
    assert told == whole


@pytest.mark.parametrize(
    "order", [("study", "runs", "others"), ("runs", "others", "study"), ("others", "study", "runs")], ids="-".join
)
def test_a_study_may_come_before_with_or_after_its_runs(
    order: tuple[str, ...], inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    groups = {
        "study": ["removed__study"],
        "runs": [name for name in RECORDINGS if name.startswith(("baseline", "spec", "original"))],
        "others": ["exchanged__study", "b-0", "stranger"],
    }
    told = {}
    for group in order:
        told = taken_in(tmp_path / "store", [inbox[name] for name in groups[group]])
    assert told == whole


def test_several_workers_give_the_tables_of_one(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    assert taken_in(tmp_path / "store", inbox.values(), jobs=2) == whole


def test_another_version_of_a_run_is_judged_again(inbox: dict[str, Path], tmp_path: Path) -> None:
    unfinished = recording("spec-1", "same", complete=False)
    taken_in(tmp_path / "store", [*inbox.values(), write(tmp_path / "late", late=unfinished)["late"]])
    assert words(tmp_path / "store")["ablation", "spec"] == "confirmed"
    first = write(tmp_path / "first", first=unfinished)["first"]
    taken_in(tmp_path / "other", [first, *(path for name, path in inbox.items() if name != "spec-1")])
    assert words(tmp_path / "other")["ablation", "spec"] == "inconclusive"
    taken_in(tmp_path / "other", [inbox["spec-1"]])
    assert words(tmp_path / "other")["ablation", "spec"] == "confirmed"


def test_of_two_documents_of_a_study_the_one_with_more_runs_counts(inbox: dict[str, Path], tmp_path: Path) -> None:
    longer = EXCHANGED | {"runs": [*EXCHANGED["runs"], *probes("b", *"yyx")[2:]]}
    shorter = EXCHANGED | {"runs": EXCHANGED["runs"][:2]}
    more = write(tmp_path / "more", longer__study=longer, shorter__study=shorter)
    taken_in(tmp_path / "store", [inbox["exchanged__study"]])
    for path in more.values():
        taken_in(tmp_path / "store", [path])
        (row,) = newest(tmp_path / "store").scan("verdicts").collect().to_dicts()
        assert row["samples"] == 3


REFUSED = {
    "too-few-arms": EXCHANGED | {"arms": EXCHANGED["arms"][:1]},
    "unknown-baseline": EXCHANGED | {"baseline": "z"},
    "same-configuration": EXCHANGED | {"arms": [*EXCHANGED["arms"], {"id": "c", "facets": {"model": "m"}}]},
    "bad-study": EXCHANGED | {"embedder": "moc"},
}


def test_a_refused_study_costs_no_other_anything(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path
) -> None:
    bad = {f"{code}__study": study | {"study_id": code} for code, study in REFUSED.items()}
    refused = write(tmp_path / "refused", **bad)
    told = taken_in(tmp_path / "store", [*refused.values(), *inbox.values()])
    assert {name for name in told if told[name] != whole[name]} == {"quarantine"}
    rows = newest(tmp_path / "store").scan("quarantine").collect().to_dicts()
    assert {row["code"]: Path(row["source_uri"]).name for row in rows} == {
        code: f"{code}.study.json" for code in REFUSED
    }


def test_what_touches_no_study_leaves_its_tables_as_they_lie(inbox: dict[str, Path], tmp_path: Path) -> None:
    store = tmp_path / "store"
    taken_in(store, [path for name, path in inbox.items() if name != "stranger"])
    before = files_of_studies(store)
    assert set(before) == {"studies", "probe_runs", "null_bands", "verdicts"}
    taken_in(store, [inbox["stranger"]])
    assert files_of_studies(store) == before
    taken_in(store, [write(tmp_path / "late", late=recording("a-0", "x"))["late"]])
    assert not set(files_of_studies(store).values()) & set(before.values())


@pytest.mark.parametrize(
    "upkeep", [compact, vacuum, lambda store: rollback(store, 3)], ids=["compact", "vacuum", "rollback"]
)
def test_upkeep_keeps_what_studies_say(upkeep: Callable[[Store], Any], inbox: dict[str, Path], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for group in (["removed__study"], list(RECORDINGS), ["exchanged__study"]):
        told = taken_in(store.path, [inbox[name] for name in group])
    upkeep(store)
    assert check(store) == []
    assert told_tables(store) == told


def test_a_rollback_takes_back_what_a_study_said(inbox: dict[str, Path], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    told = taken_in(store.path, [inbox[name] for name in RECORDINGS])
    taken_in(store.path, [inbox["removed__study"]])
    rollback(store, 1)
    assert check(store) == []
    assert told_tables(store) == told
    taken_in(store.path, [inbox["removed__study"]])
    assert words(store.path)["ablation", "spec"] == "confirmed"


def test_newer_derivations_make_the_tables_of_studies_anew(
    inbox: dict[str, Path], whole: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of_studies(tmp_path / "whole")
    for module in (dataflows.job, dataflows.publication):
        monkeypatch.setattr(module, "CODE_VERSION", "next")
    monkeypatch.setattr(dataflows.store.embeddings, "embedded", lambda _, texts: {} if not texts else never())
    assert taken_in(tmp_path / "whole", [inbox["stranger"]]) == whole
    assert not set(files_of_studies(tmp_path / "whole").values()) & set(before.values())


def test_studies_alone_make_a_store(inbox: dict[str, Path], tmp_path: Path) -> None:
    told = taken_in(tmp_path / "store", [inbox["exchanged__study"]])
    assert words(tmp_path / "store") == {("arm", "b"): "confirmed"}
    assert told["runs"] == []


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Lets a package offer embedders, by name and place."""

    def offer(**places: str) -> None:
        points = EntryPoints(EntryPoint(name, place, "afp.embedders") for name, place in places.items())
        monkeypatch.setattr(plugins, "entry_points", lambda group: points.select(group=group))
        embedder.cache_clear()

    yield offer
    embedder.cache_clear()


class Broken:
    """An embedder that gives numbers of another length for every text."""

    id = "broken"
    judges = "Nothing."

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[1.0] * place for place, _ in enumerate(texts)]


class Working(Broken):
    """One that tells texts apart by their first letter."""

    def embed(self, texts: list[str]) -> list[list[float]]:
        return [[float(text[0] == "x"), float(text[0] != "x")] for text in texts]


BY_PLUGIN = EXCHANGED | {"embedder": "plugin", "options": None}


def test_an_embedder_that_gives_no_embeddings_ends_the_job_with_nothing_published(
    offered: Callable[..., None], inbox: dict[str, Path], tmp_path: Path
) -> None:
    offered(plugin=f"{__name__}:Broken")
    taken_in(tmp_path / "store", [inbox["stranger"]])
    with pytest.raises(StoreError, match=r"The answers of studies cannot be compared: embedder 'plugin' did not give"):
        run([str(write(tmp_path / "in", x__study=BY_PLUGIN)["x__study"])], str(tmp_path / "store"))
    assert newest(tmp_path / "store").version == 1


def test_a_study_whose_embedder_is_removed_is_told_to_be_stale_and_is_inconclusive_from_then_on(
    offered: Callable[..., None], inbox: dict[str, Path], tmp_path: Path
) -> None:
    store = tmp_path / "store"
    offered(plugin=f"{__name__}:Working")
    taken_in(store, [write(tmp_path / "in", x__study=BY_PLUGIN)["x__study"]])
    assert words(store) == {("arm", "b"): "confirmed"}
    offered()
    assert ["installed or removed" in problem.message for problem in check(Store(store))] == [True]
    taken_in(store, [inbox["stranger"]])
    assert words(store) == {("arm", "b"): "inconclusive"}
    offered(plugin=f"{__name__}:Working")
    taken_in(store, [inbox["original"]])
    assert words(store) == {("arm", "b"): "confirmed"}


def test_a_study_that_was_refused_for_a_name_is_taken_in_once_that_is_installed(
    offered: Callable[..., None], tmp_path: Path
) -> None:
    study = write(tmp_path / "in", x__study=BY_PLUGIN)["x__study"]
    run([str(study)], str(tmp_path / "store"))
    assert newest(tmp_path / "store").row_counts()["quarantine"] == 1
    offered(plugin=f"{__name__}:Working")
    taken_in(tmp_path / "store", [study])
    assert newest(tmp_path / "store").row_counts()["quarantine"] == 0
    assert words(tmp_path / "store") == {("arm", "b"): "confirmed"}


def kept_files(root: Path) -> list[Path]:
    return sorted((root / FOLDER).rglob("*.parquet"))


def test_a_text_is_embedded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = KeptEmbeddings(tmp_path).of("mock", ["a", "b"])
    assert first == embedded("mock", ["a", "b"])
    made: list[list[str]] = []
    monkeypatch.setattr(
        dataflows.store.embeddings, "embedded", lambda name, texts: made.append(sorted(texts)) or embedded(name, texts)
    )
    assert KeptEmbeddings(tmp_path).of("mock", ["b", "c"]) == embedded("mock", ["b", "c"])
    assert KeptEmbeddings(tmp_path).of("lexical", ["b"]) == embedded("lexical", ["b"])
    assert made == [["c"], ["b"]]


@pytest.mark.parametrize(
    "damage", [b"", b"PAR1", lambda data: data[:-9] + b"123456789"], ids=["empty", "cut", "changed"]
)
def test_a_damaged_file_is_not_trusted(damage: Any, tmp_path: Path) -> None:
    KeptEmbeddings(tmp_path).of("mock", ["a", "b"])
    (file,) = kept_files(tmp_path)
    file.write_bytes(damage(file.read_bytes()) if callable(damage) else damage)
    assert KeptEmbeddings(tmp_path).of("mock", ["a"]) == embedded("mock", ["a"])


def test_what_cannot_be_kept_is_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    for _ in range(2):
        assert KeptEmbeddings(tmp_path).of("mock", ["a"]) == embedded("mock", ["a"])


def test_of_many_files_one_is_made(tmp_path: Path) -> None:
    texts = [str(number) for number in range(MOST_FILES + 3)]
    for text in texts:
        KeptEmbeddings(tmp_path).of("mock", [text])
    assert len(kept_files(tmp_path)) < MOST_FILES
    assert KeptEmbeddings(tmp_path).of("mock", texts) == embedded("mock", texts)


def test_an_embedder_that_was_exchanged_for_another_of_its_name_does_not_meet_what_the_other_said(
    tmp_path: Path, offered: Callable[..., None]
) -> None:
    offered(plugin=f"{__name__}:Working")
    KeptEmbeddings(tmp_path).of("plugin", ["x", "y"])
    offered(plugin="afp_nodes.studies.embedders:Mock")
    told = KeptEmbeddings(tmp_path).of("plugin", ["x", "z"])
    assert {len(embedding.vector) for embedding in told.values()} == {32}
    assert KeptEmbeddings(tmp_path).of("plugin", ["x", "y"])["y"].vector == embedded("plugin", ["y"])["y"].vector


def many_texts(root: str, first: int) -> None:
    for number in range(first, first + 30):
        KeptEmbeddings(Path(root)).of("mock", [str(number), "shared"])


def test_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=many_texts, args=(str(tmp_path), 20 * n)) for n in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    texts = [str(number) for number in range(50)]
    assert KeptEmbeddings(tmp_path).of("mock", texts) == embedded("mock", texts)
    assert list((tmp_path / FOLDER).rglob("*.tmp")) == []


def test_a_vacuum_removes_what_a_killed_writer_left_half_written(inbox: dict[str, Path], tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    taken_in(store.path, inbox.values())
    (file,) = kept_files(store.path)
    (file.parent / "0123.tmp").write_bytes(b"half")
    vacuum(store)
    assert list((store.path / FOLDER).rglob("*.tmp")) == []
    assert kept_files(store.path) == [file]


def test_a_job_that_sees_no_study_loads_nothing_that_judges_one(inbox: dict[str, Path], tmp_path: Path) -> None:
    code = (
        "import sys; from dataflows.job import run; run([sys.argv[1]], sys.argv[2]);"
        "judging = ('afp_nodes.studies.verdicts', 'dataflows.studies', 'scipy', 'statsmodels');"
        "print([name for name in sys.modules if name.startswith(judging)])"
    )
    command = [sys.executable, "-c", code, str(inbox["stranger"]), str(tmp_path / "store")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
    assert newest(tmp_path / "store").row_counts()["studies"] == 0
