"""Extensions: the examples of the page are installed and run, and what goes wrong in one is named."""

import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from afp_nodes.schemas import TABLES
from afp_nodes.studies.comparators import comparator
from afp_nodes.studies.embedders import embedded, embedder
from dataflows import extensions
from dataflows.extensions import ExtensionError, Given, activate, active
from dataflows.glossary import table_entries
from dataflows.inputs import READERS
from dataflows.job import run
from dataflows.store import Snapshot, Store
from dataflows.store.checking import check
from dataflows.store.compaction import compact
from tests.declaring import recording, units, write

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NAMES = iter(range(1_000))


@pytest.fixture(autouse=True)
def only_ours() -> Iterator[None]:
    """Whatever a test activates is gone after it."""
    readers = dict(READERS)
    yield
    READERS.clear()
    READERS.update(readers)
    activate()


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    write(tmp_path / "inbox", **{name: recording(name) for name in ("q", "r")}, l__units=units("absent", "a"))
    return tmp_path / "inbox"


@pytest.fixture
def module(tmp_path: Path) -> Callable[[str], str]:
    """Writes a module of nodes, and says where it lies."""

    def written(source: str) -> str:
        path = tmp_path / f"nodes_{next(NAMES)}.py"
        path.write_text(source)
        return str(path)

    return written


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Installs a package of one module under entry points, and gives its name."""

    def install(source: str, **offers: str) -> str:
        name = f"package_{next(NAMES)}"
        site = tmp_path / "site"
        (site / f"{name}-1.dist-info").mkdir(parents=True)
        (site / f"{name}.py").write_text(source)
        (site / f"{name}-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        points = "".join(f"[afp.{group}]\n{offer.replace('PACKAGE', name)}\n" for group, offer in offers.items())
        (site / f"{name}-1.dist-info" / "entry_points.txt").write_text(points)
        monkeypatch.syspath_prepend(str(site))
        return name

    return install


def newest(store: Path | str) -> Snapshot:
    snapshot = Store(store).snapshot()
    assert snapshot
    return snapshot


def rows(store: Path, table: str) -> list[dict[str, Any]]:
    return newest(store).scan(table).sort("run_id").collect().to_dicts()


def test_a_table_of_the_page_is_published_like_ours(inbox: Path, tmp_path: Path, module: Any) -> None:
    nodes = module(EXAMPLES[0])
    run([str(inbox)], str(tmp_path / "store"), nodes=[nodes])
    assert [row["run_id"] for row in rows(tmp_path / "store", "wordiness")] == ["q", "r"]
    assert newest(tmp_path / "store").row_counts()["wordiness"] == 2
    assert check(Store(tmp_path / "store")) == []


def test_workers_make_the_same(inbox: Path, tmp_path: Path, module: Any) -> None:
    nodes = module(EXAMPLES[0])
    run([str(inbox / "q.json"), str(inbox / "r.json")], str(tmp_path / "two"), nodes=[nodes], jobs=2)
    run([str(inbox)], str(tmp_path / "one"), nodes=[nodes])
    assert rows(tmp_path / "two", "wordiness") == rows(tmp_path / "one", "wordiness")


def test_what_was_there_before_is_derived_again_and_so_it_is_when_the_module_goes(
    inbox: Path, tmp_path: Path, module: Any
) -> None:
    store, nodes = tmp_path / "store", module(EXAMPLES[0])
    run([str(inbox)], str(store))
    assert run([str(inbox)], str(store), nodes=[nodes]).rederived_chunks == 1
    assert len(rows(store, "wordiness")) == 2
    assert not run([str(inbox)], str(store), nodes=[nodes]).published
    assert run([str(inbox)], str(store), nodes=[module(EXAMPLES[0] + "\n# changed\n")]).rederived_chunks == 1
    run([str(inbox)], str(store))
    assert "wordiness" not in newest(store).tables()
    assert "wordiness" not in TABLES


def test_a_store_keeps_a_table_whose_module_is_not_there(inbox: Path, tmp_path: Path, module: Any) -> None:
    store, nodes = tmp_path / "store", module(EXAMPLES[0])
    for name in ("q", "r"):
        run([str(inbox / f"{name}.json")], str(store), nodes=[nodes])
    before = rows(store, "wordiness")
    activate()
    compact(Store(store))
    assert len(newest(store).manifest.chunks) == 1
    assert rows(store, "wordiness") == before
    assert check(Store(store)) == []


def test_an_installed_package_is_used_without_being_named(inbox: Path, tmp_path: Path, installed: Any) -> None:
    installed(EXAMPLES[0], nodes="wordy = PACKAGE")
    run([str(inbox)], str(tmp_path / "store"))
    assert len(rows(tmp_path / "store", "wordiness")) == 2


WORDY = EXAMPLES[0]
UNHEARD_OF = """
def wordiness(unheard_of: int) -> dy.LazyFrame[Wordiness]:
    return Wordiness.create_empty().lazy()
"""


def changed(old: str, new: str) -> str:
    """The example with one thing exchanged."""
    assert old in WORDY
    return WORDY.replace(old, new)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('no luck')", "cannot be loaded: RuntimeError: no luck"),
        ("def runs(messages: int) -> int:\n    return 1\n", r"Node runs of nodes_\d+ has the name of one of afp_nodes"),
        (WORDY.replace("Wordiness", "Runs").replace("wordiness", "runs"), "Table runs of .* name of one of ours"),
        (changed("def wordiness", "def wordy"), "makes the table wordiness: give both one name"),
        (changed("dy.String(primary_key=True, ", "dy.String(nullable=True, "), "needs `run_id` in its key"),
        (changed("pl.len()", "pl.col('none')"), r"Node wordiness of nodes_\d+ failed; .* ColumnNotFoundError"),
        (changed(".pipe(Wordiness.cast)", ""), "Node wordiness .* SchemaError: wordiness does not follow Wordiness"),
        (changed("messages=pl.len()", "messages=pl.lit(-1)"), "Node wordiness .* failed.*ValidationError"),
        (WORDY.partition("def wordiness")[0] + UNHEARD_OF, "do not fit into the graph: .*\n.*unheard_of"),
        (changed("dy.LazyFrame[Messages]", "dy.LazyFrame[Wordiness]"), "do not fit into the graph"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_published(
    inbox: Path, tmp_path: Path, module: Any, source: str, said: str
) -> None:
    with pytest.raises(ExtensionError, match=said):
        run([str(inbox)], str(tmp_path / "store"), nodes=[module(source)])
    assert not (tmp_path / "store").exists() or Store(tmp_path / "store").snapshot() is None
    activate()
    assert active().digest == ""


def test_the_command_ends_with_2_and_a_sentence(inbox: Path, tmp_path: Path) -> None:
    afp = [sys.executable, "-c", "from dataflows.cli import main; main()"]
    command = [*afp, "run", str(inbox), "--store", str(tmp_path / "s"), "--nodes", "no_such_module"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "The nodes of no_such_module cannot be loaded" in ended.stderr


def test_a_classifier_names_the_suspects(tmp_path: Path, installed: Any) -> None:
    of_slots = EXAMPLES[1].replace("retrievedDocuments", "systemPromptInjections").replace('["id"]', '["contentHash"]')
    installed(of_slots, classifiers="retrieved = PACKAGE:retrieved")
    inbox = PAGE.parents[1] / "data" / "sample" / "runs" / "s-flat-l3-triage.json.gz"
    named = {}
    for name in ("recorded", "retrieved"):
        run([str(inbox)], str(tmp_path / name), classifier=name)
        named[name] = {row["suspect_kind"] for row in rows(tmp_path / name, "ablation_hooks")}
    assert named == {"recorded": {"injection", "tool"}, "retrieved": {"memory"}}
    with pytest.raises(ExtensionError, match="there is no classifier 'retreived'; did you mean 'retrieved'"):
        run([str(inbox)], str(tmp_path / "none"), classifier="retreived")


def test_an_embedder_and_a_comparator_are_found_by_their_names(installed: Any) -> None:
    embedder.cache_clear()
    installed(EXAMPLES[2], embedders="lengths-1 = PACKAGE:Lengths", comparators="first-line = PACKAGE:same_first_line")
    assert embedded("lengths-1", ["abc"])["abc"].vector == (3.0, 1.0)
    assert comparator("first-line")("a\nb", "a\nc") is False
    embedder.cache_clear()


def test_a_reader_reads_files_of_its_ending_and_what_fails_is_listed(tmp_path: Path, installed: Any) -> None:
    installed(EXAMPLES[3], readers=".xz = PACKAGE:xz_lines")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    lines = b"\n".join(json.dumps(recording(name)).encode() for name in ("q", "r"))
    (inbox / "two.xz").write_bytes(lzma.compress(lines))
    (inbox / "broken.xz").write_bytes(b"nothing")
    summary = run([str(inbox)], str(tmp_path / "store"))
    assert (summary.loaded, summary.quarantined) == (2, 1)
    [refused] = newest(tmp_path / "store").scan("quarantine").collect().to_dicts()
    assert refused["code"] == "unreadable"
    assert "the reader of .xz failed: LZMAError" in refused["message"]


def test_an_ending_that_is_read_already_is_not_taken_over(inbox: Path, tmp_path: Path, installed: Any) -> None:
    installed(EXAMPLES[3], readers=".json = PACKAGE:xz_lines")
    with pytest.raises(ExtensionError, match=r"is for \.json, which another reads already"):
        run([str(inbox)], str(tmp_path / "store"))


def test_what_a_changed_classifier_or_a_changed_helper_made_is_made_again(
    tmp_path: Path, installed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pk"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helper.py").write_text("more = 1")
    (package / "nodes.py").write_text("from pk.helper import more\n" + WORDY)
    monkeypatch.syspath_prepend(str(tmp_path))
    versions = [activate(Given(("pk.nodes",))).digest]
    (package / "helper.py").write_text("more = 2")
    versions.append(activate(Given(("pk.nodes",))).digest)
    name = installed(EXAMPLES[1], classifiers="retrieved = PACKAGE:retrieved")
    versions.append(activate(Given(classifier="retrieved")).digest)
    source = tmp_path / "site" / f"{name}.py"
    source.write_text(source.read_text() + "\n# changed\n")
    versions.append(activate(Given(classifier="retrieved")).digest)
    assert len({*versions}) == 4


def test_a_table_whose_package_is_not_active_is_listed_with_its_columns(
    inbox: Path, tmp_path: Path, module: Any
) -> None:
    run([str(inbox)], str(tmp_path / "store"), nodes=[module(WORDY)])
    assert table_entries()["wordiness"].grain == "One run with the length of its messages."
    activate()
    entries = table_entries(newest(tmp_path / "store").manifest.columns)
    assert [column.name for column in entries["wordiness"].columns] == ["run_id", "messages", "longest"]
    assert "not active" in entries["wordiness"].grain


def test_nothing_given_is_nothing_active() -> None:
    assert activate(Given()) is extensions.NONE
    assert active().made("1") == "1"
