"""`afp store`: thin over the store, with the exit codes of the contract."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Afp, recording, sets, write_lines


def test_a_sound_store_is_said_to_be_so_with_what_was_looked_at(afp: Afp, store: str) -> None:
    shown = afp("store", "check", "--store", store)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("all is well: snapshot 1, ")
    assert json.loads(afp("store", "check", "--store", store, "--json").stdout)["checked"]["snapshots"] == 1


def test_a_damaged_store_ends_with_1_and_names_the_file(afp: Afp, store_of: Callable[..., str]) -> None:
    path = store_of(recording("r", [sets(k=1)]))
    [part] = Path(path, "parts", "writes").glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-9])
    shown = afp("store", "check", "--store", path)
    assert shown.exit_code == 1
    assert part.name in shown.stdout
    told = json.loads(afp("store", "check", "--store", path, "--json").stdout)
    assert told["problems"][0]["table"] == "writes"


@pytest.mark.parametrize("words", [("sql", "FROM runs"), ("runs",), ("trace", "r", "k")])
def test_a_reader_of_a_damaged_store_is_sent_to_the_check(
    afp: Afp, store_of: Callable[..., str], words: tuple[str, ...]
) -> None:
    path = store_of(recording("r", [sets(k=1)]))
    for part in Path(path, "parts").glob("*/*.parquet"):
        part.unlink()
    shown = afp(*words, "--store", path)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr.endswith(f"Look for damage: afp store check --store {path}\n")


def test_snapshots_are_listed_newest_first_and_can_be_restored(
    afp: Afp, store_of: Callable[..., str], tmp_path: Path
) -> None:
    path = store_of(recording("r-1", [sets(k=1)]))
    write_lines(tmp_path / "more.jsonl", recording("r-2", [sets(k=1)]))
    assert afp("run", str(tmp_path / "more.jsonl"), "--store", path).exit_code == 0
    restored = afp("store", "rollback", "1", "--store", path)
    assert (restored.exit_code, restored.stderr) == (0, "published: snapshot 3, with the tables of snapshot 1\n")
    told = json.loads(afp("store", "history", "--store", path, "--json").stdout)
    assert [(each["snapshot"], each["restores"], each["rows"]["runs"]) for each in told] == [
        (3, 1, 1),
        (2, None, 2),
        (1, None, 1),
    ]
    assert afp("store", "history", "--store", path).stdout.splitlines()[2].split()[0] == "3"


def test_an_unknown_snapshot_cannot_be_restored(afp: Afp, store: str) -> None:
    shown = afp("store", "rollback", "99", "--store", store)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "has no snapshot 99" in shown.stderr


def test_upkeep_says_what_it_did(afp: Afp, store_of: Callable[..., str], tmp_path: Path) -> None:
    path = store_of(recording("r-1", [sets(k=1)]))
    write_lines(tmp_path / "more.jsonl", recording("r-2", [sets(k=1)]))
    afp("run", str(tmp_path / "more.jsonl"), "--store", path)
    before = afp("sql", "FROM writes ORDER BY ALL", "--store", path, "--format", "json").stdout
    assert afp("store", "compact", "--store", path).stderr == "published: snapshot 3\n"
    assert afp("store", "compact", "--store", path).stderr == "nothing to compact\n"
    removed = afp("store", "vacuum", "--store", path, "--keep-days", "0")
    assert removed.stderr.startswith("removed: 2 snapshots and ")
    assert afp("store", "check", "--store", path).exit_code == 0
    assert afp("sql", "FROM writes ORDER BY ALL", "--store", path, "--format", "json").stdout == before
