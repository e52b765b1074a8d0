"""The program as a process: signals, pipes, terminals, a home that is not there."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import SAMPLE

AFP = (sys.executable, "-c", "from dataflows.cli import main; main()")
ENDLESS = "SELECT sum(hash(a.i * b.j)) FROM range(1000000) a(i), range(1000000) b(j)"
ENDLESS_ROWS = "FROM range(10000000000)"


def environment(**changes: str | None) -> dict[str, str]:
    told = {name: value for name, value in os.environ.items() if not name.startswith("AFP_")} | changes
    return {name: value for name, value in told.items() if value is not None}


def run(*words: str, **changes: str | None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*AFP, *words], capture_output=True, text=True, env=environment(**changes), check=False)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("query", [ENDLESS, ENDLESS_ROWS], ids=["before the first row", "between rows"])
def test_a_signal_ends_a_long_query_at_once_and_leaves_no_file(
    store: str, tmp_path: Path, query: str, number: int, code: int
) -> None:
    words = ("sql", query, "--store", store, "--format", "json", "--output", str(tmp_path / "answer.json"))
    with subprocess.Popen([*AFP, *words], stderr=subprocess.PIPE, env=environment()) as process:
        while process.poll() is None and not list(tmp_path.iterdir()):
            time.sleep(0.05)
        process.send_signal(number)
        _, said = process.communicate(timeout=5)
    assert process.returncode == code
    assert said.decode().strip() == "afp: interrupted; the store holds what was published last."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_reader_who_has_enough_is_no_failure(store: str, form: str) -> None:
    words = ("sql", ENDLESS_ROWS, "--store", store, "--format", form)
    with subprocess.Popen([*AFP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=10) == 0


def on_a_terminal(words: tuple[str, ...], which: str, other: Path, **changes: str | None) -> tuple[int, str]:
    """The exit code and what a terminal got as stdout or stderr, the other stream going to a file."""
    controller, terminal = pty.openpty()
    with (
        other.open("wb") as file,
        subprocess.Popen(
            [*AFP, *words],
            stdin=subprocess.DEVNULL,
            **{which: terminal, ({"stdout", "stderr"} - {which}).pop(): file},
            env=environment(TERM="xterm", COLUMNS="80", **changes),
        ) as process,
    ):
        os.close(terminal)
        printed = b""
        while piece := _read(controller):
            printed += piece
    os.close(controller)
    return process.returncode, printed.decode()


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:  # how a terminal says that nobody writes to it any more
        return b""


def test_a_bar_is_shown_on_a_terminal_and_never_in_a_file(tmp_path: Path) -> None:
    words = ("run", str(SAMPLE / "s-flat-l2-travel.json.gz"), "--store", str(tmp_path / "store"))
    code, shown = on_a_terminal(words, "stderr", tmp_path / "out")
    assert code == 0
    assert "\x1b[" in shown
    assert not re.search(r"[\r\x1b]", (tmp_path / "out").read_text())
    assert (tmp_path / "out").read_text().startswith("documents: 1 found")


def test_plain_lines_go_to_a_file(tmp_path: Path) -> None:
    words = ("run", str(SAMPLE / "s-flat-l2-travel.json.gz"), "--store", str(tmp_path / "store"))
    code, shown = on_a_terminal(words, "stdout", tmp_path / "err")
    assert code == 0
    assert shown.startswith("documents: 1 found")
    assert "\x1b" not in shown
    assert re.fullmatch(r"reading 1 file, [0-9.]+ MB\n", (tmp_path / "err").read_text())


def test_a_wide_table_becomes_blocks_on_a_terminal(store: str, tmp_path: Path) -> None:
    code, shown = on_a_terminal(("sql", "FROM runs LIMIT 2", "--store", store), "stdout", tmp_path / "err")
    assert code == 0
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("recording_sha256") == 2
    assert "\x1b" not in shown


@pytest.mark.parametrize("home", [None, "/nowhere", "/proc"])
def test_no_home_is_needed(store: str, tmp_path: Path, home: str | None) -> None:
    inbox = str(SAMPLE / "s-flat-l2-travel.json.gz")
    assert run("run", inbox, "--store", str(tmp_path / "store"), HOME=home).returncode == 0
    assert run("sql", "FROM runs", "--store", store, HOME=home).returncode == 0


def test_a_terminal_of_few_letters_gets_them_escaped(store: str) -> None:
    shown = run("sql", "SELECT 'Zoe 東京' AS c", "--store", store, PYTHONIOENCODING="latin-1")
    assert (shown.returncode, shown.stderr) == (0, "1 row\n")
    assert shown.stdout.splitlines()[2] == r"Zoe \u6771\u4eac"
