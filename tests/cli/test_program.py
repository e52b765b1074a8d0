"""The program: what it says of itself, and how its commands end."""

import subprocess
import sys

import click
import pytest

from dataflows.cli import interruption, program
from dataflows.cli.commands import dag
from dataflows.cli.failures import CommandError, ExitCode
from tests.cli.conftest import Afp

HEAVY = {"polars", "duckdb", "pyarrow", "hamilton", "numpy", "rich", "dataframely", "msgspec", "fsspec"}


def commands(command: click.Command, *names: str) -> list[tuple[str, ...]]:
    """Every command and group below, by its words."""
    inner = command.commands if isinstance(command, click.Group) and names else {}
    if not names:
        context = click.Context(program.program)
        inner = {name: program.program.get_command(context, name) for name in program.COMMANDS}
    return [names] + [words for name, below in inner.items() if below for words in commands(below, *names, name)]


EVERY_COMMAND = commands(program.program)


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_every_command_explains_itself_with_an_example(afp: Afp, words: tuple[str, ...]) -> None:
    shown = afp(*words, "--help")
    assert shown.exit_code == ExitCode.DONE
    assert f"  {' '.join(('afp', *words))} " in shown.stdout
    assert "Example:" in shown.stdout


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_every_option_of_a_command_has_a_meaning(words: tuple[str, ...]) -> None:
    command: click.Command = program.program
    for word in words:
        assert isinstance(command, click.Group)
        inner = command.get_command(click.Context(command), word)
        assert inner is not None
        command = inner
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


def test_help_loads_nothing_heavy() -> None:
    asked = (
        "import sys; from dataflows.cli.program import program\ntry: program.main(['--help'])\nexcept SystemExit: pass"
    )
    told = "print(*(name for name in sys.modules if '.' not in name), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{asked}\n{told}"], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stderr.split()) == set()


def test_the_version_is_that_of_the_distribution(afp: Afp) -> None:
    from importlib.metadata import version

    assert afp("--version").stdout == f"afp {version('afp-fleet')}\n"


@pytest.mark.parametrize(
    "words",
    [("nonsense",), ("sql",), ("run", "--jobs", "0", "x", "--store", "y"), ("trace", "--store", "x")],
    ids=" ".join,
)
def test_bad_arguments_end_with_2(afp: Afp, words: tuple[str, ...]) -> None:
    shown = afp(*words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "Error: " in shown.stderr


@pytest.mark.parametrize(
    "words", [("sql", "from runs"), ("runs",), ("trace", "a", "b"), ("store", "check")], ids=" ".join
)
def test_a_command_without_a_store_says_how_to_name_one(afp: Afp, words: tuple[str, ...]) -> None:
    shown = afp(*words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "Missing option '--store' (env var: 'AFP_STORE')" in shown.stderr


@pytest.mark.parametrize(
    "words", [("sql", "from runs"), ("runs",), ("trace", "a", "b"), ("store", "check")], ids=" ".join
)
def test_a_store_that_is_not_there_is_said_with_the_way_to_make_one(afp: Afp, words: tuple[str, ...]) -> None:
    shown = afp(*words, "--store", "/nowhere/store")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == "afp: There is no store at /nowhere/store. Make one: afp run PATH --store /nowhere/store\n"


def test_a_store_may_be_named_by_the_environment(afp: Afp, store: str) -> None:
    assert afp("runs", env={"AFP_STORE": store}).exit_code == ExitCode.DONE


def failing(error: BaseException) -> click.Command:
    @click.command()
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CommandError("It is so.", "Do this."), 2, "afp: It is so. Do this.\n"),
        (
            ValueError("odd\x1b[31m"),
            2,
            "afp: unexpected ValueError: odd\\x1b[31m. Set AFP_DEBUG=1 to see where, and report it.\n",
        ),
        (
            OSError(28, "No space left on device", "out"),
            2,
            "afp: the disk is full (out). Free some space and run again.\n",
        ),
        (
            PermissionError(13, "Permission denied", "out"),
            2,
            "afp: cannot use out: Permission denied. Check the path and who may use it.\n",
        ),
        (KeyboardInterrupt(), 130, "\nafp: interrupted; the store holds what was published last.\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_every_end_has_its_exit_code_and_one_sentence(
    afp: Afp, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    monkeypatch.setattr(dag, "command", failing(error))
    monkeypatch.setattr(program, "leave_the_pipe", lambda: None)
    shown = afp("dag")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (code, "", said)


def test_a_debugger_sees_the_traceback(afp: Afp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dag, "command", failing(ValueError("odd")))
    assert "Traceback" not in afp("dag").stderr
    assert "Traceback" in afp("dag", env={"AFP_DEBUG": "1"}).stderr


def test_an_error_that_a_signal_brought_about_counts_as_the_signal(afp: Afp, monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    monkeypatch.setattr(dag, "command", failing(RuntimeError("query interrupted")))
    monkeypatch.setattr(interruption, "_received", [signal.SIGTERM])
    assert afp("dag").exit_code == ExitCode.TERMINATED
